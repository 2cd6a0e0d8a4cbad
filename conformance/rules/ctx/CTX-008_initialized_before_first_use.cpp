// CTX-008: a context allocation is initialized before anything runs that uses it.

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::ctx_008 {
namespace {

class Uninitialized {
 public:
  Uninitialized(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void made(std::uint32_t index, const ev::ContextAllocationMade& made) {
    if (!NT_SUCCESS(static_cast<NTSTATUS>(made.status))) return;
    waiting_[made.number] = {made.context, made.device, index};
  }
  void written(const ev::ContextAllocationWritten& written) {
    if (written.operation != DXGK_OPERATION_INIT_CONTEXT_RESOURCE) return;
    waiting_.erase(written.number);
    ++initialized_;
  }
  // Which one was destroyed nobody says, nor whose they are that go with a context.
  void forget() { waiting_.clear(); }
  void built(const ev::BufferBuilt& buffer) { device_of_[buffer.context] = buffer.device; }
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    if (packet.paging != 0 || packet.context == kNone) return;
    const auto device = device_of_.find(packet.context);
    if (initialized_ != 0) judgement_.reached(index);
    for (const auto& [number, made] : waiting_) {
      const bool of_context = made.context == packet.context;
      const bool of_device =
          made.context == kNone && device != device_of_.end() && device->second == made.device;
      if (!of_context && !of_device) continue;
      judgement_.fail(index, "InitContextResource has run before a packet of the context",
                      "context allocation " + std::to_string(number) + " was not initialized",
                      {made.event});
    }
  }

 private:
  struct Made {
    std::uint32_t context, device, event;
  };
  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, Made> waiting_;             // by number
  ScratchMap<std::uint32_t, std::uint32_t> device_of_;  // by context
  std::uint32_t initialized_ = 0;
};

constexpr auto kDestroyed = static_cast<std::uint32_t>(CallbackId::DestroyContextAllocation);

bool ends_contexts(std::uint32_t ddi) {
  const auto id = static_cast<DdiId>(ddi);
  return id == DdiId::DestroyContext || id == DdiId::DestroyDevice || id == DdiId::StopDevice;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Uninitialized uninitialized(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::ContextAllocationMade, ev::ContextAllocationWritten, ev::BufferBuilt,
                    ev::Submitted, ev::CallbackCalled, ev::DdiEntered>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::ContextAllocationMade) {
      uninitialized.made(index, trace.at<ev::ContextAllocationMade>(index));
    } else if (event.kind == EventKind::ContextAllocationWritten) {
      uninitialized.written(trace.at<ev::ContextAllocationWritten>(index));
    } else if (event.kind == EventKind::CallbackCalled) {
      if (Trace::as<ev::CallbackCalled>(event).callback == kDestroyed) uninitialized.forget();
    } else if (event.kind == EventKind::DdiEntered) {
      if (ends_contexts(Trace::as<ev::DdiEntered>(event).ddi)) uninitialized.forget();
    } else if (event.kind == EventKind::BufferBuilt) {
      uninitialized.built(trace.at<ev::BufferBuilt>(index));
    } else {
      uninitialized.submitted(index, trace.at<ev::Submitted>(index));
    }
  }
}

const Rule kRule{
    .id = "CTX-008",
    .title = "Context allocations are initialized before their first use",
    .binds = Binds::Os,
    .rule =
        "InitContextResource is built and executed for each context allocation before the first "
        "packet of a context that uses it is submitted: of a SharedAcrossContexts one before the "
        "first packet of any context of its device.",
    .sources =
        "gpu-preemption.md # Driver implementation steps (7)\n"
        "ne-d3dkmddi-_dxgk_buildpagingbuffer_operation.md # DXGK_OPERATION_INIT_CONTEXT_RESOURCE",
    .note =
        "The documents say what the operation is for and not when it comes: that it comes "
        "first follows from that.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::ContextAllocations},
    .scenario = R"(
about: contexts of two processes, with work at once
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
)",
    .control = R"(
about: contexts that run nothing
ops:
- create_context: {context: 1}
- create_context: {context: 2}
)",
    .fault = {.about = "context allocations are resident without having been initialized",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::InitializeAfterUse,
              .also_fires = "FENCE-001 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_008
