#include "conformance/host/run/interpreter.h"

#include <algorithm>
#include <array>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/run/op_handlers.h"
#include "reference/is_any_of.h"

namespace wddm::host {
namespace {

using Handler = void (*)(ScenarioRun& run, const Op& op);

constexpr std::array<Handler, 256> handlers_by_kind() {
  std::array<Handler, 256> handlers{};
#define OP(number, type, yaml, ...) handlers[number] = ops::yaml;
#include "reference/trace/op.def"
#undef OP
  return handlers;
}
constexpr std::array<Handler, 256> kHandlers = handlers_by_kind();

// What is missing of that which a field names; null if nothing is.
const char* missing(const FieldInfo& field, const Op& op, ScenarioRun& run) {
  World& world = run.world();
  const auto id = static_cast<std::uint32_t>(field_of(op, field.member));
  if (field.shape == FieldShape::Device && !world.objects.device(DeviceId{id}).live) {
    return may_call(DdiId::CreateDevice) ? "no such device" : ddi_info(DdiId::CreateDevice).absence;
  }
  if (field.shape == FieldShape::Context && !world.objects.context(ContextId{id}).live) {
    return run.lost_objects()
               ? "no such context: ResetEngine did not suffice, so the adapter was reset"
               : "no such context";
  }
  if (field.shape == FieldShape::Allocation && !world.objects.allocation(AllocationId{id}).live) {
    return "no such allocation";
  }
  if (field.shape == FieldShape::Node && !world.adapter.has(ops::engine_at(id)))
    return "no such node";
  return nullptr;
}

// Whether the op has what it needs; else it is skipped, with the reason.
bool may_run(ScenarioRun& run, const Op& op, const OpInfo& info) {
  if (info.needs_state(Need::Begun)) run.ensure_entered();
  if (!info.needs_state(Need::Running)) return true;
  if (!run.running_or_skip(op)) return false;
  for (const FieldInfo& field : info.fields) {
    // What ends objects lets all work end first, whether there is one or not.
    if (info.does(EffectKind::Makes, field.shape) || info.does(EffectKind::Ends, field.shape)) {
      continue;
    }
    if (const char* const why = missing(field, op, run)) {
      run.skip(op, why);
      return false;
    }
  }
  return true;
}

// Not beside calls of threading levels two and three, nor beside what changes devices and
// processes, uses the neighbour's own context, or lends handles of allocations as it does.
bool admits_neighbour(const Op& op, const OpInfo& info) {
  const FieldInfo* const context = info.field(FieldShape::Context);
  const bool is_its_own =
      context != nullptr && field_of(op, context->member) == kNeighbourContext.value;
  return !is_its_own && info.domain != OpDomain::Life &&
         !is_any_of(op.kind, OpKind::PowerCycle, OpKind::TimeOut, OpKind::CreateDevice,
                    OpKind::DestroyDevice, OpKind::HostileData, OpKind::CreateTestContext,
                    OpKind::TestFill, OpKind::TestCopy, OpKind::EachNode);
}

// What a modified render has set going belongs to it; else it may overlap with what follows, which
// `next` is.
void flush(ScenarioRun& run, OpKind next) {
  World& world = run.world();
  if (world.render_path.is_open() && run.modified()) run.neighbour().enter();
  // An adapter that is about to be reset takes no render that is put off.
  const bool another_follows = next == OpKind::Render && !run.modified() &&
                               world.adapter.running() && !world.vidsch.adapter_reset_due();
  if (!world.render_path.flush(another_follows) || !run.modified()) return;
  nt::settle();
  run.spend_modifiers();
}

// Legal scenarios of large memory can fill any trace: they are judged by what fits, and only a
// driver that fills it alone overflows.
bool comes_too_late(const OpInfo& info) {
  return session().tap.is_for_the_end() && info.is(OpRole::Do);
}

void carry_out(ScenarioRun& run, const Op& op, const OpInfo& info) {
  const bool is_full = session().tap.is_for_the_end();
  if (!info.is(OpRole::Element) && !is_full) run.go_on_after_reset();
  if (info.is(OpRole::Modify)) run.modify();
  if (comes_too_late(info)) {
    run.skip(op, "too much has happened already: the trace has room for the end only");
  } else if (may_run(run, op, info)) {
    if (info.is(OpRole::Do) && admits_neighbour(op, info)) run.neighbour().enter();
    if (info.domain == OpDomain::Life) run.world().vidsch.hardware_forgets();
    kHandlers[static_cast<std::size_t>(op.kind)](run, op);
  }
  if (info.is(OpRole::Element) || run.system_stopped()) return;
  nt::settle();
  if (info.is(OpRole::Do)) run.spend_modifiers();
}

}  // namespace

void write_setting(const Op& op) {
  if (op.kind != OpKind::Configure) return;
  const auto names = shape_values(FieldShape::Setting);
  if (op.a < names.size()) nt::set_registry_dword(names[op.a], op.x);
}

bool interpret(World& world, std::span<const Op> configuration, std::span<const Op> ops) {
  ScenarioRun run(world);
  for (const Op& op : configuration) write_setting(op);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Op op = canonical(ops[i]);
    const OpInfo* const info = op_info(op.kind);
    if (info == nullptr) continue;
    if (!info->is(OpRole::Element)) flush(run, op.kind);
    session().tap.set_op(static_cast<std::uint16_t>(std::min<std::size_t>(i, kNoOp - 1)));
    session().tap(ev::OpStarted{.kind = static_cast<std::uint32_t>(op.kind)});
    carry_out(run, op, *info);
    if (run.system_stopped()) {
      session().tap.set_op(kNoOp);
      return false;
    }
  }
  flush(run, OpKind::None);
  session().tap.set_op(kNoOp);
  // A scenario that names no step of the driver's life still judges its start and its end.
  run.ensure_entered();
  run.idle();
  run.tear_down(Adapter::Stage::Absent);
  return true;
}

}  // namespace wddm::host
