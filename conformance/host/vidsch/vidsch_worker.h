// The VidSch worker: carries out what the scheduler oracle decides, and tells it what the driver
// reports.
//
// Packets go Patch (PASSIVE_LEVEL) then SubmitCommand (DISPATCH_LEVEL), on one thread, so that the
// DDIs of the GPU scheduler class never overlap. Reports come in at device IRQL, are judged there
// and take effect when the driver's DPC calls DxgkCbNotifyDpc.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/vidsch/queued_packet.h"
#include "conformance/host/vidmm/build_paging.h"
#include "reference/vidsch/scheduler.h"

namespace wddm::host {

class VidSchWorker {
 public:
  VidSchWorker(Adapter& adapter, Objects& objects, Residency& residency, PredictedMemory& memory,
               const Choices& choices);

  /// The adapter runs: nodes and capabilities are known.
  void begin();

  struct Portion {
    std::uint32_t start, end, first, count;
    /// The allocation list with the addresses that hold for this portion.
    std::vector<DXGK_ALLOCATIONLIST> addresses;
    std::vector<std::unique_ptr<PagingBuffer>> paging;  ///< to run before it
  };
  /// Queues a DMA buffer, cut into portions, with the paging that each needs before it.
  void enqueue(std::unique_ptr<RenderBuffer> buffer, std::vector<Portion> portions);
  void enqueue(std::unique_ptr<PagingBuffer> buffer);
  [[nodiscard]] static std::size_t portion_of_marker(const RenderBuffer& buffer,
                                                     const std::vector<Portion>& portions);
  /// A context without packets is about to be destroyed.
  void forget_context(std::uint32_t context);
  /// Asks the driver to preempt a node, now.
  void preempt(std::uint32_t node);

  /// DxgkCbNotifyInterrupt and DxgkCbNotifyDpc.
  void notified(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void dpc_ran();

  /// Packets that are queued or that the driver has.
  [[nodiscard]] std::uint32_t outstanding() const {
    return static_cast<std::uint32_t>(packets_.size());
  }
  /// Whether paging of one of these allocations, or of no allocation at all, is queued and has not
  /// ended.
  [[nodiscard]] bool is_paging(const std::vector<std::uint32_t>& slots) const;
  /// Whether a packet of another context is queued that writes what this buffer uses, or the other
  /// way round, by the WriteOperation of their lists.
  [[nodiscard]] bool competes(const RenderBuffer& buffer) const;
  /// Whether a node owes the answer to a preemption request.
  [[nodiscard]] bool awaits_answer() const;
  /// Whether the buffers that the driver has may keep the GPU that long, or for ever: what they do
  /// comes to so many units, or they wait, or user mode altered them.
  [[nodiscard]] bool may_take(std::uint64_t units) const;
  /// Grows with every packet that moves.
  [[nodiscard]] std::uint64_t progress() const { return progress_; }
  /// How many more packets can be enqueued.
  [[nodiscard]] std::size_t room() const { return scheduler_->room(); }
  /// The pass will not run, and so not the rest of its translation; earlier packets have ended.
  void translation_dropped(const RenderBuffer& dropped);
  /// Forgets all packets: they are lost.
  void abandon();
  /// Set whenever a packet ends; for the VidMm worker.
  [[nodiscard]] nt::HostEvent& retired_event() { return retired_; }

 private:
  struct Item {
    Packet packet;
    std::vector<DXGK_ALLOCATIONLIST> addresses;
    std::shared_ptr<RenderBuffer> render;
    std::unique_ptr<PagingBuffer> paging;
    vidsch::PacketId behind{};  ///< paging: the portion before it, whose memory it may take
  };
  struct Report {
    vidsch::EngineId engine;
    bool preempted;
    FenceId fence, last_completed;
    std::uint32_t type;
  };

  static void thread(void* context);
  void work();
  bool pump(std::uint32_t node);
  [[nodiscard]] vidsch::PacketId choose(std::uint32_t node, const vidsch::Choices& legal) const;
  [[nodiscard]] bool takes_memory_in_use(vidsch::PacketId id) const;
  void submit(const vidsch::SubmitPacket& decision);
  void patch(Item& item);
  void call_patch(Item& item, const std::vector<DXGK_ALLOCATIONLIST>& list, std::uint32_t round);
  void call_submit(Item& item, bool again);
  void call_preempt(const vidsch::Preempt& decision);
  void take(const Report& report);
  void end(const vidsch::Retired& retired);
  void back(const vidsch::Requeued& requeued);
  void check_if_idle();
  void read_markers(std::uint32_t node, const Report& report);
  [[nodiscard]] std::uint32_t marker_word(const Item& item) const;
  void read_marker(const Item& item, std::uint32_t expected, MarkerReason reason) const;
  [[nodiscard]] Item& item(vidsch::PacketId id);
  Item& add(vidsch::PacketId id, bool paging, std::uint32_t node);
  [[nodiscard]] bool at_rest() const;

  Adapter& adapter_;
  Objects& objects_;
  Residency& residency_;
  PredictedMemory& memory_;
  const Choices& choices_;
  std::unique_ptr<vidsch::Scheduler> scheduler_;
  std::map<std::uint32_t, Item> packets_;  // by the oracle's packet id
  std::map<std::uint32_t, Item> lost_;     // kept: a driver call may still refer to them
  std::deque<Report> reports_;
  std::vector<std::uint32_t> wanted_preemptions_;
  std::array<bool, kSlots> known_contexts_{};
  std::array<std::uint32_t, 64> last_context_{};
  MemoryBlame blame_;
  bool check_due_ = false;
  bool memory_is_known_ = false;  ///< no packet was lost since the adapter started
  // Renders of which a pass has run while the last one has not.
  std::set<std::uint32_t> half_translated_;
  std::uint32_t half_done_ = 0;  // buffers between two of their portions
  bool started_ = false;
  std::uint32_t next_packet_ = 0;
  std::uint32_t next_fence_ = 1;  // numbers go on over starts and resets: a trace has each once
  std::uint64_t progress_ = 0;
  nt::HostEvent wake_{true};
  nt::HostEvent retired_{true};
};

/// The running worker, for callbacks.
[[nodiscard]] VidSchWorker* current_vidsch();

}  // namespace wddm::host
