// What the minimizer knows of scenarios: which op needs which, and what the ids are.
#include "fuzz/minimizer/op_language.h"

#include <gtest/gtest.h>

#include <string>

#include "fuzz/minimizer/tests/op_lists.h"

namespace wddm::fuzz {
namespace {

std::string without(const std::string& list, std::size_t one) {
  const std::vector<Op> ops = ops_of(list);
  std::vector<bool> gone(ops.size());
  gone[one] = true;
  return text(ScenarioLanguage::without(ops, gone));
}
std::string lowered(const std::string& list) {
  const std::vector<Op> ops = ops_of(list);
  std::map<Id, std::uint32_t> names;
  std::map<std::uint32_t, std::uint32_t> next;
  for (const Id& id : ScenarioLanguage::ids(ops)) {
    names[id] = next.try_emplace(id.space, ScenarioLanguage::lowest_id(id.space)).first->second++;
  }
  return text(ScenarioLanguage::renamed(ops, names));
}

TEST(Dependents, ACreationTakesWhatNamesItsSlotAlong) {
  EXPECT_EQ(without("- create_allocation: {allocation: 3}\n"
                    "- create_allocation: {allocation: 4}\n"
                    "- move: {allocation: 3}\n"
                    "- render\n"
                    "- bind: {slot: 3, allocation: 3}\n"
                    "- bind: {slot: 3, allocation: 4}\n",
                    0),
            "- create_allocation: {allocation: 4}\n- render\n- bind: {slot: 3, allocation: 4}\n");
}

TEST(Dependents, ADeviceTakesItsContextsAndTheirPackets) {
  EXPECT_EQ(without("- create_device: {device: 2}\n"
                    "- create_context: {context: 2, device: 2}\n"
                    "- render: {context: 2}\n"
                    "- fill\n"
                    "- idle\n",
                    0),
            "- idle\n");
}

TEST(Dependents, AnOpenerTakesItsElements) {
  EXPECT_EQ(without("- render\n- bind\n- fill\n- idle\n- fill\n", 0), "- idle\n- fill\n");
}

TEST(Dependents, AMappingTakesItsEnd) {
  EXPECT_EQ(
      without("- map_aperture: {page: 7}\n- unmap_aperture: {page: 7}\n- unmap_aperture\n", 0),
      "- unmap_aperture\n");
}

TEST(Dependents, ALaterCreationInTheSlotIsAnotherThing) {
  EXPECT_EQ(without("- create_context\n- destroy_context\n- create_context\n- render\n", 0),
            "- create_context\n- render\n");
}

TEST(Dependents, ACreationInAnOccupiedSlotCreatesNothing) {
  EXPECT_EQ(without("- create_context\n- create_context\n- render\n", 1),
            "- create_context\n- render\n");
}

TEST(Dependents, DestroyingADeviceEmptiesItsSlots) {
  EXPECT_EQ(without("- create_context\n- destroy_device\n- render\n", 0),
            "- destroy_device\n- render\n");
}

TEST(WithoutAlone, LeavesDependents) {
  const auto ways = ScenarioLanguage::without_alone(ops_of("- render\n- bind\n"), 0);

  ASSERT_EQ(ways.size(), 1u);
  EXPECT_EQ(text(ways[0]), "- bind\n");
}

TEST(WithoutAlone, IndicesOfPatchLocationsMoveUp) {
  const auto ways = ScenarioLanguage::without_alone(
      ops_of("- render\n- bind\n- fill\n- tamper_patch: {element: 2}\n"), 1);

  ASSERT_EQ(ways.size(), 3u);
  EXPECT_EQ(text(ways[1]), "- render\n- fill\n- tamper_patch: {element: 1}\n");
  EXPECT_EQ(text(ways[2]), "- render\n- fill\n- tamper_patch\n");
}

TEST(Ids, GetTheLowestNumbersOfTheirSpace) {
  EXPECT_EQ(lowered("- create_device: {device: 9}\n"
                    "- create_context: {context: 5, device: 9}\n"
                    "- create_allocation: {allocation: 7}\n"
                    "- create_allocation: {allocation: 5}\n"
                    "- render: {context: 5}\n"
                    "- bind: {slot: 30, allocation: 5}\n"
                    "- copy: {slot: 30, source: 12}\n"
                    "- signal: {semaphore: 4}\n"),
            "- create_device: {device: 1}\n"
            "- create_context: {device: 1}\n"
            "- create_allocation\n"
            "- create_allocation: {allocation: 1}\n"
            "- render\n"
            "- bind: {allocation: 1}\n"
            "- copy: {source: 1}\n"
            "- signal\n");
}

TEST(Ids, DeviceZeroKeepsItsNumber) {
  EXPECT_EQ(lowered("- create_context: {device: 0, context: 3}\n- destroy_device\n"),
            "- create_context\n- destroy_device\n");
}

TEST(Normalised, DropsWhatIsNoOp) {
  EXPECT_EQ(text(ScenarioLanguage::normalised(std::vector<Op>{
                {}, {.kind = OpKind::Idle, .a = 9}, {.kind = static_cast<OpKind>(255)}})),
            "- idle\n");
}

TEST(Values, LeaveIdsOut) {
  const auto values =
      ScenarioLanguage::values({.kind = OpKind::Fill, .a = 7, .x = 1, .y = 2, .z = 3});

  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[1].now, 2u);
  EXPECT_EQ(values[1].fallback, 4096u);
}

}  // namespace
}  // namespace wddm::fuzz
