// Loading a driver: imports are checked before the dynamic linker sees the file, because it would
// stop at the first one it cannot find.
//
// Which imports count as offered: what the executable itself defines (the kernel services), the run
// time of compilers and sanitizers, and the functions of c_library.h, which the driver gets in
// place of the C library's.
#include "conformance/host/nt/image/image.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "conformance/host/nt/image/call_sites.h"
#include "conformance/host/nt/image/executable.h"
#include "conformance/host/nt/image/image_elf.h"
#include "conformance/host/nt/image/image_stubs.h"
#include "conformance/host/nt/image/load_error.h"
#include "conformance/host/nt/memory/active_memory.h"
#include "conformance/host/nt/rtl/c_library.h"
#include "reference/harness_assert.h"
#include "reference/types.h"

namespace wddm::nt {
namespace {

constexpr std::array<std::string_view, 15> kRunTimePrefixes{
    "__asan_",     "__ubsan_", "__sanitizer_",   "__sancov", "__msan_",
    "__tsan_",     "__afl_",   "__llvm_",        "__gcov_",  "__cxa_",
    "__stack_chk", "_Unwind_", "__gmon_start__", "_ITM_",    "__start_"};

bool is_run_time(std::string_view name) {
  return std::any_of(kRunTimePrefixes.begin(), kRunTimePrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_offered(const std::string& name) {
  return executable_symbol(name.c_str()) != nullptr || is_run_time(name) ||
         c_library_function(name) != nullptr;
}

// A copy of the file in memory in which the missing imports are weak, so that the dynamic linker
// leaves them null. The descriptor stays open: the file's path leads through it.
int weakened_copy(const std::string& path, const std::vector<ElfImport>& weaken) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  for (const ElfImport& import : weaken) {
    Elf64_Sym symbol;
    if (import.file_offset + sizeof symbol > bytes.size()) return -1;
    std::memcpy(&symbol, &bytes[import.file_offset], sizeof symbol);
    symbol.st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbol.st_info));
    std::memcpy(&bytes[import.file_offset], &symbol, sizeof symbol);
  }
  const int copy = memfd_create("driver", 0);
  if (copy < 0) return -1;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(copy, bytes.data() + done, bytes.size() - done);
    if (written <= 0) return -1;
    done += static_cast<std::size_t>(written);
  }
  return copy;
}

struct DynamicTables {
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
  const Elf64_Rela* plt = nullptr;
  std::size_t plt_count = 0;
  const Elf64_Rela* rela = nullptr;
  std::size_t rela_count = 0;
};

DynamicTables tables_of(const link_map& map) {
  DynamicTables tables;
  const auto table = [](const Elf64_Dyn* entry) { return entry->d_un.d_ptr; };
  for (const Elf64_Dyn* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        tables.symbols = reinterpret_cast<const Elf64_Sym*>(table(entry));
        break;
      case DT_STRTAB:
        tables.strings = reinterpret_cast<const char*>(table(entry));
        break;
      case DT_JMPREL:
        tables.plt = reinterpret_cast<const Elf64_Rela*>(table(entry));
        break;
      case DT_PLTRELSZ:
        tables.plt_count = entry->d_un.d_val / sizeof(Elf64_Rela);
        break;
      case DT_RELA:
        tables.rela = reinterpret_cast<const Elf64_Rela*>(table(entry));
        break;
      case DT_RELASZ:
        tables.rela_count = entry->d_un.d_val / sizeof(Elf64_Rela);
        break;
      default:
        break;
    }
  }
  return tables;
}

// Slots may lie in pages that became read-only after relocation.
void write_slot(std::uint64_t address, const void* target, std::int64_t addend, bool read_only) {
  const std::uint64_t page = address & ~(kPageSize - 1);
  if (read_only)
    HARNESS_ASSERT(mprotect(reinterpret_cast<void*>(page), kPageSize, PROT_READ | PROT_WRITE) == 0);
  const std::uint64_t value =
      reinterpret_cast<std::uint64_t>(target) + static_cast<std::uint64_t>(addend);
  std::memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
  if (read_only) HARNESS_ASSERT(mprotect(reinterpret_cast<void*>(page), kPageSize, PROT_READ) == 0);
}

struct LoadedSegments {
  std::uint64_t base;
  const Elf64_Phdr* headers;
  std::size_t count;
};

LoadedSegments segments_at(std::uint64_t base) {
  LoadedSegments wanted{base, nullptr, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* context) {
        auto& found = *static_cast<LoadedSegments*>(context);
        if (info->dlpi_addr != found.base) return 0;
        found.headers = info->dlpi_phdr;
        found.count = info->dlpi_phnum;
        return 1;
      },
      &wanted);
  HARNESS_ASSERT(wanted.headers);
  return wanted;
}

// The part that is read-only after relocation: whole pages only.
ElfRange relro_of(const LoadedSegments& segments) {
  for (std::size_t i = 0; i < segments.count; ++i) {
    const Elf64_Phdr& header = segments.headers[i];
    if (header.p_type == PT_GNU_RELRO)
      return {header.p_vaddr, (header.p_vaddr + header.p_memsz) & ~(kPageSize - 1)};
  }
  return {0, 0};
}

// `from` without `holes`, which may overlap.
std::vector<ElfRange> without(ElfRange from, std::vector<ElfRange> holes) {
  std::sort(holes.begin(), holes.end(),
            [](const ElfRange& a, const ElfRange& b) { return a.start < b.start; });
  std::vector<ElfRange> left;
  for (const ElfRange& hole : holes) {
    if (hole.end <= from.start || hole.start >= from.end) continue;
    if (hole.start > from.start) left.push_back({from.start, hole.start});
    from.start = std::max(from.start, hole.end);
  }
  if (from.start < from.end) left.push_back(from);
  return left;
}

// Not memcpy: under ASan the red zones between a driver's variables must be copied too.
void copy_bytes(void* to, const void* from, std::size_t bytes) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

}  // namespace

std::unique_ptr<Image> Image::open(const std::string& path, std::string& error) {
  ElfFacts facts;
  std::string reason;
  if (!read_elf(path, facts, reason)) {
    error = path + ": " + reason;
    return nullptr;
  }
  if (!facts.exports_driver_entry) {
    error = path + ": exports no DriverEntry";
    return nullptr;
  }
  std::unique_ptr<Image> image(new Image);
  image->path_ = path;
  std::vector<ElfImport> unknown;
  for (const ElfImport& import : facts.imports) {
    image->imports_.push_back(import.name);
    if (is_offered(import.name)) continue;
    if (import.weak && !dlsym(RTLD_DEFAULT, import.name.c_str())) continue;  // may stay null
    image->missing_.push_back(import.name);
    if (!dlsym(RTLD_DEFAULT, import.name.c_str())) unknown.push_back(import);
  }
  // A path without a slash would be searched for in the system's library folders.
  std::string load_path = path.find('/') == std::string::npos ? "./" + path : path;
  if (!unknown.empty()) {
    const int copy = weakened_copy(path, unknown);
    HARNESS_ASSERT(copy >= 0);
    load_path = "/proc/self/fd/" + std::to_string(copy);
  }
  image->handle_ = dlopen(load_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!image->handle_) {
    error = path + ": " + explained_load_error(dlerror());
    return nullptr;
  }
  image->driver_entry_ = dlsym(image->handle_, "DriverEntry");
  image->find_ranges();
  know_operators_new(image->base_, facts.operators_new);
  for (const ElfRange& counters : facts.counters) {
    std::vector<Range> kept;
    for (const Range& range : image->writable_) {
      const auto start = reinterpret_cast<std::uint64_t>(range.start) - image->base_;
      for (const ElfRange& part : without({start, start + range.saved.size()}, {counters}))
        kept.push_back({reinterpret_cast<std::uint8_t*>(image->base_ + part.start),
                        std::vector<std::uint8_t>(part.end - part.start)});
    }
    image->writable_ = std::move(kept);
  }
  image->bind_imports();
  return image;
}

Image::~Image() = default;

void Image::find_ranges() {
  link_map* map = nullptr;
  HARNESS_ASSERT(dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0);
  base_ = map->l_addr;
  const LoadedSegments segments = segments_at(base_);
  const ElfRange relro = relro_of(segments);
  for (std::size_t i = 0; i < segments.count; ++i) {
    const Elf64_Phdr& header = segments.headers[i];
    if (header.p_type != PT_LOAD) continue;
    end_ = std::max<std::uint64_t>(end_, base_ + header.p_vaddr + header.p_memsz);
    if (!(header.p_flags & PF_W)) continue;
    for (const ElfRange& part : without({header.p_vaddr, header.p_vaddr + header.p_memsz}, {relro}))
      writable_.push_back({reinterpret_cast<std::uint8_t*>(base_ + part.start),
                           std::vector<std::uint8_t>(part.end - part.start)});
  }
}

// The dynamic linker has bound what it knows; the rest, and what it knows wrongly, is put right.
void Image::bind_imports() {
  const std::vector<void*> stubs = make_import_stubs(missing_);
  link_map* map = nullptr;
  HARNESS_ASSERT(dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0);
  const DynamicTables tables = tables_of(*map);
  const ElfRange relro = relro_of(segments_at(base_));
  const auto bind = [&](const Elf64_Rela& slot) {
    const auto type = ELF64_R_TYPE(slot.r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) return;
    const Elf64_Sym& symbol = tables.symbols[ELF64_R_SYM(slot.r_info)];
    if (symbol.st_shndx != SHN_UNDEF) return;  // a function of the driver's own
    const char* name = tables.strings + symbol.st_name;
    void* target = c_library_function(name);
    const auto found = std::find(missing_.begin(), missing_.end(), name);
    if (found != missing_.end()) target = stubs[static_cast<std::size_t>(found - missing_.begin())];
    if (target == nullptr) return;
    const bool read_only = slot.r_offset >= relro.start && slot.r_offset < relro.end;
    write_slot(base_ + slot.r_offset, target, type == R_X86_64_64 ? slot.r_addend : 0, read_only);
  };
  std::for_each(tables.plt, tables.plt + tables.plt_count, bind);
  std::for_each(tables.rela, tables.rela + tables.rela_count, bind);
}

void Image::snapshot() {
  for (Range& range : writable_) copy_bytes(range.saved.data(), range.start, range.saved.size());
}

void Image::restore() const {
  for (const Range& range : writable_) {
    retire_variables(range.start, range.saved.size());
    copy_bytes(range.start, range.saved.data(), range.saved.size());
  }
}

bool Image::contains(const void* address) const {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  return at >= base_ && at < end_;
}

}  // namespace wddm::nt
