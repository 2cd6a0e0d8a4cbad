// CTX-010: a context allocation is resident when something of its context runs.
//
// That engines leave the context before it is moved or evicted is CTX-002.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::ctx_010 {
namespace {

class Resident {
 public:
  explicit Resident(Judgement& judgement) : judgement_(judgement) {}

  void made(const ev::ContextAllocationMade& made) {
    if (made.number != kNone) moved_.erase(made.number);
  }
  void moved(std::uint32_t index, const ev::ContextAllocationMoved& moved) {
    Moved& now = moved_[moved.number];
    const bool evicted = moved.evicted != 0;
    now = {moved.context, moved.device, index, evicted, now.was_evicted || evicted};
  }
  // Which one was destroyed nobody says, nor whose they are that go with a context.
  void forget() { moved_.clear(); }
  void built(const ev::BufferBuilt& buffer) { device_of_[buffer.context] = buffer.device; }
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    if (packet.paging != 0 || packet.switches != 0 || packet.context == kNone) return;
    for (const auto& [number, moved] : moved_) {
      if (!moved.was_evicted || !uses(packet.context, moved)) continue;
      judgement_.reached(index);
      if (!moved.evicted) continue;
      judgement_.fail(index, "the context allocation is resident before a packet of its context",
                      "context allocation " + std::to_string(number) + " is in system memory",
                      {moved.event});
    }
  }

 private:
  struct Moved {
    std::uint32_t context = kNone, device = kNone, event = kNone;
    bool evicted = false;
    bool was_evicted = false;  // at some time
  };
  [[nodiscard]] bool uses(std::uint32_t context, const Moved& moved) const {
    if (moved.context != kNone) return moved.context == context;
    const auto device = device_of_.find(context);
    return device != device_of_.end() && device->second == moved.device;
  }

  Judgement& judgement_;
  ScratchMap<std::uint32_t, Moved> moved_;              // by number: the latest move
  ScratchMap<std::uint32_t, std::uint32_t> device_of_;  // by context
};

constexpr auto kDestroyed = static_cast<std::uint32_t>(CallbackId::DestroyContextAllocation);

bool ends_contexts(std::uint32_t ddi) {
  const auto id = static_cast<DdiId>(ddi);
  return id == DdiId::DestroyContext || id == DdiId::DestroyDevice || id == DdiId::StopDevice;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (trace.of<ev::ContextAllocationMoved>().empty()) return;
  Resident resident(judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::ContextAllocationMade, ev::ContextAllocationMoved, ev::BufferBuilt,
                    ev::Submitted, ev::CallbackCalled, ev::DdiEntered>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::ContextAllocationMade) {
      resident.made(trace.at<ev::ContextAllocationMade>(index));
    } else if (event.kind == EventKind::ContextAllocationMoved) {
      resident.moved(index, trace.at<ev::ContextAllocationMoved>(index));
    } else if (event.kind == EventKind::CallbackCalled) {
      if (Trace::as<ev::CallbackCalled>(event).callback == kDestroyed) resident.forget();
    } else if (event.kind == EventKind::DdiEntered) {
      if (ends_contexts(Trace::as<ev::DdiEntered>(event).ddi)) resident.forget();
    } else if (event.kind == EventKind::BufferBuilt) {
      resident.built(trace.at<ev::BufferBuilt>(index));
    } else {
      resident.submitted(index, trace.at<ev::Submitted>(index));
    }
  }
}

NotApplicable moving_context_allocations(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return needs(platform, DdiId::SetRootPageTable);
}

const Rule kRule{
    .id = "CTX-010",
    .title = "Context allocations are resident while their context is on the GPU",
    .binds = Binds::Os,
    .rule =
        "What was evicted of a context is brought back before a packet of the context is "
        "submitted: of a SharedAcrossContexts one before a packet of any context of its device.",
    .sources =
        "nc-d3dkmddi-dxgkcb_createcontextallocation.md # Remarks\n"
        "ns-d3dkmddi-_dxgk_createcontextallocationflags.md # SharedAcrossContexts",
    .note =
        "Judged of context allocations that were evicted at some time. That one stays until an "
        "engine has been given something of another context is judged by CTX-002, for which "
        "our host evicts nothing of a context that an engine cannot be made to leave.",
    .applies = moving_context_allocations,
    .check = check,
    .played_in = {Configured::ContextAllocations, Configured::ContextApertures},
    .scenario = R"(
about: the memory of one of two contexts is evicted between its packets
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_context: {context: 1, evict: true}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
)",
    .control = R"(
about: the memory of a context is evicted that runs nothing any more
ops:
- create_context: {context: 1}
- move_context: {context: 1, evict: true}
- idle
)",
    .fault = {.about = "a packet is submitted without what was evicted of its context",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RunWithoutItsMemory,
              .also_fires = "FENCE-001 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_010
