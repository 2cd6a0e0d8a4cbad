// One engine of the GPU as the driver sees it: ring, fences, preemption, reset.
//
// Everything that the interrupt routine also touches (the ring's tail, the table of queued packets,
// the stop records of contexts, the count of reported completions) is touched only at device IRQL,
// through Dxgkrnl::synchronize. All resources are reserved when the device starts.
#pragma once

#include "context.h"
#include "contiguous.h"
#include "kmd_driver.h"

namespace reference_kmd {

class Dxgkrnl;
class Registers;

class Node : public KernelObject {
 public:
  Node(Dxgkrnl& dxgkrnl, Registers& registers, UINT ordinal)
      : dxgkrnl_(dxgkrnl), registers_(registers), ordinal_(ordinal) {}
  ~Node() override { stop(); }

  /// Reserves room for `packets` packets in the hardware queue and programs the engine.
  virtual NTSTATUS start(ULONG packets);
  virtual void stop();
  /// Programs an engine that was reset; it is idle and its queue empty afterwards.
  void program();

  // DISPATCH_LEVEL.
  virtual NTSTATUS submit(const DXGKARG_SUBMITCOMMAND& packet);
  /// STATUS_INVALID_PARAMETER if what user mode said of its buffer is not so; the fence of the
  /// packet then is due in its turn, without a report of its own.
  virtual NTSTATUS submit_virtual(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet);
  virtual void preempt(UINT request);

  /// From the interrupt routine: reports what the engine finished. True if there was anything.
  virtual bool handle_interrupt();
  /// Fence of the last completed packet, reported first if it has not been. PASSIVE_LEVEL.
  UINT query_fence();

  // Timeout recovery.
  bool responsive() const;
  /// It has packets, or begins none before it is reset.
  bool is_occupied() const;
  /// Stops the engine; returns the fence of the packet that was aborted.
  virtual UINT reset();
  /// All packets count as completed: the whole adapter was reset.
  void settle_all();
  /// A packet was cancelled before it ran.
  void forget_stop(Context* context);

  UINT last_completed_fence() const { return read(HW_NODE_FENCE); }
  UINT last_submitted_fence() const { return last_submitted_; }
  UINT ordinal() const { return ordinal_; }

 protected:
  // What the interrupt routine needs to know about a packet in the ring.
  struct Queued {
    Context* context;
    UINT start;
    UINT end;
    UINT fence;
    StoppedPacket resumed;  // where it went on, if it had been stopped before
    bool refused = false;   // takes a place and its fence, and does nothing
  };

  /// The ring entry of one submission. At device IRQL.
  virtual HwRingEntry ring_entry_for(const DXGKARG_SUBMITCOMMAND& packet, Context* context,
                                     const StoppedPacket& resumed);
  /// HW_ENTRY_* of one submission: whether its context is restored and saved.
  virtual ULONG context_flags(const DXGKARG_SUBMITCOMMAND& packet) const;
  /// HW_PREEMPT_* of each request.
  virtual ULONG preempt_mode() const { return HW_PREEMPT_DISCARD_QUEUED; }
  /// The same with GPU virtual addresses.
  virtual HwRingEntry virtual_entry_for(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet,
                                        Context* context, const StoppedPacket& resumed);
  /// What the interrupt routine reads of a place in the ring, whoever had it. At device IRQL.
  virtual void note(Queued* place, const Queued& packet) const { *place = packet; }
  void enqueue(const DXGKARG_SUBMITCOMMAND& packet);
  void enqueue_virtual(const DXGKARG_SUBMITCOMMANDVIRTUAL& packet, bool refused);

  ULONG read(ULONG reg) const;
  void write(ULONG reg, ULONG value) const;
  bool report_completions();

  Dxgkrnl& dxgkrnl_;
  Registers& registers_;

 private:
  Context* context_of(const DXGKARG_SUBMITCOMMAND& packet) const;
  void put(const Queued& packet, const HwRingEntry& entry);
  void answer_preemption();
  void report_page_fault();
  void remember_stopped_packet();
  void remember_untold_answer();
  void remember_unstarted(ULONG from, ULONG to);
  UINT settle_refused(ULONG from, ULONG to, UINT completed);
  ULONG slot_of(ULONG number) const { return number & (entries_ - 1); }

  const UINT ordinal_;
  ContiguousMemory ring_;
  Queued* queued_ = nullptr;  // by slot of the ring
  ULONG entries_ = 0;         // a power of two
  ULONG tail_ = 0;            // number of the next entry
  ULONG reported_ = 0;        // completions told to Dxgkrnl, counted as HW_NODE_COMPLETED does
  UINT last_submitted_ = 0;
  Context* own_context_ = nullptr;  // for packets without a context
};

}  // namespace reference_kmd
