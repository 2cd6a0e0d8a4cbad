// Bytes as printable text, RFC 4648 section 4: what a line of a journal holds a trace as.
#pragma once

#include <string>
#include <string_view>

namespace wddm::harness {

[[nodiscard]] std::string to_base64(std::string_view bytes);
/// False if `text` is not what to_base64() writes; `bytes` is unspecified then.
[[nodiscard]] bool from_base64(std::string_view text, std::string& bytes);

}  // namespace wddm::harness
