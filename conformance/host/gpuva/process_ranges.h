// Whose the addresses of each process are, whatever for: the oracle of every process, what it
// answers, and the ring of addresses that command buffers are mapped at.
//
// A process begins with what its driver keeps for itself and what is the host's own
// (own_addresses.h). Every answer goes to the trace. What an allocation makes of it is not known
// here (allocation_addresses.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/gpuva/own_addresses.h"
#include "reference/gpummu/geometry.h"
#include "reference/gpuva/va_ranges.h"
#include "reference/trace/event.h"

namespace wddm::host {

/// Addresses of a process whose entries say the same.
struct AddressPart {
  ProcessId process{};
  gpummu::VaRange range;
  gpuva::PageState state;
  /// Of a copy: see to_source_of().
  std::optional<std::uint64_t> to_source{};
};

class ProcessRanges {
 public:
  using Address = gpummu::GpuVirtualAddress;

  /// Addresses without a wish are multiples of it.
  static constexpr std::uint64_t kUnit = gpummu::kPageSize64K;
  /// Null, what is near it and the marker's usual place are no allocation's.
  static constexpr Address kFirst{2 * kUnit};
  [[nodiscard]] static constexpr std::uint64_t whole_units(std::uint64_t bytes) {
    return (bytes + kUnit - 1) / kUnit * kUnit;
  }

  struct Process {
    explicit Process(const gpuva::VaConfig& config) : ranges(config) {}
    gpuva::VaRanges ranges;
    std::uint64_t next_commands = 0;
    Address reserved{};  // the start of what was reserved last
  };
  struct Answer {
    std::optional<Address> placed;
    std::optional<gpuva::VaRefusal> refused;
    std::vector<AddressPart> parts{};  ///< entries that are to be written
  };

  /// The adapter runs: no process has any.
  void begin(const gpummu::Geometry& geometry, const OwnAddresses& own);
  [[nodiscard]] const gpummu::Geometry& geometry() const { return *geometry_; }
  [[nodiscard]] const OwnAddresses& own() const { return own_; }

  /// Null if the space is too small for any.
  [[nodiscard]] Process* of(ProcessId id);
  /// Null unless somebody has asked for addresses of it.
  [[nodiscard]] const Process* find(ProcessId id) const;
  [[nodiscard]] const std::map<ProcessId, Process>& all() const { return processes_; }

  /// The driver keeps these addresses for itself from the start of the process on.
  void keep_for_driver(ProcessId id, std::span<const gpummu::VaRange> ranges);
  /// The addresses are nobody's for allocations: what the host itself keeps in a privileged space.
  void keep(ProcessId id, const gpummu::VaRange& range);
  void forget(ProcessId id);
  /// What leads to the allocation is nobody's, in any process; no event tells of it.
  void forget(AllocationId allocation);

  /// The oracle's answer; `told` goes to the trace with it. Nothing where the process has no
  /// addresses at all.
  [[nodiscard]] std::optional<Answer> ask(ProcessId id, const gpuva::VaInput& input,
                                          ev::AddressAnswered told);

  /// Where a command buffer of at most so many bytes can be mapped next ...
  [[nodiscard]] Address next_commands(ProcessId id, std::uint64_t bytes);
  /// ... and how many it has.
  void commands_take(ProcessId id, Address at, std::uint64_t bytes);

 private:
  std::optional<gpummu::Geometry> geometry_;
  OwnAddresses own_;
  std::map<ProcessId, Process> processes_;
  std::map<ProcessId, std::vector<gpummu::VaRange>> kept_for_driver_;
};

}  // namespace wddm::host
