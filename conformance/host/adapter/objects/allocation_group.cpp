#include "conformance/host/adapter/objects/allocation_group.h"

#include <algorithm>

#include "conformance/host/adapter/objects/allocation_shapes.h"
#include "conformance/host/adapter/objects/pool_at_rest.h"
#include "conformance/host/adapter/objects/resource_calls.h"
#include "conformance/host/adapter/objects/standard_data.h"
#include "conformance/host/adapter/questions/allocation_question.h"

namespace wddm::host {
namespace {

// Rows of 132 bytes, which no pitch is a multiple of, and so many of them that the padding of all
// is more than what a Size may be rounded up by. Just above half of what pitches are often
// multiples of: who masks a bit out that rounding up has set ends with less than a row.
constexpr std::uint32_t kOddWidth = 33, kOddRows = 2048;

// What the last allocation of a resource is asked for that are not alike.
constexpr std::uint32_t kLargerBytes = 3 * kGroupBytes;

bool is_primary(std::uint32_t standard) {
  return standard == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
}

// Of a primary Dxgkrnl may ask, at any time, what it is.
void ask_of_primary(const Adapter& adapter, std::uint32_t standard, HANDLE handle) {
  if (is_primary(standard) && handle != nullptr) ask_description(adapter, kNone, handle);
}

// How the allocations come and go: all at once, or in parts.
struct Way {
  std::uint32_t calls = 1;  // in which they come
  std::uint32_t parts = 1;  // in which they go
  bool reversed = false;
  bool leaves_early = false;  // the first goes before the last call, and the resource stays
  std::optional<DeviceId> other = std::nullopt;  // opens all of them too, when all have come
  bool other_goes_last = false;                  // else it closes them before the first device does
  // Of the last call: from so many pool allocations on there are no more, at first; 0: always.
  std::uint32_t no_pool_from = 0;
};

using Part = ResourceCalls::Part;

bool succeeded(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

// Allocations from the first on.
struct Far {
  std::size_t made = 0, opened = 0, gone = 0;
};

void leave(ResourceCalls& group, Part part, bool with_resource, ev::AllocationGroup& seen) {
  seen.close_status = static_cast<std::uint32_t>(group.close(part));
  seen.destroy_status = static_cast<std::uint32_t>(group.destroy(part, with_resource));
}

// What fails for want of pool is asked for again when there is some.
NTSTATUS create(ResourceCalls& group, Part part, std::uint32_t no_pool_from,
                ev::AllocationGroup& seen) {
  if (no_pool_from == 0) return group.create(part);
  {
    const nt::PoolFails no_pool(no_pool_from);
    const NTSTATUS status = group.create(part);
    if (NT_SUCCESS(status) || !no_pool.any()) return status;
  }
  seen.pool_failed = 1;
  return group.create(part);
}

// Each part is opened before more of the resource are made. What fails ends it.
Far come(const Adapter& adapter, ResourceCalls& group, const Way& way, ev::AllocationGroup& seen) {
  Far far;
  for (std::size_t call = 1; call <= way.calls; ++call) {
    // Of one that leaves early another has to be there still.
    const std::size_t end =
        way.leaves_early ? seen.count + call - way.calls : seen.count * call / way.calls;
    const Part part{far.made, end - far.made};
    const std::uint32_t no_pool_from = call == way.calls ? way.no_pool_from : 0;
    seen.status = static_cast<std::uint32_t>(create(group, part, no_pool_from, seen));
    if (!succeeded(seen.status)) break;
    far.made = end;
    if (call == 1) ask_of_primary(adapter, seen.standard, group.first());
    seen.open_status = static_cast<std::uint32_t>(group.open(part, true));
    if (!succeeded(seen.open_status)) break;
    far.opened = end;
    if (!way.leaves_early || call != 1) continue;
    leave(group, {0, 1}, false, seen);
    if (seen.close_status != 0 || seen.destroy_status != 0) break;
    far.gone = 1;
  }
  return far;
}

// Each part is closed and destroyed while the others are open. What fails ends it: what a driver
// holds then nobody knows.
void go(ResourceCalls& group, const Way& way, const Far& far, ev::AllocationGroup& seen) {
  const std::size_t count = far.made - far.gone;
  const std::size_t first = way.parts == 1 ? count : (count + 1) / 2;
  for (const Part part :
       {Part{far.gone, first, way.reversed}, Part{far.gone + first, count - first, way.reversed}}) {
    if (part.count == 0) break;
    leave(group, part, part.first + part.count == far.made, seen);
    if (seen.close_status != 0 || seen.destroy_status != 0) break;
  }
}

// The other device has them open while the first closes them, or closes them meanwhile. What it
// refuses to open it does not close.
void go_elsewhere_too(ResourceCalls& group, const Way& way, const Far& far,
                      ev::AllocationGroup& seen) {
  seen.open_status = static_cast<std::uint32_t>(group.open_elsewhere(*way.other));
  if (!succeeded(seen.open_status)) return go(group, way, far, seen);
  seen.opened = std::min(seen.opened, group.opened_elsewhere());
  seen.elsewhere = way.other_goes_last ? 2 : 1;
  if (!way.other_goes_last) {
    seen.close_status = static_cast<std::uint32_t>(group.close_elsewhere());
    if (succeeded(seen.close_status)) go(group, way, far, seen);
    return;
  }
  seen.close_status = static_cast<std::uint32_t>(group.close());
  const auto last = static_cast<std::uint32_t>(group.close_elsewhere());
  if (succeeded(seen.close_status)) seen.close_status = last;
  if (succeeded(seen.close_status)) {
    seen.destroy_status = static_cast<std::uint32_t>(group.destroy());
  }
}

// Not all of them have come: the others go, and the resource with them.
void withdraw(ResourceCalls& group, const Far& far, ev::AllocationGroup& seen) {
  const std::size_t opened = far.opened - far.gone, made = far.made - far.gone;
  if (opened != 0) {
    seen.close_status = static_cast<std::uint32_t>(group.close({far.gone, opened}));
  }
  if (made != 0) {
    seen.destroy_status = static_cast<std::uint32_t>(group.destroy({far.gone, made}, true));
  }
}

void describe(const ResourceCalls& group, const Far& far, ev::AllocationGroup& seen) {
  seen.size = group.smallest();
  seen.flags = group.flags();
  seen.write_set = group.write_set();
  // What has gone had a handle, which another one may have now.
  const auto gone = static_cast<std::uint32_t>(far.gone);
  seen.described = gone + group.described();
  seen.has_resource = group.has_resource();
  if (far.opened == far.made) seen.opened = gone + group.opened();
}

// Whether each of its allocations was made, and went. With `larger` the last one has these data,
// and is what is told of sizes.
bool come_and_go(const Adapter& adapter, Objects& objects, const PrivateData& data,
                 std::uint32_t count, std::uint32_t standard, const Way& way,
                 const PrivateData* larger = nullptr) {
  ResourceCalls group(adapter, objects, kFirstDevice, data, count);
  if (larger != nullptr) group.give_last(larger->allocation);
  const nt::PoolUsage before = pool_at_rest();
  ev::AllocationGroup seen{.asked = larger != nullptr ? kLargerBytes : kGroupBytes,
                           .count = count,
                           .standard = standard,
                           .parts = way.parts,
                           .reversed = way.reversed,
                           .calls = way.calls,
                           .left_early = way.leaves_early};
  const Far far = come(adapter, group, way, seen);
  if (far.made == count) describe(group, far, seen);
  if (seen.described == count) {  // else ALLOC-009
    const bool alike = standard == 0 && larger == nullptr;
    group.tell({.asked = alike ? kGroupBytes : 0, .standard = standard});
  }
  if (far.made == count && larger != nullptr) seen.size = group.size_of_last();
  const bool came = far.opened == count;
  if (came && way.other) {
    go_elsewhere_too(group, way, far, seen);
  } else if (came) {
    go(group, way, far, seen);
  } else if (seen.close_status == 0 && seen.destroy_status == 0) {
    withdraw(group, far, seen);
  }
  const nt::PoolUsage after = pool_at_rest();
  seen.left_bytes = static_cast<std::int32_t>(after.bytes - before.bytes);
  seen.left_blocks = static_cast<std::int32_t>(after.blocks - before.blocks);
  session().tap(seen);
  return seen.status == 0 && seen.described == count && seen.opened == count &&
         seen.close_status == 0 && seen.destroy_status == 0;
}

// In each of them what came in an earlier call, or what of it is left, is there when more come, and
// when there is no memory for more.
void grow(const Adapter& adapter, Objects& objects, const PrivateData& data, std::uint32_t count) {
  constexpr std::uint32_t kMostCalls = 3;
  const std::uint32_t calls = std::min(count, kMostCalls);
  for (const Way& way : {Way{.calls = calls}, Way{.calls = calls, .parts = 2},
                         Way{.calls = calls, .parts = 2, .reversed = true}}) {
    if (!come_and_go(adapter, objects, data, count, 0, way)) return;
  }
  if (count < 3) return;
  for (const Way& way : {Way{.calls = 2}, Way{.calls = 2, .leaves_early = true},
                         Way{.calls = 2, .no_pool_from = 1}, Way{.calls = 2, .no_pool_from = 2}}) {
    if (!come_and_go(adapter, objects, data, count, 0, way)) return;
  }
}

// Whoever has it open last, what is left of it then goes.
void be_shared(const Adapter& adapter, Objects& objects, std::uint32_t count, DeviceId other) {
  PrivateData data;
  if (!unplaced_data(objects, kGroupBytes, data, true)) return;
  for (const bool last : {false, true}) {
    const Way way{.other = other, .other_goes_last = last};
    if (!come_and_go(adapter, objects, data, count, 0, way)) return;
  }
}

// Each allocation is described by its own data. Where the resource's say how large they are, all of
// them are alike.
void be_unlike(const Adapter& adapter, Objects& objects, const PrivateData& data,
               std::uint32_t count) {
  PrivateData larger;
  if (!unplaced_data(objects, kLargerBytes, larger) || larger.resource != data.resource) return;
  if (larger.allocation == data.allocation) return;
  static_cast<void>(come_and_go(adapter, objects, data, count, 0, {}, &larger));
}

// An allocation of its own resource, for as long as this lives.
class OneAllocation {
 public:
  OneAllocation(const Adapter& adapter, Objects& objects, DeviceId device, const PrivateData& data)
      : calls_(adapter, objects, device, data, 1) {
    is_made_ = succeeded(static_cast<std::uint32_t>(calls_.create()));
    is_open_ = is_made_ && succeeded(static_cast<std::uint32_t>(calls_.open(true)));
  }
  ~OneAllocation() {
    if (is_open_) calls_.close();
    if (is_made_) calls_.destroy();
  }
  OneAllocation(const OneAllocation&) = delete;
  OneAllocation& operator=(const OneAllocation&) = delete;
  [[nodiscard]] bool is_made() const { return is_made_; }
  /// Tells how it is described, of this type.
  void tell(std::uint32_t standard) const { calls_.tell({.standard = standard}); }
  [[nodiscard]] HANDLE handle() const { return calls_.first(); }

 private:
  ResourceCalls calls_;
  bool is_made_ = false, is_open_ = false;
};

// Primaries of different sizes, as where the mode of a display changes: each is described as
// itself, whichever has come last. Who knows the data last asked for knows which one is meant, so
// those of the first are asked for again. A driver of one mode has no other. The width of the last
// is that of no pitch.
void describe_primaries(const Adapter& adapter, Objects& objects) {
  constexpr std::uint32_t kPrimary = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
  const StandardSurface usual = usual_surface(kPrimary);
  PrivateData data, data_of_other;
  if (!ask_standard_data(adapter, usual, data)) return;
  const OneAllocation first(adapter, objects, kFirstDevice, data);
  if (!first.is_made()) return;
  for (const StandardSurface& other : {StandardSurface{.type = kPrimary, .rows = 600, .width = 800},
                                       {.type = kPrimary, .rows = 768, .width = 1366}}) {
    if (!ask_standard_data(adapter, other, data_of_other)) continue;
    const OneAllocation second(adapter, objects, kFirstDevice, data_of_other);
    if (!second.is_made()) continue;
    second.tell(kPrimary);
    ask_of_primary(adapter, kPrimary, second.handle());
    if (ask_standard_data(adapter, usual, data)) ask_of_primary(adapter, kPrimary, first.handle());
  }
}

// Standard allocations are Dxgkrnl's own, which has no use for parts of a resource.
void try_standard(const Adapter& adapter, Objects& objects, std::uint32_t count,
                  std::uint32_t standard) {
  if (!asks_for(adapter, standard)) return;
  for (StandardSurface surface : surfaces_of(standard)) {
    if (!is_primary(standard)) {
      surface.width = kOddWidth;
      surface.rows = kOddRows;
    }
    PrivateData data;
    if (!ask_standard_data(adapter, surface, data) || has_pages_already(surface)) continue;
    static_cast<void>(come_and_go(adapter, objects, data, count, standard, {}));
  }
  if (is_primary(standard)) describe_primaries(adapter, objects);
}

}  // namespace

void try_allocation_group(const Adapter& adapter, Objects& objects, std::uint32_t count,
                          std::uint32_t standard, std::optional<DeviceId> other) {
  if (!has_resource_calls(objects, kFirstDevice)) return;
  if (standard != 0) return try_standard(adapter, objects, count, standard);
  if (other) be_shared(adapter, objects, count, *other);
  PrivateData data;
  if (!unplaced_data(objects, kGroupBytes, data)) return;
  const bool whole = come_and_go(adapter, objects, data, count, 0, {});
  if (whole && count == 1) describe_shapes(adapter, objects);
  if (!whole || count < 2) return;
  for (const Way& way : {Way{.parts = 2}, Way{.parts = 2, .reversed = true}}) {
    if (!come_and_go(adapter, objects, data, count, 0, way)) return;
  }
  be_unlike(adapter, objects, data, count);
  grow(adapter, objects, data, count);
}

void make_and_destroy_one(const Adapter& adapter, Objects& objects, DeviceId device) {
  PrivateData data;
  if (!has_resource_calls(objects, device) || !unplaced_data(objects, kGroupBytes, data)) return;
  static_cast<void>(OneAllocation(adapter, objects, device, data));
}

}  // namespace wddm::host
