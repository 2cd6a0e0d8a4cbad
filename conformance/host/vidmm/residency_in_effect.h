// Where allocations are: VidMm's decisions, and the places its paging has reached so far.
//
// The oracle decides ahead of the GPU. `planned` is where an allocation will be once everything
// decided so far is carried out: what Patch is told. What memory holds now is known to
// PredictedMemory, which follows the packets as they end.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "conformance/host/adapter/objects/objects.h"
#include "reference/vidmm/instances.h"
#include "reference/vidmm/vidmm.h"

namespace wddm::host {

/// A place in a segment; kNoSegment: in system memory only.
struct PlaceInSegment {
  SegmentId segment = kNoSegment;
  std::uint32_t page = 0;
  friend bool operator==(const PlaceInSegment&, const PlaceInSegment&) = default;
};

class Residency {
 public:
  Residency(Adapter& adapter, Objects& objects) : adapter_(adapter), objects_(objects) {}

  /// How many pages of each segment are used, from the next begin() on; 0: all.
  struct Limit {
    std::uint32_t memory = 0;
    std::uint32_t aperture = 0;
  };
  void limit(const Limit& limit) { limit_ = limit; }
  /// That since the last begin().
  [[nodiscard]] const Limit& limit_in_use() const { return limit_in_use_; }
  /// The adapter runs: its segments are known.
  void begin();
  /// Every allocation is gone.
  void end();
  /// False if VidMm refuses the allocation: it is then never resident.
  bool created(AllocationId id);
  /// Why the last one that was refused was.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  void forget(AllocationId id);
  void forget_device(DeviceId device);

  [[nodiscard]] vidmm::VidMm& vidmm() { return vidmm_; }
  [[nodiscard]] const vidmm::VidMm& vidmm() const { return vidmm_; }
  /// What was renamed, and what buffers have named of it.
  [[nodiscard]] vidmm::Instances& instances() { return instances_; }
  /// Follows a step that the oracle decided.
  void plan(const vidmm::PagingStep& step);
  [[nodiscard]] PlaceInSegment planned(AllocationId id) const { return planned_[id]; }
  /// SegmentId and PhysicalAddress of an allocation-list entry, as planned; 0 if not resident.
  void write_address(AllocationId id, DXGK_ALLOCATIONLIST& entry) const;
  /// Makes the entry name another place of its segment that VidMm could have given the allocation;
  /// leaves it as it is where there is none.
  void move_on(AllocationId id, DXGK_ALLOCATIONLIST& entry) const;
  /// Makes it name the same page of another segment that VidMm could have chosen; false where there
  /// is none.
  bool move_over(AllocationId id, DXGK_ALLOCATIONLIST& entry) const;
  /// GPU address of a page, BaseAddress included.
  [[nodiscard]] std::uint64_t gpu_address(PlaceInSegment place) const;
  [[nodiscard]] bool is_aperture(SegmentId segment) const;
  /// Those of a set (bit n is segment n + 1) that are apertures and that VidMm uses.
  [[nodiscard]] std::uint32_t apertures_in(std::uint32_t segment_set) const;
  /// Whether the driver reported the segment and VidMm uses it.
  [[nodiscard]] bool has_segment(SegmentId segment) const {
    return segment != kNoSegment && segment.value <= used_segments_;
  }
  /// The first page that VidMm uses, and the one behind the last.
  [[nodiscard]] std::uint32_t start_of_segment(SegmentId segment) const;
  [[nodiscard]] std::uint32_t end_of_segment(SegmentId segment) const;
  /// Those that has_segment() knows, in order.
  [[nodiscard]] IdRange<SegmentId> segments() const { return {1, used_segments_ + 1}; }
  /// Whether apertures are mapped by MapApertureSegment2.
  [[nodiscard]] bool maps_by_address_lists() const { return adapter_.maps_by_address_lists(); }

 private:
  /// Why VidMm refuses the next segment.
  [[nodiscard]] std::string trouble_of(vidmm::SegmentRefusal refusal,
                                       const vidmm::SegmentTraits& traits) const;
  [[nodiscard]] std::uint32_t end_of_used_pages(const SegmentDescription& segment) const;

  Adapter& adapter_;
  Objects& objects_;
  vidmm::VidMm vidmm_;
  vidmm::Instances instances_;
  Limit limit_;         // wanted
  Limit limit_in_use_;  // since begin()
  std::uint32_t used_segments_ = 0;
  PerAllocation<PlaceInSegment> planned_;
  std::string segment_trouble_;  // why there are no further segments; empty: there are all
  std::string refusal_;
};

}  // namespace wddm::host
