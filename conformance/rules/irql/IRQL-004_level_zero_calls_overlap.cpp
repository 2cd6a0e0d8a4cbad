// IRQL-004: level-zero DDIs are re-entrant, and run beside what the scheduler calls.

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/irql/running_calls.h"
#include "conformance/rules/out_of_memory.h"
#include "conformance/rules/refused_inside.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/withheld_data.h"
#include "reference/is_any_of.h"

namespace wddm::irql_004 {
namespace {

// A call that has not returned.
struct Call {
  std::uint32_t entered;  ///< event
  std::uint32_t beside;   ///< event of another thread's call that it has met, or kNone
  std::uint16_t thread;
  DdiId ddi;
};

// What is asked for within the documents here; hostile input to Render is judged elsewhere. Of
// questions every driver knows one.
bool judged(const ev::DdiReturned& call) {
  const auto ddi = static_cast<DdiId>(call.ddi);
  if (ddi == DdiId::QueryAdapterInfo) return call.object == DXGKQAITYPE_DRIVERCAPS;
  return is_any_of(ddi, DdiId::CreateDevice, DdiId::DestroyDevice, DdiId::CreateContext,
                   DdiId::DestroyContext, DdiId::CreateAllocation, DdiId::OpenAllocation,
                   DdiId::CloseAllocation, DdiId::DestroyAllocation);
}

// Which of those that have begun it meets.
void enter(RunningCalls<Call>& running, std::uint32_t index, std::uint16_t thread, DdiId ddi) {
  Call call{index, kNone, thread, ddi};
  for (Call& other : running) {
    if (other.thread == thread) continue;  // an interrupt, or a call inside a callback
    call.beside = other.entered;
    other.beside = index;
  }
  running.enter(call);
}

// What user mode would say of an object in private data that nobody has: a driver may refuse it.
bool lacks_data(const Trace& trace, const Platform& platform, DdiId ddi) {
  if (ddi == DdiId::CreateContext) return !platform.has_client || withholds_data(trace);
  return !platform.has_client && is_any_of(ddi, DdiId::CreateAllocation, DdiId::OpenAllocation);
}

void judge_return(const Trace& trace, const Platform& platform, std::uint32_t index,
                  const Call& call, Judgement& judgement) {
  const auto returned = trace.at<ev::DdiReturned>(index);
  if (call.beside == kNone || !judged(returned)) return;
  judgement.reached(index);
  if (NT_SUCCESS(static_cast<NTSTATUS>(returned.status))) return;
  if (is_out_of_memory(returned.status) || lacks_data(trace, platform, call.ddi)) return;
  if (was_refused_inside(trace, call.entered, index, call.thread)) return;
  const auto met = trace.at<ev::DdiEntered>(call.beside);
  judgement.fail(index,
                 std::string(ddi_name(returned.ddi)) + " succeeds beside " + ddi_name(met.ddi) +
                     " of another thread",
                 "it returned " + status_name(returned.status), {call.entered, call.beside});
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  RunningCalls<Call> running;
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::DdiEntered, ev::DdiReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      if (fails_on_purpose(Trace::as<ev::OpStarted>(event).kind)) return;
    } else if (event.kind == EventKind::DdiEntered) {
      enter(running, index, event.thread, static_cast<DdiId>(Trace::as<ev::DdiEntered>(event).ddi));
    } else {
      const auto ddi = static_cast<DdiId>(Trace::as<ev::DdiReturned>(event).ddi);
      if (const auto call = running.leave(event.thread, ddi)) {
        judge_return(trace, platform, index, *call, judgement);
      }
    }
  }
}

// A driver that is in use while somebody is in it.
class OneAtATime final : public Interposer {
 public:
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    return alone([&] { return Interposer::CreateAllocation(adapter, create); });
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    return alone([&] { return Interposer::CreateContext(device, create); });
  }
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    return alone([&] { return Interposer::QueryAdapterInfo(adapter, query); });
  }

 private:
  template <class Call>
  NTSTATUS alone(Call&& call) {
    if (inside_) return STATUS_DEVICE_BUSY;
    inside_ = true;
    const NTSTATUS status = call();
    inside_ = false;
    return status;
  }
  bool inside_ = false;
};

// Which of two is where in Render when the other comes is a matter of luck: several tries.
#define RENDER_BESIDE(seed)                 \
  "- neighbour: {rounds: 6, seed: " #seed   \
  "}\n"                                     \
  "- render: {context: 0}\n"                \
  "- bind: {slot: 0, allocation: 0}\n"      \
  "- fill: {slot: 0, value: 0x313233" #seed \
  "}\n"                                     \
  "- idle\n"

const Rule kRule{
    .id = "IRQL-004",
    .title = "Level-zero DDIs are re-entrant and run beside the scheduler",
    .rule =
        "DDIs of threading level zero (CreateDevice, CreateContext, CreateAllocation, Render, "
        "QueryAdapterInfo ...) may run on threads of several processes at once, and beside a call "
        "of the GPU scheduler: each does what it does alone.",
    .sources =
        "threading-and-synchronization-zero-level.md\n"
        "threading-and-synchronization-first-level.md\n"
        "threading-and-synchronization-model-of-display-miniport-driver.md",
    .note =
        "Judged are the calls that make and end objects, and the question for capabilities, by "
        "their status. What unguarded data come to shows as a crash, a finding of the kernel, or "
        "in other clauses. Threads of one "
        "process are never in a driver at once.",
    .applies = needs_caps,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: contexts and allocations are made, and commands translated, while another process has its own, and while work runs
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0, pages: 2, place: local}
- neighbour: {rounds: 6, seed: 1}
- create_allocation: {allocation: 1, pages: 2}
- neighbour: {rounds: 6, seed: 2}
- create_allocation: {allocation: 2, pages: 2}
- neighbour: {rounds: 6, seed: 3}
- create_context: {context: 1}
- neighbour: {rounds: 6, seed: 4}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x21222324}
- neighbour: {rounds: 6, seed: 5}
- idle
- neighbour: {rounds: 6, seed: 6}
- evict: {allocation: 0}
- neighbour: {rounds: 6, seed: 7}
- destroy_allocation: {allocation: 1}
- neighbour: {rounds: 6, seed: 8}
- destroy_context: {context: 1}
- idle
)" RENDER_BESIDE(10) RENDER_BESIDE(11) RENDER_BESIDE(12) RENDER_BESIDE(13) RENDER_BESIDE(14)
        RENDER_BESIDE(15) RENDER_BESIDE(16) RENDER_BESIDE(17),
    .control = R"(
about: one after the other
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0, pages: 2, place: local}
- create_allocation: {allocation: 1, pages: 2}
- idle
)",
    .fault = {.about = "whoever comes while another is inside is told that the device is busy",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneAtATime); },
              .also_fires = "LIFE-006 LIFE-010"}};

#undef RENDER_BESIDE

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::irql_004
