// CTX-013: private data of contexts come from user mode, and a context that is refused leaves
// nothing.

#include <algorithm>
#include <utility>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/makes_contexts.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/op.h"

namespace wddm::ctx_013 {
namespace {

bool succeeded(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

bool creates_context(std::uint32_t ddi) {
  return static_cast<DdiId>(ddi) == DdiId::CreateContext;
}

std::string blocks(std::int32_t count, const char* of) {
  return std::to_string(count) + (count == 1 ? " block of " : " blocks of ") + of;
}

// With a neighbour in the driver memory changes for other reasons too.
void judge_tried(const ev::HostileDataTried& tried, std::uint32_t index, bool alone,
                 Judgement& judgement) {
  judgement.reached(index);
  const auto with_data = [&tried] {
    return ", with " + std::to_string(tried.given) + " of " + std::to_string(tried.whole) +
           " bytes of private data";
  };
  if (tried.damaged != 0) {
    judgement.fail(index, "nothing is written behind the private data",
                   std::to_string(tried.damaged) + " bytes are" + with_data());
  } else if (!alone || succeeded(tried.status)) {
    return;
  } else if (tried.left_blocks > 0) {
    judgement.fail(index, "a context that is refused leaves nothing",
                   blocks(tried.left_blocks, "pool") + with_data());
  } else if (tried.left_contiguous > 0) {
    judgement.fail(index, "a context that is refused leaves nothing",
                   blocks(tried.left_contiguous, "contiguous memory") + with_data());
  }
}

void check_data(const Trace& trace, Judgement& judgement) {
  bool trying = false, alone = true;
  bool created = false;          // the first call of an op is one with untouched data
  std::uint32_t called = kNone;  // a later one that has not returned
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::DdiEntered, ev::DdiReturned,
                                                ev::HostileDataTried, ev::Hung>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      const auto op = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
      trying = op == OpKind::HostileData;
      alone = alone && op != OpKind::Neighbour;
      created = false;
    } else if (event.kind == EventKind::DdiEntered) {
      if (!trying || !creates_context(Trace::as<ev::DdiEntered>(event).ddi)) continue;
      if (std::exchange(created, true)) called = index;
    } else if (event.kind == EventKind::HostileDataTried) {
      const auto tried = Trace::as<ev::HostileDataTried>(event);
      if (static_cast<DataOf>(tried.data) == DataOf::Context) {
        judge_tried(tried, index, alone, judgement);
      }
    } else {
      called = kNone;  // it returned, or waits: waiting is no fault
    }
  }
  // A crash ends the process, and the trace with it.
  if (called == kNone || trace.truncated()) return;
  judgement.reached(called);
  judgement.fail(called, "the call refuses private data that it cannot use", "it did not return");
}

// Context allocations that were made in a call of CreateContext for the context, and what of them
// was destroyed in it. One that is shared is the device's, and may stay.
struct Call {
  std::uint32_t made = 0, destroyed = 0;
  std::uint32_t last = kNone;  // event
};

void judge_call(const Call& call, std::uint32_t returned, Judgement& judgement) {
  if (call.made == 0) return;
  judgement.reached(returned);
  if (call.destroyed >= call.made) return;
  judgement.fail(returned, "context allocations of a context that is refused are destroyed",
                 std::to_string(call.made - call.destroyed) + " of " + std::to_string(call.made) +
                     " are left when CreateContext has failed",
                 {call.last});
}

void check_allocations(const Trace& trace, Judgement& judgement) {
  constexpr auto kDestroy = static_cast<std::uint32_t>(CallbackId::DestroyContextAllocation);
  ScratchMap<std::uint16_t, Call> inside;  // by thread
  for (const std::uint32_t index : trace.of_any<ev::DdiEntered, ev::DdiReturned,
                                                ev::ContextAllocationMade, ev::CallbackCalled>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      if (creates_context(Trace::as<ev::DdiEntered>(event).ddi)) inside[event.thread] = {};
      continue;
    }
    const auto found = inside.find(event.thread);
    if (found == inside.end()) continue;
    Call& call = found->second;
    if (event.kind == EventKind::ContextAllocationMade) {
      const auto made = trace.at<ev::ContextAllocationMade>(index);
      if (!succeeded(made.status) || made.context == kNone) continue;
      ++call.made;
      call.last = index;
    } else if (event.kind == EventKind::CallbackCalled) {
      const auto called = Trace::as<ev::CallbackCalled>(event);
      if (called.callback == kDestroy && succeeded(called.result)) ++call.destroyed;
    } else if (creates_context(Trace::as<ev::DdiReturned>(event).ddi)) {
      if (!succeeded(Trace::as<ev::DdiReturned>(event).status)) judge_call(call, index, judgement);
      inside.erase(event.thread);
    }
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_data(trace, judgement);
  check_allocations(trace, judgement);
}

NotApplicable making_contexts(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!makes_contexts(platform)) return "the driver has no contexts";
  if (!platform.has_client) return "no client: contexts have no private data";
  if (const NotApplicable reason = needs(platform, DdiId::CreateContext)) return reason;
  return needs(platform, DdiId::DestroyContext);
}

// A driver that looks at private data when all else of the context is there.
class LooksLast final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    DXGKARG_CREATECONTEXT altered = *create;
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status)) {
      const auto* const bytes = static_cast<const UCHAR*>(create->pPrivateDriverData);
      if (create->PrivateDriverDataSize != 0) {
        good_.assign(bytes, bytes + create->PrivateDriverDataSize);
      }
      return status;
    }
    altered.pPrivateDriverData = good_.data();
    altered.PrivateDriverDataSize = static_cast<UINT>(good_.size());
    static_cast<void>(Interposer::CreateContext(device, &altered));
    return status;
  }

 private:
  std::vector<UCHAR> good_;
};

const Rule kRule{
    .id = "CTX-013",
    .title = "A context that is refused leaves nothing",
    .level = Level::Should,
    .grade = Grade::Robustness,
    .rule =
        "Private data of a context come from user mode: a size or a value that the driver cannot "
        "use makes CreateContext return an error, and nothing is read or written behind them. "
        "DestroyContext is not called for a context that was refused, so that CreateContext itself "
        "gives back pool, contiguous memory and context allocations that it has taken for it.",
    .sources =
        "nc-d3dkmddi-dxgkddi_createcontext.md # Return value, Remarks\n"
        "ns-d3dkmddi-_dxgkarg_createcontext.md # pPrivateDriverData\n"
        "nc-d3dkmddi-dxgkcb_destroycontextallocation.md",
    .note =
        "The pages list the statuses and lay down no duty to look, hence should. A driver that "
        "does not need what is missing may succeed, and so may one whose user mode has none and "
        "which is handed some; which error it returns is not judged. Where "
        "memory is short or a callback fails, leaks show when the driver is unloaded; what "
        "such a call has taken from contexts that live shows by their work.",
    .unreached = "its user mode makes no contexts",
    .applies = making_contexts,
    .check = check,
    .played_in = {Configured::Default, Configured::GpuVirtual, Configured::ContextAllocations},
    .scenario = R"(
about: private data that are altered, short, or not there at all; contexts, devices and processes that find no memory, beside others that work
ops:
- create_device: {device: 4, process: 4}
- create_context: {context: 5, device: 4}
- create_allocation: {allocation: 1, place: local, device: 4}
- render: {context: 5}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, value: 0x11121314}
- idle
- hostile_data: {data: context, change: true}
- hostile_data: {data: context, change: true, offset: 4}
- hostile_data: {data: context, change: true, offset: 8}
- hostile_data: {data: context, change: true, offset: 12}
- hostile_data: {data: context, cut: 1}
- hostile_data: {data: context, cut: 8}
- hostile_data: {data: context, cut: 65536}
- fail_pool: {kth: 1}
- create_context: {context: 1}
- fail_pool: {kth: 2}
- create_context: {context: 2}
- fail_callback: {callback: CreateContextAllocation}
- create_context: {context: 3}
- fail_callback: {callback: MapContextAllocation}
- create_context: {context: 4}
- fail_pool: {kth: 1}
- create_device: {device: 1, process: 1}
- fail_pool: {kth: 2}
- create_device: {device: 2, process: 2}
- fail_pool: {kth: 3}
- create_device: {device: 3, process: 3}
- create_context: {context: 6}
- create_allocation: {allocation: 0, place: local}
- render: {context: 6}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x21222324}
- render: {context: 5}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, size: 256, value: 0x31323334}
- idle
- unload
)",
    .control = R"(
about: private data as the client made them, and by one bit others; then work behind contexts, devices and processes that failed
ops:
- hostile_data: {data: context}
- hostile_data: {data: context, change: true, offset: 16}
- hostile_data: {data: context, change: true, offset: 20}
- hostile_data: {data: context, change: true, offset: 24}
- hostile_data: {data: context, change: true, offset: 28}
- hostile_data: {data: context, change: true, flip: true, value: 0x00000001}
- hostile_data: {data: context, change: true, flip: true, offset: 4, value: 0x00000001}
- hostile_data: {data: context, change: true, flip: true, offset: 8, value: 0x00000001}
- hostile_data: {data: context, change: true, flip: true, offset: 12, value: 0x00000001}
- hostile_data: {data: context, change: true, flip: true, offset: 16, value: 0x00000001}
- hostile_data: {data: context, change: true, flip: true, offset: 20, value: 0x00000001}
- hostile_data: {data: context, change: true, flip: true, offset: 24, value: 0x00000001}
- hostile_data: {data: context, change: true, flip: true, offset: 28, value: 0x00000001}
# Contexts to which a callback fails go before they have worked; others of theirs, and of a process
# and a device that found no memory at first, come behind them, and once more in another start.
- fail_callback: {callback: CreateContextAllocation}
- create_context: {context: 1}
- fail_callback: {callback: CreateContextAllocation, kth: 2}
- create_context: {context: 2}
- fail_callback: {callback: MapContextAllocation}
- create_context: {context: 3}
- create_context: {context: 4}
- fail_callback: {callback: UpdateContextAllocation, every: true}
- idle
- destroy_context: {context: 1}
- destroy_context: {context: 2}
- destroy_context: {context: 3}
- destroy_context: {context: 4}
- fail_pool: {kth: 1}
- create_device: {device: 1, process: 1}
- fail_pool: {kth: 2}
- create_device: {device: 1, process: 1}
- fail_pool: {kth: 3}
- create_device: {device: 1, process: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, device: 1, place: local}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, size: 4096, value: 0x11121314}
- render: {context: 2}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, size: 256, value: 0x21222324}
- idle
- stop
- start
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 1, device: 1, place: local}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, size: 4096, value: 0x31323334}
- idle
- unload
)",
    .fault = {.about = "the context is made before its private data are looked at, and stays",
              .interposer = [] { return std::unique_ptr<Interposer>(new LooksLast); },
              .also_fires = "NT-ObjectLeak NT-PoolLeak"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_013
