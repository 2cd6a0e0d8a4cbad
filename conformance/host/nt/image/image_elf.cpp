// Reading ELF files with libelf, which bears with damaged ones.
#include "conformance/host/nt/image/image_elf.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace wddm::nt {
namespace {

constexpr std::string_view kNotElf = "not an ELF file";

bool check_kind(Elf* elf, std::string& error) {
  GElf_Ehdr header;
  if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr) {
    error = kNotElf;
  } else if (header.e_machine != EM_X86_64 || gelf_getclass(elf) != ELFCLASS64) {
    error = "not built for x86-64";
  } else if (header.e_type != ET_DYN) {
    error = "not a shared object";
  } else {
    return true;
  }
  return false;
}

// A position-independent program is a shared object by its header, but says what it is.
bool is_program(Elf_Scn* section, const GElf_Shdr& header) {
  Elf_Data* data = elf_getdata(section, nullptr);
  const auto count = header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
  for (std::size_t i = 0; data && i < count; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, static_cast<int>(i), &entry) && entry.d_tag == DT_FLAGS_1 &&
        (entry.d_un.d_val & DF_1_PIE))
      return true;
  }
  return false;
}

void read_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ElfFacts& facts) {
  Elf_Data* data = elf_getdata(section, nullptr);
  const auto count = header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
  for (std::size_t i = 1; data && i < count; ++i) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, static_cast<int>(i), &symbol)) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (!name || !*name) continue;
    if (symbol.st_shndx == SHN_UNDEF)
      facts.imports.push_back({name, header.sh_offset + i * header.sh_entsize,
                               GELF_ST_BIND(symbol.st_info) == STB_WEAK});
    else if (std::string_view(name) == "DriverEntry" && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
      facts.exports_driver_entry = true;
  }
}

// A class may have one of its own.
bool is_operator_new(const char* name) {
  const std::string_view mangled = name;
  if (mangled.starts_with("_Znw") || mangled.starts_with("_Zna")) return true;
  const bool may_be = mangled.starts_with("_ZN") &&
                      (mangled.find("nw") != mangled.npos || mangled.find("na") != mangled.npos);
  if (!may_be) return false;
  int status = 0;
  char* const readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  const std::string_view text = status == 0 && readable != nullptr ? readable : "";
  const bool is =
      text.find("::operator new(") != text.npos || text.find("::operator new[](") != text.npos;
  std::free(readable);
  return is;
}

// The dynamic symbols know DriverEntry alone.
void read_operators_new(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ElfFacts& facts) {
  Elf_Data* data = elf_getdata(section, nullptr);
  const auto count = header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
  for (std::size_t i = 1; data && i < count; ++i) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, static_cast<int>(i), &symbol)) continue;
    if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name && is_operator_new(name))
      facts.operators_new.push_back({symbol.st_value, symbol.st_value + symbol.st_size});
  }
}

bool read_sections(Elf* elf, ElfFacts& facts, std::string& error) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) {
    error = "has no section table";
    return false;
  }
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name && std::string_view(name).starts_with("__sancov_") && (header.sh_flags & SHF_WRITE))
      facts.counters.push_back({header.sh_addr, header.sh_addr + header.sh_size});
    if (header.sh_type == SHT_DYNSYM) read_symbols(elf, section, header, facts);
    if (header.sh_type == SHT_SYMTAB) read_operators_new(elf, section, header, facts);
    if (header.sh_type == SHT_DYNAMIC && is_program(section, header)) {
      error = "not a shared object but a program";
      return false;
    }
  }
  return true;
}

}  // namespace

bool read_elf(const std::string& path, ElfFacts& facts, std::string& error) {
  elf_version(EV_CURRENT);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    error = std::strerror(errno);
    return false;
  }
  Elf* elf = elf_begin(file, ELF_C_READ, nullptr);
  bool good = elf != nullptr;
  if (!good) error = kNotElf;
  good = good && check_kind(elf, error) && read_sections(elf, facts, error);
  if (elf) elf_end(elf);
  close(file);
  return good;
}

}  // namespace wddm::nt
