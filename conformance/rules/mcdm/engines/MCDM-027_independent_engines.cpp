// MCDM-027: an engine that is busy keeps no other engine from its packets.

#include <algorithm>
#include <deque>

#include "conformance/rules/mcdm/compute_only.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"

namespace wddm::mcdm_027 {
namespace {

// Units of GPU time in which an idle engine begins what it was given: several hundred small
// commands.
constexpr std::uint32_t kEnough = 200;

struct Given {
  std::uint32_t packet, fence, returned;  // returned: the event that its submission ends with
  bool begun = false;                     // by the device's log
};
struct Engine {
  ScratchVector<Given> waiting;  // packets that are on the engine, in the order of submission
  std::uint32_t units = 0;       // that have passed before the first, while another engine worked
};

class Engines {
 public:
  explicit Engines(Judgement& judgement) : judgement_(judgement) {}

  void on(std::uint32_t index, const ev::Submitted& packet) {
    if (packet.status != 0) return;
    Engine& engine = engines_[engine_of(packet)];
    engine.waiting.push_back({packet.packet, packet.fence, index});
  }
  void on(const ev::DeviceLogged& record) {
    if (record.kind != WDDM_DEVICE_PACKET_BEGIN) return;
    logs_begins_ = true;
    for (Given& given : engines_[engine_of(record)].waiting) {
      if (given.fence == record.tag) given.begun = true;
    }
  }
  void on(std::uint32_t index, const ev::PacketEnded& packet) {
    const EngineId id = engine_of(packet);
    Engine& engine = engines_[id];
    const auto found =
        std::find_if(engine.waiting.begin(), engine.waiting.end(),
                     [&](const Given& given) { return given.packet == packet.packet; });
    if (found == engine.waiting.end()) return;
    const bool completed = packet.fate == static_cast<std::uint32_t>(PacketFate::Completed);
    if (completed && works_beside(id)) judgement_.reached(index);
    if (found == engine.waiting.begin()) engine.units = 0;
    engine.waiting.erase(found);
  }
  void on(std::uint32_t index, const ev::GpuAdvanced& advanced) {
    if (!logs_begins_) return;  // a device may leave them out
    for (auto& [id, engine] : engines_) {
      if (engine.waiting.empty() || engine.waiting.front().begun || !works_beside(id)) continue;
      if (index < engine.waiting.front().returned) continue;  // the driver has yet to hand it over
      engine.units += advanced.used;
      if (engine.units < kEnough) continue;
      engine.units = 0;
      judgement_.fail(index,
                      "node " + std::to_string(id.node.value) +
                          " begins its packets while another node is busy",
                      "the one with SubmissionFenceId " +
                          std::to_string(engine.waiting.front().fence) + " has not begun");
      engine.waiting.clear();
    }
  }
  /// What was on it may have gone.
  void forget(EngineId id) { engines_.erase(id); }
  void forget_all() { engines_.clear(); }
  /// Engines that the driver resets together need not be independent, before it says so neither.
  void depend(const ev::DependentsAsked& asked) {
    if (!NT_SUCCESS(static_cast<NTSTATUS>(asked.status)) || asked.node >= kMostNodes) return;
    together_.push_back({asked.engine, asked.mask | std::uint64_t{1} << asked.node});
  }

 private:
  // Whether another engine has a packet that it has begun.
  [[nodiscard]] bool works_beside(EngineId one) const {
    for (const auto& [id, engine] : engines_) {
      if (id == one || are_together(id, one)) continue;
      if (!engine.waiting.empty() && engine.waiting.front().begun) return true;
    }
    return false;
  }
  [[nodiscard]] bool are_together(EngineId one, EngineId other) const {
    if (one.physical_adapter != other.physical_adapter) return false;
    return std::any_of(together_.begin(), together_.end(), [&](const Together& group) {
      return group.physical_adapter == one.physical_adapter && has(group.nodes, one.node.value) &&
             has(group.nodes, other.node.value);
    });
  }
  static bool has(std::uint64_t nodes, std::uint32_t node) {
    return node < kMostNodes && (nodes >> node & 1) != 0;
  }

  static constexpr std::uint32_t kMostNodes = 64;
  struct Together {
    std::uint32_t physical_adapter;
    std::uint64_t nodes;
  };
  Judgement& judgement_;
  ScratchMap<EngineId, Engine> engines_;
  ScratchVector<Together> together_;
  bool logs_begins_ = false;
};

// That each uses the address space of its process is PROC-008 and all clauses of contents.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Engines engines(judgement);
  for (const std::uint32_t index : trace.of<ev::DependentsAsked>()) {
    engines.depend(trace.at<ev::DependentsAsked>(index));
  }
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::DeviceLogged, ev::PacketEnded, ev::GpuAdvanced, ev::PreemptAsked,
                    ev::EngineReset, ev::AdapterReset, ev::SurpriseRemoved, StopReturned>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          engines.on(index, trace.at<ev::Submitted>(index));
        } else if (event.kind == EventKind::DeviceLogged) {
          engines.on(Trace::as<ev::DeviceLogged>(event));
        } else if (event.kind == EventKind::PacketEnded) {
          engines.on(index, Trace::as<ev::PacketEnded>(event));
        } else if (event.kind == EventKind::GpuAdvanced) {
          engines.on(index, Trace::as<ev::GpuAdvanced>(event));
        } else if (event.kind == EventKind::PreemptAsked) {
          engines.forget(engine_of(Trace::as<ev::PreemptAsked>(event)));
        } else if (event.kind == EventKind::EngineReset) {
          engines.forget(engine_of(Trace::as<ev::EngineReset>(event)));
        } else {
          engines.forget_all();
        }
      });
}

// A driver with one queue for both of its first engines.
class OneQueue final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    if (submit->NodeOrdinal == 0) {
      last_ = submit->SubmissionFenceId;
    } else if (completed_ != last_) {
      adapter_ = adapter;
      held_.push_back(*submit);
      return STATUS_SUCCESS;
    }
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.NodeOrdinal == 0) {
      completed_ = data->DmaCompleted.SubmissionFenceId;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  void NotifyDpc(HANDLE adapter) override {
    Interposer::NotifyDpc(adapter);
    while (completed_ == last_ && !held_.empty()) {
      const DXGKARG_SUBMITCOMMANDVIRTUAL submit = held_.front();
      held_.pop_front();
      static_cast<void>(Interposer::SubmitCommandVirtual(adapter_, &submit));
    }
  }

 private:
  UINT last_ = 0, completed_ = 0;
  HANDLE adapter_ = nullptr;
  std::deque<DXGKARG_SUBMITCOMMANDVIRTUAL> held_;
};

NotApplicable several_engines(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (platform.nodes < 2) return "one node";
  return platform.has_device_log ? nullptr : "no device log";
}

const Rule kRule{
    .id = "MCDM-027",
    .title = "Engines run different processes at the same time and independently",
    .level = Level::Should,
    .evidence = Evidence::DeviceLog,
    .rule =
        "Packets of different processes run on different engines at the same time: an engine that "
        "is busy, or stands still, keeps no other from beginning and finishing its packets.",
    .sources =
        "mcdm-architecture.md # Engine\n"
        "mcdm-architecture.md # Address Space",
    .note =
        "The text expects it of engines, and says no must: hence should. An idle engine has 200 "
        "units of GPU time to begin a packet; the text has no number. "
        "Engines that QueryDependentEngineGroup names together are not judged from then on. That "
        "each uses its own address space is judged by what the packets do.",
    .applies = several_engines,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: a packet keeps one engine busy while another process has several for the other engine
ops:
- create_context: {context: 0}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1, node: 1}
- queue_depth: {packets: 4}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 1}
- spin: {units: 2}
- idle
- render: {context: 0}
- spin: {units: 2000}
- advance: {units: 20}
- render: {context: 1}
- spin: {units: 2}
- render: {context: 1}
- spin: {units: 2}
- render: {context: 1}
- spin: {units: 2}
- advance: {units: 400}
- idle
)",
    .control = R"(
about: one engine after the other
ops:
- create_context: {context: 0}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1, node: 1}
- render: {context: 0}
- spin: {units: 2}
- idle
- render: {context: 1}
- spin: {units: 2}
- idle
)",
    .fault = {.about = "both engines share one queue",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneQueue); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_027
