// Lists of ops as tests of the minimizer write them.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "reference/trace/op.h"

namespace wddm::fuzz {

inline std::vector<Op> ops_of(const std::string& list) {
  Scenario scenario;
  TextError error;
  EXPECT_TRUE(parse_scenario("ops:\n" + list, "test", scenario, error)) << error.message;
  return scenario.ops;
}
inline std::string text(std::span<const Op> ops) {
  std::string result;
  for (const Op& op : ops) result += "- " + print_op(op) + "\n";
  return result;
}

}  // namespace wddm::fuzz
