// What would let more be judged: by the reasons of results, as clauses and the host word them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "conformance/harness/judge/collect.h"
#include "conformance/harness/judge/obstacles.h"

namespace wddm::harness {
namespace {

ClauseResult without(const std::string& reason) {
  ClauseResult result;
  result.kind = ResultKind::NotApplicable;
  result.reason = reason;
  return result;
}

TEST(Reach, IsCountedByWhatIsMissingMostFirst) {
  const std::string fill =
      "not reached: render: the client has no counterpart for these commands: fill";
  const std::vector<ClauseResult> results = {
      without("no device log"), without(fill), without(fill),
      without("no slot table: a compute-only driver reports no slots")};

  const std::vector<Reach> all = what_reaches_more(results);

  ASSERT_EQ(all.size(), 2u) << "what belongs to the driver's model is nothing to add";
  EXPECT_EQ(all[0].what, "in the client's build(): fill");
  EXPECT_EQ(all[0].clauses, 2u);
  EXPECT_EQ(all[1].what, "log() in the device (--device)");
}

TEST(Reach, SlotsComeBeforeCommandsThatOthersCouldStandFor) {
  const std::vector<Reach> all = what_reaches_more(std::vector{
      without("not reached: render: the driver has no slots (MaxAllocationListSlotId), and "
              "the client has no counterpart for these commands: spin")});

  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].what, "a MaxAllocationListSlotId that is not 0");
}

// Reasons are text; whoever words one anew finds the remedy here.
TEST(Reach, ReasonsAreWordedAsSomewhereInTheSources) {
  std::string sources;
  for (const char* file :
       {"/rules/applies.cpp", "/rules/intr/INTR-006_foreign_interrupts_are_declined.cpp",
        "/rules/submit/SUBMIT-002_exactly_the_submitted_range.cpp", "/host/adapter/objects.cpp",
        "/host/render/render_path.cpp"}) {
    std::ostringstream text;
    text << std::ifstream(std::string(WDDM_CONFORMANCE) + file).rdbuf();
    sources += text.str();
  }
  for (const Remedy& remedy : remedies()) {
    std::string text = remedy.reason;
    if (text.ends_with(": ")) text.resize(text.size() - 2);
    EXPECT_NE(sources.find(text), std::string::npos) << remedy.reason;
  }
}

}  // namespace
}  // namespace wddm::harness
