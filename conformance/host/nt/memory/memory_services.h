// What the kernel core calls of pool, MDLs, registry, Rtl, debug and I/O memory. The rest of those
// services is reached only by drivers, through the functions conformance/sdk/ddi declares.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wddm::nt {

/// Puts pool, MDLs, mappings, handles of keys and half-printed lines into their initial state.
/// Part of boot(), after memory::map() and after the tables of objects are empty. The registry
/// keeps its values: they are set before boot() and removed by clear_registry().
void boot_memory_services();
/// Part of report_leaks(): pool blocks by tag, MDLs, mappings, contiguous memory. Also prints the
/// driver's last line if it has no end.
void report_memory_leaks();
/// Part of validate(): guard bytes of every pool block and poison of every freed one are reported
/// as findings; false if our own tables contradict each other.
[[nodiscard]] bool validate_memory_services();
/// Says what lies at an address that faulted: "4 bytes behind a pool block of 100 bytes, tag
/// 'Abcd'". Empty if nothing is known. Async-signal-safe; returns the length.
std::size_t describe_address(const void* address, char* text, std::size_t capacity);

/// Where the block of contiguous memory begins that a physical address lies in; null if in none.
[[nodiscard]] const void* contiguous_memory_at(std::uint64_t physical_address);
/// How many such blocks the driver holds now.
[[nodiscard]] std::size_t contiguous_blocks();

/// Where register and port accesses go that do not hit memory: the device plug-in. `bytes` is 1, 2,
/// 4 or 8. Null functions: reads give all ones, writes vanish, both are findings.
struct RegisterHook {
  std::uint64_t (*read)(void* context, std::uint64_t bus_address, std::uint32_t bytes);
  void (*write)(void* context, std::uint64_t bus_address, std::uint32_t bytes, std::uint64_t value);
  void* context;
};
void set_register_hook(const RegisterHook& hook);
void set_port_hook(const RegisterHook& hook);

}  // namespace wddm::nt
