// GPU virtual addresses of allocations and command buffers, process by process.
//
// Who has which addresses the oracle decides (process_ranges.h); this is what the host asks of it.
// Every process hands out its own from the bottom up, at multiples of 64 KB, so that two processes
// get the same ones, and a small root covers what small scenarios use. An allocation may have
// several addresses; commands use the newest. What an op maps beside them, or in a range that it
// reserved, commands do not use.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/gpuva/address_requests.h"
#include "conformance/host/gpuva/process_ranges.h"
#include "reference/gpu/effect.h"

namespace wddm::host {

class AllocationAddresses {
 public:
  using Address = gpummu::GpuVirtualAddress;

  struct Mapping {
    ProcessId process{};
    Address address{};
    Protection protection = Protection::ReadWrite;
    std::uint64_t driver_protection = 0;
    /// Else its entries say the same wherever the allocation lies.
    [[nodiscard]] bool leads_to_pages() const {
      return protection != Protection::Zero && protection != Protection::NoAccess;
    }
  };
  using Part = AddressPart;
  /// A mapping, or why there is none.
  struct Answer {
    std::optional<Mapping> mapping;
    const char* refused = nullptr;
    std::vector<Part> parts{};  ///< entries that are to be written
  };

  explicit AllocationAddresses(const Objects& objects) : objects_(objects) {}

  /// The adapter runs: nothing has an address.
  void begin(const gpummu::Geometry& geometry, const OwnAddresses& own);

  /// The driver keeps these addresses for itself from the start of the process on.
  void keep_for_driver(ProcessId process, std::span<const gpummu::VaRange> ranges) {
    ranges_.keep_for_driver(process, ranges);
  }
  /// The process is gone, or the allocation: so are their addresses. The parts as they were.
  void forget(ProcessId process);
  std::vector<Part> forget(AllocationId allocation);

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

  /// All that leads to its pages, in all processes, lowest first.
  [[nodiscard]] std::vector<Part> parts_of(AllocationId allocation) const;
  /// Whether an access to the allocation, where commands of the process use it, faults.
  [[nodiscard]] bool faults(ProcessId process, const gpu::Access& access) const;

  /// One more address in the allocation's own process; `bit` is for AddressPlace::Bit.
  [[nodiscard]] Answer map(AllocationId allocation, AddressPlace at, std::uint32_t bit,
                           Protection protection, std::uint64_t driver_protection = 0);
  /// Frees so many pages of the newest address in the allocation's own process; 0: all of them.
  /// The parts are as they were, and their entries are to lead nowhere.
  [[nodiscard]] Answer free(AllocationId allocation, std::uint32_t page = 0,
                            std::uint32_t pages = 0);

  // ---- Context allocations, by ids of their own behind those of kAllAllocations.
  struct ContextAnswer {
    Address address{};  ///< 0: none
    NTSTATUS status = STATUS_SUCCESS;
  };
  /// DxgkCbMapContextAllocation; `number`: what the trace calls it.
  [[nodiscard]] ContextAnswer map_context_allocation(ProcessId process, std::uint32_t number,
                                                     const gpuva::MapGpuVirtualAddress& request);
  void forget_context_allocation(AllocationId id);

  /// What clients are told to wait for with every answer that grants something, until it is
  /// another.
  void tell_fence(const PagingFence& fence) { fence_ = fence; }

  // ---- Requests as user mode makes them; commands do not use what they get.
  [[nodiscard]] Answer map_range(AllocationId allocation, const RangeRequest& request);
  [[nodiscard]] Answer reserve(ProcessId process, AddressChoice at, std::uint64_t base,
                               std::uint64_t bytes, bool zero);
  /// One operation of UpdateGpuVirtualAddress, in pages of what was reserved last.
  [[nodiscard]] Answer update(AllocationId allocation, const TileRequest& request);
  /// What the addresses lead to before that.
  [[nodiscard]] std::vector<AllocationId> mapped_in(AllocationId allocation,
                                                    const TileRequest& request) const;
  /// What was granted: commands use it where a whole allocation is mapped, and no more where
  /// something else is.
  void commands_follow(AllocationId allocation, const TileRequest& request);
  /// The addresses are nobody's for allocations: what the host itself keeps in a privileged space.
  void keep(ProcessId space, const gpummu::VaRange& range) { ranges_.keep(space, range); }

  /// Where a command buffer of at most so many bytes can be mapped next ...
  [[nodiscard]] Address next_commands(ProcessId process, std::uint64_t bytes) {
    return ranges_.next_commands(process, bytes);
  }
  /// ... and how many it has.
  void commands_take(ProcessId process, Address at, std::uint64_t bytes) {
    ranges_.commands_take(process, at, bytes);
  }

 private:
  using Process = ProcessRanges::Process;

  [[nodiscard]] ProcessId process_of(AllocationId allocation) const {
    return objects_.device(objects_.allocation(allocation).device).process;
  }
  [[nodiscard]] std::uint64_t bytes_of(AllocationId allocation) const {
    return objects_.allocation(allocation).bytes;
  }
  /// The address that the op names; 0: any.
  [[nodiscard]] std::optional<Address> place(AllocationId allocation, AddressPlace at,
                                             std::uint32_t bit);
  [[nodiscard]] Answer ask(AllocationId allocation, const Mapping& wanted);
  /// The oracle's answer, in words where it refuses.
  [[nodiscard]] Answer answer(ProcessId process, const gpuva::VaInput& input);
  [[nodiscard]] gpuva::AllocationRef reference_to(AllocationId allocation) const;
  /// Where an address without a wish is to be; nothing if any will do.
  [[nodiscard]] std::optional<Address> for_large_pages(const Process& there,
                                                       AllocationId allocation) const;

  const Objects& objects_;
  ProcessRanges ranges_;
  PagingFence fence_{};
  PerAllocation<std::vector<Mapping>> mappings_;
  PerAllocation<Address> freed_;  // the last that was freed in its own process
};

}  // namespace wddm::host
