#include "conformance/host/vidmm/requests.h"

#include <algorithm>

#include "conformance/host/vidmm/refusal_text.h"

namespace wddm::host::requests {
namespace {

constexpr const char* kUnknown = "VidMm does not know the allocation";

bool is_known(const RequestScene& scene, AllocationId id) {
  return scene.residency.vidmm().exists(id);
}

bool is_resident(const RequestScene& scene, AllocationId id) {
  return scene.residency.vidmm().allocation(id).resident();
}

// What the oracle decides about an allocation, carried out.
template <class Input>
const char* ask(const RequestScene& scene, AllocationId id) {
  if (!is_known(scene, id)) return kUnknown;
  const char* refused = nullptr;
  for (const vidmm::Decision& decision :
       vidmm::step(scene.residency.vidmm(), scene.planner, Input{id})) {
    if (std::holds_alternative<vidmm::AwaitEarlierWork>(decision)) scene.waits.for_earlier_work();
    if (scene.waits.abandoned()) return nullptr;
    if (const auto* page = std::get_if<vidmm::Page>(&decision)) scene.queue.queue(page->step);
    if (const auto* no = std::get_if<vidmm::Refused>(&decision)) refused = text_of(no->why);
  }
  return refused;
}

// The words that tell whether packets have run: the places of scenarios keep away from them.
bool marker_lies_in(const Residency& residency, PlaceInSegment first, std::uint32_t pages) {
  const PlaceInSegment place = residency.planned(kMarkerAllocation);
  return place.segment == first.segment && place.page >= first.page &&
         place.page - first.page < pages;
}

}  // namespace

const char* make_resident(const RequestScene& scene, const Op& op) {
  return ask<vidmm::MakeResident>(scene, AllocationId{op.a});
}

const char* evict(const RequestScene& scene, const Op& op) {
  return ask<vidmm::Evict>(scene, AllocationId{op.a});
}

const char* move(const RequestScene& scene, const Op& op) {
  return ask<vidmm::Move>(scene, AllocationId{op.a});
}

const char* destroy_allocation(const RequestScene& scene, const Op& op) {
  return ask<vidmm::Destroy>(scene, AllocationId{op.x});
}

const char* fill_memory(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (!is_known(scene, id)) return kUnknown;
  const Residency& residency = scene.residency;
  if (!is_resident(scene, id) || residency.is_aperture(residency.planned(id).segment)) {
    return "Fill needs an allocation that lies in a memory segment";
  }
  scene.queue.queue(fill_of(scene.paging, id, op.z));
  return nullptr;
}

const char* discard(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (!is_known(scene, id)) return kUnknown;
  if (!is_resident(scene, id)) return "it is not resident";
  scene.queue.queue(discard_of(scene.paging, id));
  return nullptr;
}

const char* cpu_write(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (!is_known(scene, id)) return kUnknown;
  if (!scene.memory.cpu_write(id, op.x, op.z)) return "the CPU cannot write there";
  scene.residency.vidmm().mark_written(id);
  return nullptr;
}

const char* transfer_segments(const RequestScene& scene, const Op& op) {
  const PlaceInSegment from{SegmentId{op.a}, op.x}, to{SegmentId{op.b}, op.y};
  const std::uint32_t pages = op.z;
  if (!scene.memory.follows(from, pages) || !scene.memory.follows(to, pages)) {
    return "the pages are not in the segments";
  }
  if (from.segment == to.segment &&
      std::max(from.page, to.page) - std::min(from.page, to.page) < pages) {
    return "the places overlap: what a Transfer makes of that is not laid down";
  }
  if (marker_lies_in(scene.residency, to, pages)) {
    return "the words that tell whether packets have run lie there";
  }
  scene.queue.queue(transfer_of(scene.paging, from, to, pages));
  return nullptr;
}

const char* map_aperture(const RequestScene& scene, const Op& op) {
  const SegmentId segment = scene.residency.aperture_segment();
  if (segment == kNoSegment || !scene.memory.follows({segment, op.x}, op.y)) {
    return "there is no aperture segment with these pages";
  }
  if (op.y + op.a > memory::frames_available()) return "there is no memory left to map";
  const RawMappings::Mapping* const made = scene.mappings.add(op.x, op.y, op.y + op.a);
  if (made == nullptr) return "the pages are not free";
  scene.queue.queue(map_of(scene.paging, op.x, made->frames, op.a));
  return nullptr;
}

const char* unmap_aperture(const RequestScene& scene, const Op& op) {
  if (scene.mappings.at(op.x) == nullptr) return "nothing was mapped there";
  RawMappings::Mapping taken = scene.mappings.take(op.x);
  scene.queue.queue(unmap_of(scene.paging, taken.page, taken.pages, std::move(taken.frames),
                             scene.memory.dummy_frame()));
  return nullptr;
}

}  // namespace wddm::host::requests
