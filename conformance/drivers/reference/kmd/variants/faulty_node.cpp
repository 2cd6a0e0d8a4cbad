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

NTSTATUS AllocatingNode::submit(const DXGKARG_SUBMITCOMMAND& packet) {
  void* copy = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof packet, kArrayTag);
  if (copy == nullptr) return STATUS_NO_MEMORY;
  RtlCopyMemory(copy, &packet, sizeof packet);
  const NTSTATUS status = Node::submit(*static_cast<DXGKARG_SUBMITCOMMAND*>(copy));
  ExFreePoolWithTag(copy, kArrayTag);
  return status;
}

}  // namespace reference_kmd
