// Life of an engine and submission of packets. Nothing here may be pageable.
#include "node.h"

#include "dxgkrnl.h"
#include "kmd_device.h"
#include "registers.h"

namespace reference_kmd {

ULONG Node::read(ULONG reg) const {
  return registers_.read(HW_REG_NODE(ordinal_, reg));
}

void Node::write(ULONG reg, ULONG value) const {
  registers_.write(HW_REG_NODE(ordinal_, reg), value);
}

NTSTATUS Node::start(ULONG packets) {
  // Twice what Dxgkrnl announced: an entry is free again only after its packet has ended.
  entries_ = 16;
  while (entries_ < 2 * packets) entries_ *= 2;
  NTSTATUS status = ring_.allocate(dxgkrnl_, entries_ * sizeof(HwRingEntry));
  if (!NT_SUCCESS(status)) return status;
  queued_ = static_cast<Queued*>(
      ExAllocatePoolWithTag(NonPagedPoolNx, entries_ * sizeof(Queued), kArrayTag));
  own_context_ = new Context(nullptr, ordinal_, 0, /*privileged=*/true);
  if (queued_ == nullptr || own_context_ == nullptr) return STATUS_NO_MEMORY;
  for (ULONG i = 0; i < entries_; ++i) queued_[i] = Queued();
  status = own_context_->initialize(dxgkrnl_);
  if (!NT_SUCCESS(status)) return status;
  // A new start begins with no fence completed and none submitted.
  last_submitted_ = 0;
  write(HW_NODE_FENCE, 0);
  reported_ = read(HW_NODE_COMPLETED);
  program();
  return STATUS_SUCCESS;
}

void Node::stop() {
  delete own_context_;
  own_context_ = nullptr;
  if (queued_ != nullptr) ExFreePoolWithTag(queued_, kArrayTag);
  queued_ = nullptr;
  ring_.release();
}

void Node::program() {
  write(HW_NODE_RING_BASE, static_cast<ULONG>(ring_.physical()));
  write(HW_NODE_RING_BASE + 4, static_cast<ULONG>(ring_.physical() >> 32));
  write(HW_NODE_RING_ENTRIES, entries_);
  tail_ = read(HW_NODE_RING_HEAD);
  write(HW_NODE_RING_TAIL, tail_);
  write(HW_NODE_CONTROL, HW_CONTROL_RUN);
}

NTSTATUS Node::submit(const DXGKARG_SUBMITCOMMAND& packet) {
  const auto synchronized = [this, &packet] { enqueue(packet); };
  // Without a connected interrupt nobody competes for the ring, and a packet is never dropped.
  if (!dxgkrnl_.synchronize(synchronized)) enqueue(packet);
  return STATUS_SUCCESS;
}

void Node::put(const Queued& packet, const HwRingEntry& entry) {
  NT_ASSERT(tail_ - read(HW_NODE_RING_HEAD) < entries_);
  const ULONG slot = slot_of(tail_);
  note(&queued_[slot], packet);
  static_cast<HwRingEntry*>(ring_.bytes())[slot] = entry;
  last_submitted_ = packet.fence;
  write(HW_NODE_RING_TAIL, ++tail_);
}

void Node::enqueue(const DXGKARG_SUBMITCOMMAND& packet) {
  Context* context = context_of(packet);
  StoppedPacket resumed;
  // Switching away and rendering nothing leave a stopped packet for later.
  if (!packet.Flags.ContextSwitch && !packet.Flags.NullRendering) {
    resumed = context->take_stop(packet.DmaBufferSubmissionStartOffset,
                                 packet.DmaBufferSubmissionEndOffset);
  }
  put({context, packet.DmaBufferSubmissionStartOffset, packet.DmaBufferSubmissionEndOffset,
       packet.SubmissionFenceId, resumed},
      ring_entry_for(packet, context, resumed));
}

// Paging packets come with no context: the node's own keeps their place when they are preempted.
Context* Node::context_of(const DXGKARG_SUBMITCOMMAND& packet) const {
  Context* named = reference_kmd::context_of(packet.hContext);
  return named != nullptr ? named : own_context_;
}

HwRingEntry Node::ring_entry_for(const DXGKARG_SUBMITCOMMAND& packet, Context* context,
                                 const StoppedPacket& resumed) {
  HwRingEntry entry = {};
  entry.fence = packet.SubmissionFenceId;
  // A switch to the null context: no state is loaded, nothing is fetched.
  if (packet.Flags.ContextSwitch) return entry;
  entry.dma_address = static_cast<ULONGLONG>(packet.DmaBufferPhysicalAddress.QuadPart);
  entry.flags = context_flags(packet);
  if (packet.DmaBufferSegmentId != 0) entry.flags |= HW_ENTRY_DMA_IN_APERTURE;
  entry.start_offset = packet.DmaBufferSubmissionStartOffset;
  entry.end_offset = packet.Flags.NullRendering ? packet.DmaBufferSubmissionStartOffset
                                                : packet.DmaBufferSubmissionEndOffset;
  entry.resume_offset = resumed.valid ? resumed.resume_offset : entry.start_offset;
  entry.resume_units = resumed.valid ? resumed.resume_units : 0;
  entry.context_id = context->id();
  entry.context_image = context->image();
  return entry;
}

// Every packet is a packet in its own right, wherever in its buffer it begins.
ULONG Node::context_flags(const DXGKARG_SUBMITCOMMAND&) const {
  return HW_ENTRY_RESTORE_CONTEXT | HW_ENTRY_SAVE_CONTEXT;
}

}  // namespace reference_kmd
