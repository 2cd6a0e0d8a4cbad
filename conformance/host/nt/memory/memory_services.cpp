// Boot, leaks and validation of pool, MDLs, registry, Rtl, debug and I/O memory.
#include "conformance/host/nt/memory/memory_services.h"

#include "conformance/host/nt/core/debug.h"
#include "conformance/host/nt/memory/mdl.h"
#include "conformance/host/nt/memory/paged_pool.h"
#include "conformance/host/nt/memory/pool.h"
#include "conformance/host/nt/registry/registry.h"

namespace wddm::nt {

void boot_memory_services() {
  pool_boot();
  lookaside_boot();
  paged_pool_boot();
  mdl_boot();
  io_memory_boot();
  debug_boot();
  registry_boot();
}

void report_memory_leaks() {
  debug_flush();
  report_pool_leaks();
  report_lookaside_leaks();
  report_mdl_leaks();
  report_io_memory_leaks();
}

bool validate_memory_services() {
  return pool_check();
}

std::size_t describe_address(const void* address, char* text, std::size_t capacity) {
  return pool_describe(address, text, capacity);
}

}  // namespace wddm::nt
