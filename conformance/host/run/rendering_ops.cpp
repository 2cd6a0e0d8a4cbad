// Render, and the elements of its list: they are kept until the list is complete.
#include "conformance/host/render/presents.h"
#include "conformance/host/run/op_handlers.h"

namespace wddm::host::ops {
namespace {

constexpr std::uint32_t kWord = 4;

// Alone, so that memory can be compared for it.
void run_test(ScenarioRun& run, const Op& op, const TestCommand& command) {
  World& world = run.world();
  run.idle();
  if (world.vidsch.in_error(command.context)) return run.skip(op, "its device is in error");
  const char* const why =
      world.test_commands.run(command, op, world.render_path.take_ordinal(command.context));
  if (why != nullptr) return run.skip(op, why);
  run.idle();
  if (world.test_commands.alters()) world.render_path.renew_markers();
}

Presentation::Corner corner(std::uint32_t number) {
  constexpr std::uint32_t kRows = 16;
  return {.left = number / kRows, .top = number % kRows};
}

void present(ScenarioRun& run, const Op& op, const Presentation& what) {
  World& world = run.world();
  if (!run.has_or_skip(op, {DdiId::Present, DdiId::SubmitCommand})) return;
  if (world.vidsch.in_error(what.context)) return run.skip(op, "its device is in error");
  const Presents presents{world.objects, world.addressing, world.vidmm};
  const char* const why = presents.run(what, world.render_path.take_ordinal(what.context));
  if (why != nullptr) run.skip(op, why);
}

}  // namespace

void render(ScenarioRun& run, const Op& op) {
  if (run.world().vidsch.in_error(ContextId{op.a})) {
    return run.skip(op, "its device is in error");
  }
  run.world().render_path.begin(op);
}

void test_fill(ScenarioRun& run, const Op& op) {
  run_test(run, op,
           {.context = ContextId{op.a},
            .allocation = AllocationId{op.b},
            .offset = op.x * kPageSize,
            .bytes = op.y / kWord * kWord,
            .pattern = op.z});
}

void test_copy(ScenarioRun& run, const Op& op) {
  run_test(run, op,
           {.context = ContextId{op.a},
            .allocation = AllocationId{op.b},
            .offset = op.x * kPageSize,
            .bytes = op.z / kWord * kWord,
            .source = AllocationId{op.c},
            .source_offset = op.y * kPageSize});
}

void present_fill(ScenarioRun& run, const Op& op) {
  present(run, op,
          {.context = ContextId{op.a},
           .destination = AllocationId{op.b},
           .rects = op.x,
           .to = corner(op.y),
           .color = op.z});
}

void present_blt(ScenarioRun& run, const Op& op) {
  present(run, op,
          {.context = ContextId{op.a},
           .destination = AllocationId{op.b},
           .source = AllocationId{op.c},
           .rects = op.x,
           .to = corner(op.y),
           .from = corner(op.z)});
}

void alter_test(ScenarioRun& run, const Op& op) {
  run.world().test_commands.alter(op);
}

// The elements, by what they are to a list: one function for each of their names.
#define WDDM_ELEMENT(name) \
  void name(ScenarioRun& run, const Op& op) { run.world().render_path.element(op); }
WDDM_ELEMENT(bind)
WDDM_ELEMENT(unbind)
WDDM_ELEMENT(fill)
WDDM_ELEMENT(copy)
WDDM_ELEMENT(add)
WDDM_ELEMENT(signal)
WDDM_ELEMENT(wait)
WDDM_ELEMENT(spin)
WDDM_ELEMENT(tamper_patch)
WDDM_ELEMENT(tamper_command)
WDDM_ELEMENT(revoke)
WDDM_ELEMENT(race)
WDDM_ELEMENT(private_data)
WDDM_ELEMENT(tamper_private)
WDDM_ELEMENT(stray_commands)
WDDM_ELEMENT(privileged)
#undef WDDM_ELEMENT

}  // namespace wddm::host::ops
