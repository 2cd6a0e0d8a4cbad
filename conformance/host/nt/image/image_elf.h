// What a shared library's ELF file says about itself. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wddm::nt {

struct ElfImport {
  std::string name;
  std::uint64_t file_offset;  // of its symbol table entry
  bool weak;
};
struct ElfRange {
  std::uint64_t start;  // relative to the load address
  std::uint64_t end;
};

struct ElfFacts {
  std::vector<ElfImport> imports;
  std::vector<ElfRange> counters;  // sections that a fuzzer's run time owns
  std::vector<ElfRange> operators_new;
  bool exports_driver_entry = false;
};
/// Reads the file. False with one line in `error` (without the file's name) if it is no shared
/// object for this machine.
[[nodiscard]] bool read_elf(const std::string& path, ElfFacts& facts, std::string& error);

}  // namespace wddm::nt
