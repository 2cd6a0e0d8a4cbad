// What VidMm does on request: in its own thread, in the order of the ops.
//
// What changes the addresses of an allocation has been done before the next op: commands are built
// with them.
#include "conformance/host/run/op_handlers.h"

namespace wddm::host::ops {

namespace {

bool changes_addresses(OpKind kind) {
  return kind == OpKind::MapAddress || kind == OpKind::FreeAddress ||
         kind == OpKind::ReserveAddress || kind == OpKind::MapRange ||
         kind == OpKind::UpdateAddress;
}

// A client gets its answer before anything else happens, while what follows from it may go on: so
// what was asked for before is done.
bool answers_a_client(OpKind kind) {
  return kind == OpKind::Require || kind == OpKind::Release || kind == OpKind::Budget ||
         kind == OpKind::TrimResidency;
}

// Between values of monitored fences: none of the requests that look at what memory holds.
bool is_interlocked(ScenarioRun& run, OpKind kind) {
  if (!run.world().vidmm.virtual_memory().active()) return false;
  if (kind == OpKind::UpdateAddress) return run.world().choices.tile_updates.fence != 0;
  return kind == OpKind::SignalFence || kind == OpKind::AwaitFence;
}

void interlock(ScenarioRun& run, const Op& op) {
  const bool hurry = run.world().choices.hurry;
  if (hurry && op.kind == OpKind::UpdateAddress && run.world().vidmm.jobs() != 0) run.idle();
  if (!run.running_or_skip(op)) return;
  if (const char* const why = run.world().vidmm.interlock(op, hurry)) run.skip(op, why);
  if (op.kind != OpKind::UpdateAddress) return;
  if (run.world().vidmm.tiles().holds(run.world().choices.tile_updates.context)) run.idle();
}

// What a client in a hurry goes ahead of; an update between values of monitored fences is one of
// those that are interlocked.
bool is_postponed(ScenarioRun& run, const Op& op) {
  if (!run.world().choices.hurry || !run.world().vidmm.virtual_memory().active()) return false;
  if (op.kind == OpKind::MapAddress) return static_cast<AddressPlace>(op.b) != AddressPlace::Same;
  return op.kind == OpKind::MakeResident;
}

// What earlier buffers reach is foretold by the addresses that they were built with.
void postpone(ScenarioRun& run, const Op& op) {
  if (op.kind != OpKind::MakeResident && run.world().vidmm.jobs() != 0) run.idle();
  if (!run.running_or_skip(op)) return;
  if (const char* const why = run.world().vidmm.postpone(op)) run.skip(op, why);
}

}  // namespace

// Every op of the domain hands on the request of its name; ops of other domains are none of ours.
#define WDDM_OF_Memory(name)                                     \
  void name(ScenarioRun& run, const Op& op) {                    \
    if (is_interlocked(run, op.kind)) return interlock(run, op); \
    if (is_postponed(run, op)) return postpone(run, op);         \
    if (answers_a_client(op.kind)) {                             \
      run.idle();                                                \
      if (!run.running_or_skip(op)) return;                      \
    }                                                            \
    run.world().vidmm.enqueue(requests::name, op);               \
    if (changes_addresses(op.kind)) run.idle();                  \
  }
#define WDDM_OF_Life(name)
#define WDDM_OF_Objects(name)
#define WDDM_OF_Rendering(name)
#define WDDM_OF_Engine(name)
#define WDDM_OF_Choices(name)
#define WDDM_OF_Anomalies(name)
#define OP(number, type, yaml, domain, ...) WDDM_OF_##domain(yaml)
#include "reference/trace/op.def"
#undef OP
#undef WDDM_OF_Anomalies
#undef WDDM_OF_Choices
#undef WDDM_OF_Engine
#undef WDDM_OF_Rendering
#undef WDDM_OF_Objects
#undef WDDM_OF_Life
#undef WDDM_OF_Memory

}  // namespace wddm::host::ops
