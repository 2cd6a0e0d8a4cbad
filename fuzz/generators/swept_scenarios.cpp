#include "fuzz/generators/swept_scenarios.h"

#include "fuzz/generators/make_op.h"
#include "reference/harness_assert.h"

namespace wddm::fuzz {
namespace {

using Ops = std::vector<Op>;

constexpr std::uint8_t kFree = 7;                      // a slot in which nothing is
constexpr std::uint32_t kMapped = 40, kUnmapped = 60;  // pages of the aperture
constexpr std::uint32_t kNever = 100'000;              // no op makes so many calls
// A pool allocation that fails may be tried in another way, with nothing to be seen of it.
constexpr std::uint32_t kPoolPatience = 4;

Op with(OpKind kind, std::uint8_t a, std::uint8_t b = 0) {
  Op op = plain_op(kind);
  op.a = a;
  op.b = b;
  return op;
}

Op allocation(std::uint8_t slot, Place place, std::uint32_t pages) {
  Op op = with(OpKind::CreateAllocation, slot, static_cast<std::uint8_t>(place));
  op.x = pages;
  return op;
}

// All that ops can name: two devices with a context each, allocations in both kinds of segment and
// without a wish, mapped pages, a reserved range.
void add_objects(Ops& ops) {
  Op mapping = plain_op(OpKind::MapAperture);
  mapping.x = kMapped;
  for (const Op& op : {with(OpKind::CreateDevice, 1, 1), with(OpKind::CreateContext, 0, 0),
                       with(OpKind::CreateContext, 1, 1), allocation(0, Place::Local, 2),
                       allocation(1, Place::Aperture, 2), allocation(2, Place::Any, 1),
                       with(OpKind::MakeResident, 0), with(OpKind::MakeResident, 1),
                       with(OpKind::MakeResident, 2), mapping, plain_op(OpKind::ReserveAddress)}) {
    ops.push_back(op);
  }
}

void add_commands(Ops& ops) {
  Op copy = with(OpKind::Copy, 1, 0);
  copy.z = 64;
  Op spin = plain_op(OpKind::Spin);
  spin.x = 20;
  for (const Op& op :
       {with(OpKind::Bind, 0, 0), with(OpKind::Fill, 0), with(OpKind::Bind, 1, 1), copy,
        with(OpKind::Unbind, 0), with(OpKind::Bind, 0, 2), with(OpKind::Fill, 0), spin}) {
    ops.push_back(op);
  }
}

void add_render(Ops& ops) {
  ops.push_back(plain_op(OpKind::Render));
  add_commands(ops);
}

// What a failure has left behind shows in the work after it, and in another life of the adapter.
void add_aftermath(Ops& ops) {
  ops.push_back(plain_op(OpKind::Idle));
  add_render(ops);
  ops.push_back(plain_op(OpKind::Idle));
  ops.push_back(plain_op(OpKind::Cycle));
}

// Names objects that are there, in slots that are free what it makes, and of two the second as
// another one.
Op one_of(const OpInfo& info) {
  Op op = plain_op(info.kind);
  std::uint32_t allocations = 0;
  for (const FieldInfo& field : info.fields) {
    const bool makes = info.does(EffectKind::Makes, field.shape);
    if (field.shape == FieldShape::AperturePage) {
      set_field(op, field.member, makes ? kUnmapped : kMapped);
    } else if (is_object(field.shape) && makes && &field == info.field(field.shape)) {
      set_field(op, field.member, kFree);
    } else if (field.shape == FieldShape::Device && info.does(EffectKind::Ends, field.shape)) {
      set_field(op, field.member, 1);
    } else if (field.shape == FieldShape::Allocation) {
      set_field(op, field.member, allocations++);
    }
  }
  return affordable(canonical(op));
}

bool needs_a_stopped_adapter(const OpInfo& info) {
  return info.needs_state(Need::Stopped) || info.needs_state(Need::Unstarted);
}

FailureSweep sweep_of(const OpInfo& info, const Op& failure) {
  FailureSweep sweep;
  if (!needs_a_stopped_adapter(info)) {
    add_objects(sweep.ops);
    add_render(sweep.ops);
  }
  sweep.failure = sweep.ops.size();
  sweep.ops.push_back(failure);
  sweep.ops.push_back(one_of(info));
  if (info.kind == OpKind::Render) add_commands(sweep.ops);
  if (needs_a_stopped_adapter(info)) add_objects(sweep.ops);
  add_aftermath(sweep.ops);
  return sweep;
}

bool calls_the_driver(const OpInfo& info, const Machine& machine) {
  return (info.is(OpRole::Do) || info.is(OpRole::Open)) && !info.is(OpRole::Modify) &&
         has_meaning(info.kind, machine);
}

// Word by word at first, then in strides: a driver whose commands are long has its edges further
// off.
std::vector<std::uint32_t> distances(std::uint32_t unit) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i <= 32; ++i) all.push_back(i * unit);
  for (const std::uint32_t far : {40, 48, 64, 96, 128, 192, 256}) all.push_back(far * unit);
  return all;
}

void add_named(std::vector<Scenario>& scenarios, const char* what, std::uint32_t less, Ops ops) {
  scenarios.push_back({.name = std::string(what) + "-less-" + std::to_string(less),
                       .about = {},
                       .ops = std::move(ops),
                       .lines = {}});
}

void add_short_renders(std::vector<Scenario>& scenarios) {
  const auto less = static_cast<std::uint8_t>(Measure::NeededMinus);
  const auto play = [&](const char* what, const Op& render, std::uint32_t distance) {
    Ops ops;
    add_objects(ops);
    ops.push_back(render);
    add_commands(ops);
    add_aftermath(ops);
    add_named(scenarios, what, distance, std::move(ops));
  };
  for (const std::uint32_t bytes : distances(4)) {
    Op render = with(OpKind::Render, 0, less);
    render.x = bytes;
    play("dma_bytes", render, bytes);
  }
  for (const std::uint32_t elements : distances(1)) {
    if (elements > 16) break;
    Op render = plain_op(OpKind::Render);
    render.c = less;
    render.y = elements;
    play("patch_capacity", render, elements);
  }
}

// Operations follow each other: one that begins a new buffer has all of it.
void add_short_paging(std::vector<Scenario>& scenarios) {
  for (const std::uint32_t bytes : distances(4)) {
    Op size = plain_op(OpKind::PagingBuffer);
    size.a = static_cast<std::uint8_t>(Measure::NeededMinus);
    size.b = 1;
    size.x = bytes;
    Ops ops{size};
    add_objects(ops);
    for (const OpKind kind :
         {OpKind::FillMemory, OpKind::Move, OpKind::Evict, OpKind::MakeResident})
      ops.push_back(plain_op(kind));
    Op unmapping = plain_op(OpKind::UnmapAperture);
    unmapping.x = kMapped;
    ops.push_back(unmapping);
    ops.push_back(with(OpKind::Evict, 1));
    add_render(ops);
    ops.push_back(plain_op(OpKind::Idle));
    add_named(scenarios, "paging_bytes", bytes, std::move(ops));
  }
}

}  // namespace

std::vector<std::vector<FailureSweep>> failure_sweeps(const Machine& machine) {
  Op pool = plain_op(OpKind::FailPool), callback = plain_op(OpKind::FailCallback);
  pool.x = callback.x = kNever;
  std::vector<std::vector<FailureSweep>> all;
  for (const OpInfo& info : op_catalogue()) {
    if (!calls_the_driver(info, machine)) continue;
    std::vector<FailureSweep>& of_op = all.emplace_back();
    of_op.push_back(sweep_of(info, pool));
    of_op.back().name = std::string("fail_pool-") + info.name;
    of_op.back().patience = kPoolPatience;
    const auto callbacks = shape_values(FieldShape::FallibleCallback);
    for (std::size_t i = 0; i < callbacks.size(); ++i) {
      callback.a = static_cast<std::uint8_t>(i);
      of_op.push_back(sweep_of(info, callback));
      of_op.back().name = std::string("fail_") + callbacks[i] + '-' + info.name;
    }
  }
  return all;
}

Scenario failing(const FailureSweep& sweep, std::uint32_t kth) {
  HARNESS_ASSERT(kth <= kMostFailures);
  Scenario scenario;
  scenario.name = sweep.name + '-' + std::to_string(kth);
  scenario.ops = sweep.ops;
  scenario.ops[sweep.failure].x = kth == 0 ? kNever : kth;
  return scenario;
}

std::vector<Scenario> short_of_need(const Machine& machine) {
  std::vector<Scenario> all;
  if (machine.gpu_virtual == 0) add_short_renders(all);
  add_short_paging(all);
  return all;
}

}  // namespace wddm::fuzz
