// What user mode asks of GPU virtual addresses, and what becomes of the tables that hold them.
#include "conformance/host/gpuva/virtual_memory.h"
#include "conformance/host/vidmm/refusal_text.h"
#include "conformance/host/vidmm/requests.h"

namespace wddm::host::requests {
namespace {

// Null, or why nothing can be asked about addresses of the allocation.
const char* why_no_addresses(const RequestScene& scene, AllocationId id) {
  if (!scene.virtual_memory.active()) return kNoAddresses;
  return scene.residency.vidmm().exists(id) ? nullptr : kUnknownAllocation;
}

// With the answer the client is told which value the paging fence of its device will have when all
// that the request comes to was executed. It waits for that.
template <class Asked>
const char* with_fence(const RequestScene& scene, DeviceId device, Asked asked) {
  scene.virtual_memory.tell_fence({device, scene.clients.next_fence(device)});
  const char* const refused = asked();
  scene.virtual_memory.tell_fence({});
  if (refused == nullptr) scene.clients.tables_updated(device, paging_of(scene));
  return refused;
}

DeviceId device_of(const RequestScene& scene, AllocationId id) {
  return scene.paging.objects.allocation(id).device;
}

}  // namespace

const char* map_address(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (const char* const why = why_no_addresses(scene, id)) return why;
  return with_fence(scene, device_of(scene, id), [&] {
    return scene.virtual_memory.map_address(id, static_cast<AddressPlace>(op.b), op.x,
                                            static_cast<Protection>(op.c), op.z);
  });
}

const char* map_what_was_opened(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (const char* const why = why_no_addresses(scene, id)) return why;
  const DeviceObject& device = scene.paging.objects.device(DeviceId{op.b});
  return device.live ? scene.virtual_memory.map_in(id, device.process) : "no such device";
}

const char* free_address(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (const char* const why = why_no_addresses(scene, id)) return why;
  return scene.virtual_memory.free_address(id, op.x, op.y);
}

const char* reserve_address(const RequestScene& scene, const Op& op) {
  if (!scene.virtual_memory.active()) return kNoAddresses;
  const DeviceObject& device = scene.paging.objects.device(DeviceId{op.a});
  if (!device.live) return "no such device";
  return with_fence(scene, DeviceId{op.a}, [&] {
    return scene.virtual_memory.reserve_address(device.process, static_cast<AddressChoice>(op.c),
                                                op.x, op.y, op.b != 0);
  });
}

const char* map_range(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (const char* const why = why_no_addresses(scene, id)) return why;
  return with_fence(scene, device_of(scene, id), [&] {
    return scene.virtual_memory.map_range(id, {.protection = static_cast<Protection>(op.b),
                                               .at = static_cast<AddressChoice>(op.c),
                                               .base = op.x,
                                               .pages = op.y,
                                               .offset_pages = op.z});
  });
}

const char* update_address(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (const char* const why = why_no_addresses(scene, id)) return why;
  return scene.virtual_memory.update_address(id, tile_request_of(op, scene.choices));
}

TileRequest tile_request_of(const Op& op, const Choices& choices) {
  const Choices::TileUpdates& how = choices.tile_updates;
  return {.kind = static_cast<AddressUpdate>(op.b),
          .to = op.x,
          .from = op.y,
          .pages = op.z,
          .repeated_pages = how.repeated_pages,
          .protection = how.protection,
          .driver_protection = how.driver_protection};
}

const char* move_table(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (const char* const why = why_no_addresses(scene, id)) return why;
  return scene.virtual_memory.move_table(id, op.b);
}

// A packet of the process that was preempted goes on without a buffer that would have them come
// back.
const char* evict_tables(const RequestScene& scene, const Op& op) {
  if (!scene.virtual_memory.active()) return kNoAddresses;
  const Objects& objects = scene.paging.objects;
  const DeviceObject& device = objects.device(DeviceId{op.a});
  if (!device.live) return "no such device";
  const ProcessId process = device.process;
  if (const char* const why = scene.virtual_memory.evict_tables(process)) return why;
  if (!scene.waits.has_passed_work_of(objects, process)) return nullptr;
  return scene.virtual_memory.bring_tables_back(process);
}

// With GPU virtual addresses these are no requests to VidMm: see VidMmWorker::interlock.
const char* signal_fence(const RequestScene&, const Op&) {
  return kNoAddresses;
}

const char* await_fence(const RequestScene&, const Op&) {
  return kNoAddresses;
}

}  // namespace wddm::host::requests
