#include "conformance/host/vidmm/paging/clean_up_calls.h"

#include <algorithm>

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kMostCleanUps = 1024;

PagingOperationPtr clean_up_of(const PagingScene& scene, AllocationId id, memory::Frame dummy) {
  const PlaceInSegment place = scene.residency.planned(id);
  const bool mapped = scene.residency.is_aperture(place.segment);
  const vidmm::PagingStep step{
      .kind = mapped ? vidmm::StepKind::UnmapAperture : vidmm::StepKind::TransferOut,
      .allocation = id,
      .segment = place.segment,
      .page = place.page,
      .pages = scene.objects.allocation(id).pages};
  PagingOperationPtr made = operations_for(scene, step, 0, dummy).front();
  if (mapped) return made;
  made->args.Transfer.TransferSize = 0;
  made->args.Transfer.Flags.AllocationIsIdle = 1;  // no engine works
  return made;
}

// A buffer that is full is followed by another, as in any other paging; none of them is submitted.
void call(Adapter& adapter, PagingOperation& operation) {
  const UINT given = adapter.paging_buffer_bytes();
  const UINT private_given = adapter.paging_private_bytes();
  memory::GuardedBuffer dma(given, true, memory::FrameOwner::PagingBuffer);
  memory::GuardedBuffer private_data(std::max<UINT>(private_given, 1), false,
                                     memory::FrameOwner::PagingBuffer);
  if (dma.data() == nullptr || private_data.data() == nullptr) return;
  DXGKARG_BUILDPAGINGBUFFER args = operation.args;
  ev::CleanUpBuilt seen{.operation = static_cast<std::uint32_t>(operation.args.Operation),
                        .allocation = operation.allocation.value,
                        .given = given};
  const std::uint64_t before = adapter.bus().register_accesses();
  for (std::uint32_t passes = 0; passes < kMostCleanUps; ++passes) {
    args.pDmaBuffer = dma.data();
    args.DmaSize = given;
    args.pDmaBufferPrivateData = private_data.data();
    args.DmaBufferPrivateDataSize = private_given;
    const UINT from = args.MultipassOffset;
    const NTSTATUS status =
        call_ddi<DdiId::BuildPagingBuffer>(operation.allocation, adapter.miniport(), &args);
    const std::int64_t used = static_cast<std::uint8_t*>(args.pDmaBuffer) - dma.data();
    seen.status = static_cast<std::uint32_t>(status);
    seen.used = clamped(used);
    const bool goes_on = used != 0 || args.MultipassOffset != from;
    if (status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || !goes_on) break;
  }
  seen.registers = static_cast<std::uint32_t>(adapter.bus().register_accesses() - before);
  session().tap(seen);
}

}  // namespace

void call_clean_up(Adapter& adapter, const PagingScene& scene, memory::Frame dummy) {
  if (adapter.has_virtual_addresses() || !may_call(DdiId::BuildPagingBuffer)) return;
  for (const AllocationId id : kAllAllocations) {
    const bool there =
        scene.objects.allocation(id).live && scene.residency.planned(id).segment != kNoSegment;
    if (there) call(adapter, *clean_up_of(scene, id, dummy));
  }
}

}  // namespace wddm::host
