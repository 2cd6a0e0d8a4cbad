// What memory must hold now.
//
// Follows packets as they end: paging steps move contents, render commands change them. Pages that
// allocations left are overwritten with a pattern, so that a stale read shows in its result and a
// stale write shows in the page; memory_comparison.h looks for both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/memory/frame_index.h"
#include "conformance/host/vidmm/paging/paging_buffer.h"
#include "conformance/host/vidmm/prediction/actual_memory.h"
#include "conformance/host/vidmm/prediction/predicted_apertures.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "reference/gpu/command.h"
#include "reference/gpu/effect.h"
#include "reference/gpu/shadow_memory.h"

namespace wddm::host {

class PredictedMemory {
 public:
  PredictedMemory(Adapter& adapter, Objects& objects, Residency& residency);

  void begin();
  void end();
  /// False if no more pages can be followed.
  [[nodiscard]] bool created(AllocationId id);
  void forget(AllocationId id);
  /// Other pages of system memory stand behind an allocation that lies in a memory segment.
  void take_other_pages(AllocationId id);

  /// Pages of a memory segment that no allocation lies in: what they hold is not followed, and then
  /// they are nobody's again.
  void set_aside(PlaceInSegment first, std::uint32_t pages);
  void leave(PlaceInSegment first, std::uint32_t pages);
  /// Paging was given up half-way: what memory holds can no longer be told until the next start.
  void lose_track() { lost_ = true; }
  /// Whether commands have run of which it isn't known yet that they have. Places that allocations
  /// leave meanwhile hold unknown bytes.
  void commands_unfinished(bool unfinished) { unfinished_ = unfinished; }

  // What packets did, once they have ended.
  void apply(const PagingEffect& effect);
  /// The next of these commands; `bindings` are those before them, and then those after. `zeros`
  /// are reached by addresses that give zeros and drop writes.
  void commands_ran(std::span<const gpu::Command> commands, gpu::Bindings& bindings,
                    std::span<const AllocationId> zeros = {});
  /// A render that user mode has altered may have written anything to this allocation.
  void render_unknown(AllocationId id);
  /// Writes through the CPU. False if the place is not visible to it.
  bool cpu_write(AllocationId id, std::uint32_t offset, std::uint32_t value);
  /// The same to every word of it, whether or not the driver lets the CPU lock it.
  bool cpu_fill(AllocationId id, std::uint32_t value);

  /// Records what the allocation holds now, if the run is asked for it and the CPU can see it.
  void read_contents(AllocationId id) const;
  /// The word as memory holds it now; kNone if the CPU cannot see it.
  [[nodiscard]] std::uint32_t word(AllocationId id, std::uint32_t offset) const;

  /// Where a byte of an allocation lies by what has ended so far.
  struct PhysicalPlace {
    SegmentId segment = kNoSegment;  ///< kNoSegment: system memory, also behind an aperture
    std::uint64_t address = 0;       ///< as the GPU has it, BaseAddress included, or of the bus
    bool can_be_read = false;        ///< else no comparison tells what becomes of it
  };
  [[nodiscard]] PhysicalPlace physical_place(AllocationId id, std::uint64_t offset) const {
    const PlaceInSegment place = place_of_page(id, offset / kPageSize);
    const std::uint64_t page = place.segment == kNoSegment ? frames_[place.page] * kPageSize
                                                           : residency_.gpu_address(place);
    const bool visible = actual_.page(place.segment, place.page) != nullptr;
    return {place.segment, page + offset % kPageSize,
            visible || (place.segment != kNoSegment && actual_.can_be_read(place.segment))};
  }

  [[nodiscard]] memory::Frame dummy_frame() const { return apertures_.dummy_frame(); }
  void power_was_lost();
  /// Whether the pages lie in their segment, and what they hold or map is known.
  [[nodiscard]] bool follows(PlaceInSegment first, std::uint32_t pages) const;
  /// ... and where they lead, if they are of an aperture.
  [[nodiscard]] bool leads_somewhere(PlaceInSegment first, std::uint32_t pages) const {
    return apertures_.leads_somewhere(first, pages);
  }

  // For who compares it.
  /// Whether there is anything to compare.
  [[nodiscard]] bool known() const { return active_ && !lost_; }
  [[nodiscard]] gpu::ShadowMemory& shadow() { return shadow_; }
  [[nodiscard]] const ActualMemory& actual() const { return actual_; }
  /// The system pages that are followed, by number.
  [[nodiscard]] const memory::FrameIndex& frames() const { return frames_; }
  struct Owner {
    AllocationId allocation = kNoAllocation;
    std::uint32_t page = 0;  ///< of it
  };
  /// Whose page it is now; pages of system memory by their number.
  [[nodiscard]] Owner owner_of(SegmentId segment, std::uint64_t page) const;

 private:
  void comes_in(const vidmm::PagingStep& step, std::uint32_t first, std::uint32_t pages);
  void on(const StepEffect& effect);
  void on(const SpecialLockEffect& effect);
  void on(const PartEffect& effect);
  void on(const FillEffect& effect);
  void on(const FillBytesEffect& effect);
  void on(const TransferBytesEffect& effect);
  void on(const TransferEffect& effect);
  void on(const MapEffect& effect) { apertures_.on(effect); }
  void on(const UnmapEffect& effect) { apertures_.on(effect); }
  void on(const BufferEffect& effect) { apertures_.on(effect); }
  void on(const DiscardEffect& effect);
  void on(const NoEffect&) {}
  [[nodiscard]] gpu::Place place_of(AllocationId id, std::uint64_t offset) const;
  /// A byte of an allocation, as it is predicted; nothing if that is unspecified.
  [[nodiscard]] std::optional<std::uint8_t> byte_of(AllocationId id, std::uint64_t offset) const;
  void expect_byte(AllocationId id, std::uint64_t offset, std::optional<std::uint8_t> value);
  [[nodiscard]] bool lies_in_system_memory(AllocationId id) const;
  /// Where a page of an allocation lies now; pages of system memory by their number.
  [[nodiscard]] PlaceInSegment place_of_page(AllocationId id, std::uint64_t page) const;
  void expect_zeros(std::uint64_t index);
  void move(const gpu::Place& to, const gpu::Place& from, std::uint64_t size);
  void make_unused(SegmentId segment, std::uint32_t pages);

  Objects& objects_;
  Residency& residency_;
  gpu::ShadowMemory& shadow_;
  memory::FrameIndex& frames_;  // of the system pages that are followed
  ActualMemory actual_;
  PredictedApertures apertures_;
  PerAllocation<PlaceInSegment> at_;                   // where packets that ended have brought each
  PerAllocation<std::vector<std::uint64_t>> indices_;  // system pages of each, by index
  bool active_ = false;
  bool unfinished_ = false;
  bool lost_ = false;
};

}  // namespace wddm::host
