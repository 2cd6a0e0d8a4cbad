// Evictions while the CPU has an allocation locked by an alternate address (UseAlternateVA, before
// WDDM 2.0).
//
// The CPU sees it through a swizzling range that the driver sets up. SpecialLockTransfer takes the
// content to pages of system memory, which are mapped at the alternate address from then on; they
// are others than those behind the allocation before. What the application finds there is to be
// what it saw through the range. When the allocation is paged in, its content comes back from
// there in the same way, and the lock is over here.
//
// Sources: nc-d3dkmddi-dxgkddi_buildpagingbuffer.md (Special-lock transfer),
// ns-d3dukmdt-_d3dddicb_lockflags.md (UseAlternateVA). Left out: segments that the CPU does not
// see, and locks that outlast a page-in.
#include <utility>

#include "conformance/host/vidmm/refusal_text.h"
#include "conformance/host/vidmm/swizzling_range.h"

namespace wddm::host::requests {
namespace {

const char* why_no_special_lock(const RequestScene& scene, AllocationId id) {
  if (!scene.residency.vidmm().exists(id)) return kUnknownAllocation;
  const AllocationObject& allocation = scene.paging.objects.allocation(id);
  if (!allocation.alternate_view) return "it is no primary with UseAlternateVA and CpuVisible";
  if (const char* const none = why_no_swizzling_range(scene)) return none;
  if (!scene.residency.vidmm().allocation(id).resident()) return "it is not resident";
  const SegmentId segment = scene.residency.planned(id).segment;
  if (scene.residency.is_aperture(segment)) return "it lies in an aperture segment";
  if (!scene.adapter.segment(segment).flags.CpuVisible) return "the CPU does not see its segment";
  if (allocation.eviction_set != 0) {
    return "whether it goes through an aperture under such a lock is not laid down";
  }
  return allocation.pages > memory::frames_available() ? "there is no memory left" : nullptr;
}

const char* look_through(const SwizzlingRange& range, const RequestScene& scene, AllocationId id,
                         SwizzlingView& view) {
  const AllocationObject& allocation = scene.paging.objects.allocation(id);
  view.range = range.number();
  if (!range.is_as_stored()) {
    view.bytes = range.seen();
    if (scene.residency.apertures_in(allocation.write_set) == 0) return nullptr;
    return "what the GPU sees of it in an aperture after that is not laid down";
  }
  // A GPU that puts what the CPU reads of its memory in order is not modelled.
  return allocation.swizzled ? "it is Swizzled, and the range shows it as it stands there"
                             : nullptr;
}

}  // namespace

const char* evict_locked(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (const char* const refused = why_no_special_lock(scene, id)) return refused;
  AllocationObject& allocation = scene.paging.objects.allocation(id);
  SwizzlingRange range(scene, id);
  const char* refused = range.acquire();
  SwizzlingView view;
  if (refused == nullptr) refused = look_through(range, scene, id, view);
  if (refused == nullptr) {
    scene.memory.take_other_pages(id);
    allocation.view = std::move(view);
    refused = evict(scene, op);
    scene.waits.for_earlier_work();
    if (scene.residency.planned(id).segment != kNoSegment) allocation.view.reset();
  }
  if (range.acquired() && !scene.waits.abandoned()) range.release();
  return refused;
}

}  // namespace wddm::host::requests
