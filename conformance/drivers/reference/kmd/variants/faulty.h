// The faulty subclasses, one for each line of variants.def.
#pragma once

#include "../kmd_adapter.h"
#include "../paging/kmd_paging_virtual.h"
#include "../render/render.h"

namespace reference_kmd {

// SPLIT-005: at a split point only slots that change are set; for the others the command is a NOP,
// on the assumption that the engine still holds their addresses.
class ForgetfulRenderer : public Renderer {
 public:
  ULONG keep_slot_command(ULONG slot) const override;
};

// RENDER-002: checks the commands where user mode can still change them, then copies them.
class DoubleFetchRenderer : public Renderer {
 protected:
  NTSTATUS capture_commands(const DXGKARG_RENDER& request, const AllocationList& list,
                            const Device* device, UserCopy* commands) override;
};

// SPLIT-018: takes a portion that begins inside its buffer for a continuation, whose context must
// still be in the engine.
class StatelessPortionNode : public Node {
 public:
  using Node::Node;

 protected:
  ULONG context_flags(const DXGKARG_SUBMITCOMMAND& packet) const override;
};

// PREEMPT-009: stops the packet in work and leaves the others in the ring.
class StubbornQueueNode : public Node {
 public:
  using Node::Node;

 protected:
  ULONG preempt_mode() const override { return 0; }
};

// PREEMPT-015: one place for all contexts to note where the stopped packet goes on.
class OneStopNode : public Node {
 public:
  using Node::Node;

 protected:
  HwRingEntry ring_entry_for(const DXGKARG_SUBMITCOMMAND& packet, Context* context,
                             const StoppedPacket& resumed) override;
  HwRingEntry virtual_entry_for(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet, Context* context,
                                const StoppedPacket& resumed) override;

 private:
  StoppedPacket still_known(const Context* context, const StoppedPacket& resumed);
  const Context* latest_ = nullptr;
};

// PREEMPT-015: a place of the ring keeps where a packet went on until another one does there.
class StaleStopsNode : public Node {
 public:
  using Node::Node;

 protected:
  void note(Queued* place, const Queued& packet) const override;
};

// PREEMPT-006: a place of the ring that a refused packet had is one of a refused packet.
class StaleRefusalsNode : public Node {
 public:
  using Node::Node;

 protected:
  void note(Queued* place, const Queued& packet) const override;
};

// INTR-008: rings the doorbell and notes the fence behind it, with no lock held.
class UnlockedNode : public Node {
 public:
  using Node::Node;
  NTSTATUS submit(const DXGKARG_SUBMITCOMMAND& packet) override;
  NTSTATUS submit_virtual(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet) override;
  bool handle_interrupt() override;

 private:
  UINT noted_ = 0;
};

// FENCE-001: acknowledges completions after it has read which those are.
class LateNode : public Node {
 public:
  using Node::Node;
  bool handle_interrupt() override;
};

// ROOT-010: a packet goes on with all that it was stopped with.
class KeptRootNode : public Node {
 public:
  using Node::Node;

 protected:
  HwRingEntry virtual_entry_for(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet, Context* context,
                                const StoppedPacket& resumed) override;

 private:
  RootTable begun_with_[64];  // by the last bits of the context's number
};

// LIFE-005: takes pool for each submission and fails without it.
class AllocatingNode : public Node {
 public:
  using Node::Node;
  NTSTATUS submit(const DXGKARG_SUBMITCOMMAND& packet) override;
};

// INTR-013: answers for an idle engine itself, and raises the IRQL by hand to do so.
class HandRaisingNode : public Node {
 public:
  using Node::Node;
  void preempt(UINT request) override;
};

// IRQL-001: asks the engine to stop, and looks at it until it has.
class PatientNode : public Node {
 public:
  using Node::Node;
  void preempt(UINT request) override;
};

// PAGE-007: takes the pages of an MDL for neighbours.
class ContiguousPagingBuilder : public PagingBuilder {
 protected:
  ULONGLONG page_address(const MDL* mdl, SIZE_T first, SIZE_T n) const override;
};

// PAGE-015: makes unmapped aperture pages inaccessible.
class ClearingPagingBuilder : public PagingBuilder {
 protected:
  ULONGLONG unmapped_entry(PHYSICAL_ADDRESS dummy_page) const override;
};

// PAGE-019: marks GPU addresses as unresolved and resolves them in Patch.
class LatePagingBuilder : public PagingBuilder {
 public:
  void patch(const DXGKARG_PATCH& request) override;

 protected:
  ULONGLONG address_field(ULONGLONG address) const override;
};

// LDA-005: what is written to a page table of one GPU of a link goes to the other's too.
class BroadcastingPagingBuilder : public VirtualPagingBuilder {
 public:
  using VirtualPagingBuilder::VirtualPagingBuilder;

 protected:
  NTSTATUS update_page_table(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer) override;
};

// PROC-003: leads to its own tables when a process gets its own, and takes them to stay there.
class OnceInstallingPagingBuilder : public VirtualPagingBuilder {
 public:
  using VirtualPagingBuilder::VirtualPagingBuilder;

 protected:
  const Process* owner_of_entries(
      const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) const override;

 private:
  mutable const Process* installed_[16] = {};
};

// MMU-015: sends the root of a packet only where it is not that of the packet before it, and
// forgets that a reset of the engine takes it away.
class CachedRootNode : public Node {
 public:
  using Node::Node;
  UINT reset() override;

 protected:
  HwRingEntry virtual_entry_for(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet, Context* context,
                                const StoppedPacket& resumed) override;

 private:
  RootTable sent_ = {};    // as the driver has it
  RootTable loaded_ = {};  // as the engine has it
};

// MMU-012: has one place for the engine that waits for its reset, and no ear for the faults of
// others meanwhile.
class OneFaultNode : public Node {
 public:
  using Node::Node;
  ~OneFaultNode() override { forget(); }
  UINT reset() override;
  bool handle_interrupt() override;

 private:
  void forget() const;

  static const OneFaultNode* faulted_;
};

// PGSZ-012: takes all pages of the paging process for pages of 4 KB.
class SmallPagesPagingBuilder : public VirtualPagingBuilder {
 public:
  using VirtualPagingBuilder::VirtualPagingBuilder;

 protected:
  ULONG space_of(bool) const override { return VirtualPagingBuilder::space_of(false); }
};

// PROC-005: has as many numbers for processes as its hardware, and does not flush what a dead one
// has left.
class FewSpacesAdapter : public Adapter {
 public:
  using Adapter::Adapter;

 protected:
  ULONG space_for_process() override { return 1 + (Adapter::space_for_process() - 1) % 64; }
  void flush_translations(const Process*) override {}
};

// PROC-005: has few numbers for processes as well, and flushes on the one GPU that is told of
// processes: the lead of a link.
class LeadFlushingAdapter : public Adapter {
 public:
  using Adapter::Adapter;

 protected:
  ULONG space_for_process() override {
    leads_ = true;
    return 1 + (Adapter::space_for_process() - 1) % 64;
  }
  void flush_translations(const Process* process) override {
    if (leads_) Adapter::flush_translations(process);
  }

 private:
  bool leads_ = false;
};

// APER-005: counts pages of 4 KB in the window to hidden memory, however large the segment's are.
class SmallWindowAdapter : public Adapter {
 public:
  using Adapter::Adapter;

 protected:
  void show_hidden(ULONG window, ULONG page) override {
    registers_.write(HW_REG_HOST_APERTURE(window), page);
  }
};

// LIFE-004: frees the nodes but not the array that held them.
class LeakingAdapter : public Adapter {
 public:
  using Adapter::Adapter;

 protected:
  void free_nodes() override;
};

}  // namespace reference_kmd
