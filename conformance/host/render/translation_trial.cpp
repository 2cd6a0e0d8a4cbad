#include "conformance/host/render/translation_trial.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/buffer_copies.h"
#include "conformance/host/memory/guarded_array.h"
#include "conformance/host/memory/guarded_names.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/render/client_build.h"

namespace wddm::host {
namespace {

// Commands of the largest buffer: several times what DMA buffers of drivers hold.
constexpr std::uint32_t kMostCommands = 1u << 14;
// Of half the allocation, which is one page at least.
constexpr std::uint32_t kHalf = static_cast<std::uint32_t>(kPageSize) / 2;

// Bound once, as many commands come of it as user mode wrote. Where each command has a binding of
// its own, the DMA buffer and its list may outgrow the command buffer.
enum class Bindings : std::uint8_t { Kept, Renewed };

WddmCommand command_at(std::uint32_t kind, std::uint32_t slot, std::uint32_t place) {
  WddmCommand one{};
  one.kind = kind;
  one.slot = slot;
  one.offset = place * 4 % kHalf;
  if (kind == WDDM_COMMAND_ADD) one.value = 1;
  if (kind != WDDM_COMMAND_COPY) return one;
  one.size = 4;
  one.source_slot = slot;
  one.source_offset = kHalf + one.offset;
  return one;
}

// As many commands as that which write an allocation.
std::vector<WddmCommand> commands_of(std::uint32_t kind, std::uint32_t count, Bindings bindings) {
  const bool renewed = bindings == Bindings::Renewed;
  std::vector<WddmCommand> commands;
  commands.reserve(std::size_t{count} * (renewed ? 3 : 1) + 2);
  const auto put = [&commands](std::uint32_t what, std::uint32_t slot) {
    WddmCommand one{};
    one.kind = what;
    one.slot = slot;
    commands.push_back(one);
  };
  if (!renewed) put(WDDM_COMMAND_BIND, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t slot = renewed ? i % 2 : 0;
    if (renewed) put(WDDM_COMMAND_BIND, slot);
    commands.push_back(command_at(kind, slot, i));
    if (renewed) put(WDDM_COMMAND_UNBIND, slot);
  }
  if (!renewed) put(WDDM_COMMAND_UNBIND, 0);
  return commands;
}

std::vector<DXGK_ALLOCATIONLIST> list_of(const UserInput& built, HANDLE allocation) {
  std::vector<DXGK_ALLOCATIONLIST> list;
  for (const WddmListAllocation& entry : built.list) {
    DXGK_ALLOCATIONLIST item{};
    if (entry.allocation == 0) {
      item.hDeviceSpecificAllocation = allocation;
      item.WriteOperation = entry.write != 0;
    }
    list.push_back(item);
  }
  return list;
}

// A device gets as much as it has asked for, or nothing is tried.
bool has_room_for(const DXGK_DEVICEINFO& info) {
  return info.DmaBufferSize != 0 && info.DmaBufferSize <= kMostDmaBytes &&
         info.DmaBufferPrivateDataSize <= kMostDmaBytes && info.PatchLocationListSize != 0 &&
         info.PatchLocationListSize <= kMostPatches;
}

// In the room that the device has asked for. False once the driver has refused.
bool translate(const DeviceObject& device, HANDLE allocation, std::uint32_t commands,
               const UserInput& built) {
  const DXGK_DEVICEINFO& info = device.info;
  const auto command = memory::user_copy(built.command);
  const auto hints = memory::user_copy(built.patches);
  const memory::GuardedBuffer dma(info.DmaBufferSize, true, memory::FrameOwner::DmaBuffer);
  const UINT private_bytes = info.DmaBufferPrivateDataSize;
  const memory::GuardedBuffer private_data(std::max<UINT>(private_bytes, 1), false,
                                           memory::FrameOwner::Driver);
  const UINT capacity = info.PatchLocationListSize;
  const memory::GuardedBuffer patches(capacity * sizeof(D3DDDI_PATCHLOCATIONLIST), false,
                                      memory::FrameOwner::Driver);
  memory::name_buffer(dma, "DMA buffer");
  memory::name_buffer(private_data, "DMA buffer's private data");
  memory::name_buffer(patches, "patch-location list");
  std::memset(dma.data(), 0, dma.size());
  std::memset(private_data.data(), 0, private_data.size());
  std::memset(patches.data(), 0, patches.size());
  const memory::GuardedArray list(list_of(built, allocation), "allocation list");
  DXGKARG_RENDER args{};
  args.pCommand = command.data();
  args.CommandLength = static_cast<UINT>(built.command.size());
  args.pDmaBuffer = dma.data();
  args.DmaSize = static_cast<UINT>(dma.size());
  args.pDmaBufferPrivateData = private_data.data();
  args.DmaBufferPrivateDataSize = private_bytes;
  args.pAllocationList = list.data();
  args.AllocationListSize = static_cast<UINT>(list.size());
  args.pPatchLocationListIn = reinterpret_cast<D3DDDI_PATCHLOCATIONLIST*>(hints.data());
  args.PatchLocationListInSize = static_cast<UINT>(built.patches.size());
  args.pPatchLocationListOut = reinterpret_cast<D3DDDI_PATCHLOCATIONLIST*>(patches.data());
  args.PatchLocationListOutSize = capacity;
  const NTSTATUS status = call_ddi<DdiId::Render>(kNone, device.driver, &args);
  const std::int64_t used = static_cast<std::uint8_t*>(args.pDmaBuffer) - dma.data();
  session().tap(ev::TranslationTried{.flags = info.Flags.Value,
                                     .commands = commands,
                                     .command_bytes = args.CommandLength,
                                     .dma_given = args.DmaSize,
                                     .patches_given = capacity,
                                     .dma_used = clamped(used),
                                     .status = static_cast<std::uint32_t>(status)});
  return NT_SUCCESS(status);
}

// Ever more commands, until the client cannot build so many, or the driver refuses them.
void try_series(const Objects& objects, const Addressing& addressing, Bindings bindings) {
  const DeviceObject& device = objects.device(kFirstDevice);
  const AllocationObject& allocation = objects.allocation(kMarkerAllocation);
  const HANDLE handle = objects.handle_on(kFirstDevice, kMarkerAllocation);
  for (std::uint32_t count = 1; count <= kMostCommands; count *= 2) {
    UserInput built;
    built.allocations = {kMarkerAllocation};
    // Clients know one of the two.
    const auto builds = [&](std::uint32_t kind) {
      return client_builds(objects, addressing, commands_of(kind, count, bindings),
                           {&allocation.bytes, 1}, BuildRoom::AsItTakes, built);
    };
    if (!builds(WDDM_COMMAND_ADD) && !builds(WDDM_COMMAND_COPY)) return;
    // Lists of user mode have a size too, which is no part of the contract.
    if (built.list.size() > device.info.AllocationListSize) return;
    if (built.patches.size() > device.info.PatchLocationListSize) return;
    if (!translate(device, handle, count, built)) return;
  }
}

}  // namespace

void try_translations(const Adapter& adapter, const Objects& objects,
                      const Addressing& addressing) {
  const DeviceObject& device = objects.device(kFirstDevice);
  const AllocationObject& allocation = objects.allocation(kMarkerAllocation);
  if (objects.client() == nullptr || !device.live || !allocation.live) return;
  if (adapter.has_contexts() || !may_call(DdiId::Render)) return;
  if (!has_room_for(device.info)) return;
  try_series(objects, addressing, Bindings::Kept);
  try_series(objects, addressing, Bindings::Renewed);
}

}  // namespace wddm::host
