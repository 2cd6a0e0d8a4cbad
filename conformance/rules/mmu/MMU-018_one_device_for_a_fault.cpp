// MMU-018: a page fault costs its own device and no other, and the engine is reset before the
// adapter. Windows' half of MMU-015.

#include <utility>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::mmu_018 {
namespace {

constexpr std::uint32_t kPageFault = 0;  // of the causes of errors and resets
// Bits of PageFaultReported::flags that name no packet, or ask for the adapter's reset.
constexpr std::uint32_t kFenceInvalid = 2, kAdapterResetRequired = 4;

// Contexts name their process by RootSet. Which of its devices has a context no event says: of two
// devices of a process one may be in error for each fault of the process.
class Recovery {
 public:
  Recovery(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void read(std::uint32_t index) {
    const Event& event = trace_.events()[index];
    if (event.kind == EventKind::ContextCreated) {
      failed_.erase(trace_.at<ev::ContextCreated>(index).context);
    } else if (event.kind == EventKind::RootSet) {
      const auto set = trace_.at<ev::RootSet>(index);
      process_of_[set.context] = set.process;
    } else if (event.kind == EventKind::Submitted) {
      submitted(index, trace_.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::PageFaultReported) {
      reported(index, trace_.at<ev::PageFaultReported>(index));
    } else if (event.kind == EventKind::DeviceInError) {
      in_error(index, trace_.at<ev::DeviceInError>(index));
    } else if (event.kind == EventKind::EngineReset) {
      engine_reset(index, trace_.at<ev::EngineReset>(index));
    } else if (event.kind == EventKind::AdapterReset) {
      adapter_reset(index, trace_.at<ev::AdapterReset>(index));
    } else {
      faults_.clear();
      failed_.clear();
    }
  }

 private:
  struct Fault {
    std::uint32_t event = kNone;    // PageFaultReported, or EngineReset
    std::uint32_t context = kNone;  // whose packet, kNone: the report does not say
    EngineId engine{};
  };

  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    context_of_[packet.packet] = packet.paging != 0 ? kNone : packet.context;
    packet_of_[{engine_of(packet), packet.fence}] = packet.packet;
    if (packet.paging != 0) return;
    const auto failed = failed_.find(packet.context);
    if (failed == failed_.end()) {
      // Others go on.
      if (!failed_.empty()) judgement_.reached(index);
      return;
    }
    judgement_.fail(index, "nothing more of context " + std::to_string(packet.context),
                    "packet " + std::to_string(packet.packet) +
                        " of it is submitted, and its device is in error",
                    {failed->second});
  }
  void reported(std::uint32_t index, const ev::PageFaultReported& report) {
    faulted_.insert(report.packet);
    const auto found = context_of_.find(report.packet);
    const std::uint32_t context = found == context_of_.end() ? kNone : found->second;
    // What holds for a fault before that is not dealt with yet goes on.
    if (faults_.empty()) adapter_may_be_reset_ = false;
    faults_.push_back({index, context, engine_of(report)});
    // One of paging, or one that nobody knows, is the system's.
    adapter_may_be_reset_ |=
        context == kNone || (report.flags & (kFenceInvalid | kAdapterResetRequired)) != 0;
  }
  // The driver may name another packet than the one that faulted: that one's device is lost then.
  void engine_reset(std::uint32_t index, const ev::EngineReset& reset) {
    adapter_may_be_reset_ = true;
    const EngineId engine = engine_of(reset);
    std::erase_if(faults_, [&](const Fault& fault) { return fault.engine == engine; });
    const auto packet = packet_of_.find({engine, reset.aborted});
    if (packet == packet_of_.end() || faulted_.contains(packet->second)) return;
    const std::uint32_t context = context_of_.at(packet->second);
    if (context != kNone) faults_.push_back({index, context, engine});
  }
  void in_error(std::uint32_t index, const ev::DeviceInError& error) {
    if (error.cause != kPageFault) return;
    judgement_.reached(index);
    std::size_t newest = faults_.size(), candidates = 0;
    for (std::size_t i = 0; i < faults_.size(); ++i) {
      const auto process = process_of_.find(faults_[i].context);
      if (process != process_of_.end() && process->second != error.process) continue;
      newest = i;
      ++candidates;
    }
    if (newest == faults_.size()) {
      return judgement_.fail(index, "devices without a page fault of their own go on",
                             "device " + std::to_string(error.device) + " of process " +
                                 std::to_string(error.process) + " is put in error");
    }
    const Fault fault = faults_[newest];
    faults_.erase(faults_.begin() + static_cast<std::ptrdiff_t>(newest));
    if (candidates == 1 && fault.context != kNone) failed_[fault.context] = index;
  }
  void adapter_reset(std::uint32_t index, const ev::AdapterReset& reset) {
    if (reset.stage == 0 && reset.cause == kPageFault) {
      judgement_.reached(index);
      if (!adapter_may_be_reset_) {
        judgement_.fail(index, "the engine is reset first, for a page fault that names its packet",
                        "the adapter is reset, and ResetEngine was not called",
                        {faults_.empty() ? index : faults_.back().event});
      }
    }
    faults_.clear();
    failed_.clear();
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, std::uint32_t> process_of_;  // by context
  ScratchMap<std::uint32_t, std::uint32_t> context_of_;  // by packet; kNone: paging
  ScratchMap<std::pair<EngineId, std::uint32_t>, std::uint32_t> packet_of_;  // by fence, the latest
  ScratchSet<std::uint32_t> faulted_;                                        // packets
  ScratchVector<Fault> faults_;  // whose device is not in error yet
  ScratchMap<std::uint32_t, std::uint32_t> failed_;  // context: DeviceInError
  bool adapter_may_be_reset_ = false;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Recovery recovery(trace, judgement);
  in_order_of_calls<ev::ContextCreated, ev::RootSet, ev::PageFaultReported, ev::DeviceInError,
                    ev::EngineReset, ev::AdapterReset, ev::DeviceStarted>(
      trace, [&](std::uint32_t index) { recovery.read(index); });
}

NotApplicable engine_resets(const Platform& platform) {
  if (const NotApplicable reason = virtual_rendering(platform)) return reason;
  return needs(platform, DdiId::ResetEngine);
}

const Rule kRule{
    .id = "MMU-018",
    .title = "A page fault puts its own device in error, and no other",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "On a page fault of a packet Windows resets its engine and puts the device in error that "
        "has submitted it: nothing of that context comes again. Other devices, also those of the "
        "same process, go on. The adapter is reset only where the engine's reset does not do, or "
        "where the driver asks for it.",
    .sources =
        "gpummu-model.md # access to an invalid range\n"
        "access-to-non-resident-allocation.md",
    .note =
        "That contexts without fault keep their page tables in the driver is MMU-015, that the "
        "adapter is reset where the engine's reset does not do ENGRST-005.",
    .applies = engine_resets,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::NoEngineResets},
    .scenario = R"(
about: one process faults, and so does one of two devices of another; all other devices go on
ops:
- create_context: {context: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_device: {device: 2, process: 1}
- create_context: {context: 3, device: 2}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, device: 1, place: local}
- create_allocation: {allocation: 3, device: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- make_resident: {allocation: 3}
- free_address: {allocation: 1}
- free_address: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 64, value: 0x11223344}
- idle
- render: {context: 3}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x99aabbcc}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
# Where the engine cannot be reset alone, all that is gone: what is new goes on.
- create_device: {device: 3}
- create_context: {context: 4, device: 3}
- create_allocation: {allocation: 4, device: 3, place: local}
- make_resident: {allocation: 4}
- render: {context: 4}
- bind: {slot: 1, allocation: 4}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x13572468}
- idle
)",
    .control = R"(
about: both devices of a process fault, each by itself
ops:
- create_context: {context: 1}
- create_device: {device: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, device: 1, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- free_address: {allocation: 1}
- free_address: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 64, value: 0x11223344}
- idle
)",
    .fault = {.about = "a page fault puts all devices in error",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::AllInError}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_018
