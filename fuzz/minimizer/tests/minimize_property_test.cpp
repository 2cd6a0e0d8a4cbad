// What holds for every input and every test: the result still shows it, is no longer, is canonical,
// and minimizing it again changes nothing. And how the number of executions grows.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "fuzz/minimizer/minimize.h"
#include "fuzz/random/random.h"

namespace wddm::fuzz {
namespace {

std::vector<Op> random_ops(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  const auto catalogue = op_catalogue();
  std::vector<Op> ops;
  while (ops.size() < count) {
    Op op{.kind = random.pick(catalogue).kind};
    for (const FieldInfo& field : op_info(op.kind)->fields) {
      const std::uint32_t span = random.one_in(2) ? 8 : 5000;
      set_field(op, field.member, std::min(field.highest, field.lowest + random.below(span)));
    }
    ops.push_back(canonical(op));
  }
  return ops;
}

// A test that depends on kinds, values and order, and that the whole input passes: it looks for
// `parts` of the input's ops in their order, each alike in every second field.
class Shows {
 public:
  Shows(std::span<const Op> ops, std::uint64_t seed, std::size_t parts) {
    Random random(seed);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < parts; ++i) {
      places.push_back(random.below(static_cast<std::uint32_t>(ops.size())));
    }
    std::sort(places.begin(), places.end());
    for (const std::size_t place : places) wanted_.push_back(ops[place]);
  }

  bool operator()(std::span<const Op> ops) const {
    std::size_t found = 0;
    for (const Op& op : ops) {
      while (found < wanted_.size() && alike(op, wanted_[found])) ++found;
    }
    return found == wanted_.size();
  }

 private:
  static bool alike(const Op& one, const Op& other) {
    if (one.kind != other.kind) return false;
    bool even = true;
    for (const FieldInfo& field : op_info(one.kind)->fields) {
      if (even && field_of(one, field.member) < field_of(other, field.member)) return false;
      even = !even;
    }
    return true;
  }

  std::vector<Op> wanted_;
};

RC_GTEST_PROP(MinimizeProperty, IsSoundCanonicalAndIdempotent, ()) {
  const auto seed = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
  const auto parts = *rc::gen::inRange<std::size_t>(1, 6);
  const std::vector<Op> input = random_ops(seed, 1 + seed % 80);
  const Shows shows(input, ~seed, parts);

  const auto once = minimize_scenario(input, shows);
  const auto again = minimize_scenario(once.ops, shows);

  RC_ASSERT(once.reproduced && once.finished);
  RC_ASSERT(shows(once.ops));
  RC_ASSERT(once.ops.size() <= parts);
  RC_ASSERT(decode(encode(once.ops)) == once.ops);
  RC_ASSERT(again.ops == once.ops);
}

// A test that says yes and no at random is nothing to rely on, but must not be an endless task
// either, and what it said yes to last is what comes out.
RC_GTEST_PROP(MinimizeProperty, EndsUnderAnyTest, ()) {
  const auto seed = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
  const std::vector<Op> input = random_ops(seed, 40);
  std::vector<Op> last;
  bool first = true;
  Random random(seed);

  const auto result = minimize_scenario(input, [&](std::span<const Op> ops) {
    const bool yes = std::exchange(first, false) || random.one_in(3);
    if (yes) last.assign(ops.begin(), ops.end());
    return yes;
  });

  RC_ASSERT(result.finished);
  RC_ASSERT(result.ops == last);
}

// k ops of n that matter, no values: k log2(n / k) for the sweep, the rest depends on k alone.
TEST(MinimizeGrowth, ExecutionsGrowWithTheLogarithmOfTheInput) {
  for (const std::size_t parts : {1u, 2u, 5u, 10u}) {
    for (std::size_t count = 64; count <= 4096; count *= 4) {
      std::vector<Op> input(count, Op{.kind = OpKind::Idle});
      for (std::size_t i = 0; i < parts; ++i) {
        input[(2 * i + 1) * count / (2 * parts)].kind = OpKind::Requery;
      }

      const auto result = minimize_scenario(input, [&](std::span<const Op> ops) {
        return static_cast<std::size_t>(std::count_if(ops.begin(), ops.end(), [](const Op& op) {
                 return op.kind == OpKind::Requery;
               })) >= parts;
      });

      const std::size_t sweep = 2 * parts * static_cast<std::size_t>(std::bit_width(count / parts));
      EXPECT_EQ(result.ops.size(), parts);
      EXPECT_LE(result.executions, 10 + sweep + 4 * parts + parts * parts / 2) << count;
    }
  }
}

TEST(MinimizeGrowth, AnInputThatIsMinimalTakesAFewExecutionsPerOp) {
  const std::vector<Op> input(200, Op{.kind = OpKind::Idle});

  const auto result = minimize_scenario(input, [](auto ops) { return ops.size() >= 200; });

  EXPECT_EQ(result.ops.size(), 200u);
  EXPECT_LE(result.executions, 3 * 200u + 128 + 10);
}

}  // namespace
}  // namespace wddm::fuzz
