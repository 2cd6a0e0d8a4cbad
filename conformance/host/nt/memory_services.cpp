// Boot, leaks and validation of pool, MDLs, registry, Rtl, debug and I/O memory.
#include "conformance/host/nt/memory_services.h"

#include "conformance/host/nt/pool.h"

namespace wddm::nt {

void boot_memory_services() {
  pool_boot();
}

void report_memory_leaks() {
  report_pool_leaks();
}

bool validate_memory_services() {
  return pool_check();
}

std::size_t describe_address(const void* address, char* text, std::size_t capacity) {
  return pool_describe(address, text, capacity);
}

}  // namespace wddm::nt
