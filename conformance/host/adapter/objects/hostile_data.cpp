#include "conformance/host/adapter/objects/hostile_data.h"

#include <algorithm>
#include <cstring>

#include "conformance/host/adapter/objects/pool_at_rest.h"
#include "conformance/host/adapter/objects/resource_calls.h"

namespace wddm::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kDataBytes = static_cast<std::uint32_t>(kPageSize);

// Comes and goes; what the call with the altered data returned. What is opened is created
// untouched.
NTSTATUS come_and_go(ResourceCalls& calls, const Bytes* opened_with, std::uint32_t& impossible) {
  const NTSTATUS created = calls.create();
  if (!NT_SUCCESS(created)) return created;
  impossible = calls.impossible();
  if (opened_with != nullptr) calls.give(*opened_with);
  const NTSTATUS opened = calls.open(true);
  if (NT_SUCCESS(opened)) calls.close();
  calls.destroy();
  return opened_with != nullptr ? opened : created;
}

// Whether the driver adds to a resource that is there. What it keeps from the first time on is
// there then.
bool adds_more(const Adapter& adapter, Objects& objects, const PrivateData& data) {
  ResourceCalls calls(adapter, objects, kFirstDevice, data, 2);
  if (!NT_SUCCESS(calls.create({0, 1}))) return false;
  const bool adds = NT_SUCCESS(calls.create({1, 1}));
  calls.destroy({0, adds ? 2u : 1u}, true);
  return adds;
}

// The altered data are those of one more allocation of a resource that is there, which is the same
// before and after a call that fails. `seen` is told once more.
void try_on_more(const Adapter& adapter, Objects& objects, const PrivateData& data,
                 const PrivateData& altered, std::uint32_t unaltered, ev::HostileDataTried seen) {
  if (!adds_more(adapter, objects, data)) return;
  ResourceCalls tried(adapter, objects, kFirstDevice, data, 2);
  const nt::PoolUsage before = pool_at_rest();
  if (!NT_SUCCESS(tried.create({0, 1}))) return;
  const bool opened = NT_SUCCESS(tried.open({0, 1}, true));
  tried.give(altered.allocation);
  tried.give_resource(altered.resource);
  const NTSTATUS status = tried.create({1, 1});
  seen.status = static_cast<std::uint32_t>(status);
  seen.impossible = NT_SUCCESS(status) ? tried.impossible() & ~unaltered : 0;
  if (opened) tried.close({0, 1});
  tried.destroy({0, NT_SUCCESS(status) ? 2u : 1u}, true);
  seen.left_blocks = static_cast<std::int32_t>(pool_at_rest().blocks - before.blocks);
  seen.damaged = tried.damaged();
  session().tap(seen);
}

}  // namespace

void HostileData::alter(Bytes& piece) const {
  piece.resize(piece.size() - std::min<std::size_t>(cut, piece.size()));
  if (!change || std::size_t{offset} + sizeof(value) > piece.size()) return;
  std::uint32_t word = 0;
  std::memcpy(&word, piece.data() + offset, sizeof(word));
  word = flip ? word ^ value : value;
  std::memcpy(piece.data() + offset, &word, sizeof(word));
}

const char* try_hostile_data(const Adapter& adapter, Objects& objects, const HostileData& hostile) {
  if (hostile.data == DataOf::Context) return try_hostile_context(adapter, objects, hostile);
  PrivateData data;
  if (!has_resource_calls(objects, kFirstDevice)) return "the driver makes no allocations";
  if (!unplaced_data(objects, kDataBytes, data)) return "there are no private data to alter";
  PrivateData altered = data;
  Bytes& piece = hostile.data == DataOf::Resource ? altered.resource : altered.allocation;
  ev::HostileDataTried seen{.data = static_cast<std::uint32_t>(hostile.data),
                            .whole = static_cast<std::uint32_t>(piece.size())};
  if (piece.empty()) return "these private data are empty";
  hostile.alter(piece);
  seen.given = static_cast<std::uint32_t>(piece.size());
  // What a driver keeps from its first allocation on is there then.
  ResourceCalls untouched(adapter, objects, kFirstDevice, data, 1);
  std::uint32_t unaltered = 0;  // ALLOC-002
  if (!NT_SUCCESS(come_and_go(untouched, nullptr, unaltered))) {
    return "the driver refuses untouched data";
  }
  const bool opens = hostile.data == DataOf::Opened;
  ResourceCalls tried(adapter, objects, kFirstDevice, opens ? data : altered, 1);
  const nt::PoolUsage before = pool_at_rest();
  seen.status = static_cast<std::uint32_t>(
      come_and_go(tried, opens ? &altered.allocation : nullptr, seen.impossible));
  seen.impossible &= ~unaltered;
  seen.left_blocks = static_cast<std::int32_t>(pool_at_rest().blocks - before.blocks);
  seen.damaged = tried.damaged();
  session().tap(seen);
  if (!opens) try_on_more(adapter, objects, data, altered, unaltered, seen);
  return nullptr;
}

}  // namespace wddm::host
