#include "conformance/host/render/render_in_vain.h"

#include <algorithm>
#include <array>
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

memory::GuardedBuffer output(std::size_t bytes, const char* name, bool physical = false) {
  memory::GuardedBuffer buffer(
      std::max<std::size_t>(bytes, 1), physical,
      physical ? memory::FrameOwner::DmaBuffer : memory::FrameOwner::Driver);
  memory::name_buffer(buffer, name);
  std::memset(buffer.data(), 0, buffer.size());
  return buffer;
}

}  // namespace

void render_in_vain(const Adapter& adapter, const Objects& objects, const Addressing& addressing,
                    ContextId id) {
  const ContextObject& context = objects.context(id);
  if (adapter.has_virtual_addresses() || objects.client() == nullptr || !context.live) return;
  if (!may_call(DdiId::Render)) return;
  UserInput built;
  built.context = id;
  const std::array commands{plug_in_form(gpu::spin(1), {})};
  if (!client_builds(objects, addressing, commands, {}, BuildRoom::AsAsked, built)) return;
  const auto command = memory::user_copy(built.command);
  const auto hints = memory::user_copy(built.patches);
  const UINT private_bytes = std::min<UINT>(context.info.DmaBufferPrivateDataSize, 1u << 16);
  const UINT capacity = std::clamp<UINT>(context.info.PatchLocationListSize, 1, kMostPatches);
  const auto dma =
      output(std::clamp<UINT>(context.info.DmaBufferSize, 64, kMostDmaBytes), "DMA buffer", true);
  const auto private_data = output(private_bytes, "DMA buffer's private data");
  const auto patches = output(capacity * sizeof(D3DDDI_PATCHLOCATIONLIST), "patch-location list");
  // No allocation is named, so that all entries are empty.
  const memory::GuardedArray list(std::vector<DXGK_ALLOCATIONLIST>(built.list.size()),
                                  "allocation list");
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
  static_cast<void>(call_ddi<DdiId::Render>(id, context.driver, &args));
}

}  // namespace wddm::host
