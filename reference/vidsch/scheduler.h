// The GPU scheduler (VidSch) as a pure state machine: which packet may go to which engine when, and
// what the driver's reports do to the queues.
//
// Sources: gpu-preemption (Windows 8 and Windows 7 models), splitting-a-dma-buffer (scheduling of
// portions), DXGK_VIDSCHCAPS, DXGKARG_SUBMITCOMMAND, DXGKARG_PREEMPTCOMMAND,
// DXGKARGCB_NOTIFY_INTERRUPT_DATA, TDR in Windows 8. Clauses: PREEMPT-016..022, -027,
// SCHED-001..004, -008, -009, SPLIT-016, -017, ENGRST-003, -005, -009, SUBMIT-008, MMU-014.
//
// Two models. With PreemptionAware = 1 any ready packet may go next, also between two portions of
// one command. With PreemptionAware = 0 only paging packets may go between them. What a Windows 7
// scheduler does with the fences of preempted packets is nowhere said; here it does as Windows 8
// does.
//
// Where Windows may choose, the caller does: `legal_next` gives the set, `Submit` takes one. Left
// out: time (the host decides that a timeout is due), waits between contexts and flips, broadcast
// to linked adapters, contents of buffers, and packets after a preemption request before its answer
// (none are submitted; Windows might).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/types.h"
#include "reference/vidsch/decision.h"
#include "reference/vidsch/fence_ledger.h"
#include "reference/vidsch/fence_sequence.h"
#include "reference/vidsch/input.h"
#include "reference/vidsch/packet_pool.h"

namespace wddm::vidsch {

struct Config {
  std::uint32_t nodes = 1;               ///< NbAsymetricProcessingNodes, 1 or more.
  std::uint32_t physical_adapters = 1;   ///< Linked adapters; each has every node.
  bool preemption_aware = true;          ///< SchedulingCaps.PreemptionAware.
  std::uint32_t hardware_queue_cap = 0;  ///< SchedulingCaps.HwQueuePacketCap; 0 = no limit.
  std::uint32_t adapter_queue_cap = 0;   ///< RequiredDmaQueueEntry, whole adapter; 0 = no limit.
  bool paging_first = true;              ///< PREEMPT-019; false is for seeded faults alone.
  std::uint32_t first_fence = 1;         ///< First identifier of every engine; 0 stands for 1.
  std::size_t contexts = 256;            ///< Context ids 0 .. contexts - 1.
  std::size_t packets = 1024;            ///< Packets that may exist at a time, up to 65534.
};

/// The packets that may be submitted next, best first; the first is the default choice.
class Choices {
 public:
  /// More ready packets than this and the rest must wait their turn.
  static constexpr std::size_t kMost = 16;

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] PacketId operator[](std::size_t i) const { return packets_[i]; }
  [[nodiscard]] std::span<const PacketId> packets() const { return {packets_.data(), count_}; }

 private:
  friend class Scheduler;
  std::array<PacketId, kMost> packets_{};
  std::size_t count_ = 0;
};

/// A plain value that can be copied. Allocates in its constructor only, a copy also in its first
/// steps.
class Scheduler {
 public:
  explicit Scheduler(const Config& config);

  /// Takes one event; returns what follows from it, in order. Valid until the next call.
  [[nodiscard]] std::span<const Decision> step(const Input& input);

  // ---- Questions.
  /// Empty while a preemption request is unanswered, the hardware queue is full, or nothing is
  /// ready. Preempted paging packets come before all others (PREEMPT-019).
  [[nodiscard]] Choices legal_next(EngineId engine) const;
  /// Whether `packet` may be submitted now.
  [[nodiscard]] bool may_submit(PacketId packet) const;
  /// Whether a preemption may be requested: no other is unanswered (PREEMPT-027).
  [[nodiscard]] bool may_preempt(EngineId engine) const;
  /// Whether the model calls for one: a ready render packet has a higher priority than one that the
  /// driver has (PREEMPT-001). Never in the Windows 7 model (PREEMPT-003).
  [[nodiscard]] bool wants_preempt(EngineId engine) const;
  /// Whether `packet` may stay where it is while others are submitted, although it was on the
  /// engine before: a render packet, in the Windows 8 model. Paging comes back first (PREEMPT-019),
  /// and in the Windows 7 model nothing of a command that was begun is overtaken.
  [[nodiscard]] bool may_keep_back(PacketId packet) const;
  /// Whether packets may be enqueued there: it exists, isn't being destroyed, its device works.
  [[nodiscard]] bool accepts(ContextId context) const;
  /// Whether the id is in use, until `ContextGone`.
  [[nodiscard]] bool exists(ContextId context) const;
  /// How many more packets can be enqueued.
  [[nodiscard]] std::size_t room() const { return pool_.free_count(); }
  /// Nothing is queued and the driver has nothing.
  [[nodiscard]] bool idle() const;
  /// The packet, or null if it ended.
  [[nodiscard]] const Packet* packet(PacketId id) const { return pool_.find(id); }
  [[nodiscard]] const FenceLedger& ledger(EngineId engine) const;
  [[nodiscard]] const Config& config() const { return config_; }

  void validate() const;

 private:
  struct Context {
    bool exists = false;
    bool destroying = false;
    bool failed = false;
    DeviceId device{};
    EngineId engine{};
    int priority = 0;
    PacketList queue;  // Preempted packets, then Queued ones
    std::uint32_t on_hardware = 0;
  };
  struct Engine {
    FenceLedger ledger;
    FenceSequence fences;
    PacketList hardware;  // Submitted and Rejected, in submission order
    PacketList paging;    // Preempted packets, then Queued ones
    std::vector<ContextId> contexts;
  };

  void on(const CreateContext& input);
  void on(const DestroyContext& input);
  void on(const FailDevice& input);
  void on(const EnqueueRender& input);
  void on(const EnqueuePaging& input);
  void on(const Submit& input);
  void on(const Reject& input);
  void on(const RequestPreempt& input);
  void on(const ResetAdapter& input);
  void on(const ReportCompleted& input);
  void on(const ReportPreempted& input);
  void on(const ReportFaulted& input);
  void on(const ReportEngineReset& input);

  void decide(const Decision& decision);
  [[nodiscard]] std::size_t index_of(EngineId engine) const;
  [[nodiscard]] Engine& engine(EngineId id) { return engines_[index_of(id)]; }
  [[nodiscard]] const Engine& engine(EngineId id) const { return engines_[index_of(id)]; }
  [[nodiscard]] Context& context(ContextId id);
  [[nodiscard]] const Context& context(ContextId id) const;

  // Choice.
  [[nodiscard]] bool takes_packets(const Engine& engine) const;
  [[nodiscard]] const Packet* forced_paging(const Engine& engine) const;
  [[nodiscard]] const Packet* open_command(const Engine& engine) const;
  [[nodiscard]] bool ready(const Packet& packet) const;
  [[nodiscard]] bool better(const Packet& a, const Packet& b) const;
  void offer(Choices& choices, const Packet& packet) const;

  // Movement.
  enum class Cause : std::uint8_t { Completion, Preemption, Reset };
  void settle(EngineId id, Cause cause);
  [[nodiscard]] bool may_return(const Packet& packet) const;
  void requeue(Packet& packet, Cause cause);
  void retire(Packet& packet, Ending ending);
  void cancel_all(PacketList& list);
  void fail(DeviceId device);
  void let_go_if_done(ContextId id);
  void serve_before(Packet& paging);

  void validate_engine(const Engine& engine, EngineId id) const;
  void validate_context(const Context& context, ContextId id) const;

  Config config_;
  PacketPool pool_;
  std::vector<Engine> engines_;
  std::vector<Context> contexts_;
  std::vector<Decision> decisions_;
  std::size_t most_decisions_ = 0;
  std::uint64_t next_order_ = 1;
};

}  // namespace wddm::vidsch
