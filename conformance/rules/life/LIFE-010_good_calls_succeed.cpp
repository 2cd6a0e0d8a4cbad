// LIFE-010: what is asked for within the documents is done, as long as nothing fails.

#include <array>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/makes_contexts.h"
#include "conformance/rules/out_of_memory.h"
#include "conformance/rules/present/presented.h"
#include "conformance/rules/render/asked_by_contexts.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/withheld_data.h"
#include "reference/is_any_of.h"
#include "reference/trace/names.h"

namespace wddm::life_010 {
namespace {

constexpr std::uint32_t kSystemContext = 1;  // DXGK_CREATECONTEXTFLAGS

bool makes_object(DdiId ddi) {
  return ddi == DdiId::CreateDevice || ddi == DdiId::CreateContext || ddi == DdiId::CreateProcess ||
         ddi == DdiId::CreateAllocation || ddi == DdiId::OpenAllocation;
}

bool is_of_allocations(DdiId ddi) {
  return ddi == DdiId::CloseAllocation || ddi == DdiId::DestroyAllocation;
}
bool ends_object(DdiId ddi) {
  return is_of_allocations(ddi) || is_any_of(ddi, DdiId::DestroyContext, DdiId::DestroyDevice,
                                             DdiId::StopDevice, DdiId::RemoveDevice);
}

// Devices or processes: how many there are, and have been at once beside how many objects.
struct Crowd {
  std::uint32_t now = 0, most = 0, among = 0;
  void comes(std::uint32_t objects) {
    if (++now <= most) return;
    most = now;
    among = objects;
  }
  void goes() { now -= now != 0 ? 1 : 0; }
  /// Whether one more would be no more than there have been.
  [[nodiscard]] bool has_room(std::uint32_t objects) const { return now < most && objects < among; }
};

class GoodCalls {
 public:
  GoodCalls(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace),
        has_client_(platform.has_client),
        has_contexts_(makes_contexts(platform)),
        presents_(present::presents_of(trace)),
        judgement_(judgement) {}

  void on(std::uint32_t index, const ev::DdiReturned& call) {
    const auto ddi = static_cast<DdiId>(call.ddi);
    if (NT_SUCCESS(static_cast<NTSTATUS>(call.status))) count_end(ddi);
    if (ends_object(ddi)) return on_end(index, call);
    if (!makes_object(ddi)) return;
    bool& made = made_[call.ddi];
    if (NT_SUCCESS(static_cast<NTSTATUS>(call.status))) {
      made = true;
      if (ddi != DdiId::CreateAllocation && ddi != DdiId::OpenAllocation) {
        crowd_of(ddi).comes(++objects_);
      }
      judgement_.reached(index);
      return;
    }
    // Hardware may have room for so many, and sizes that it does not take; not for one, nor for as
    // many as it has had before.
    const bool has_had_as_many = is_any_of(ddi, DdiId::CreateDevice, DdiId::CreateProcess) &&
                                 crowd_of(ddi).has_room(objects_);
    const bool may_be_too_much =
        (is_out_of_memory(call.status) && !has_had_as_many) || ddi == DdiId::CreateAllocation;
    if (failed_inside() || (made && may_be_too_much)) return;
    // Without a client the private data that a driver expects of user mode are missing.
    if (!has_client_ && (ddi == DdiId::CreateContext || ddi == DdiId::CreateAllocation)) return;
    if (ddi == DdiId::CreateContext && withholds_data(trace_)) return;
    // The first allocation of a run is one page of our own, which is asked for in another place
    // where it cannot have the one.
    if (ddi != DdiId::CreateAllocation) return fail(index, call.ddi, call.status);
    if (refused_ != kNone) return;
    refused_ = index;
    refusal_ = call.status;
  }
  void ended() {
    constexpr auto kCreate = static_cast<std::uint32_t>(DdiId::CreateAllocation);
    if (refused_ != kNone && !made_[kCreate]) fail(refused_, kCreate, refusal_);
  }

  /// Contexts of the system have no data of user mode anyway.
  void on(std::uint32_t index, const ev::ContextCreated& context) {
    if (NT_SUCCESS(static_cast<NTSTATUS>(context.status)) || failed_inside()) return;
    if (has_client_ || (context.flags & kSystemContext) == 0) return;
    constexpr auto kCreate = static_cast<std::uint32_t>(DdiId::CreateContext);
    if (made_[kCreate] && is_out_of_memory(context.status)) return;
    fail(index, kCreate, context.status);
  }

  // What Present may refuse is PRESENT-004.
  void on(std::uint32_t index, const ev::Rendered& call) {
    if (call.hostile != 0 || failed_inside() || presents_.contains(call.render)) return;
    if (render::made_output(call.status)) return judgement_.reached(index);
    // Where user mode has nothing to say, some have no command for that: what is empty is less than
    // a driver may expect.
    if (empty_.contains(call.render)) return;
    // A device without contexts may have the guaranteed contract: what does not fit is refused.
    if (is_out_of_memory(call.status) || !has_contexts_ || asked_.more_than(call)) return;
    judgement_.fail(index, "Render translates what the driver's own user-mode half has built",
                    "it returned " + status_name(call.status));
  }

  // Of nodes and engines that there are.
  void on(std::uint32_t index, const ev::FenceQueried& query) {
    judgement_.reached(index);
    if (NT_SUCCESS(static_cast<NTSTATUS>(query.status)) || is_out_of_memory(query.status)) return;
    judgement_.fail(index, "QueryCurrentFence tells the fence of an engine that there is",
                    "it returned " + status_name(query.status));
  }

  // What has started once starts again, wherever the device lies. What it is asked for must be the
  // same, and hardware that came to no end may be beyond help.
  void on(std::uint32_t index, const ev::DeviceStarted& start) {
    if (NT_SUCCESS(static_cast<NTSTATUS>(start.status))) {
      judgement_.reached(index);
      started_.insert(start.physical_adapter);
      return;
    }
    if (excused_ || is_out_of_memory(start.status)) return;
    if (!started_.contains(start.physical_adapter)) return;
    judgement_.fail(index, "StartDevice succeeds, as it did before",
                    "it returned " + status_name(start.status));
  }
  void excuse_starts() { excused_ = true; }
  void excuse_ends() { ends_excused_ = true; }

  // Without them nothing is known of the driver, and no other clause applies to it.
  void on(std::uint32_t index, const ev::CapsReported& caps) {
    judgement_.reached(index);
    if (NT_SUCCESS(static_cast<NTSTATUS>(caps.status)) || is_out_of_memory(caps.status)) return;
    judgement_.fail(index, "DXGK_DRIVERCAPS from QueryAdapterInfo",
                    "it returned " + status_name(caps.status));
  }

  void follow(const Trace& trace, std::uint32_t index) { asked_.follow(trace, index); }
  void on(const ev::RenderCalled& called) {
    if (called.command_bytes == 0) empty_.insert(called.render);
  }
  /// What is told next happens in this thread: others may enter the driver meanwhile.
  void in(std::uint16_t thread) { thread_ = thread; }
  void entered() { before_[thread_] = failed_; }
  void on(const ev::CallbackCalled& called) {
    failed_ += !NT_SUCCESS(static_cast<NTSTATUS>(called.result));
  }

 private:
  // What was made ends. Of a resource whose allocations go in parts a driver may have thought
  // otherwise: those are told as of no allocation.
  void on_end(std::uint32_t index, const ev::DdiReturned& call) {
    if (call.object == kNone && is_of_allocations(static_cast<DdiId>(call.ddi))) return;
    if (NT_SUCCESS(static_cast<NTSTATUS>(call.status))) return judgement_.reached(index);
    if (ends_excused_ || failed_inside() || is_out_of_memory(call.status)) return;
    fail(index, call.ddi, call.status);
  }
  // A driver may call back from a thread of its own that the call waits for.
  [[nodiscard]] bool failed_inside() { return failed_ != before_[thread_]; }
  void fail(std::uint32_t index, std::uint32_t ddi, std::uint32_t status) {
    judgement_.fail(index, std::string(ddi_name(ddi)) + " succeeds: nothing that it needs failed",
                    "it returned " + status_name(status));
  }

  void count_end(DdiId ddi) {
    if (ddi == DdiId::StopDevice) crowds_ = {}, objects_ = 0;
    if (ddi == DdiId::DestroyDevice) crowd_of(DdiId::CreateDevice).goes();
    if (ddi == DdiId::DestroyProcess) crowd_of(DdiId::CreateProcess).goes();
    const bool ends_one =
        is_any_of(ddi, DdiId::DestroyContext, DdiId::DestroyDevice, DdiId::DestroyProcess);
    if (ends_one && objects_ != 0) --objects_;
  }
  [[nodiscard]] Crowd& crowd_of(DdiId ddi) { return crowds_[static_cast<std::uint32_t>(ddi)]; }

  const Trace& trace_;
  bool has_client_;
  bool has_contexts_;
  ScratchMap<std::uint32_t, std::uint32_t> presents_;
  render::AskedByContexts asked_;
  Judgement& judgement_;
  std::array<bool, kDdis> made_{};  // some object of its kind
  std::array<Crowd, kDdis> crowds_{};
  std::uint32_t objects_ = 0;  // processes, devices and contexts
  std::uint16_t thread_ = 0;
  std::uint32_t failed_ = 0;                         // callbacks
  ScratchMap<std::uint16_t, std::uint32_t> before_;  // ... until a call began, by thread
  ScratchSet<std::uint32_t> started_;                // GPUs of a link
  ScratchSet<std::uint32_t> empty_;                  // renders of no bytes
  bool excused_ = false;                             // what StartDevice returns from here on
  bool ends_excused_ = false;                        // what functions that end something return
  std::uint32_t refused_ = kNone;                    // the first allocation that was
  std::uint32_t refusal_ = 0;                        // its status
};

// What fails by the scenario's wish.
bool disturbed(const Trace& trace) {
  for (const std::uint32_t index : trace.of<ev::OpStarted>()) {
    if (fails_on_purpose(trace.at<ev::OpStarted>(index).kind)) return true;
  }
  return false;
}

bool may_hinder_starts(const Event& event) {
  if (event.kind == EventKind::Stuck || event.kind == EventKind::AdapterReset) return true;
  return event.kind == EventKind::OpStarted &&
         Trace::as<ev::OpStarted>(event).kind == static_cast<std::uint32_t>(OpKind::AnnounceQueue);
}

// Hardware that came to no end, or is not there any more, may be more than a driver can bring to an
// end.
bool may_hinder_ends(const Event& event) {
  return event.kind == EventKind::Stuck || event.kind == EventKind::AdapterReset ||
         event.kind == EventKind::SurpriseRemoved;
}

// Statuses by which a driver says that user mode has done something wrong.
bool blames_user_mode(std::uint32_t status) {
  return is_any_of(static_cast<NTSTATUS>(status), STATUS_INVALID_USER_BUFFER,
                   STATUS_INVALID_PARAMETER, STATUS_PRIVILEGED_INSTRUCTION,
                   STATUS_ILLEGAL_INSTRUCTION);
}

// Where calls were made to fail, of Render alone: in a context whose commands it has translated,
// once a call has come behind the failure, which is the one that it may have been for.
void check_behind_failures(const Trace& trace, Judgement& judgement) {
  const auto presents = present::presents_of(trace);
  render::AskedByContexts asked;
  ScratchSet<std::uint32_t> translated;  // contexts
  bool called = false;                   // Render, since calls were made to fail
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::ContextCreated, ev::RenderCalled, ev::Rendered>()) {
    const Event& event = trace.events()[index];
    asked.follow(trace, index);
    if (event.kind == EventKind::OpStarted) {
      if (fails_on_purpose(Trace::as<ev::OpStarted>(event).kind)) called = false;
    } else if (event.kind == EventKind::ContextCreated) {
      translated.erase(trace.at<ev::ContextCreated>(index).context);
    } else if (event.kind == EventKind::Rendered) {
      const auto call = Trace::as<ev::Rendered>(event);
      if (presents.contains(call.render)) continue;
      const bool behind = std::exchange(called, true);
      const std::uint32_t context = asked.context_of(call);
      if (context == kNone || call.hostile != 0) continue;
      if (render::made_output(call.status)) {
        translated.insert(context);
        if (behind) judgement.reached(index);
        continue;
      }
      const bool may_refuse = !behind || !translated.contains(context) ||
                              !blames_user_mode(call.status) || asked.more_than(call);
      if (may_refuse) continue;
      judgement.fail(index, "Render goes on translating what it has translated before",
                     "behind a call that failed it returned " + status_name(call.status));
    }
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (disturbed(trace)) return check_behind_failures(trace, judgement);
  GoodCalls calls(trace, platform, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::DdiReturned, ev::ContextCreated, ev::RenderCalled,
                    ev::Rendered, ev::CallbackCalled, ev::CapsReported, ev::FenceQueried,
                    ev::DeviceStarted, ev::Stuck, ev::AdapterReset, ev::SurpriseRemoved,
                    ev::OpStarted>()) {
    const Event& event = trace.events()[index];
    calls.in(event.thread);
    calls.follow(trace, index);
    if (event.kind == EventKind::DdiEntered) calls.entered();
    if (event.kind == EventKind::DdiReturned) calls.on(index, Trace::as<ev::DdiReturned>(event));
    if (event.kind == EventKind::ContextCreated) {
      calls.on(index, trace.at<ev::ContextCreated>(index));
    }
    if (event.kind == EventKind::RenderCalled) calls.on(Trace::as<ev::RenderCalled>(event));
    if (event.kind == EventKind::Rendered) calls.on(index, Trace::as<ev::Rendered>(event));
    if (event.kind == EventKind::CapsReported) calls.on(index, trace.at<ev::CapsReported>(index));
    if (event.kind == EventKind::FenceQueried) calls.on(index, Trace::as<ev::FenceQueried>(event));
    if (event.kind == EventKind::DeviceStarted) calls.on(index, trace.at<ev::DeviceStarted>(index));
    if (may_hinder_starts(event)) calls.excuse_starts();
    if (may_hinder_ends(event)) calls.excuse_ends();
    if (event.kind == EventKind::CallbackCalled) calls.on(Trace::as<ev::CallbackCalled>(event));
  }
  calls.ended();
}

// A driver that takes its own user-mode half's private data for damaged.
class RefusesContexts final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    if (!create->Flags.SystemContext) return STATUS_INVALID_PARAMETER;
    return Interposer::CreateContext(device, create);
  }
};

// Processes come and go, more of them than a number of eight bits can tell apart.
// clang-format off
#define ANOTHER "- create_device: {device: 2, process: 1}\n- destroy_device: {device: 2}\n"
#define EIGHT(cycle) cycle cycle cycle cycle cycle cycle cycle cycle
// clang-format on

const Rule kRule{
    .id = "LIFE-010",
    .title = "Good calls succeed",
    .level = Level::Should,
    .rule =
        "A driver tells its capabilities; devices, contexts, processes and allocations that are "
        "asked for within the documents are made, Render translates what the driver's own "
        "user-mode half has built, QueryCurrentFence answers, what was made is closed and "
        "destroyed, what has started stops and is removed, and what has started once starts "
        "again with whatever resources it is given then, as long as memory can be had and no "
        "callback fails. Room for so many is the hardware's affair, for one it is not, "
        "nor for as many devices and processes as there have been since the start among as many "
        "objects.",
    .sources =
        "nc-d3dkmddi-dxgkddi_queryadapterinfo.md # Return value\n"
        "nc-d3dkmddi-dxgkddi_createdevice.md # Return value\n"
        "nc-d3dkmddi-dxgkddi_createcontext.md # Return value\n"
        "nc-d3dkmddi-dxgkddi_createallocation.md # Return value\n"
        "nc-d3dkmddi-dxgkddi_closeallocation.md # Return value\n"
        "nc-d3dkmddi-dxgkddi_destroyallocation.md # Return value\n"
        "nc-d3dkmddi-dxgkddi_destroycontext.md # Return value\n"
        "nc-d3dkmddi-dxgkddi_destroydevice.md # Return value\n"
        "nc-d3dkmddi-dxgkddi_render.md # Return value\n"
        "nc-d3dkmddi-dxgkddi_querycurrentfence.md # Return value\n"
        "nc-dispmprt-dxgkddi_start_device.md # Return value, Remarks\n"
        "nc-dispmprt-dxgkddi_stop_device.md # Return value\n"
        "nc-dispmprt-dxgkddi_remove_device.md # Return value\n"
        "plug-and-play--pnp--start-and-stop-cases.md\n"
        "stopping-a-device.md # Stopping a Device to Rebalance Resources",
    .note =
        "No page says it in these words; each names the reasons for which its call may fail. A "
        "driver that refuses everything would pass every other clause, as nothing comes to be "
        "judged. Allocations that follow another may be refused for their size, and without a "
        "client "
        "both they and contexts of user mode for their private data, which no user-mode half has "
        "made. Render may refuse to begin in a buffer that is smaller than its context has asked "
        "for, and a command buffer of no bytes, which is less than it may expect. Where scenarios "
        "make calls fail, Render alone is judged: in contexts that have had something translated, "
        "it "
        "does not take their commands for wrong once that is over.",
    .applies = always,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: one of each, and the same when the device lies elsewhere; then one process after the other
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0, pages: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- rebalance
- create_context: {context: 0}
- create_allocation: {allocation: 0, pages: 1, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)" EIGHT(EIGHT(ANOTHER ANOTHER ANOTHER ANOTHER)) EIGHT(ANOTHER),
    .control = R"(
about: no memory for a context, nor while things come to their end; then good calls again
ops:
- start
- fail_pool: {kth: 1, every: true}
- create_context: {context: 0}
- idle
- create_context: {context: 0}
- create_allocation: {allocation: 0, pages: 2}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 1, device: 1, pages: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 1}
- spin: {units: 2}
- idle
- fail_pool: {kth: 1, every: true}
- destroy_context: {context: 0}
- fail_pool: {kth: 1, every: true}
- destroy_allocation: {allocation: 0}
- fail_pool: {kth: 1, every: true}
- destroy_device: {device: 1}
- create_context: {context: 0}
- create_allocation: {allocation: 0, pages: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- fail_pool: {kth: 1, every: true}
- stop
- start
- each_node
)",
    .fault = {.about = "CreateContext refuses every context",
              .interposer = [] { return std::unique_ptr<Interposer>(new RefusesContexts); }}};

#undef EIGHT
#undef ANOTHER

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_010
