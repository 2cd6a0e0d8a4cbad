// Not dladdr: it looks for the symbol nearest to the address, in all of the executable's thousands,
// where the question is only whose address it is. A driver has hundreds of imports.
#include "conformance/host/nt/image/executable.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>

namespace wddm::nt {
namespace {

struct Segments {
  std::uint64_t base = 0;
  const ElfW(Phdr) * headers = nullptr;
  std::size_t count = 0;

  [[nodiscard]] bool has(std::uint64_t address) const {
    for (std::size_t i = 0; i < count; ++i) {
      const ElfW(Phdr)& header = headers[i];
      if (header.p_type == PT_LOAD && address - base - header.p_vaddr < header.p_memsz) return true;
    }
    return false;
  }
};

const char g_own = 0;  // whose object file is the executable's

int stop_at_own(dl_phdr_info* info, std::size_t, void* found) {
  const Segments segments{info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
  if (!segments.has(reinterpret_cast<std::uint64_t>(&g_own))) return 0;
  *static_cast<Segments*>(found) = segments;
  return 1;
}

}  // namespace

void* executable_symbol(const char* name) {
  static const Segments own = [] {
    Segments found;
    dl_iterate_phdr(stop_at_own, &found);
    return found;
  }();
  void* const address = dlsym(RTLD_DEFAULT, name);
  return own.has(reinterpret_cast<std::uint64_t>(address)) ? address : nullptr;
}

}  // namespace wddm::nt
