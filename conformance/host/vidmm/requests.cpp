#include "conformance/host/vidmm/requests.h"

#include <algorithm>
#include <vector>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/contexts/context_allocations.h"
#include "conformance/host/gpuva/virtual_memory.h"
#include "conformance/host/vidmm/places_by_role.h"
#include "conformance/host/vidmm/refusal_text.h"

namespace wddm::host::requests {
namespace {

// Of what a device requires WDDM knows from 2.0 on.
const char* without_residency() {
  return Adapter::knows(InterfaceVersion::Wddm2_0) ? nullptr : "the driver is one of WDDM 1";
}

bool is_known(const RequestScene& scene, AllocationId id) {
  return scene.residency.vidmm().exists(id);
}

constexpr const char* kNothingInAperture =
    "no allocation is accessed physically: with GPU virtual addresses nothing is mapped so";
constexpr const char* kNothingGoesThere =
    "the driver lets no allocation lie in the aperture or be evicted to it";
constexpr const char* kOverlap =
    "the places overlap: what a Transfer makes of that is not laid down";
constexpr const char* kNoSuchBytes = "the allocation has no such bytes";

bool has_bytes(const RequestScene& scene, AllocationId id, std::uint64_t offset,
               std::uint64_t size) {
  const std::uint64_t all = scene.paging.objects.allocation(id).bytes;
  return offset < all && size <= all - offset;
}

bool is_resident(const RequestScene& scene, AllocationId id) {
  return scene.residency.vidmm().allocation(id).resident();
}

// What the oracle decides about an allocation, carried out.
template <class Input>
const char* ask(const RequestScene& scene, const Input& input) {
  const AllocationId id = input.allocation;
  if (!is_known(scene, id)) return kUnknownAllocation;
  const char* refused = nullptr;
  for (const vidmm::Decision& decision :
       vidmm::step(scene.residency.vidmm(), scene.planner, input)) {
    const bool waits = std::holds_alternative<vidmm::AwaitEarlierWork>(decision);
    if (waits && !decisions().evicts_at_once()) scene.waits.for_earlier_work();
    if (scene.waits.abandoned()) return nullptr;
    if (const auto* page = std::get_if<vidmm::Page>(&decision)) scene.queue.queue(page->step);
    if (const auto* no = std::get_if<vidmm::Refused>(&decision)) refused = text_of(no->why);
  }
  return refused;
}

// Those that the op names, one slot after the other.
std::vector<AllocationId> list_of(const Op& op) {
  std::vector<AllocationId> list;
  for (std::uint32_t i = 0; i < op.b && op.a + i < kSlots; ++i)
    list.push_back(AllocationId{op.a + i});
  return list;
}

// The words that tell whether packets have run: the places of scenarios keep away from them.
bool marker_lies_in(const Residency& residency, PlaceInSegment first, std::uint32_t pages) {
  const PlaceInSegment place = residency.planned(kMarkerAllocation);
  return place.segment == first.segment && place.page >= first.page &&
         place.page - first.page < pages;
}

// Pages that VidMm has set aside belong to no allocation: page tables lie there.
bool tables_lie_in(const RequestScene& scene, PlaceInSegment first, std::uint32_t pages) {
  const vidmm::Placement& placed = scene.residency.vidmm().placement(first.segment);
  for (std::uint32_t page = first.page; page < first.page + pages; ++page) {
    const bool used = placed.block_at(page).has_value();
    const auto owner = scene.memory.owner_of(first.segment, page).allocation;
    if (used && owner == kNoAllocation) return true;
  }
  return false;
}

// What is not AccessedPhysically is reached by GPU virtual address only (gpu-segments.md): who has
// nothing else has no use for an aperture.
bool uses_aperture(const RequestScene& scene) {
  const SegmentId segment = segment_of(scene.residency, Place::Aperture);
  const std::uint32_t aperture = segment == kNoSegment ? 0 : vidmm::segment_bit(segment);
  for (const AllocationId id : kAllAllocations) {
    const AllocationObject& one = scene.paging.objects.allocation(id);
    if (one.live && one.accessed_physically && (one.write_set & aperture) != 0) return true;
  }
  return false;
}

// Pages of it that show nothing: what lies there has addresses of its own alone.
bool shows_nothing(const RequestScene& scene, PlaceInSegment first, std::uint32_t pages) {
  for (const AllocationId id : kAllAllocations) {
    const AllocationObject& one = scene.paging.objects.allocation(id);
    const PlaceInSegment place = scene.residency.planned(id);
    const bool there = place.segment == first.segment && place.page < first.page + pages &&
                       first.page < place.page + one.pages;
    if (one.live && !one.accessed_physically && there) return true;
  }
  return false;
}

bool of_other_gpus(const RequestScene& scene, PlaceInSegment first, std::uint32_t pages) {
  const ActualMemory& actual = scene.memory.actual();
  for (std::uint64_t page = first.page; page < std::uint64_t{first.page} + pages; ++page) {
    if (actual.gpu_of(first.segment, page) != 0) return true;
  }
  return false;
}

const char* unreachable(const RequestScene& scene, PlaceInSegment first, std::uint32_t pages) {
  if (of_other_gpus(scene, first, pages)) return "the place is in use on another GPU of the link";
  if (!scene.residency.is_aperture(first.segment)) {
    return tables_lie_in(scene, first, pages) ? "page tables lie there" : nullptr;
  }
  if (!uses_aperture(scene) || shows_nothing(scene, first, pages)) return kNothingInAperture;
  return nullptr;
}

const char* transfer_by_addresses(const RequestScene& scene, PlaceInSegment from, PlaceInSegment to,
                                  std::uint32_t pages) {
  if (const char* const why = unreachable(scene, from, pages)) return why;
  if (const char* const why = unreachable(scene, to, pages)) return why;
  return scene.virtual_memory.transfer(from, to, pages);
}

// A driver may have an aperture for DMA buffers alone. What lies there is mapped, and no Transfer
// has it for a source or a destination.
bool carries_allocations(const RequestScene& scene, SegmentId segment) {
  if (!scene.residency.is_aperture(segment)) return true;
  const std::uint32_t in_use = scene.paging.objects.segments_in_use();
  return in_use == 0 || (in_use & vidmm::segment_bit(segment)) != 0;
}

const char* transfer(const RequestScene& scene, PlaceInSegment from, PlaceInSegment to,
                     std::uint32_t pages) {
  if (!scene.memory.follows(from, pages) || !scene.memory.follows(to, pages)) {
    return "the pages are not in the segments";
  }
  const bool carried =
      carries_allocations(scene, from.segment) && carries_allocations(scene, to.segment);
  if (!scene.virtual_memory.active() && !carried) return kNothingGoesThere;
  // Said before what is true of such pages too.
  const bool in_aperture =
      scene.residency.is_aperture(from.segment) || scene.residency.is_aperture(to.segment);
  if (scene.virtual_memory.active() && in_aperture && !uses_aperture(scene))
    return kNothingInAperture;
  if (!scene.memory.leads_somewhere(from, pages) || !scene.memory.leads_somewhere(to, pages)) {
    return "where pages of an aperture lead that were never mapped, or unmapped before a loss of "
           "power, nobody knows";
  }
  if (from.segment == to.segment &&
      std::max(from.page, to.page) - std::min(from.page, to.page) < pages) {
    return kOverlap;
  }
  if (marker_lies_in(scene.residency, to, pages)) {
    return "the words that tell whether packets have run lie there";
  }
  if (scene.virtual_memory.active()) return transfer_by_addresses(scene, from, to, pages);
  for (const auto& part :
       transfers_of(scene.paging, from, to, pages, scene.choices.chunk_of(pages))) {
    scene.queue.queue(part);
    if (scene.waits.abandoned()) break;
  }
  return nullptr;
}

void unmap(const RequestScene& scene, std::uint32_t page) {
  RawMappings::Mapping taken = scene.mappings.take(page);
  scene.queue.queue(unmap_of({taken.segment, page}, taken.pages, std::move(taken.frames),
                             scene.memory.dummy_frame()));
}

}  // namespace

ClientPaging paging_of(const RequestScene& scene) {
  return {.bring_in = [&scene](AllocationId id) { return ask(scene, vidmm::MakeResident{id}); },
          .take_out = [&scene](AllocationId id) { return ask(scene, vidmm::Evict{id}); },
          .finish =
              [&scene] {
                scene.waits.for_paging();
                return !scene.waits.abandoned();
              }};
}

const char* make_resident(const RequestScene& scene, const Op& op) {
  return ask(scene, vidmm::MakeResident{AllocationId{op.a}});
}

const char* evict(const RequestScene& scene, const Op& op) {
  return ask(scene, vidmm::Evict{AllocationId{op.a}});
}

const char* move(const RequestScene& scene, const Op& op) {
  return ask(scene, vidmm::Move{AllocationId{op.a}, op.b != 0,
                                op.c != 0 ? vidmm::Towards::End : vidmm::Towards::Start});
}

const char* destroy_allocation(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.x};
  scene.clients.forget(id, paging_of(scene));
  if (scene.virtual_memory.active()) scene.virtual_memory.forget(id);
  return ask(scene, vidmm::Destroy{id});
}

const char* fill_memory(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (!is_known(scene, id)) return kUnknownAllocation;
  const Residency& residency = scene.residency;
  // What a scenario wants to lie there lies in system memory, where the CPU can put it.
  if (is_resident(scene, id) && !has_memory_segment(residency) && op.y == 0) {
    if (!scene.memory.cpu_fill(id, op.z)) return "the CPU cannot write there";
    scene.residency.vidmm().mark_written(id);
    return nullptr;
  }
  if (!is_resident(scene, id) || residency.is_aperture(residency.planned(id).segment)) {
    return "Fill needs an allocation that lies in a memory segment";
  }
  if (op.y != 0) {
    if (!scene.virtual_memory.active()) return kNoAddresses;
    if (!has_bytes(scene, id, op.x, op.y)) return kNoSuchBytes;
    return scene.virtual_memory.fill_bytes({id, op.x}, op.y, op.z);
  }
  if (scene.virtual_memory.active()) {
    scene.virtual_memory.fill_memory(id, op.z);
    return nullptr;
  }
  scene.queue.queue(fill_of(scene.paging, id, op.z));
  return nullptr;
}

const char* discard(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (!is_known(scene, id)) return kUnknownAllocation;
  if (!is_resident(scene, id)) return "it is not resident";
  // What lies in an aperture has its content in system memory, and is unmapped (step.h).
  if (scene.residency.is_aperture(scene.residency.planned(id).segment)) {
    return "it lies in an aperture segment";
  }
  scene.queue.queue(discard_of(scene.paging, id));
  return nullptr;
}

const char* touch_memory(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (scene.virtual_memory.active()) return "with GPU virtual addresses there is no such operation";
  if (!is_known(scene, id)) return kUnknownAllocation;
  if (!is_resident(scene, id)) return "it is not resident";
  if (!has_bytes(scene, id, op.x, 8)) return kNoSuchBytes;
  const bool write = op.b != 0;
  if (write) scene.residency.vidmm().mark_written(id);
  scene.queue.queue(touch_of(scene.paging, id, op.x, write));
  return nullptr;
}

const char* cpu_write(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (!is_known(scene, id)) return kUnknownAllocation;
  if (!scene.memory.cpu_write(id, op.x, op.z)) return "the CPU cannot write there";
  scene.residency.vidmm().mark_written(id);
  return nullptr;
}

const char* transfer_segments(const RequestScene& scene, const Op& op) {
  return transfer(scene, {SegmentId{op.a}, op.x}, {SegmentId{op.b}, op.y}, op.z);
}

const char* transfer_places(const RequestScene& scene, const Op& op) {
  const auto source = static_cast<Place>(op.a), destination = static_cast<Place>(op.b);
  const SegmentId from = segment_of(scene.residency, source);
  const SegmentId to = segment_of(scene.residency, destination);
  if (from == kNoSegment) return no_segment(source);
  if (to == kNoSegment) return no_segment(destination);
  const std::uint32_t first = scene.residency.start_of_segment(to);
  std::uint32_t page = first + op.y;
  if (op.c != 0) {
    const std::uint32_t end = scene.residency.end_of_segment(to);
    if (op.y + op.z > end - first) return "the pages are not in the segments";
    page = end - op.z - op.y;
  }
  return transfer(scene, {from, scene.residency.start_of_segment(from) + op.x}, {to, page}, op.z);
}

const char* map_aperture(const RequestScene& scene, const Op& op) {
  if (scene.virtual_memory.active() && !uses_aperture(scene)) return kNothingInAperture;
  const SegmentId segment = segment_of(scene.residency, Place::Aperture);
  if (segment == kNoSegment || !scene.memory.follows({segment, op.x}, op.y)) {
    return "there is no aperture segment with these pages";
  }
  if (op.y + op.a > memory::frames_available()) return "there is no memory left to map";
  const RawMappings::Mapping* const made =
      scene.mappings.add({segment, op.x}, op.y, op.y + op.a, op.b != 0);
  if (made == nullptr) return "the pages are not free, or there are not so many in a row";
  scene.queue.queue(map_of(scene.paging, {segment, op.x}, made->frames, op.a));
  return nullptr;
}

const char* transfer_bytes(const RequestScene& scene, const Op& op) {
  const AllocationId to{op.a}, from{op.b};
  if (!scene.virtual_memory.active()) return kNoAddresses;
  if (!is_known(scene, to) || !is_known(scene, from)) return kUnknownAllocation;
  if (!is_resident(scene, to) || !is_resident(scene, from)) return "it is not resident";
  if (!has_bytes(scene, to, op.x, op.z) || !has_bytes(scene, from, op.y, op.z)) return kNoSuchBytes;
  if (to == from && std::max(op.x, op.y) - std::min(op.x, op.y) < op.z) return kOverlap;
  scene.residency.vidmm().mark_written(to);
  return scene.virtual_memory.transfer_bytes({to, op.x}, {from, op.y}, op.z);
}

const char* require(const RequestScene& scene, const Op& op) {
  if (const char* const why = without_residency()) return why;
  return scene.clients.require(DeviceId{op.c}, list_of(op), paging_of(scene));
}

const char* release(const RequestScene& scene, const Op& op) {
  if (const char* const why = without_residency()) return why;
  return scene.clients.release(DeviceId{op.c}, list_of(op), paging_of(scene));
}

const char* budget(const RequestScene& scene, const Op& op) {
  if (const char* const why = without_residency()) return why;
  return scene.clients.set_budget(ProcessId{op.a}, op.x, paging_of(scene));
}

const char* trim_residency(const RequestScene& scene, const Op& op) {
  if (const char* const why = without_residency()) return why;
  constexpr std::uint32_t kPeriodic[] = {0, WDDM_TRIM_PERIODIC, WDDM_TRIM_RESTART_PERIODIC};
  constexpr std::uint32_t kToBudget = WDDM_TRIM_TO_BUDGET;
  const std::uint32_t flags = kPeriodic[op.b] | (op.x != 0 ? kToBudget : 0u);
  return scene.clients.trim_set(DeviceId{op.a}, flags, op.x * kPageSize, paging_of(scene));
}

void make_ready(const RequestScene& scene, ContextId context) {
  scene.clients.make_ready(scene.paging.objects.context(context).device, paging_of(scene));
}

const char* empty_memory(const RequestScene& scene, const Op&) {
  while (const RawMappings::Mapping* const one = scene.mappings.any()) {
    unmap(scene, one->page);
  }
  const char* refused = nullptr;
  for (const AllocationId id : kAllAllocations) {
    if (!is_known(scene, id) || !is_resident(scene, id)) continue;
    if (const char* const why = ask(scene, vidmm::Evict{id})) refused = why;
  }
  scene.waits.for_earlier_work();
  if (!scene.virtual_memory.active()) return refused;
  current_context_allocations().evict_all();
  scene.virtual_memory.evict_all_tables();
  return refused;
}

const char* restore_memory(const RequestScene& scene, const Op&) {
  if (!scene.virtual_memory.active()) return nullptr;
  scene.virtual_memory.restore();
  current_context_allocations().restore();
  scene.clients.restore(paging_of(scene));
  return nullptr;
}

const char* unmap_aperture(const RequestScene& scene, const Op& op) {
  if (scene.mappings.at(op.x) == nullptr) return "nothing was mapped there";
  unmap(scene, op.x);
  return nullptr;
}

}  // namespace wddm::host::requests
