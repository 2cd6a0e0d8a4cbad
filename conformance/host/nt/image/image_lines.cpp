#include "conformance/host/nt/image/image_lines.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <string_view>

namespace wddm::nt {
namespace {

// Of the libraries that were asked of: a driver and its plug-ins. They stay open.
Dwarf* debug_information_of(const char* path) {
  static auto& known = *new std::map<std::string, Dwarf*, std::less<>>;
  const auto found = known.find(std::string_view(path));
  if (found != known.end()) return found->second;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  Dwarf* const debug = file < 0 ? nullptr : dwarf_begin(file, DWARF_C_READ);
  if (debug == nullptr && file >= 0) close(file);
  return known.emplace(path, debug).first->second;
}

// Not dwarf_addrdie: clang writes no table of address ranges.
std::string line_at(Dwarf* debug, Dwarf_Addr address) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(debug, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    if (dwarf_haspc(&die, address) != 1) continue;
    Dwarf_Line* const line = dwarf_getsrc_die(&die, address);
    const char* const source = line ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
    int number = 0;
    if (source == nullptr || dwarf_lineno(line, &number) != 0 || number <= 0) return {};
    const std::string_view path(source);
    return std::string(path.substr(path.rfind('/') + 1)) + ':' + std::to_string(number);
  }
  return {};
}

}  // namespace

std::string source_line(const void* code) {
  Dl_info info{};
  if (code == nullptr || dladdr(code, &info) == 0 || info.dli_fname == nullptr) return {};
  Dwarf* const debug = debug_information_of(info.dli_fname);
  if (debug == nullptr) return {};
  return line_at(debug, reinterpret_cast<std::uint64_t>(code) -
                            reinterpret_cast<std::uint64_t>(info.dli_fbase));
}

}  // namespace wddm::nt
