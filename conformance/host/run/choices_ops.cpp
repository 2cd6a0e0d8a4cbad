// Where Windows may choose: written down, and read by whoever decides.
#include "conformance/host/run/op_handlers.h"

namespace wddm::host::ops {

void split_points(ScenarioRun& run, const Op& op) {
  run.world().choices.take = static_cast<Take>(op.a);
  run.world().choices.take_mask = op.x;
}

void prepatch(ScenarioRun& run, const Op& op) {
  run.world().choices.prepatch = static_cast<PrepatchMode>(op.a);
}

void interleave(ScenarioRun& run, const Op& op) {
  run.world().choices.interleave = op.a != 0;
}

void scramble(ScenarioRun& run, const Op& op) {
  run.world().choices.scramble = op.a != 0;
}

void repatch(ScenarioRun& run, const Op& op) {
  run.world().choices.repatch = op.x;
}

void paging_buffer(ScenarioRun& run, const Op& op) {
  run.world().choices.paging_bytes = op.x;
  run.world().choices.paging_measure = static_cast<Measure>(op.a);
  run.world().choices.paging_packed = op.b != 0;
}

void await_paging(ScenarioRun& run, const Op& op) {
  run.world().choices.await_paging = op.a != 0;
}

void patch_paging(ScenarioRun& run, const Op& op) {
  run.world().choices.patch_paging = op.a != 0;
}

void transfer_chunk(ScenarioRun& run, const Op& op) {
  run.world().choices.transfer_chunk_pages = op.x;
  run.world().choices.across_leaves = op.a != 0;
}

void queue_depth(ScenarioRun& run, const Op& op) {
  run.world().choices.queue_depth = op.x;
}

void paging_node(ScenarioRun& run, const Op& op) {
  if (run.world().choices.paging_engine != engine_at(op.a)) {
    run.skip(op, "the driver has named another node for paging");
  }
}

void residency(ScenarioRun& run, const Op& op) {
  run.world().choices.required_only = op.a != 0;
  run.world().choices.careless = op.b != 0;
}

void tile_updates(ScenarioRun& run, const Op& op) {
  run.idle();
  run.world().choices.tile_updates = {.context = ContextId{op.a},
                                      .fence = op.b,
                                      .do_not_wait = op.c != 0,
                                      .repeated_pages = op.x,
                                      .protection = static_cast<Protection>(op.y),
                                      .driver_protection = op.z};
}

void physical_adapter(ScenarioRun& run, const Op& op) {
  if (op.a >= run.world().adapter.physical_adapters()) {
    return run.skip(op, "no so many adapters are linked");
  }
  run.world().choices.physical_adapter = op.a;
}

// What was asked for in a hurry goes no further than the choice.
void hurry(ScenarioRun& run, const Op& op) {
  run.world().choices.hurry = op.a != 0;
  run.world().vidmm.begin_postponed();
}

void advance_inside(ScenarioRun& run, const Op& op) {
  run.world().choices.inside = {.point = op.x, .units = op.y};
  run.world().inside_calls.choose();
}

void first_fence(ScenarioRun& run, const Op& op) {
  run.world().choices.first_fence = op.z;
}

void share(ScenarioRun& run, const Op& op) {
  run.world().choices.share = op.a != 0;
  run.world().choices.together = 1 + op.x;
}

void limit_memory(ScenarioRun& run, const Op& op) {
  run.world().residency.limit({.memory = op.x, .aperture = op.y});
}

void prefill(ScenarioRun& run, const Op& op) {
  run.world().choices.prefill = op.a != 0;
  run.world().objects.prefill(op.a != 0);
  run.world().processes.prefill(op.a != 0);
}

void null_rendering(ScenarioRun& run, const Op& op) {
  run.world().choices.null_rendering = op.a != 0;
}

void keep_state(ScenarioRun& run, const Op& op) {
  run.world().choices.keep_state = op.a != 0;
}

void alternate_passes(ScenarioRun& run, const Op& op) {
  run.world().choices.alternate_passes = op.a != 0;
}

void page_ahead(ScenarioRun& run, const Op& op) {
  run.world().choices.page_ahead = op.a != 0;
}

// What was queued before is built as it was asked for.
void nameless_paging(ScenarioRun& run, const Op& op) {
  run.idle();
  if (const char* const why = run.world().test_commands.feature().missing()) {
    return run.skip(op, why);
  }
  run.world().objects.name_in_paging(op.a == 0);
  session().tap(ev::PagingNames{.nameless = op.a});
}

void announce_queue(ScenarioRun& run, const Op& op) {
  run.world().adapter.announce_queue(op.x);
}

}  // namespace wddm::host::ops
