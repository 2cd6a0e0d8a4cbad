// The VidSch worker: carries out what the scheduler oracle decides, and tells it what the driver
// reports.
//
// Packets go Patch (PASSIVE_LEVEL) then SubmitCommand (DISPATCH_LEVEL), on one thread, so that the
// DDIs of the GPU scheduler class never overlap. Reports come in at device IRQL, where the markers
// are read; they are judged and take effect when the driver's DPC calls DxgkCbNotifyDpc. What
// follows from a page fault, fault_recovery.h knows; an engine is reset here, between two
// submissions.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/addressing/addressing.h"
#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/vidsch/current_contexts.h"
#include "conformance/host/vidsch/fault_recovery.h"
#include "conformance/host/vidsch/log_tags.h"
#include "conformance/host/vidsch/markers.h"
#include "conformance/host/vidsch/memory_effects.h"
#include "conformance/host/vidsch/packet_table.h"
#include "conformance/host/vidsch/semaphores.h"
#include "conformance/host/vidsch/stopped_packets.h"
#include "conformance/host/vidsch/timeout_calls.h"
#include "reference/per_id.h"
#include "reference/vidsch/scheduler.h"

namespace wddm::host {

class WalkJudge;

class VidSchWorker {
 public:
  VidSchWorker(Adapter& adapter, const Objects& objects, const Processes& processes,
               const Addressing& addressing, PredictedMemory& memory, MemoryComparison& comparison,
               const Choices& choices);
  ~VidSchWorker();
  VidSchWorker(const VidSchWorker&) = delete;
  VidSchWorker& operator=(const VidSchWorker&) = delete;

  /// The adapter has started: numbers begin where the scenario wants them to. They go on when it is
  /// reset.
  void take_first_fence();
  /// The adapter runs: nodes and capabilities are known.
  void begin();

  /// A portion of a DMA buffer, and the paging that must run before it.
  struct Portion {
    RenderWork work;  ///< all but the buffer
    std::vector<std::unique_ptr<PagingBuffer>> paging;
  };
  /// Queues a DMA buffer, cut into portions, or some of them: `more` follow behind those.
  void enqueue(const std::shared_ptr<RenderBuffer>& buffer, std::vector<Portion> portions,
               bool more = false);
  void enqueue(std::unique_ptr<PagingBuffer> buffer);
  /// A buffer of the context was rejected: its device is in error.
  void reject(ContextId context) {
    recovery_.not_required(objects_.context(context).device);
    fail_devices();
    wake_.set();
  }
  /// A context without packets is about to be destroyed.
  void forget_context(ContextId context);
  /// A device is about to be destroyed, after its contexts.
  void forget_device(DeviceId device) {
    recovery_.forget(device);
    semaphores_.forget();
  }
  /// Asks the driver to preempt an engine, now.
  void preempt(EngineId engine) {
    wanted_preemptions_.push_back(engine);
    wake_.set();
  }

  // Timeout detection (timeouts.cpp). Each is done once the worker has had its turn.
  /// The engine has not answered a preemption in time: what the driver still reports of it is
  /// ignored, the driver is asked about it, and those that a reset of it takes along are to answer
  /// one too.
  void give_up(EngineId engine);
  /// Whether packets are on the engine, and whether it owes the answer to a preemption.
  [[nodiscard]] bool is_busy(EngineId engine) const {
    return scheduler_->ledger(engine).outstanding_count() != 0;
  }
  [[nodiscard]] bool awaits_answer(EngineId engine) const {
    return !scheduler_->may_preempt(engine);
  }
  /// Of those, the ones without an answer are reset.
  void reset_unanswered();
  /// Whether that was all there was to do: else the adapter is to be reset, and no engine takes
  /// packets until then.
  [[nodiscard]] bool reset_sufficed() const { return reset_sufficed_; }
  /// The adapter is about to be reset.
  void fail_all_devices();

  /// Packets that were preempted and wait while others go on; look_again() where some may go.
  [[nodiscard]] StoppedPackets& stopped() { return stopped_; }
  /// The scenario has changed its mind.
  void look_again() { wake_.set(); }

  /// DxgkCbNotifyInterrupt and DxgkCbNotifyDpc.
  void notified(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void dpc_ran();
  /// Takes what the driver has reported and queues no DPC for, though it had the time: whoever
  /// detects timeouts has seen the interrupt.
  void hear_out() {
    if (!reports_.empty()) dpc_ran();
  }

  /// Packets that are queued or that the driver has.
  [[nodiscard]] const PacketTable& packets() const { return packets_; }
  /// Whether what the driver has may keep the GPU for so many units, or for ever (PacketTable).
  [[nodiscard]] bool may_take(std::uint64_t units) const {
    return packets_.may_take(
        units, [this](const RenderBuffer& buffer) { return semaphores_.let_pass(buffer); });
  }
  /// What hardware holds may be gone: its power was, or it was started anew.
  void hardware_forgets() { semaphores_.forget(); }
  /// The packet that the driver has under this fence; null if there is none.
  [[nodiscard]] const Packet* outstanding(EngineId engine, FenceId fence) const;
  /// What the device calls the packets that it tells of in its log.
  [[nodiscard]] LogTags& log_tags() { return log_tags_; }
  /// The context that the engine was given last; kNoContext: paging, the null context, or none.
  [[nodiscard]] ContextId context_on(EngineId engine) const { return current_.on(engine); }
  /// Whether an engine owes the answer to a preemption request.
  [[nodiscard]] bool awaits_answer() const;
  /// What the GPU's walks came to is said at the end of each packet.
  void use(WalkJudge& walks) { walks_ = &walks; }
  /// Nothing of a context may be enqueued whose device is in error.
  [[nodiscard]] bool in_error(ContextId context) const {
    return recovery_.in_error(objects_.context(context).device);
  }
  /// Whether a page fault has an engine reset before it that was not made yet, or the driver is
  /// still at one.
  [[nodiscard]] bool recovering() const { return recovery_.engine_due() || resets_engine_; }
  /// Lets a driver that waits in ResetEngine come out: nothing else resets or ends it meanwhile.
  /// Whether there was one.
  bool await_engine_reset() {
    if (!resets_engine_) return false;
    engine_reset_.wait("ResetEngine to return");
    return true;
  }
  /// Whether a page fault asks for a reset of the adapter: nothing goes on without.
  [[nodiscard]] bool adapter_reset_due() const { return recovery_.adapter_due(); }
  /// ... where Windows would have stopped by a bug check.
  [[nodiscard]] bool bug_check_due() const { return recovery_.bug_check_due(); }
  /// Grows with every packet that moves.
  [[nodiscard]] std::uint64_t progress() const { return progress_; }
  /// How many more packets can be enqueued.
  [[nodiscard]] std::size_t room() const { return scheduler_->room(); }
  /// The CPU did a paging operation while it was built, and it has taken effect.
  void paging_done_at_build(const MemoryBlame& blame) {
    effects_.done_at_build(blame);
    effects_.compare_if_due(packets_.at_rest());
  }
  /// The pass will not run, and so not the rest of its translation; earlier packets have ended.
  void translation_dropped(const RenderBuffer& dropped) { effects_.translation_dropped(dropped); }
  /// The adapter was reset: all packets end, lost.
  void reset();
  /// Set whenever a packet ends; for the VidMm worker.
  [[nodiscard]] nt::HostEvent& retired_event() { return retired_; }

 private:
  struct Report {
    EngineId engine;
    bool preempted;
    FenceId fence, last_completed;
    std::uint32_t type;
    gpuva::PageFaultReport fault;  ///< of a page fault
  };

  static void thread(void* context) { static_cast<VidSchWorker*>(context)->work(); }
  void work();
  void ask_for_preemptions();
  [[nodiscard]] ev::PreemptionDue preemption_due(EngineId engine) const;
  bool pump(EngineId engine);
  [[nodiscard]] vidsch::PacketId choose(EngineId engine, const vidsch::Choices& legal) const;
  void submit(const vidsch::SubmitPacket& decision);
  /// The driver refused the packet that it was given last.
  void refused(const vidsch::SubmitPacket& decision);
  void add(vidsch::PacketId id, EngineId engine, std::variant<RenderWork, PagingWork> work);
  void enqueue_paging(std::unique_ptr<PagingBuffer> buffer, vidsch::PacketId after,
                      vidsch::PacketId before);
  void take_reports();
  void take(const Report& report);
  void take_fault(const Report& report);
  /// Does what the driver's word of a fence led to; whether it was a legal one. `type`: of the
  /// notification, 0 for what a DDI returned.
  bool follow(std::span<const vidsch::Decision> decisions, FenceId fence, std::uint32_t type);
  void fail_devices();
  void reset_engines();
  [[nodiscard]] bool reset_engine(EngineId engine, ResetCause cause);
  /// What timeout detection has asked for.
  void recover_from_timeouts();
  void ask_about(EngineId engine);
  [[nodiscard]] vidsch::Ending ending_of(const vidsch::Retired& retired) const;
  void end(const vidsch::Retired& given);
  /// Calls CancelCommand for the packets that a device in error has left in the software queue.
  void cancel_packets();
  void fence_taken(FenceId fence) {
    if (fence.value - first_fence_ >= next_fence_ - first_fence_) next_fence_ = fence.value + 1;
  }
  void fence_taken(const Packet& packet) {
    fence_taken(packet.fence);
    log_tags_.submitted(packet.engine, packet.fence);
  }
  [[nodiscard]] EngineId engine_for(const PagingBuffer& paging) const;

  Adapter& adapter_;
  const Objects& objects_;
  const Addressing& addressing_;
  const Choices& choices_;
  std::unique_ptr<vidsch::Scheduler> scheduler_;
  PacketTable packets_;
  StoppedPackets stopped_{packets_, choices_};
  std::deque<PacketTable> lost_;  // kept: a driver call may still refer to them
  const Packet* in_patch_ = nullptr;
  PacketTable::Node ended_in_patch_;  // the same, of one that the driver reports from inside Patch
  Markers markers_;
  MemoryEffects effects_;
  Semaphores semaphores_;
  WalkJudge* walks_ = nullptr;
  FaultRecovery recovery_;
  std::deque<Report> reports_;
  std::vector<EngineId> wanted_preemptions_;
  std::vector<EngineId> given_up_;
  std::vector<EngineId> dependents_;  // of those, in the order of their numbers
  bool resets_wanted_ = false;
  bool reset_sufficed_ = true;
  std::optional<ResetCause> resetting_;
  bool resets_engine_ = false;  // the driver is in ResetEngine
  nt::HostEvent engine_reset_{false};
  std::optional<EngineId> deaf_to_;  // its reports are ignored: from the snapshot to its reset
  std::deque<PacketTable::Node> cancelled_;
  PerContext<bool> known_contexts_;
  CurrentContexts current_;
  LogTags log_tags_;
  bool started_ = false;
  PacketOrdinal next_packet_{};
  // Numbers go on over starts and resets, so that a trace has each once. They may wrap.
  std::uint32_t first_fence_ = 1;
  std::uint32_t next_fence_ = 1;
  std::uint64_t progress_ = 0;
  nt::HostEvent wake_{true};
  nt::HostEvent retired_{true};
};

/// The running worker, for callbacks.
[[nodiscard]] VidSchWorker* current_vidsch();

}  // namespace wddm::host
