// Faulty drivers and the rules that they break belong together: none is left without the other. A
// rule has one seeded fault; variants that it has besides are those of further_faults_test.cpp.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "conformance/rules/rule.h"

namespace wddm::variants {
namespace {

TEST(Variants, EachIsTheFaultOfTheClauseThatItNames) {
  std::map<std::uint32_t, std::string> named;
#define VARIANT(number, name, clause) \
  if (number != 0) named[number] = clause;
#include "conformance/drivers/reference/kmd/variants/variants.def"
#undef VARIANT
  std::map<std::uint32_t, std::string> used;
  for (const Rule* rule : all_rules()) {
    if (rule->fault.seat == FaultSeat::Variant) used[rule->fault.variant] = rule->id;
  }
  for (const std::uint32_t further : {17u, 18u, 32u, 33u, 34u, 40u, 41u}) {
    EXPECT_NE(find_rule(named[further]), nullptr) << further;
    named.erase(further);
  }
  EXPECT_EQ(used, named);
}

TEST(Variants, EachDeviceIsTheFaultOfTheClauseThatItNames) {
  std::map<std::uint32_t, std::string> named, used;
#define DEVICE_VARIANT(number, name, clause) \
  if (number != 0) named[number] = clause;
#include "conformance/drivers/reference/device/variants/device_variants.def"
#undef DEVICE_VARIANT
  for (const Rule* rule : all_rules()) {
    if (rule->device_fault.about == nullptr) continue;
    EXPECT_EQ(rule->device_fault.seat, FaultSeat::Device) << rule->id;
    used[rule->device_fault.variant] = rule->id;
  }
  EXPECT_EQ(used, named);
}

}  // namespace
}  // namespace wddm::variants
