// What the scenarios of rules may name: they judge drivers that their authors have never seen.
//
// Places go by role and sizes by what the driver needs. What is left out: nodes (an op that names
// one that is not there is skipped) and the settings of the reference driver, which a clause about
// scarce memory needs (other drivers do not read them).
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "conformance/rules/rule.h"
#include "reference/trace/op.h"

namespace wddm::rule_scenarios {
namespace {

// Rules that may do what the tests below look for, each with its reason.
const std::map<std::string_view, const char*> kExceptions{};

using Wrong = std::function<bool(const Op&, const OpInfo&)>;

// Each op of each scenario of each rule that `wrong` says yes to, but for the exceptions.
std::string found(const Wrong& wrong) {
  std::string all;
  for (const Rule* const rule : all_rules()) {
    for (const char* const text : {rule->scenario, rule->control}) {
      Scenario scenario;
      TextError error;
      EXPECT_TRUE(parse_scenario(text, rule->id, scenario, error)) << error.message;
      for (const Op& op : scenario.ops) {
        const OpInfo* const info = op_info(op.kind);
        if (info == nullptr || !wrong(op, *info) || kExceptions.count(rule->id) != 0) continue;
        all += std::string(rule->id) + ": " + print_op(op) + "\n";
      }
    }
  }
  return all;
}

TEST(RuleScenarios, NameNoSegmentByItsNumber) {
  EXPECT_EQ(found([](const Op&, const OpInfo& info) {
              return info.field(FieldShape::Segment) != nullptr;
            }),
            "");
}

// A size that has a measure counts from what the driver needs, or is left to it.
TEST(RuleScenarios, GiveSizesOfBuffersByWhatTheDriverNeeds) {
  const auto absolute = [](std::uint8_t measure, std::uint32_t size) {
    return static_cast<Measure>(measure) == Measure::Absolute && size != 0;
  };
  EXPECT_EQ(found([&](const Op& op, const OpInfo&) {
              if (op.kind == OpKind::PagingBuffer) return absolute(op.a, op.x);
              return op.kind == OpKind::Render && (absolute(op.b, op.x) || absolute(op.c, op.y));
            }),
            "");
}

}  // namespace
}  // namespace wddm::rule_scenarios
