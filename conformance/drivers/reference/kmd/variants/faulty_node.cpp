#include "../context.h"
#include "faulty.h"

namespace reference_kmd {

ULONG StatelessPortionNode::context_flags(const DXGKARG_SUBMITCOMMAND& packet) const {
  const ULONG flags = Node::context_flags(packet);
  return packet.DmaBufferSubmissionStartOffset == 0 ? flags : flags & ~HW_ENTRY_RESTORE_CONTEXT;
}

void HandRaisingNode::preempt(UINT request) {
  if (read(HW_NODE_STATE) != HW_STATE_IDLE) return Node::preempt(request);
  constexpr KIRQL kInterruptLevel = 5;
  KIRQL before;
  KeRaiseIrql(kInterruptLevel, &before);
  report_completions();
  dxgkrnl_.notify_preempted(ordinal(), request, last_completed_fence());
  dxgkrnl_.queue_dpc();
  KeLowerIrql(before);
}

void PatientNode::preempt(UINT request) {
  const bool busy = read(HW_NODE_STATE) != HW_STATE_IDLE;
  Node::preempt(request);
  if (!busy) return;
  constexpr ULONG kMicroseconds = 50, kTries = 20000;
  for (ULONG i = 0; i < kTries && read(HW_NODE_PREEMPTED_REQUEST) != request; ++i) {
    KeStallExecutionProcessor(kMicroseconds);
  }
}

NTSTATUS AllocatingNode::submit(const DXGKARG_SUBMITCOMMAND& packet) {
  void* copy = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof packet, kArrayTag);
  if (copy == nullptr) return STATUS_NO_MEMORY;
  RtlCopyMemory(copy, &packet, sizeof packet);
  const NTSTATUS status = Node::submit(*static_cast<DXGKARG_SUBMITCOMMAND*>(copy));
  ExFreePoolWithTag(copy, kArrayTag);
  return status;
}

StoppedPacket OneStopNode::still_known(const Context* context, const StoppedPacket& resumed) {
  const bool overwritten = latest_ != context;
  latest_ = context;
  return overwritten ? StoppedPacket() : resumed;
}

HwRingEntry OneStopNode::ring_entry_for(const DXGKARG_SUBMITCOMMAND& packet, Context* context,
                                        const StoppedPacket& resumed) {
  return Node::ring_entry_for(packet, context, still_known(context, resumed));
}

HwRingEntry OneStopNode::virtual_entry_for(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet,
                                           Context* context, const StoppedPacket& resumed) {
  return Node::virtual_entry_for(packet, context, still_known(context, resumed));
}

void StaleStopsNode::note(Queued* place, const Queued& packet) const {
  const StoppedPacket left = place->resumed;
  Node::note(place, packet);
  if (!packet.resumed.valid) place->resumed = left;
}

void StaleRefusalsNode::note(Queued* place, const Queued& packet) const {
  const bool left = place->refused;
  Node::note(place, packet);
  place->refused |= left;
}

NTSTATUS UnlockedNode::submit(const DXGKARG_SUBMITCOMMAND& packet) {
  enqueue(packet);
  noted_ = packet.SubmissionFenceId;
  return STATUS_SUCCESS;
}

NTSTATUS UnlockedNode::submit_virtual(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet) {
  enqueue_virtual(packet, false);
  noted_ = packet.SubmissionFenceId;
  return STATUS_SUCCESS;
}

// Has nothing to tell of a packet that is not noted yet.
bool UnlockedNode::handle_interrupt() {
  const UINT ended = read(HW_NODE_COMPLETED_FENCE);
  if (read(HW_NODE_INT_CAUSE) != HW_CAUSE_COMPLETED || noted_ == 0 || ended <= noted_) {
    return Node::handle_interrupt();
  }
  write(HW_NODE_INT_ACK, HW_CAUSE_COMPLETED);
  return false;
}

bool LateNode::handle_interrupt() {
  if (read(HW_NODE_INT_CAUSE) != HW_CAUSE_COMPLETED) return Node::handle_interrupt();
  const bool told = report_completions();
  write(HW_NODE_INT_ACK, HW_CAUSE_COMPLETED);
  return told;
}

HwRingEntry KeptRootNode::virtual_entry_for(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet,
                                            Context* context, const StoppedPacket& resumed) {
  HwRingEntry entry = Node::virtual_entry_for(packet, context, resumed);
  RootTable& root = begun_with_[context->id() % 64];
  if (resumed.valid) {
    entry.root = root.address;
    entry.root_entries = root.entries;
  } else {
    root = context->root();
  }
  return entry;
}

UINT CachedRootNode::reset() {
  loaded_ = {};
  return Node::reset();
}

HwRingEntry CachedRootNode::virtual_entry_for(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet,
                                              Context* context, const StoppedPacket& resumed) {
  HwRingEntry entry = Node::virtual_entry_for(packet, context, resumed);
  if (packet.Flags.ContextSwitch) return entry;
  const RootTable root = context->root();
  if (root.address != sent_.address || root.entries != sent_.entries) sent_ = loaded_ = root;
  entry.root = loaded_.address;
  entry.root_entries = loaded_.entries;
  return entry;
}

const OneFaultNode* OneFaultNode::faulted_ = nullptr;

void OneFaultNode::forget() const {
  if (faulted_ == this) faulted_ = nullptr;
}

UINT OneFaultNode::reset() {
  forget();
  return Node::reset();
}

bool OneFaultNode::handle_interrupt() {
  if ((read(HW_NODE_INT_CAUSE) & HW_CAUSE_FAULTED) == 0) return Node::handle_interrupt();
  if (faulted_ == nullptr) faulted_ = this;
  if (faulted_ == this) return Node::handle_interrupt();
  write(HW_NODE_INT_ACK, HW_CAUSE_FAULTED);
  return false;
}

}  // namespace reference_kmd
