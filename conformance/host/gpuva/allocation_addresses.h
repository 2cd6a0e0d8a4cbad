// GPU virtual addresses of allocations and command buffers, process by process.
//
// Who has which addresses the oracle decides (reference/gpuva/va_ranges.h); this is what the host
// asks of it. Every process hands out its own from the bottom up, so that two processes get the
// same ones, and a small root covers what small scenarios use:
//   - 64 KB for the marker, which is mapped in every process;
//   - allocations, at multiples of 64 KB;
//   - a ring for command buffers, out of the way of addresses that differ from the first in one
//   bit.
// An allocation may have several addresses; commands use the newest. Left out: reservations of
// scenarios and drivers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/adapter/objects.h"
#include "reference/gpummu/geometry.h"
#include "reference/gpuva/va_ranges.h"

namespace wddm::host {

class AllocationAddresses {
 public:
  using Address = gpummu::GpuVirtualAddress;

  struct Mapping {
    ProcessId process{};
    Address address{};
    Protection protection = Protection::ReadWrite;
    /// Else its entries say the same wherever the allocation lies.
    [[nodiscard]] bool leads_to_pages() const {
      return protection != Protection::Zero && protection != Protection::NoAccess;
    }
  };
  /// A mapping, or why there is none.
  struct Answer {
    std::optional<Mapping> mapping;
    const char* refused = nullptr;
  };

  explicit AllocationAddresses(const Objects& objects) : objects_(objects) {}

  /// The adapter runs: nothing has an address.
  void begin(const gpummu::Geometry& geometry);
  /// Where command buffers go in each process; the root covers that much from its start on.
  [[nodiscard]] static gpummu::VaRange commands_of(const gpummu::Geometry& geometry);

  /// The driver keeps these addresses for itself from the start of the process on.
  void keep_for_driver(ProcessId process, std::span<const gpummu::VaRange> ranges);
  /// The process is gone, or the allocation: so are their addresses.
  void forget(ProcessId process);
  void forget(AllocationId allocation);

  /// All that are mapped, the newest last.
  [[nodiscard]] std::span<const Mapping> of(AllocationId allocation) const {
    return mappings_[allocation];
  }
  /// The newest one in the process; null if there is none.
  [[nodiscard]] const Mapping* newest(AllocationId allocation, ProcessId process) const;
  /// Gives it one in the process unless it has or had one; false if there is no room.
  bool need(AllocationId allocation, ProcessId process);
  /// What commands use: the newest; else the one that was freed last, if nobody has it by now; else
  /// 0.
  [[nodiscard]] Address for_commands_of(AllocationId allocation, ProcessId process) const;

  /// One more address in the allocation's own process; `bit` is for AddressPlace::Bit.
  [[nodiscard]] Answer map(AllocationId allocation, AddressPlace at, std::uint32_t bit,
                           Protection protection);
  /// Frees the newest address in the allocation's own process.
  [[nodiscard]] Answer free(AllocationId allocation);

  /// Where a command buffer of at most so many bytes can be mapped next ...
  [[nodiscard]] Address next_commands(ProcessId process, std::uint64_t bytes);
  /// ... and how many it has.
  void commands_take(ProcessId process, Address at, std::uint64_t bytes);

 private:
  struct Process {
    explicit Process(const gpuva::VaConfig& config) : ranges(config) {}
    gpuva::VaRanges ranges;
    std::uint64_t next_commands = 0;
  };

  [[nodiscard]] ProcessId process_of(AllocationId allocation) const;
  [[nodiscard]] std::uint64_t bytes_of(AllocationId allocation) const;
  [[nodiscard]] Process* process(ProcessId id);
  /// The address that the op names; 0: any.
  [[nodiscard]] std::optional<Address> place(AllocationId allocation, AddressPlace at,
                                             std::uint32_t bit);
  [[nodiscard]] Answer ask(AllocationId allocation, ProcessId process, Address base,
                           Protection protection);

  const Objects& objects_;
  std::optional<gpummu::Geometry> geometry_;
  std::map<ProcessId, Process> processes_;
  std::map<ProcessId, std::vector<gpummu::VaRange>> kept_for_driver_;
  PerAllocation<std::vector<Mapping>> mappings_;
  PerAllocation<Address> freed_;  // the last that was freed in its own process
};

}  // namespace wddm::host
