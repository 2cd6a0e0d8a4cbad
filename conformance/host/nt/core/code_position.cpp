// "function+offset" of a code address, from the image's own symbol table: a driver exports nothing
// but DriverEntry, so the dynamic symbols that dladdr reads would name everything after it.
//
// Used only when something is reported. Positions of the executable itself are named likewise.
#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "conformance/host/nt/core/service.h"

namespace wddm::nt {
namespace {

constexpr std::size_t kTextBytes = 256;

struct Found {
  char name[kTextBytes];
  std::uint64_t offset;
};

bool search_table(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, std::uint64_t address,
                  Found* found) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return false;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) continue;
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    if (address < symbol.st_value || address >= symbol.st_value + symbol.st_size) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr) return false;
    std::snprintf(found->name, sizeof found->name, "%s", name);
    found->offset = address - symbol.st_value;
    return true;
  }
  return false;
}

bool search_file(const char* path, std::uint64_t address, Found* found) {
  if (elf_version(EV_CURRENT) == EV_NONE) return false;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool hit = false;
  if (Elf* elf = elf_begin(file, ELF_C_READ_MMAP, nullptr)) {
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr && !hit;
         section = elf_nextscn(elf, section)) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) != nullptr && header.sh_type == SHT_SYMTAB)
        hit = search_table(elf, section, header, address, found);
    }
    elf_end(elf);
  }
  close(file);
  return hit;
}

std::string_view text_of(const Found& found) {
  static char text[kTextBytes + 32];
  int status = 0;
  char* readable = abi::__cxa_demangle(found.name, nullptr, nullptr, &status);
  const char* name = status == 0 && readable != nullptr ? readable : found.name;
  // Parameter lists only make the line longer.
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  std::size_t length = 0;
  while (name[length] != 0 && name[length] != '(')
    length += std::string_view(name + length + 1).starts_with(kUnnamed) ? kUnnamed.size() + 1 : 1;
  if (length == 0) length = std::strlen(name);
  std::snprintf(text, sizeof text, "%.*s+0x%llx", static_cast<int>(length), name,
                static_cast<unsigned long long>(found.offset));
  std::free(readable);
  return text;
}

// Reports tend to come from the same few places, and symbol tables are long.
struct Known {
  const void* code;
  std::size_t length;
  char text[kTextBytes + 32];
};

std::string_view search(const void* code) {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return "?";
  Found found{};
  const auto at = reinterpret_cast<std::uint64_t>(code);
  if (search_file(info.dli_fname, at - reinterpret_cast<std::uint64_t>(info.dli_fbase), &found))
    return text_of(found);
  if (info.dli_sname == nullptr) return "?";
  std::snprintf(found.name, sizeof found.name, "%s", info.dli_sname);
  found.offset = at - reinterpret_cast<std::uint64_t>(info.dli_saddr);
  return text_of(found);
}

}  // namespace

std::string_view code_position(const void* code) {
  if (code == nullptr) return "";
  static std::array<Known, 64> known;
  Known& entry = known[reinterpret_cast<std::uint64_t>(code) % known.size()];
  if (entry.code != code) {
    const std::string_view text = search(code);
    entry.code = code;
    entry.length = text.copy(entry.text, sizeof entry.text);
  }
  return {entry.text, entry.length};
}

}  // namespace wddm::nt
