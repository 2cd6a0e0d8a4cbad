#include "conformance/host/vidmm/requests.h"

#include <algorithm>

#include "conformance/host/vidmm/refusal_text.h"

namespace wddm::host::requests {
namespace {

constexpr const char* kUnknown = "VidMm does not know the allocation";

bool is_known(const RequestScene& scene, std::uint32_t slot) {
  return scene.residency.vidmm().exists(AllocationId{slot});
}

bool is_resident(const RequestScene& scene, std::uint32_t slot) {
  return scene.residency.vidmm().allocation(AllocationId{slot}).resident();
}

// What the oracle decides about an allocation, carried out.
template <class Input>
const char* ask(const RequestScene& scene, std::uint32_t slot) {
  if (!is_known(scene, slot)) return kUnknown;
  const char* refused = nullptr;
  for (const vidmm::Decision& decision :
       vidmm::step(scene.residency.vidmm(), scene.planner, Input{AllocationId{slot}})) {
    if (std::holds_alternative<vidmm::AwaitEarlierWork>(decision)) scene.waits.for_earlier_work();
    if (scene.waits.abandoned()) return nullptr;
    if (const auto* page = std::get_if<vidmm::Page>(&decision)) scene.queue.queue(page->step);
    if (const auto* no = std::get_if<vidmm::Refused>(&decision)) refused = text_of(no->why);
  }
  return refused;
}

// The words that tell whether packets have run: the places of scenarios keep away from them.
bool marker_lies_in(const Residency& residency, std::uint32_t segment, std::uint32_t page,
                    std::uint32_t pages) {
  const PlaceInSegment place = residency.planned(kMarkerAllocation);
  return place.segment == segment && place.page >= page && place.page - page < pages;
}

}  // namespace

const char* make_resident(const RequestScene& scene, const Op& op) {
  return ask<vidmm::MakeResident>(scene, op.a);
}

const char* evict(const RequestScene& scene, const Op& op) {
  return ask<vidmm::Evict>(scene, op.a);
}

const char* move(const RequestScene& scene, const Op& op) {
  return ask<vidmm::Move>(scene, op.a);
}

const char* destroy_allocation(const RequestScene& scene, const Op& op) {
  return ask<vidmm::Destroy>(scene, op.x);
}

const char* fill_memory(const RequestScene& scene, const Op& op) {
  if (!is_known(scene, op.a)) return kUnknown;
  const Residency& residency = scene.residency;
  if (!is_resident(scene, op.a) || residency.is_aperture(residency.planned(op.a).segment)) {
    return "Fill needs an allocation that lies in a memory segment";
  }
  scene.queue.queue(fill_of(scene.paging, op.a, op.z));
  return nullptr;
}

const char* discard(const RequestScene& scene, const Op& op) {
  if (!is_known(scene, op.a)) return kUnknown;
  if (!is_resident(scene, op.a)) return "it is not resident";
  scene.queue.queue(discard_of(scene.paging, op.a));
  return nullptr;
}

const char* cpu_write(const RequestScene& scene, const Op& op) {
  if (!is_known(scene, op.a)) return kUnknown;
  if (!scene.memory.cpu_write(op.a, op.x, op.z)) return "the CPU cannot write there";
  scene.residency.vidmm().mark_written(AllocationId{op.a});
  return nullptr;
}

const char* transfer_segments(const RequestScene& scene, const Op& op) {
  if (!scene.memory.follows(op.a, op.x, op.z) || !scene.memory.follows(op.b, op.y, op.z)) {
    return "the pages are not in the segments";
  }
  if (op.a == op.b && std::max(op.x, op.y) - std::min(op.x, op.y) < op.z) {
    return "the places overlap: what a Transfer makes of that is not laid down";
  }
  if (marker_lies_in(scene.residency, op.b, op.y, op.z)) {
    return "the words that tell whether packets have run lie there";
  }
  scene.queue.queue(transfer_of(scene.paging, {op.a, op.x}, {op.b, op.y}, op.z));
  return nullptr;
}

const char* map_aperture(const RequestScene& scene, const Op& op) {
  const std::uint32_t segment = scene.residency.aperture_segment();
  if (segment == 0 || !scene.memory.follows(segment, op.x, op.y)) {
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
