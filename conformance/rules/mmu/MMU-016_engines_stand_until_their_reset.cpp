// MMU-016: an engine whose page fault asks for a reset stands until it is reset.
//
// Windows learns of a fault in the driver's DPC. What it has decided to submit or to ask before
// then still comes, and so do interrupts of other engines.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/page_fault_flags.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"
#include "reference/is_any_of.h"
#include "reference/trace/ddi.h"

namespace wddm::mmu_016 {
namespace {

constexpr std::uint32_t kPageFault = 0;  // cause of EngineReset
constexpr const char* kStands =
    "an engine that a page fault has in need of a reset stands until it";

// Calls in which any engine may begin anew.
bool begins_anew(DdiId ddi) {
  return is_any_of(ddi, DdiId::ResetFromTimeout, DdiId::SetPowerState, DdiId::StopDevice,
                   DdiId::NotifySurpriseRemoval, DdiId::ResetDevice);
}

struct Engine {
  ScratchVector<std::uint32_t> fences;  // submitted and not reported, oldest first
  std::uint32_t fault = kNone;          // PageFaultReported
  bool stood = false;                   // it had packets and time since
  // Between an access that faults and its report, which may turn out to ask for a reset.
  std::uint32_t access = kNone;         // AccessFaulted
  std::uint32_t faulting = 0;           // its fence
  ScratchVector<std::uint32_t> behind;  // DeviceLogged: what has begun since

  void submitted(std::uint32_t fence) { fences.push_back(fence); }
  /// It and those before it are over.
  void reported(std::uint32_t fence) {
    const auto last = std::find(fences.begin(), fences.end(), fence);
    if (last != fences.end()) fences.erase(fences.begin(), last + 1);
  }
  void forget_access() {
    access = kNone;
    behind.clear();
  }
  [[nodiscard]] bool has(std::uint32_t fence) const {
    return std::find(fences.begin(), fences.end(), fence) != fences.end();
  }
};

class Engines {
 public:
  Engines(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  // A refused one need not come to the engine at all.
  void submitted(const ev::Submitted& packet) {
    if (packet.status == 0) engines_[engine_of(packet)].submitted(packet.fence);
  }
  void reported(const ev::Notified& report) {
    Engine& engine = engines_[engine_of(report)];
    if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
      engine.fences.clear();
      engine.forget_access();
    } else if (report.type == DXGK_INTERRUPT_DMA_COMPLETED ||
               report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      engine.reported(report.fence);
    }
  }
  void faults(std::uint32_t index, const ev::AccessFaulted& access) {
    Engine& engine = engines_[engine_of(access)];
    if (access.packet == kNone || engine.access != kNone) return;
    engine.access = index;
    engine.faulting = access.fence;
    engine.behind.clear();
  }
  void faulted(std::uint32_t index, const ev::PageFaultReported& report) {
    Engine& engine = engines_[engine_of(report)];
    // Whose it is the driver may not be able to tell.
    const bool unknown =
        (report.flags & static_cast<std::uint32_t>(DXGK_PAGE_FAULT_FENCE_INVALID)) != 0;
    const bool of_access = unknown || report.fence == engine.faulting;
    engine.access = kNone;
    if (!asks_for_reset(report.flags) || !of_access) engine.behind.clear();
    if (!asks_for_reset(report.flags)) return;
    if (engine.fault == kNone) engine.stood = false;
    engine.fault = index;
    // The oldest may have nothing left to be begun then.
    if (unknown && !engine.fences.empty()) engine.fences.erase(engine.fences.begin());
  }
  void time_passed() {
    for (auto& [id, engine] : engines_) {
      engine.stood |= engine.fault != kNone && !engine.fences.empty();
    }
  }
  void begun(std::uint32_t index, const ev::DeviceLogged& record) {
    Engine& engine = engines_[engine_of(record)];
    if (engine.access != kNone && record.tag != engine.faulting) engine.behind.push_back(index);
    if (engine.fault == kNone || !engine.has(record.tag)) return;
    judgement_.reached(index);
    judgement_.fail(index, kStands, "it begins SubmissionFenceId " + std::to_string(record.tag),
                    {std::exchange(engine.fault, kNone)});
  }
  void reset(std::uint32_t index, EngineId which) {
    const Engine& named = engines_[which];
    if (named.fault != kNone && named.stood) judgement_.reached(index);
    are_over(which.physical_adapter);
  }
  // What began before the report is wrong where the reset has broken it off.
  void was_reset(std::uint32_t index, const ev::EngineReset& reset) {
    Engine& engine = engines_[engine_of(reset)];
    for (const std::uint32_t begun : engine.behind) {
      const std::uint32_t fence = trace_.at<ev::DeviceLogged>(begun).tag;
      if (reset.status != 0 || reset.cause != kPageFault || reset.aborted != fence) continue;
      if (!engine.has(fence)) continue;  // it had come to its end
      judgement_.fail(index, kStands,
                      "the reset has broken off SubmissionFenceId " + std::to_string(fence) +
                          ", which began behind the access that faulted",
                      {begun});
    }
    for (auto& [id, other] : engines_) {
      if (id.physical_adapter == reset.engine) other.forget_access();
    }
    are_over(reset.engine);
  }
  // What the reset of one does to others of its GPU is not judged here. Nor is what the driver does
  // about a fault that it reports while it is at the reset.
  void are_over(std::uint32_t physical_adapter) {
    for (auto& [id, engine] : engines_) {
      if (id.physical_adapter == physical_adapter) engine.fault = kNone;
    }
  }
  void begin_anew() { engines_.clear(); }

 private:
  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<EngineId, Engine> engines_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Engines engines(trace, judgement);
  in_order_of_calls<ev::AccessFaulted, ev::Notified, ev::PageFaultReported, ev::GpuAdvanced,
                    ev::DeviceLogged, ev::DdiEntered, ev::DdiReturned, ev::EngineReset>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          engines.submitted(trace.at<ev::Submitted>(index));
        } else if (event.kind == EventKind::Notified) {
          engines.reported(Trace::as<ev::Notified>(event));
        } else if (event.kind == EventKind::AccessFaulted) {
          engines.faults(index, trace.at<ev::AccessFaulted>(index));
        } else if (event.kind == EventKind::PageFaultReported) {
          engines.faulted(index, trace.at<ev::PageFaultReported>(index));
        } else if (event.kind == EventKind::GpuAdvanced) {
          if (Trace::as<ev::GpuAdvanced>(event).units != 0) engines.time_passed();
        } else if (event.kind == EventKind::DeviceLogged) {
          const auto record = Trace::as<ev::DeviceLogged>(event);
          if (record.kind == WDDM_DEVICE_PACKET_BEGIN) engines.begun(index, record);
        } else if (event.kind == EventKind::EngineReset) {
          engines.was_reset(index, Trace::as<ev::EngineReset>(event));
        } else if (event.kind == EventKind::DdiReturned) {
          const auto ddi = static_cast<DdiId>(Trace::as<ev::DdiReturned>(event).ddi);
          if (begins_anew(ddi)) engines.begin_anew();
        } else {
          const auto ddi = static_cast<DdiId>(Trace::as<ev::DdiEntered>(event).ddi);
          if (begins_anew(ddi)) engines.begin_anew();
          if (ddi != DdiId::ResetEngine) return;
          const auto call = trace.blob<ddi_arguments::ResetEngine>(event);
          if (!call.empty()) engines.reset(index, engine_of(call.front()));
        }
      });
}

// A driver that finds the engine standing when it has something new for it, and mends that itself:
// what was left goes on ahead of the new packet.
class MendsItself final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    Left& left = left_[{submit->NodeOrdinal, submit->EngineOrdinal}];
    if (std::exchange(left.stands, false)) go_on(adapter, *submit, left);
    left.packets.emplace_back(*submit);
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      const auto& said = data->DmaCompleted;
      left_[{said.NodeOrdinal, said.EngineOrdinal}].end(said.SubmissionFenceId);
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
      const auto& said = data->DmaPreempted;
      left_[{said.NodeOrdinal, said.EngineOrdinal}].packets.clear();
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      const auto& said = data->DmaPageFaulted;
      Left& left = left_[{said.NodeOrdinal, said.EngineOrdinal}];
      left.end(said.FaultedFenceId);
      left.stands = true;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    left_.erase({reset->NodeOrdinal, reset->EngineOrdinal});
    return Interposer::ResetEngine(adapter, reset);
  }

 private:
  // With the private data, which are the host's for as long as the call.
  struct Packet {
    explicit Packet(const DXGKARG_SUBMITCOMMANDVIRTUAL& given) : call(given) {
      const auto* const first = static_cast<const UCHAR*>(given.pDmaBufferPrivateData);
      if (first != nullptr) data.assign(first, first + given.DmaBufferPrivateDataSize);
    }
    DXGKARG_SUBMITCOMMANDVIRTUAL call;
    std::vector<UCHAR> data;
  };
  struct Left {
    std::vector<Packet> packets;  // oldest first
    bool stands = false;

    void end(UINT fence) {
      const auto last = std::find_if(packets.begin(), packets.end(), [fence](const Packet& one) {
        return one.call.SubmissionFenceId == fence;
      });
      if (last != packets.end()) packets.erase(packets.begin(), last + 1);
    }
  };

  void go_on(HANDLE adapter, const DXGKARG_SUBMITCOMMANDVIRTUAL& next, Left& left) {
    DXGKARG_RESETENGINE reset{};
    reset.NodeOrdinal = next.NodeOrdinal;
    reset.EngineOrdinal = next.EngineOrdinal;
    static_cast<void>(Interposer::ResetEngine(adapter, &reset));
    for (Packet& packet : left.packets) {
      packet.call.pDmaBufferPrivateData = packet.data.empty() ? nullptr : packet.data.data();
      packet.call.Flags.Resubmission = 1;
      static_cast<void>(Interposer::SubmitCommandVirtual(adapter, &packet.call));
    }
  }

  std::map<std::pair<UINT, UINT>, Left> left_;  // by NodeOrdinal and EngineOrdinal
};

NotApplicable faults_and_resets(const Platform& platform) {
  if (const NotApplicable reason = virtual_rendering(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::ResetEngine)) return reason;
  return platform.has_device_log ? nullptr : "no device log";
}

// The device of `bad` and that of `good` and `more` are known to the GPU, so that packets of theirs
// need nothing else; the fault of `bad` comes when it has run for some time.
// clang-format off
#define DEVICES(bad, good, more, on_node) \
  "- create_device: {device: " #bad ", process: " #bad "}\n" \
  "- create_device: {device: " #good ", process: " #good "}\n" \
  "- create_context: {context: " #bad ", device: " #bad ", node: " #on_node "}\n" \
  "- create_context: {context: " #good ", device: " #good ", node: " #on_node "}\n" \
  "- create_context: {context: " #more ", device: " #good ", node: " #on_node "}\n" \
  "- create_allocation: {allocation: " #bad ", place: local, device: " #bad "}\n" \
  "- make_resident: {allocation: " #bad "}\n" \
  "- render: {context: " #bad "}\n" \
  "- render: {context: " #good "}\n" \
  "- render: {context: " #more "}\n" \
  "- idle\n" \
  "- free_address: {allocation: " #bad "}\n" \
  "- idle\n"
#define RENDERS(context_number, for_units) \
  "- render: {context: " #context_number "}\n" \
  "- spin: {units: " #for_units "}\n"
#define FAULTS_BEFORE(bad, good) \
  RENDERS(bad, 1500) \
  "- bind: {slot: 1, allocation: " #bad "}\n" \
  "- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}\n" \
  RENDERS(good, 300)
// While DPCs wait nobody resets the engine.
#define FAULT_COMES \
  "- advance: {units: 100}\n" \
  "- advance: {units: 100}\n" \
  "- advance: {units: 100}\n" \
  "- advance: {units: 100}\n" \
  "- advance: {units: 100}\n" \
  "- advance: {units: 100}\n" \
  "- hold_dpcs\n" \
  "- advance: {units: 3000}\n"
// What is submitted at the end of one advance has time in the next.
#define RESET_COMES \
  "- advance: {units: 100}\n" \
  "- advance: {units: 100}\n" \
  "- hold_dpcs: {on: false}\n" \
  "- idle\n"
// What waits for room on the engine has all that it needs before the fault; any work that comes has
// Windows look for room.
#define ROOM_COMES(bad, good, more) \
  DEVICES(bad, good, more, 1) \
  "- queue_depth: {packets: 2}\n" \
  FAULTS_BEFORE(bad, good) RENDERS(more, 5) FAULT_COMES \
  "- queue_depth: {packets: 3}\n" \
  RENDERS(0, 5) RESET_COMES
// clang-format on

const Rule kRule{
    .id = "MMU-016",
    .title = "An engine whose page fault asks for a reset stands until it is reset",
    .evidence = Evidence::DeviceLog,
    .rule =
        "A page fault with DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED, or with the bit for the whole "
        "adapter, leaves its engine in a state that only the reset ends. Until ResetEngine is "
        "called the engine begins none of the packets behind the one that faulted, whatever else "
        "is submitted or asked meanwhile: they would be broken off, and their devices taken for "
        "guilty.",
    .sources =
        "ne-d3dkmdt-_dxgk_page_fault_flags.md # DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED\n"
        "access-to-non-resident-allocation.md\n"
        "tdr-changes-in-windows-8.md # Calling sequence to reset an engine",
    .note =
        "A packet that began before the driver reported the fault is judged where it began behind "
        "the access, by the device's log, and the reset names it as aborted. Not judged is what "
        "comes after the reset of another engine of the same GPU, which may depend on this one, or "
        "after a fault that is reported within the call of a reset. "
        "Engines that hang without a fault may go on by themselves.",
    .unreached =
        "no engine stood with packets behind one whose page fault asked for a reset: the driver "
        "asks for none, or takes no packets then",
    .applies = faults_and_resets,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Linked},
    .scenario = R"(
about: behind a packet that faults one waits and another comes; the engine is asked and preempted, and another one works
ops:
- create_context: {context: 0}
- create_context: {context: 20, node: 1}
- render: {context: 0}
- render: {context: 20}
- idle
- queue_depth: {packets: 3}
)" DEVICES(1, 2, 3, 0) FAULTS_BEFORE(1, 2) FAULT_COMES RENDERS(3, 5) RESET_COMES DEVICES(4, 5, 6, 0)
        FAULTS_BEFORE(4, 5) FAULT_COMES RENDERS(20, 5) R"(
- advance: {units: 100}
- query_fence: {node: 0}
- advance: {units: 100}
- preempt: {node: 0}
)" RESET_COMES ROOM_COMES(7, 8, 9) R"(
# Of a link the other GPU as well.
- physical_adapter: {index: 1}
)" ROOM_COMES(10, 11, 12),
    .control = R"(
about: what was behind the packet that faulted begins once the engine is reset
ops:
- queue_depth: {packets: 3}
)" DEVICES(1, 2, 3, 0) FAULTS_BEFORE(1, 2) FAULT_COMES
    "- hold_dpcs: {on: false}\n" RENDERS(3, 5) "- idle\n",
    .fault = {.about = "the driver lets the engine go on when something is submitted",
              .interposer = [] { return std::unique_ptr<Interposer>(new MendsItself); }}};

#undef DEVICES
#undef RENDERS
#undef FAULTS_BEFORE
#undef FAULT_COMES
#undef RESET_COMES
#undef ROOM_COMES

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_016
