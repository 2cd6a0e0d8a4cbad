#include "conformance/host/render/render_replay.h"

#include <algorithm>
#include <cstring>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/buffer_copies.h"
#include "conformance/host/memory/guarded_array.h"

namespace wddm::host {
namespace {

struct DmaOutput {
  NTSTATUS status;
  std::vector<std::uint8_t> bytes;     // of the DMA buffer
  std::vector<std::uint8_t> elements;  // of the list
  friend bool operator==(const DmaOutput&, const DmaOutput&) = default;
};

std::vector<std::uint8_t> up_to(const memory::GuardedBuffer& buffer, const void* cursor) {
  const std::int64_t used = static_cast<const std::uint8_t*>(cursor) - buffer.data();
  const auto size = static_cast<std::int64_t>(buffer.size());
  return {buffer.data(), buffer.data() + std::clamp<std::int64_t>(used, 0, size)};
}

DmaOutput render_unraced(const RenderServices& services, const RenderRequest& request,
                         const UserInput& input, const RenderBuffer& like, std::uint32_t multipass,
                         std::uint32_t patch_capacity) {
  const memory::UserBuffer command = memory::user_copy(input.command);
  const memory::UserBuffer hints = memory::user_copy(input.patches);
  const memory::GuardedBuffer dma(like.dma.size(), true, memory::FrameOwner::DmaBuffer);
  const memory::GuardedBuffer private_data(like.private_data.size(), false,
                                           memory::FrameOwner::Driver);
  const memory::GuardedBuffer patches(patch_capacity * sizeof(D3DDDI_PATCHLOCATIONLIST), false,
                                      memory::FrameOwner::Driver);
  // Bytes that the driver leaves out are the same in every call.
  std::memset(dma.data(), kUntouchedOutput, dma.size());
  std::memset(private_data.data(), 0, private_data.size());
  std::copy(like.private_given.begin(), like.private_given.end(), private_data.data());
  std::memset(patches.data(), kUntouchedOutput, patches.size());

  const memory::GuardedArray list(like.allocation_list, "allocation list");
  DXGKARG_RENDER args{};
  args.pCommand = command.data();
  args.CommandLength = static_cast<UINT>(input.command.size());
  args.pDmaBuffer = dma.data();
  args.DmaSize = static_cast<UINT>(dma.size());
  args.pDmaBufferPrivateData = private_data.data();
  args.DmaBufferPrivateDataSize = like.private_used;
  args.pAllocationList = list.data();
  args.AllocationListSize = static_cast<UINT>(list.size());
  args.pPatchLocationListIn = reinterpret_cast<D3DDDI_PATCHLOCATIONLIST*>(hints.data());
  args.PatchLocationListInSize = static_cast<UINT>(input.patches.size());
  args.pPatchLocationListOut = reinterpret_cast<D3DDDI_PATCHLOCATIONLIST*>(patches.data());
  args.PatchLocationListOutSize = patch_capacity;
  args.MultipassOffset = multipass;
  const ContextObject& context = services.objects.context(request.context);
  DmaOutput output;
  const LessRoom aside(context, args);
  output.status = call_ddi<DdiId::Render>(request.context, context.driver, &args);
  output.bytes = up_to(dma, args.pDmaBuffer);
  output.elements = up_to(patches, args.pPatchLocationListOut);
  return output;
}

bool same(const DmaOutput& output, const RenderBuffer& made) {
  const auto* elements = reinterpret_cast<const std::uint8_t*>(made.patches.data());
  const std::size_t element_bytes = made.patches.size() * sizeof(D3DDDI_PATCHLOCATIONLIST);
  return std::equal(output.bytes.begin(), output.bytes.end(), made.dma.data(),
                    made.dma.data() + made.dma_used) &&
         std::equal(output.elements.begin(), output.elements.end(), elements,
                    elements + element_bytes);
}

}  // namespace

RaceVerdict judge_race(const RenderServices& services, const RenderRequest& request,
                       const UserInput& input, const Op& race, const RenderBuffer& made,
                       std::uint32_t multipass, std::uint32_t patch_capacity) {
  const nt::PoolFailuresPaused paused;  // or a call would be refused for want of memory
  const DmaOutput before =
      render_unraced(services, request, input, made, multipass, patch_capacity);
  const DmaOutput again = render_unraced(services, request, input, made, multipass, patch_capacity);
  // Output that is never the same twice, of a serial number say, cannot be held against another.
  if (before != again) return {.as_before = true, .refused = false};
  UserInput changed = input;
  const bool is_command = race.a == static_cast<std::uint8_t>(Input::Command);
  auto* const target =
      is_command ? changed.command.data() : reinterpret_cast<std::uint8_t*>(changed.patches.data());
  std::memcpy(target + race.x, &race.z, sizeof(race.z));
  const DmaOutput after =
      render_unraced(services, request, changed, made, multipass, patch_capacity);
  return {.as_before = same(before, made),
          .refused =
              !NT_SUCCESS(after.status) && after.status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER};
}

}  // namespace wddm::host
