#include "conformance/host/vidsch/cancel_call.h"

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/guarded_array.h"

namespace wddm::host {

bool wants_cancel_command(const Adapter& adapter) {
  return adapter.caps().SchedulingCaps.CancelCommandAware != 0 && may_call(DdiId::CancelCommand);
}

// With GPU virtual addresses the buffer is user mode's: the driver is told where it lies on the GPU
// and not where on the CPU.
void call_cancel_command(Adapter& adapter, const Objects& objects, const Packet& packet,
                         const vidsch::FenceLedger& ledger) {
  const RenderWork& work = *packet.render();
  const RenderBuffer& buffer = *work.buffer;
  const ContextObject& context = objects.context(buffer.context);
  const bool is_virtual = adapter.has_virtual_addresses();
  const memory::GuardedArray given_list(work.addresses, "allocation list");
  DXGKARG_CANCELCOMMAND args{};
  args.hContext = context.driver;
  if (is_virtual) {
    args.DmaBufferVirtualAddress = buffer.address.value;
    args.DmaBufferUmdPrivateDataSize = buffer.user_private_used;
    args.DmaBufferSize = packet.end() - packet.start();
    args.DmaBufferSubmissionEndOffset = args.DmaBufferSize;
  } else {
    args.pDmaBuffer = buffer.dma.data();
    args.DmaBufferSize = static_cast<UINT>(buffer.dma.size());
    args.DmaBufferSubmissionStartOffset = packet.start();
    args.DmaBufferSubmissionEndOffset = packet.end();
    args.pAllocationList = given_list.data();
    args.AllocationListSize = static_cast<UINT>(work.addresses.size());
    args.pPatchLocationList = buffer.given_patches.data();
    args.PatchLocationListSize = static_cast<UINT>(buffer.patches.size());
    args.PatchLocationListSubmissionStart = work.first;
    args.PatchLocationListSubmissionLength = work.count;
  }
  args.pDmaBufferPrivateData = buffer.private_data.data();
  const bool has_private = buffer.private_data.size() > 1 || packet.private_end() != 0;
  args.DmaBufferPrivateDataSize = has_private ? static_cast<UINT>(buffer.private_data.size()) : 0;
  args.DmaBufferPrivateDataSubmissionStartOffset = packet.private_start();
  args.DmaBufferPrivateDataSubmissionEndOffset = packet.private_end();
  ev::CommandCancelled told{.packet = packet.ordinal.value,
                            .context = buffer.context.value,
                            .device = context.device.value,
                            .node = packet.engine.node.value,
                            .engine = packet.engine.physical_adapter,
                            .fence = packet.submissions != 0 ? packet.fence.value : 0,
                            .submissions = packet.submissions,
                            .before = static_cast<std::uint32_t>(ledger.outstanding_count())};
  adapter.bus().drain_log();
  const NTSTATUS status = call_ddi<DdiId::CancelCommand>(packet.ordinal, adapter.miniport(), &args);
  adapter.bus().drain_log();  // what the device did in the call comes before its event
  told.status = static_cast<std::uint32_t>(status);
  told.outstanding = static_cast<std::uint32_t>(ledger.outstanding_count());
  session().tap(told);
}

}  // namespace wddm::host
