// CTX-002: an engine has left a context before what belongs to the context is moved.

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "reference/is_any_of.h"

namespace wddm::ctx_002 {
namespace {

class CurrentContexts {
 public:
  CurrentContexts(const Trace& trace, Judgement& judgement)
      : trace_(trace), judgement_(judgement) {}

  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    Current& now = current_[engine_of(packet)];
    if (packet.switches != 0) {
      now.leaving = packet.packet;  // it is in its context until that has completed
    } else {
      now = {.context = packet.paging == 0 ? packet.context : kNone, .submitted = index};
    }
  }
  void ended(const ev::PacketEnded& packet) {
    const auto found = current_.find(engine_of(packet));
    if (found == current_.end() || found->second.leaving != packet.packet) return;
    if (packet.fate == static_cast<std::uint32_t>(PacketFate::Completed)) found->second = {};
  }
  // The copy that takes a context allocation to its new place, or the unmap of where it was.
  void built(const ev::PagingBuilt& call) {
    if (is_any_of(call.operation, DXGK_OPERATION_VIRTUAL_TRANSFER,
                  DXGK_OPERATION_MAP_APERTURE_SEGMENT, DXGK_OPERATION_MAP_APERTURE_SEGMENT2,
                  DXGK_OPERATION_UNMAP_APERTURE_SEGMENT)) {
      at_transfer_ = current_;
    }
  }
  void moved(std::uint32_t index, const ev::ContextAllocationMoved& moved) {
    if (moved.context == kNone) return;
    judgement_.reached(index);
    for (const auto& [engine, one] : at_transfer_) {
      if (one.context != moved.context) continue;
      judgement_.fail(index, "a packet with ContextSwitch before the context's memory moves",
                      "the engine was in context " + std::to_string(one.context), {one.submitted});
    }
  }
  // Its number may be another's next; what was to be moved of it is gone.
  void destroyed(std::uint32_t context) {
    for (ByEngine* const all : {&current_, &at_transfer_}) {
      std::erase_if(*all, [&](const auto& each) { return each.second.context == context; });
    }
  }
  void lost() {
    current_.clear();
    at_transfer_.clear();
  }

 private:
  struct Current {
    std::uint32_t context = kNone;
    std::uint32_t submitted = kNone;
    std::uint32_t leaving = kNone;  // packet with ContextSwitch
  };
  using ByEngine = ScratchMap<EngineId, Current>;
  const Trace& trace_;
  Judgement& judgement_;
  ByEngine current_;
  ByEngine at_transfer_;
};

// A driver may report a packet while it takes it.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  CurrentContexts contexts(trace, judgement);
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::PacketEnded, ev::PagingBuilt, ev::ContextAllocationMoved, ev::AdapterReset,
                    ev::DdiEntered, StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      contexts.submitted(index, trace.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::PacketEnded) {
      contexts.ended(trace.at<ev::PacketEnded>(index));
    } else if (event.kind == EventKind::PagingBuilt) {
      contexts.built(trace.at<ev::PagingBuilt>(index));
    } else if (event.kind == EventKind::ContextAllocationMoved) {
      contexts.moved(index, trace.at<ev::ContextAllocationMoved>(index));
    } else if (event.kind == EventKind::DdiEntered) {
      const auto call = trace.at<ev::DdiEntered>(index);
      const bool destroys = call.ddi == static_cast<std::uint32_t>(DdiId::DestroyContext);
      if (destroys) contexts.destroyed(call.object);
    } else {
      contexts.lost();
    }
  });
}

NotApplicable moving_contexts(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  if (!platform.scheduling.preemption_aware()) {
    return "not PreemptionAware: no context is left on request";
  }
  return needs(platform, DdiId::SetRootPageTable);
}

const Rule kRule{
    .id = "CTX-002",
    .title = "An engine leaves a context before what belongs to it is moved",
    .binds = Binds::Os,
    .rule =
        "Before Dxgkrnl moves or evicts what belongs to the context that an engine is in, it "
        "submits an empty packet with ContextSwitch to that engine, and moves when that has "
        "completed.",
    .sources =
        "ns-d3dkmddi-_dxgk_submitcommandflags.md # ContextSwitch\n"
        "gpu-preemption.md # Driver implementation steps (4)",
    .note =
        "Judged of context allocations of one context. The page speaks of any resource of the "
        "context; our host does not leave a context for allocations of user mode, which no engine "
        "uses once the packets have ended that name them. Paging on the engine leaves the context "
        "too.",
    .applies = moving_contexts,
    .check = check,
    .played_in = {Configured::ContextAllocations, Configured::ContextApertures},
    .scenario = R"(
about: the memory of a context moves while an engine is in it, and while it is not
ops:
# Paging on an engine of its own, where there is one: it would leave the context by itself.
- configure: {setting: PagingNode, value: 1}
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_context: {context: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x33333333}
- idle
- move_context: {context: 1}
- idle
)",
    .control = R"(
about: the memory of a context moves that has run nothing
ops:
- create_context: {context: 1}
- move_context: {context: 1}
- idle
)",
    .fault = {.about = "the memory of a context moves while the engine is in it",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::MoveWithoutSwitch}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_002
