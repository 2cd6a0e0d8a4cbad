// Submission with GPU virtual addresses, and page faults. Nothing here may be pageable.
#include "dxgkrnl.h"
#include "kmd_adapter.h"
#include "kmd_device.h"
#include "kmd_process.h"
#include "node.h"

namespace reference_kmd {

namespace {

// What user mode said of its buffer, if it said something.
bool malformed(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet) {
  if (packet.DmaBufferSize % sizeof(ULONG) != 0) return true;
  if (packet.DmaBufferUmdPrivateDataSize == 0) return false;
  UmdSubmissionData data = {};
  if (packet.DmaBufferUmdPrivateDataSize > packet.DmaBufferPrivateDataSize ||
      packet.DmaBufferUmdPrivateDataSize < sizeof data) {
    return true;
  }
  RtlCopyMemory(&data, packet.pDmaBufferPrivateData, sizeof data);
  return data.magic != UMD_SUBMISSION_MAGIC || data.version != UMD_VERSION ||
         data.command_bytes != packet.DmaBufferSize || data.reserved != 0;
}

}  // namespace

// A refused packet takes its place in the ring all the same: its fence is due after all before it.
NTSTATUS Node::submit_virtual(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet) {
  const bool refused = !packet.Flags.Paging && malformed(packet);
  const auto synchronized = [this, &packet, refused] { enqueue_virtual(packet, refused); };
  if (!dxgkrnl_.synchronize(synchronized)) synchronized();
  return refused ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

void Node::enqueue_virtual(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet, bool refused) {
  Context* context =
      packet.hContext != nullptr ? static_cast<Context*>(packet.hContext) : own_context_;
  if (refused) {
    HwRingEntry entry = {};
    entry.fence = packet.SubmissionFenceId;
    entry.flags = HW_ENTRY_SILENT;
    put({context, 0, 0, packet.SubmissionFenceId, StoppedPacket(), true}, entry);
    return;
  }
  StoppedPacket resumed;
  if (!packet.Flags.ContextSwitch && !packet.Flags.NullRendering) {
    resumed = context->take_stop(0, packet.DmaBufferSize);
  }
  put({context, 0, packet.DmaBufferSize, packet.SubmissionFenceId, resumed},
      virtual_entry_for(packet, context, resumed));
}

// The tables come with every packet, so it doesn't matter what ran before it.
HwRingEntry Node::virtual_entry_for(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet, Context* context,
                                    const StoppedPacket& resumed) {
  HwRingEntry entry = {};
  entry.fence = packet.SubmissionFenceId;
  if (packet.Flags.ContextSwitch) return entry;
  entry.dma_address = packet.DmaBufferVirtualAddress;
  entry.flags = HW_ENTRY_RESTORE_CONTEXT | HW_ENTRY_SAVE_CONTEXT | HW_ENTRY_VIRTUAL;
  // What user mode wrote is not looked at before it runs: the hardware refuses what is not for it.
  if (!packet.Flags.Paging && !context->privileged()) entry.flags |= HW_ENTRY_USER;
  entry.end_offset = packet.Flags.NullRendering ? 0 : packet.DmaBufferSize;
  entry.resume_offset = resumed.valid ? resumed.resume_offset : 0;
  entry.resume_units = resumed.valid ? resumed.resume_units : 0;
  entry.context_id = context->id();
  entry.context_image = context->image();
  entry.flags |= context->image_flags();
  entry.root = context->root().address;
  entry.root_entries = context->root().entries;
  const Process* process = context->process();
  entry.address_space = process != nullptr ? process->space() : 0;
  if (context->uses_io_mmu() && process != nullptr) {
    entry.flags |= HW_ENTRY_IOMMU;
    entry.pasid = process->pasid(context->gpu()->index());
  }
  return entry;
}

// The engine waits, so nothing changes while we look. What ended before the fault is told first.
// Nothing more is begun until Dxgkrnl resets the engine: a packet in work then would be aborted in
// the place of the one that faulted, and its innocent device with it.
void Node::report_page_fault() {
  report_completions();
  const Context* context = queued_[slot_of(read(HW_NODE_FAULT_INDEX))].context;
  const Process* process = context->process();
  PageFault fault;
  fault.fence = read(HW_NODE_FAULT_FENCE);
  fault.address =
      read(HW_NODE_FAULT_ADDRESS) | static_cast<ULONGLONG>(read(HW_NODE_FAULT_ADDRESS + 4)) << 32;
  fault.level = read(HW_NODE_FAULT_LEVEL);
  fault.write = read(HW_NODE_FAULT_ACCESS) == HW_ACCESS_WRITE;
  fault.io_mmu = context->uses_io_mmu();
  fault.process = process != nullptr ? process->dxgkrnl_handle() : nullptr;
  dxgkrnl_.notify_page_fault(ordinal_, fault);
  write(HW_NODE_CONTROL, 0);
  // With this the fence of the packet is the last completed one.
  write(HW_NODE_INT_ACK, HW_CAUSE_FAULTED);
}

}  // namespace reference_kmd
