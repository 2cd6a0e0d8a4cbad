// Evictions that put a Swizzled allocation in order for the CPU (before WDDM 2.0).
//
// Where VidMm can have no swizzling range for a lock, or the allocation has to leave while the CPU
// has one, it is evicted by a Transfer with Unswizzle, and the CPU finds it linear in system
// memory. As the GPU could make nothing of that, it comes back by a Transfer with Swizzle.
//
// Through a range the CPU sees it as it is to stand in system memory then. Where there are several,
// and it has another such allocation locked as well, it sees that one through the first: before it
// sees this one, if that has the lower slot, or else from then on. It writes before that lock ends,
// and behind it.
//
// Sources: locking-swizzled-allocations.md, nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md (Remarks).
// Left out: primaries with an alternate address (special_lock.cpp), allocations that were evicted
// as they are, and DonotEvict.
#include <optional>

#include "conformance/host/vidmm/refusal_text.h"
#include "conformance/host/vidmm/swizzling_range.h"

namespace wddm::host::requests {
namespace {

const char* why_no_swizzled_lock(const RequestScene& scene, AllocationId id) {
  if (Adapter::knows(InterfaceVersion::Wddm2_0)) return "the driver is one of WDDM 2";
  if (!scene.residency.vidmm().exists(id)) return kUnknownAllocation;
  const AllocationObject& allocation = scene.paging.objects.allocation(id);
  if (!allocation.swizzled) return "it is not Swizzled";
  if (!allocation.cpu_visible) return "the CPU cannot lock it";
  if (allocation.alternate_view) return "it is locked by its alternate address";
  if (!allocation.exact) return "it is larger than it was asked for: not all of it is content";
  if (!scene.residency.vidmm().allocation(id).resident()) return "it is not resident";
  const SegmentId segment = scene.residency.planned(id).segment;
  if (scene.residency.is_aperture(segment)) return "it lies in an aperture segment";
  if (!scene.adapter.segment(segment).flags.CpuVisible) return "the CPU does not see its segment";
  const std::uint32_t elsewhere = allocation.write_set | allocation.eviction_set;
  if (scene.residency.apertures_in(elsewhere) != 0) {
    return "what is linear must not be seen through an aperture, where it may lie";
  }
  return nullptr;
}

// Through the first of several ranges. Nothing is lost where the driver has none for it.
class AnotherLock {
 public:
  AnotherLock(const RequestScene& scene, AllocationId id) : id_(another(scene, id)) {
    if (id_ != kNoAllocation) range_.emplace(scene, id_, 0);
  }
  void acquire(bool here) {
    if (range_ && here) static_cast<void>(range_->acquire());
  }
  [[nodiscard]] AllocationId allocation() const { return id_; }
  [[nodiscard]] bool acquired() const { return range_ && range_->acquired(); }
  void release() { range_->release(); }

 private:
  static AllocationId another(const RequestScene& scene, AllocationId id) {
    if (last_swizzling_range(scene) == 0) return kNoAllocation;
    for (const AllocationId each : kAllAllocations) {
      if (each != id && why_no_swizzled_lock(scene, each) == nullptr) return each;
    }
    return kNoAllocation;
  }

  const AllocationId id_;
  std::optional<SwizzlingRange> range_;
};

}  // namespace

const char* evict_unswizzled(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (const char* const refused = why_no_swizzled_lock(scene, id)) return refused;
  AllocationObject& allocation = scene.paging.objects.allocation(id);
  allocation.linear = true;
  const char* const refused = evict(scene, op);
  if (scene.residency.planned(id).segment != kNoSegment) allocation.linear = false;
  return refused;
}

const char* evict_seen(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (const char* const refused = why_no_swizzled_lock(scene, id)) return refused;
  if (const char* const none = why_no_swizzling_range(scene)) return none;
  AllocationObject& allocation = scene.paging.objects.allocation(id);
  if (op.x % 4 != 0 || op.x + 4ull > allocation.bytes) return "the CPU cannot write there";
  SwizzlingRange range(scene, id);
  AnotherLock other(scene, id);
  const bool other_first = other.allocation().value < id.value;
  other.acquire(other_first);
  const char* refused = range.acquire();
  // Where a driver can have one alone, the older one is given up.
  if (!range.acquired() && other.acquired()) {
    other.release();
    refused = range.acquire();
  }
  // A GPU that puts what the CPU reads of its memory in order is not modelled.
  if (refused == nullptr && range.is_as_stored()) refused = "the range shows it as it stands there";
  if (refused == nullptr) {
    other.acquire(!other_first);
    if (other.acquired()) {
      range.write(op.x, ~op.z);
      other.release();
    }
    range.write(op.x, op.z);
    // Where in the segment that word stands now is the driver's affair.
    scene.memory.render_unknown(id);
    scene.residency.vidmm().mark_written(id);
    allocation.seen = range.seen();
    allocation.linear = true;
    refused = evict(scene, op);
    scene.waits.for_earlier_work();
    allocation.seen.clear();
    if (scene.residency.planned(id).segment != kNoSegment) allocation.linear = false;
  }
  if (other.acquired()) other.release();
  if (range.acquired() && !scene.waits.abandoned()) range.release();
  return refused;
}

}  // namespace wddm::host::requests
