#include "conformance/host/adapter/allocation_group.h"

#include "conformance/host/adapter/questions/allocation_question.h"
#include "conformance/host/adapter/resource_calls.h"
#include "conformance/host/adapter/standard_data.h"

namespace wddm::host {
namespace {

// Rows of 68 bytes, which no pitch is a multiple of, and so many of them that the padding of all is
// more than what a Size may be rounded up by.
constexpr std::uint32_t kOddWidth = 17, kOddRows = 2048;

bool data_for(const Adapter& adapter, Objects& objects, std::uint32_t standard, PrivateData& out) {
  if (standard == 0) return unplaced_data(objects, kGroupBytes, out);
  if (!asks_for(adapter, standard)) return false;
  StandardSurface surface = usual_surface(standard);
  if (standard != D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE) {
    surface.width = kOddWidth;
    surface.rows = kOddRows;
  }
  return ask_standard_data(adapter, surface, out);
}

// Of a primary Dxgkrnl may ask, at any time, what it is.
void ask_of_primary(const Adapter& adapter, std::uint32_t standard, HANDLE handle) {
  if (standard != D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE || handle == nullptr) return;
  ask_description(adapter, kNone, handle);
}

// How the allocations go: all at once, or in two parts.
struct Going {
  std::uint32_t parts = 1;
  bool reversed = false;
};

// Each part is closed and destroyed while the others are open. What fails ends it: what a driver
// holds then nobody knows.
void go(ResourceCalls& group, std::size_t count, const Going& going, bool opened,
        ev::AllocationGroup& seen) {
  const std::size_t first = going.parts == 1 ? count : (count + 1) / 2;
  for (const ResourceCalls::Part part :
       {ResourceCalls::Part{0, first, going.reversed},
        ResourceCalls::Part{first, count - first, going.reversed}}) {
    if (part.count == 0) break;
    if (opened) seen.close_status = static_cast<std::uint32_t>(group.close(part));
    const bool last = part.first + part.count == count;
    seen.destroy_status = static_cast<std::uint32_t>(group.destroy(part, last));
    if (seen.close_status != 0 || seen.destroy_status != 0) break;
  }
}

// Whether each of its allocations was made, and went.
bool come_and_go(const Adapter& adapter, Objects& objects, const PrivateData& data,
                 std::uint32_t count, std::uint32_t standard, const Going& going) {
  ResourceCalls group(adapter, objects, kFirstDevice, data, count);
  const nt::PoolUsage before = nt::pool_usage();
  ev::AllocationGroup seen{.asked = kGroupBytes,
                           .count = count,
                           .standard = standard,
                           .parts = going.parts,
                           .reversed = going.reversed};
  NTSTATUS status = group.create();
  seen.status = static_cast<std::uint32_t>(status);
  if (NT_SUCCESS(status)) {
    seen.size = group.smallest();
    seen.flags = group.flags();
    seen.write_set = group.write_set();
    seen.described = group.described();
    seen.has_resource = group.has_resource();
    ask_of_primary(adapter, standard, group.first());
    status = group.open(true);
    seen.open_status = static_cast<std::uint32_t>(status);
    if (NT_SUCCESS(status)) seen.opened = group.opened();
    go(group, count, going, NT_SUCCESS(status), seen);
  }
  const nt::PoolUsage after = nt::pool_usage();
  seen.left_bytes = static_cast<std::int32_t>(after.bytes - before.bytes);
  seen.left_blocks = static_cast<std::int32_t>(after.blocks - before.blocks);
  session().tap(seen);
  return seen.status == 0 && seen.described == count && seen.opened == count &&
         seen.close_status == 0 && seen.destroy_status == 0;
}

}  // namespace

void try_allocation_group(const Adapter& adapter, Objects& objects, std::uint32_t count,
                          std::uint32_t standard) {
  PrivateData data;
  if (!has_resource_calls(objects, kFirstDevice) || !data_for(adapter, objects, standard, data)) {
    return;
  }
  const bool whole = come_and_go(adapter, objects, data, count, standard, {});
  // Standard allocations are Dxgkrnl's own, which has no use for parts of a resource.
  if (!whole || count < 2 || standard != 0) return;
  if (!come_and_go(adapter, objects, data, count, 0, {.parts = 2})) return;
  static_cast<void>(come_and_go(adapter, objects, data, count, 0, {.parts = 2, .reversed = true}));
}

void make_and_destroy_one(const Adapter& adapter, Objects& objects, DeviceId device) {
  PrivateData data;
  if (!has_resource_calls(objects, device) || !data_for(adapter, objects, 0, data)) return;
  ResourceCalls one(adapter, objects, device, data, 1);
  if (!NT_SUCCESS(one.create())) return;
  if (NT_SUCCESS(one.open(true))) one.close();
  one.destroy();
}

}  // namespace wddm::host
