// LDA-008: a report names the GPU of the link whose packet it is about.

#include "conformance/host/interposer.h"
#include "conformance/rules/lda/link.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm {
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

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Outstanding outstanding;
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::Notified, ev::PacketEnded, ev::AdapterReset, StopReturned>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          outstanding.submitted(index, trace.at<ev::Submitted>(index));
        } else if (event.kind == EventKind::PacketEnded) {
          outstanding.ended(Trace::as<ev::PacketEnded>(event));
        } else if (event.kind == EventKind::Notified) {
          const auto report = Trace::as<ev::Notified>(event);
          if (!names_a_packet(report)) return;
          const EngineId named = engine_of(report);
          if (outstanding.find(named, report.fence) != kNone) {
            if (named.physical_adapter != 0) judgement.reached(index);
            return;
          }
          if (outstanding.is_last(named, report.fence)) return;
          for (std::uint32_t gpu = 0; gpu < platform.linked_adapters; ++gpu) {
            const EngineId other{.node = named.node, .physical_adapter = gpu};
            const std::uint32_t submitted = outstanding.find(other, report.fence);
            if (submitted == kNone) continue;
            judgement.reached(index);
            return judgement.fail(
                index,
                "EngineOrdinal " + std::to_string(gpu) + ", the GPU that has SubmissionFenceId " +
                    std::to_string(report.fence),
                "EngineOrdinal " + std::to_string(named.physical_adapter), {submitted});
          }
        } else {
          outstanding.clear();
        }
      });
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
about: the second GPU has packets, and the first has none
ops:
- physical_adapter: {index: 1}
- queue_depth: {packets: 3}
- create_context: {context: 1}
- render: {context: 1}
- spin: {units: 5}
- render: {context: 1}
- spin: {units: 5}
- render: {context: 1}
- spin: {units: 5}
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
}  // namespace wddm
