// A context of hostile user mode, which comes on the first node of device 0, and goes at once. No
// root is set and nothing runs in it.
#include <algorithm>
#include <optional>

#include "conformance/host/adapter/objects/context_data.h"
#include "conformance/host/adapter/objects/hostile_data.h"
#include "conformance/host/adapter/objects/pool_at_rest.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/buffer_copies.h"
#include "conformance/host/nt/memory/memory_services.h"

namespace wddm::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr EngineId kFirstEngine{};
constexpr std::size_t kMadeUp = 16;  // bytes

// Scenarios count from the other end.
std::optional<ContextId> free_slot(const Objects& objects) {
  for (std::uint32_t slot = kSlots; slot-- > 0;) {
    if (!objects.context(ContextId{slot}).live) return ContextId{slot};
  }
  return std::nullopt;
}

// Comes and goes; what CreateContext returned.
NTSTATUS come_and_go(Contexts& contexts, ContextId id, const memory::GuardedBuffer& data) {
  const NTSTATUS status = contexts.create_with(id, kFirstDevice, kFirstEngine, data.data(),
                                               static_cast<UINT>(data.size()));
  if (NT_SUCCESS(status)) contexts.destroy(id);
  return status;
}

}  // namespace

const char* try_hostile_context(const Adapter& adapter, Objects& objects,
                                const HostileData& hostile) {
  if (!adapter.has_contexts()) return "the driver has no contexts";
  if (!may_call(DdiId::CreateContext) || !may_call(DdiId::DestroyContext)) {
    return "the driver makes no contexts";
  }
  const std::optional<ContextId> id = free_slot(objects);
  if (!objects.device(kFirstDevice).live || !id) return "there is no device, or no free slot";
  ContextData asked;
  if (objects.client() != nullptr) {
    asked.ask(*objects.client(), objects.client_instance(), kFirstEngine);
  }
  if (objects.client() == nullptr || asked.refused) return "a context has no private data to alter";
  const Bytes whole(asked.bytes, asked.bytes + asked.size);
  // Where user mode has none, hostile user mode makes some up.
  Bytes altered = whole.empty() ? Bytes(kMadeUp) : whole;
  hostile.alter(altered);
  if (whole.empty() && altered.empty()) return "a context has no private data to cut";
  // What a driver keeps from its first context on is there then.
  Contexts& contexts = objects.contexts();
  constexpr const char* kData = "private driver data of a context";
  const memory::GuardedBuffer untouched = memory::guarded_copy(whole, kData),
                              data = memory::guarded_copy(altered, kData);
  if (!NT_SUCCESS(come_and_go(contexts, *id, untouched)))
    return "the driver refuses untouched data";
  const nt::PoolUsage pool = pool_at_rest();
  const std::size_t contiguous = nt::contiguous_blocks();
  const NTSTATUS status = come_and_go(contexts, *id, data);
  session().tap(ev::HostileDataTried{
      .data = static_cast<std::uint32_t>(hostile.data),
      .given = static_cast<std::uint32_t>(altered.size()),
      .whole = asked.size,
      .status = static_cast<std::uint32_t>(status),
      .damaged = data.size() == 0 ? 0 : static_cast<std::uint32_t>(data.damaged(nullptr)),
      .left_blocks = static_cast<std::int32_t>(pool_at_rest().blocks - pool.blocks),
      .left_contiguous = static_cast<std::int32_t>(nt::contiguous_blocks() - contiguous)});
  return nullptr;
}

}  // namespace wddm::host
