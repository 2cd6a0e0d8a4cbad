// Where allocations are: VidMm's decisions, and the places its paging has reached so far.
//
// The oracle decides ahead of the GPU. `planned` is where an allocation will be once everything
// decided so far is carried out: what Patch is told. What memory holds now is known to
// PredictedMemory, which follows the packets as they end.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "conformance/host/adapter/objects.h"
#include "reference/vidmm/vidmm.h"

namespace wddm::host {

/// A place in a segment; segment 0: in system memory only.
struct PlaceInSegment {
  std::uint32_t segment = 0;
  std::uint32_t page = 0;
  friend bool operator==(const PlaceInSegment&, const PlaceInSegment&) = default;
};

class Residency {
 public:
  Residency(Adapter& adapter, Objects& objects) : adapter_(adapter), objects_(objects) {}

  /// The adapter runs: its segments are known.
  void begin();
  /// Every allocation is gone.
  void end();
  /// False if VidMm refuses the allocation: it is then never resident.
  bool created(std::uint32_t slot);
  void forget(std::uint32_t slot);
  void forget_device(std::uint32_t device);

  [[nodiscard]] vidmm::VidMm& vidmm() { return vidmm_; }
  [[nodiscard]] const vidmm::VidMm& vidmm() const { return vidmm_; }
  /// Follows a step that the oracle decided.
  void plan(const vidmm::PagingStep& step);
  [[nodiscard]] PlaceInSegment planned(std::uint32_t slot) const { return planned_[slot]; }
  /// SegmentId and PhysicalAddress of an allocation-list entry, as planned; 0 if not resident.
  void write_address(std::uint32_t slot, DXGK_ALLOCATIONLIST& entry) const;
  /// Makes the entry name another place of its segment that VidMm could have given the allocation;
  /// leaves it as it is where there is none.
  void move_on(std::uint32_t slot, DXGK_ALLOCATIONLIST& entry) const;
  /// GPU address of a page, BaseAddress included.
  [[nodiscard]] std::uint64_t gpu_address(std::uint32_t segment, std::uint32_t page) const;
  [[nodiscard]] bool is_aperture(std::uint32_t segment) const;
  /// Whether the driver reported the segment and VidMm uses it.
  [[nodiscard]] bool has_segment(std::uint32_t segment) const {
    return segment != 0 && segment <= used_segments_;
  }
  [[nodiscard]] std::uint32_t pages_of_segment(std::uint32_t segment) const;
  /// First aperture segment, 0 if there is none.
  [[nodiscard]] std::uint32_t aperture_segment() const;

 private:
  Adapter& adapter_;
  Objects& objects_;
  vidmm::VidMm vidmm_;
  std::size_t used_segments_ = 0;
  std::array<PlaceInSegment, kSlots + 1> planned_{};
};

}  // namespace wddm::host
