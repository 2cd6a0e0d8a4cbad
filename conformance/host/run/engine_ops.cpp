// What happens to the engines: time, preemption, questions, and interrupts and DPCs that wait.
#include <cstddef>

#include "conformance/host/adapter/prefilled_answer.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/run/each_node.h"
#include "conformance/host/run/op_handlers.h"

namespace wddm::host::ops {
namespace {

// Dxgkrnl compares the clocks of GPU and CPU as time passes, whether or not the GPU works.
void calibrate_clocks(ScenarioRun& run) {
  const Adapter& adapter = run.world().adapter;
  if (!may_call(DdiId::CalibrateGpuClock)) return;
  for (std::uint32_t node = 0; node < adapter.nodes(); ++node) {
    DXGKARG_CALIBRATEGPUCLOCK clocks{};
    call_ddi<DdiId::CalibrateGpuClock>(node, adapter.miniport(), node, 0u, &clocks);
  }
}

}  // namespace

void advance(ScenarioRun& run, const Op& op) {
  run.advance(op.x);
  calibrate_clocks(run);
}

void idle(ScenarioRun& run, const Op&) {
  run.idle();
}

void preempt(ScenarioRun& run, const Op& op) {
  if (run.has_or_skip(op, {DdiId::PreemptCommand})) run.world().vidsch.preempt(chosen_engine(run, op.a));
}

void query_fence(ScenarioRun& run, const Op& op) {
  if (!run.has_or_skip(op, {DdiId::QueryCurrentFence})) return;
  DXGKARG_QUERYCURRENTFENCE query{};
  const EngineId engine = chosen_engine(run, op.a);
  query.NodeOrdinal = engine.node.value;
  query.EngineOrdinal = engine.physical_adapter;
  PrefilledAnswer prefilled(
      WDDM_ANSWER(DXGKARG_QUERYCURRENTFENCE, query, CurrentFence, CurrentFence),
      run.world().choices.prefill);
  const NTSTATUS status =
      call_ddi<DdiId::QueryCurrentFence>(query.NodeOrdinal, run.world().adapter.miniport(), &query);
  prefilled.read_if(NT_SUCCESS(status), DdiId::QueryCurrentFence, query.NodeOrdinal,
                    offsetof(DXGKARG_QUERYCURRENTFENCE, CurrentFence));
  session().tap(ev::FenceQueried{.node = query.NodeOrdinal,
                                 .fence = query.CurrentFence,
                                 .status = static_cast<std::uint32_t>(status),
                                 .engine = query.EngineOrdinal});
}

void hold_dpcs(ScenarioRun&, const Op& op) {
  nt::hold_dpcs(op.a != 0);
}

// Without a device the driver's own threads are the GPU, and come to nothing meanwhile.
void hold_interrupts(ScenarioRun& run, const Op& op) {
  nt::hold_interrupts(op.a != 0);
  nt::hold_threads(op.a != 0 && !run.world().bus.present());
}

void keep_stopped(ScenarioRun& run, const Op& op) {
  run.keep_stopped(op.a != 0);
}

void switch_context(ScenarioRun& run, const Op& op) {
  World& world = run.world();
  if (!run.running_or_skip(op)) return;
  if (!world.adapter.preemption_aware()) {
    return run.skip(op, "contexts are left on request where the driver is PreemptionAware");
  }
  const EngineId engine = chosen_engine(run, op.a);
  world.vidmm.enqueue(
      requests::switch_context,
      {.kind = OpKind::SwitchContext, .x = engine.node.value, .y = engine.physical_adapter});
}

void time_out(ScenarioRun& run, const Op& op) {
  if (!run.has_or_skip(op, {DdiId::PreemptCommand})) return;
  const char* const why = run.time_out(chosen_engine(run, op.a), op.b != 0, op.x, op.y);
  if (why != nullptr) run.skip(op, why);
}

void each_node(ScenarioRun& run, const Op& op) {
  if (run.world().adapter.has_contexts() && !run.has_or_skip(op, {DdiId::CreateContext})) return;
  const bool preempts = op.a != 0 || op.c != 0;
  if (preempts && !run.has_or_skip(op, {DdiId::PreemptCommand})) return;
  give_each_node_work(run, op);
}

void stall(ScenarioRun& run, const Op& op) {
  run.stall(op.x);
}

}  // namespace wddm::host::ops
