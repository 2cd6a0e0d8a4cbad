#include "fuzz/corpora/op_dictionary.h"

#include <fmt/format.h>

#include <iterator>

#include "reference/trace/op.h"

namespace wddm::fuzz {

std::string op_dictionary() {
  std::string text;
  for (const OpInfo& info : op_catalogue()) {
    const Op op = plain_op(info.kind);
    fmt::format_to(std::back_inserter(text), "{}=\"", info.name);
    for (const std::uint8_t byte : encode({&op, 1})) {
      fmt::format_to(std::back_inserter(text), "\\x{:02x}", byte);
    }
    text += "\"\n";
  }
  return text;
}

}  // namespace wddm::fuzz
