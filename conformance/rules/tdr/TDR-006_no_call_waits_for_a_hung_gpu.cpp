// TDR-006: no call stays in the driver because the GPU has come to a halt.
//
// When work is stuck, nothing has gone on for ten seconds, twice TdrDdiDelay: who is in the driver
// since before that op waits for the GPU. So does who is in it through an op in which the GPU gets
// no time for longer than TdrDdiDelay, while a packet is outstanding that any client can make.
//
// The scenarios advance twice before they map pages: the packet is to be with the GPU by then, and
// where an aperture shows its buffer, that is paged first.

#include <ntddk.h>

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/op.h"

namespace wddm::tdr_006 {
namespace {

constexpr std::uint32_t kDdiDelay = 5000;  // milliseconds: TdrDdiDelay

class HungGpu {
 public:
  HungGpu(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void read(std::uint32_t index) {
    const Event& event = trace_.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      inside_[event.thread] = index;
    } else if (event.kind == EventKind::DdiReturned) {
      inside_.erase(event.thread);
      if (!given_.empty()) returned_ = index;
    } else if (event.kind == EventKind::Submitted) {
      const std::uint32_t packet = trace_.at<ev::Submitted>(index).packet;
      if (early_.erase(packet) == 0) given_.insert(packet);
    } else if (event.kind == EventKind::PacketEnded) {
      ended(trace_.at<ev::PacketEnded>(index), event.op);
    } else if (event.kind == EventKind::Stuck) {
      if (trace_.at<ev::Stuck>(index).timed != 0)
        stuck(index, "it is still in the driver after ten seconds");
    } else if (event.kind == EventKind::OpStarted) {
      const auto op = static_cast<OpKind>(trace_.at<ev::OpStarted>(index).kind);
      if (op == OpKind::HoldDpcs) dpcs_wait_ = true;
      if (op == OpKind::Idle) dpcs_wait_ = false;
    } else if (event.kind == EventKind::GpuStood) {
      const bool stands = ended_in_ != event.op && !dpcs_wait_;
      if (stands && trace_.at<ev::GpuStood>(index).milliseconds >= kDdiDelay) {
        stuck(index, "it is still in the driver after more than five seconds");
      }
    } else {
      hung(index);
    }
  }

 private:
  // A driver may report a packet while it takes it. What was preempted is to come again.
  void ended(const ev::PacketEnded& packet, std::uint16_t op) {
    const bool comes_again = packet.fate == static_cast<std::uint32_t>(PacketFate::Preempted);
    if (!comes_again && given_.erase(packet.packet) == 0) early_.insert(packet.packet);
    ended_in_ = op;
    returned_ = kNone;  // the GPU goes on: who waited for it may have had what it wanted
  }
  void stuck(std::uint32_t index, const char* seen) {
    if (given_.empty()) return;
    if (returned_ != kNone) judgement_.reached(index);
    for (const auto& [thread, entered] : inside_) {
      if (trace_.events()[entered].op == trace_.events()[index].op) continue;
      if (waits_for_dxgkrnl(thread, index)) continue;
      judgement_.reached(index);
      fail(index, entered, seen);
    }
    // What is stuck is given up; behind time alone the packets go on.
    if (trace_.events()[index].kind == EventKind::Stuck) given_.clear();
    returned_ = kNone;
  }
  // DxgkCbUpdateContextAllocation pages, behind whatever the GPU is at; it is told of at its end.
  [[nodiscard]] bool waits_for_dxgkrnl(std::uint16_t thread, std::uint32_t index) const {
    const auto later = trace_.events().subspan(index + 1);
    const auto next = std::find_if(later.begin(), later.end(),
                                   [thread](const Event& event) { return event.thread == thread; });
    return next != later.end() && next->kind == EventKind::ContextAllocationUpdated;
  }
  // Nothing can run at all: the calls in progress are those that wait.
  void hung(std::uint32_t index) {
    if (given_.empty()) return;
    for (const auto& [thread, entered] : inside_) {
      judgement_.reached(index);
      fail(index, entered, "it never returns");
    }
  }
  void fail(std::uint32_t index, std::uint32_t entered, const char* seen) {
    const auto ddi = static_cast<DdiId>(trace_.at<ev::DdiEntered>(entered).ddi);
    judgement_.fail(index,
                    std::string(ddi_info(ddi).name) + " returns although the GPU does not go on",
                    seen, {entered});
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::uint16_t, std::uint32_t> inside_;  // DdiEntered, by thread
  ScratchSet<std::uint32_t> given_;                  // packets that the GPU has
  ScratchSet<std::uint32_t> early_;                  // ended before they were submitted
  bool dpcs_wait_ = false;          // maybe: who is in the driver may wait for one of them
  std::uint16_t ended_in_ = kNoOp;  // the op that a packet ended in last
  std::uint32_t returned_ = kNone;  // a call since the GPU went on last, with packets outstanding
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  HungGpu gpu(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::DdiEntered, ev::DdiReturned, ev::Submitted, ev::PacketEnded,
                    ev::Stuck, ev::GpuStood, ev::Hung>()) {
    gpu.read(index);
  }
}

// A driver that pages only when its engines have nothing to do, and looks for that.
class PagesWhenIdle final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    last_ = submit->SubmissionFenceId;
    return Interposer::SubmitCommand(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      completed_ = data->DmaCompleted.SubmissionFenceId;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
      while (completed_ != last_ && !reset_) {
        LARGE_INTEGER millisecond;
        millisecond.QuadPart = -10'000;
        KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
      }
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
  NTSTATUS ResetFromTimeout(HANDLE adapter) override {
    reset_ = true;
    return Interposer::ResetFromTimeout(adapter);
  }

 private:
  UINT last_ = 0, completed_ = 0;
  bool reset_ = false;
};

const Rule kRule{
    .id = "TDR-006",
    .title = "No call waits without bound for the GPU",
    .rule =
        "Whatever the GPU does, calls return: when it hangs, every thread that is in the driver "
        "has left it within TdrDdiDelay, five seconds where nobody has set another. Windows stops "
        "with bug check 0x116 otherwise.",
    .sources =
        "tdr-registry-keys.md # TdrDdiDelay\n"
        "bug-check-0x116---video-tdr-failure.md # Cause",
    .note =
        "The draft asked for the time from the begin of a recovery. Read as that it is the GPU "
        "which must not be waited for: judged are calls in which a driver is still when packets "
        "have not gone on for ten seconds, or the GPU for more than five, and calls that "
        "never return while packets are "
        "outstanding. Which call a driver is in by chance at a recovery is no matter then.",
    .unreached = "no packet was seen to stand still for longer than a call may take",
    .applies = submitting,
    .check = check,
    .played_in = kPatchListConfigurations |
                 ConfigurationSet{Configured::GpuVirtual, Configured::PhysicalAccess},
    .scenario = R"(
about: the GPU stands still for longer than a call may take, then a packet waits for what never comes, while other pages of an aperture are mapped
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0, place: aperture}
- make_resident: {allocation: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
- page_ahead: {on: true}
- render: {context: 0}
- spin: {units: 200}
- advance: {units: 20}
- advance: {units: 20}
- map_aperture: {page: 20, pages: 2}
- advance: {units: 20}
- create_allocation: {allocation: 1, place: local}
- stall: {milliseconds: 6000}
- idle
- render: {context: 0}
- wait: {semaphore: 7, value: 1}
- advance: {units: 20}
- advance: {units: 20}
- map_aperture: {page: 24, pages: 2}
- create_allocation: {allocation: 2, place: local}
- advance: {units: 20}
- idle
)",
    .control = R"(
about: the packet ends
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0, place: aperture}
- make_resident: {allocation: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
- page_ahead: {on: true}
- render: {context: 0}
- spin: {units: 200}
- advance: {units: 20}
- advance: {units: 20}
- map_aperture: {page: 20, pages: 2}
- idle
)",
    .fault = {.about = "MapApertureSegment waits until all packets have completed",
              .interposer = [] { return std::unique_ptr<Interposer>(new PagesWhenIdle); },
              .also_fires = "IRQL-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::tdr_006
