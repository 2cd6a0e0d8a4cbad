#include "faulty.h"

namespace reference_kmd {

ULONG StatelessPortionNode::context_flags(const DXGKARG_SUBMITCOMMAND& packet) const {
  const ULONG flags = Node::context_flags(packet);
  return packet.DmaBufferSubmissionStartOffset == 0 ? flags : flags & ~HW_ENTRY_RESTORE_CONTEXT;
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
