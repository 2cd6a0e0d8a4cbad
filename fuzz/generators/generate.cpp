#include "fuzz/generators/generate.h"

#include <algorithm>

#include "fuzz/generators/family.h"
#include "fuzz/generators/make_op.h"

namespace wddm::fuzz {
namespace {

// Draws ops of a family one by one, each fitting what came before.
class Writer {
 public:
  Writer(const Plan& plan, const Machine& machine, Random& random, std::vector<Op>& ops,
         std::size_t most)
      : plan_(plan), random_(random), ops_(ops), most_(most), state_(machine) {
    for (const Op& op : ops_) state_.apply(op);
    drop_some();
  }

  void open() {
    const Opening& opening = plan_.opening;
    if (knows(OpKind::InitializeStatus) && random_.one_in(16)) add(OpKind::InitializeStatus);
    configure_all();
    for (const OpKind kind : opening.first) {
      if (random_.one_in(2) && has_meaning(kind, state_.machine())) add(kind);
    }
    const std::uint32_t few = state_.little_memory() ? 2 : 1;
    const std::uint32_t allocations = few + random_.below(opening.allocations);
    for (std::uint32_t i = 0; i < allocations; ++i) add(OpKind::CreateAllocation);
    const std::uint32_t contexts =
        std::max(1 + random_.below(opening.contexts), back_to_back_ ? 2u : 1u);
    for (std::uint32_t i = 0; i < contexts; ++i) add(OpKind::CreateContext);
    if (back_to_back_) open_back_to_back();
  }

  void fill_up() {
    while (ops_.size() < most_) add(next_kind());
  }

 private:
  // Swarm testing: what is left out of a run leaves room for what hides behind it.
  void drop_some() {
    for (std::size_t i = 0; i < kOps; ++i) {
      const OpInfo& op = op_catalogue()[i];
      weights_[i] = has_meaning(op.kind, state_.machine()) ? weight_in(plan_.family, op) : 0;
      // What is never drawn costs no draw either: a new op leaves other families, and machines that
      // it means nothing to, alone.
      if (weights_[i] != 0 && op.kind != plan_.core && random_.one_in(4)) weights_[i] = 0;
    }
  }

  // Buffers in portions, and others that could come in between since they wait for nothing: not for
  // paging either.
  void open_back_to_back() {
    for (const std::uint8_t id : state_.allocations().members()) {
      put({.kind = OpKind::MakeResident, .a = id});
    }
    if (state_.gpu_virtual()) return;
    put({.kind = OpKind::SplitPoints, .a = static_cast<std::uint8_t>(Take::All)});
  }

  // Each is a driver of its own: there is no other time to choose one.
  void configure_all() {
    if (state_.machine().settings == 0) return;
    if (state_.gpu_virtual()) return configure_few();
    if (plan_.opening.little_memory && !random_.one_in(4)) {
      configure(Setting::LocalSegmentPages, 2 + random_.below(11));
      // What does not fit there would go to the aperture, which has to be full too.
      if (!random_.one_in(4)) configure(Setting::ApertureSegmentPages, 1 + random_.below(4));
    }
    if (random_.one_in(plan_.opening.unaware)) {
      configure(Setting::PreemptionAware, 0);
      back_to_back_ = knows(OpKind::Interleave);
    }
    if (random_.one_in(6)) configure(Setting::NoDmaPatching, 1);
    if (plan_.opening.any_setting && random_.one_in(4)) add(OpKind::Configure);
  }

  // Page tables take memory too. Who writes them decides what becomes of roots; what else a
  // campaign has chosen of them stands.
  void configure_few() {
    if (random_.one_in(2)) {
      configure(Setting::PageTableUpdateMode, random_.one_in(4) ? random_.below(3) : 2);
    }
    if (plan_.opening.little_memory && random_.one_in(4)) {
      configure(Setting::LocalSegmentPages, 32 * (2 + random_.below(3)));
    }
    if (random_.one_in(plan_.opening.unaware)) configure(Setting::PreemptionAware, 0);
    if (plan_.opening.any_setting && random_.one_in(4)) add(OpKind::Configure);
  }

  bool knows(OpKind kind) const { return weight_in(plan_.family, *op_info(kind)) != 0; }
  void configure(Setting setting, std::uint32_t value) {
    put({.kind = OpKind::Configure, .a = static_cast<std::uint8_t>(setting), .x = value});
  }
  void add(OpKind kind) { put(make_op(kind, state_, random_)); }
  void put(const Op& op) {
    if (ops_.size() >= most_) return;
    state_.apply(op);
    ops_.push_back(op);
  }

  OpKind next_kind() {
    const bool in_list = state_.recording() && !random_.one_in(plan_.list_length + 1u);
    const bool senseless = random_.one_in(64);
    std::uint32_t total = 0;
    std::array<std::uint32_t, kOps> sums;
    for (std::size_t i = 0; i < kOps; ++i) {
      const OpInfo& op = op_catalogue()[i];
      const bool wanted =
          weights_[i] != 0 &&
          (senseless || (op.is(OpRole::Element) == in_list && can_matter(op.kind, state_)));
      total += wanted ? weights_[i] * urgency(op.kind, state_) * place_of(op.kind) : 0;
      sums[i] = total;
    }
    if (total == 0) return plan_.core;
    const std::uint32_t at = random_.below(total);
    const auto found = std::upper_bound(sums.begin(), sums.end(), at);
    return op_catalogue()[static_cast<std::size_t>(found - sums.begin())].kind;
  }

  // Nothing comes behind the stop of the system, so that it is the last op or none.
  std::uint32_t place_of(OpKind kind) const {
    constexpr std::uint32_t kAtTheEnd = 16;
    if (kind != OpKind::BugCheck) return 1;
    return ops_.size() + 1 < most_ ? 0 : kAtTheEnd;
  }

  const Plan& plan_;
  Random& random_;
  std::vector<Op>& ops_;
  std::size_t most_;
  StateModel state_;
  bool back_to_back_ = false;                  // nothing may come between the portions of a buffer
  std::array<std::uint32_t, kOps> weights_{};  // of what this scenario draws from
};

}  // namespace

std::vector<Op> generate(Family family, Random& random, const GeneratorOptions& options) {
  std::vector<Op> ops;
  ops.reserve(options.ops);
  Writer writer(plan_of(family), options.machine, random, ops, options.ops);
  writer.open();
  writer.fill_up();
  return ops;
}

void continue_with(Family family, std::size_t count, Random& random, const Machine& machine,
                   std::vector<Op>& ops) {
  Writer(plan_of(family), machine, random, ops, ops.size() + count).fill_up();
}

}  // namespace wddm::fuzz
