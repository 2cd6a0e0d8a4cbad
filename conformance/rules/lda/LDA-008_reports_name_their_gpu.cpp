// LDA-008: a report names the GPU of the link whose packet it is about.

#include "conformance/host/interposer.h"
#include "conformance/rules/lda/link.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::lda_008 {
namespace {

// Packets that each engine has, by SubmissionFenceId.
class Outstanding {
 public:
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    engines_[engine_of(packet)][packet.fence] = {packet.packet, index};
  }
  void ended(const ev::PacketEnded& ended) {
    auto& packets = engines_[engine_of(ended)];
    const auto found = packets.find(ended.fence);
    if (found == packets.end() || found->second.ordinal != ended.packet) return;
    packets.erase(found);
    if (ended.fate == static_cast<std::uint32_t>(PacketFate::Completed)) {
      last_[engine_of(ended)] = ended.fence;
    }
  }
  void clear() {
    engines_.clear();
    last_.clear();
  }

  /// Who reports the last completed fence again says nothing new (FENCE-003).
  [[nodiscard]] bool is_last(EngineId engine, std::uint32_t fence) const {
    const auto found = last_.find(engine);
    return found != last_.end() && found->second == fence;
  }

  /// Submitted; kNone if the engine has no such packet.
  [[nodiscard]] std::uint32_t find(EngineId engine, std::uint32_t fence) const {
    const auto packets = engines_.find(engine);
    if (packets == engines_.end()) return kNone;
    const auto found = packets->second.find(fence);
    return found == packets->second.end() ? kNone : found->second.submitted;
  }

 private:
  struct Packet {
    std::uint32_t ordinal = kNone;
    std::uint32_t submitted = kNone;
  };
  ScratchMap<EngineId, ScratchMap<std::uint32_t, Packet>> engines_;
  ScratchMap<EngineId, std::uint32_t> last_;  // fences of what has completed
};

bool names_a_packet(const ev::Notified& report) {
  return report.type == DXGK_INTERRUPT_DMA_COMPLETED ||
         report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
}

class Reports {
 public:
  Reports(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace), gpus_(platform.linked_adapters), judgement_(judgement) {}

  void read(std::uint32_t index) {
    const Event& event = trace_.events()[index];
    if (event.kind == EventKind::Submitted) {
      outstanding_.submitted(index, trace_.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::PacketEnded) {
      outstanding_.ended(Trace::as<ev::PacketEnded>(event));
    } else if (event.kind == EventKind::Notified) {
      reported(index, Trace::as<ev::Notified>(event));
    } else if (event.kind == EventKind::Stuck) {
      stuck();
    } else {
      outstanding_.clear();
      repeated_.clear();
    }
  }

 private:
  void reported(std::uint32_t index, const ev::Notified& report) {
    if (!names_a_packet(report)) return;
    const EngineId named = engine_of(report);
    if (outstanding_.find(named, report.fence) != kNone) {
      if (named.physical_adapter != 0) judgement_.reached(index);
      return;
    }
    const EngineId other = who_has(named, report.fence);
    if (outstanding_.find(other, report.fence) == kNone) return;
    if (outstanding_.is_last(named, report.fence)) {
      repeated_[other] = index;
    } else {
      fail(index, other);
    }
  }
  // What seemed a repetition was the report of a packet that nobody has named since.
  void stuck() {
    for (const auto& [other, index] : repeated_) {
      if (outstanding_.find(other, trace_.at<ev::Notified>(index).fence) != kNone) {
        fail(index, other);
      }
    }
    repeated_.clear();
  }
  [[nodiscard]] EngineId who_has(EngineId named, std::uint32_t fence) const {
    EngineId other = named;
    for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) {
      other.physical_adapter = gpu;
      if (outstanding_.find(other, fence) != kNone) break;
    }
    return other;
  }
  void fail(std::uint32_t index, EngineId other) {
    const auto report = trace_.at<ev::Notified>(index);
    judgement_.fail(index,
                    "EngineOrdinal " + std::to_string(other.physical_adapter) +
                        ", the GPU that has SubmissionFenceId " + std::to_string(report.fence),
                    "EngineOrdinal " + std::to_string(engine_of(report).physical_adapter),
                    {outstanding_.find(other, report.fence)});
  }

  const Trace& trace_;
  const std::uint32_t gpus_;
  Judgement& judgement_;
  Outstanding outstanding_;
  ScratchMap<EngineId, std::uint32_t> repeated_;  // Notified, by the engine that it may be about
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Reports reports(trace, platform, judgement);
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::Notified, ev::PacketEnded, ev::Stuck, ev::AdapterReset, StopReturned>(
      trace, [&](std::uint32_t index) { reports.read(index); });
}

// A driver from the time of one GPU.
class ReportsForTheLead final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) altered.DmaCompleted.EngineOrdinal = 0;
    Interposer::NotifyInterrupt(adapter, &altered);
  }
};

NotApplicable linked_commands(const Platform& platform) {
  if (const NotApplicable reason = lda::linked(platform)) return reason;
  return running_commands(platform);
}

const Rule kRule{
    .id = "LDA-008",
    .title = "Engine ordinal is the adapter index in the link",
    .rule =
        "EngineOrdinal of DMA_COMPLETED and DMA_PAGE_FAULTED is the index in the link of the GPU "
        "that has the packet.",
    .sources =
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaCompleted.EngineOrdinal\n"
        "tdr-changes-in-windows-8.md # Engines",
    .note =
        "Fences of two GPUs may have one number: who reports one that the named GPU has too is not "
        "judged. EngineOrdinal of an answer to PreemptCommand is PREEMPT-005. No packet goes to "
        "both GPUs here.",
    .applies = linked_commands,
    .check = check,
    .played_in = {Configured::Linked, Configured::LinkedUnlike, Configured::LinkedIoMmu},
    .scenario = R"(
about: the second GPU has packets, and the first has none; then both fault at a time
ops:
- start
- physical_adapter: {index: 1}
- create_context: {context: 1}
- render: {context: 1}
- spin: {units: 5}
- render: {context: 1}
- spin: {units: 5}
- render: {context: 1}
- spin: {units: 5}
- idle
# A page fault is of that GPU as well.
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local, device: 1}
- make_resident: {allocation: 1}
- free_address: {allocation: 1}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
# Both GPUs tell of one at once, at different pages.
- create_device: {device: 2, process: 2}
- create_device: {device: 3, process: 3}
- create_context: {context: 3, device: 2, node: 1}
- physical_adapter: {index: 0}
- create_context: {context: 4, device: 3, node: 1}
- create_allocation: {allocation: 2, place: local, device: 2}
- create_allocation: {allocation: 3, pages: 3, place: local, device: 3}
- make_resident: {allocation: 2}
- make_resident: {allocation: 3}
- free_address: {allocation: 2}
- free_address: {allocation: 3}
- idle
- render: {context: 3}
- spin: {units: 3000}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- render: {context: 4}
- spin: {units: 3000}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 8192, size: 64, value: 0x55667788}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- hold_interrupts
- advance: {units: 6000}
- hold_interrupts: {on: false}
- idle
)",
    .control = R"(
about: both GPUs have packets
ops:
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- render: {context: 1}
- spin: {units: 5}
- render: {context: 2}
- spin: {units: 5}
- idle
)",
    .fault = {.about = "completions on every GPU are reported with EngineOrdinal 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReportsForTheLead); },
              .also_fires = "FENCE-001"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_008
