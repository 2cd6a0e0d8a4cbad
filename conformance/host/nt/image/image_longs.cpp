// Variables of type `long` and pointers to functions with them, from the debug information of a
// driver.
//
// Only what the driver itself declares so: SIZE_T and kin reach their base type through typedefs.
// Left out: casts and expressions, which leave no trace in debug information.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>

#include "conformance/host/nt/image/image.h"

namespace wddm::nt {
namespace {

bool type_of(Dwarf_Die* die, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

bool is_long(const char* name) {
  for (const char* const raw : {"long int", "long", "long unsigned int", "unsigned long"}) {
    if (name != nullptr && std::strcmp(name, raw) == 0) return true;
  }
  return false;
}

std::string signature_of(Dwarf_Die* function);

// "long int" behind the die's type, with " *" if it is reached through a pointer: what writes there
// as Windows does writes half. Of a pointer to a function what its signature has of them. Empty if
// it is another type or a typedef.
std::string raw_long_of(Dwarf_Die* die) {
  const char* pointer = "";
  Dwarf_Die type = *die;
  for (int depth = 0; depth < 16; ++depth) {
    Dwarf_Die next;
    if (!type_of(&type, &next)) return {};
    type = next;
    switch (dwarf_tag(&type)) {
      case DW_TAG_base_type: {
        const char* const name = dwarf_diename(&type);
        if (!is_long(name)) return {};
        return std::string(std::strstr(name, "unsigned") ? "long unsigned int" : "long int") +
               pointer;
      }
      case DW_TAG_pointer_type:
      case DW_TAG_reference_type:
        pointer = " *";
        break;
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_array_type:
        break;
      case DW_TAG_subroutine_type:
        return signature_of(&type);
      default:
        return {};
    }
  }
  return {};
}

// Whoever calls through the pointer passes or takes these: "function: long int result, long int *
// parameter 2". Parameters count from 1.
std::string signature_of(Dwarf_Die* function) {
  std::string found;
  const auto add = [&found](const std::string& type, const std::string& where) {
    if (!type.empty()) found += (found.empty() ? "function: " : ", ") + type + " " + where;
  };
  add(raw_long_of(function), "result");
  Dwarf_Die child;
  if (dwarf_child(function, &child) != 0) return found;
  int number = 0;
  do {
    if (dwarf_tag(&child) != DW_TAG_formal_parameter) continue;
    ++number;
    add(raw_long_of(&child), "parameter " + std::to_string(number));
  } while (dwarf_siblingof(&child, &child) == 0);
  return found;
}

// Not dwarf_decl_file, which takes index 0 for none: in DWARF 5 it is the unit's own file.
const char* file_of(Dwarf_Die* die, Dwarf_Files* files) {
  Dwarf_Attribute attribute;
  Dwarf_Word index = 0;
  if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) ||
      dwarf_formudata(&attribute, &index) != 0)
    return nullptr;
  return dwarf_filesrc(files, index, nullptr, nullptr);
}

// size_t of our own headers is a typedef of the compiler's type, and as wide as on Windows.
bool is_ours(const char* file) {
  return std::strstr(file, "/conformance/sdk/ddi/") != nullptr;
}

void visit(Dwarf_Die* die, Dwarf_Files* files, std::vector<RawLong>& longs) {
  switch (dwarf_tag(die)) {
    case DW_TAG_variable:
    case DW_TAG_member:
    case DW_TAG_formal_parameter:
    case DW_TAG_typedef:
    case DW_TAG_subprogram: {
      std::string type = raw_long_of(die);
      const char* file = file_of(die, files);
      const char* name = dwarf_diename(die);
      int line = 0;
      if (!type.empty() && file && name && !is_ours(file) && dwarf_decl_line(die, &line) == 0) {
        longs.push_back({file, static_cast<std::uint32_t>(line), name, std::move(type)});
      }
      break;
    }
    default:
      break;
  }
  Dwarf_Die child;
  if (dwarf_child(die, &child) != 0) return;
  do visit(&child, files, longs);
  while (dwarf_siblingof(&child, &child) == 0);
}

auto key_of(const RawLong& entry) {
  return std::tie(entry.file, entry.line, entry.name);
}

}  // namespace

bool list_raw_longs(const std::string& path, std::vector<RawLong>& longs, std::string& error) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    error = path + ": " + std::strerror(errno);
    return false;
  }
  Dwarf* debug = dwarf_begin(file, DWARF_C_READ);
  if (!debug) {
    error = path + ": has no debug information";
    close(file);
    return false;
  }
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(debug, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
    if (Dwarf_Files* files = nullptr; dwarf_getsrcfiles(&die, &files, nullptr) == 0)
      visit(&die, files, longs);
  dwarf_end(debug);
  close(file);
  std::sort(longs.begin(), longs.end(),
            [](const RawLong& a, const RawLong& b) { return key_of(a) < key_of(b); });
  longs.erase(
      std::unique(longs.begin(), longs.end(),
                  [](const RawLong& a, const RawLong& b) { return key_of(a) == key_of(b); }),
      longs.end());
  return true;
}

}  // namespace wddm::nt
