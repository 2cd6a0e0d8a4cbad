// What would let more be judged: by the reasons of results, as clauses and the host word them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
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

  const std::vector<Reach> all = what_reaches_more(results, {});

  ASSERT_EQ(all.size(), 2u) << "what belongs to the driver's model is nothing to add";
  EXPECT_EQ(all[0].what, "in the client's build(): fill");
  EXPECT_EQ(all[0].clauses, 2u);
  EXPECT_EQ(all[1].what, "log() in the device (--device)");
}

TEST(Reach, AMachineIsWhatTheUserSays) {
  const std::vector<Reach> all =
      what_reaches_more(std::vector{without("not reached: the machine has no Modern Standby, but "
                                            "with --config ModernStandby=1")},
                        {});

  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].what, "--config ModernStandby=1: a machine with Modern Standby");
}

// Reasons are text; whoever words one anew finds the remedy here.
TEST(Reach, ReasonsAreWordedAsSomewhereInTheSources) {
  std::string sources;
  for (const char* file :
       {"/rules/applies.cpp", "/rules/intr/INTR-006_foreign_interrupts_are_declined.cpp",
        "/rules/mcdm/power/MCDM-035_power_management_for_standby.cpp",
        "/rules/submit/SUBMIT-002_exactly_the_submitted_range.cpp",
        "/host/adapter/objects/objects.cpp", "/host/render/render_path.cpp"}) {
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

TEST(Reach, WhatIsNotThereFollowsFromSomethingElse) {
  EXPECT_TRUE(names_what_is_not_there("create_context: no such node"));
  EXPECT_TRUE(names_what_is_not_there("physical_adapter: no so many adapters are linked"));
  EXPECT_TRUE(names_what_is_not_there("create_allocation: there is no aperture"));
  EXPECT_TRUE(names_what_is_not_there("create_context: the slot is in use"));
  EXPECT_TRUE(
      names_what_is_not_there("create_device: without an MMU one process at a time has devices, "
                              "and another one has them"));
  EXPECT_TRUE(names_what_is_not_there("query_fence: the driver has no DxgkDdiQueryCurrentFence"));
  EXPECT_TRUE(names_what_is_not_there("move_context: there are no GPU virtual addresses"));
  EXPECT_TRUE(names_what_is_not_there("move_table: the driver has no GPU virtual addresses"));
  EXPECT_TRUE(names_what_is_not_there("unmap_aperture: nothing was mapped there"))
      << "why, says what was to map it";
  EXPECT_FALSE(names_what_is_not_there("evict: it is not resident"));
  // What was to be had been refused, or is done: why, a clause knows.
  EXPECT_TRUE(names_what_is_not_there("time_out: nothing is outstanding on the node"));
}

// -- what a device leaves out

Platform whose_device_lacks(std::uint32_t parts) {
  Platform platform;
  platform.has_device = platform.has_device_log = platform.patch_list_model = true;
  platform.device_lacks = parts;
  platform.segments.resize(1);  // of which the CPU sees nothing
  return platform;
}

std::vector<std::string> offered(const Platform& platform) {
  std::vector<std::string> all;
  for (const Reach& one : what_reaches_more({}, platform)) {
    EXPECT_EQ(one.clauses, 0u);
    all.push_back(one.what.substr(0, one.what.find_first_of("( ")));
  }
  return all;
}

TEST(Reach, OfADeviceThatHasEverythingNothingIsSaid) {
  EXPECT_TRUE(offered(whose_device_lacks(0)).empty());
}

TEST(Reach, EachPartThatIsMissingIsNamed) {
  EXPECT_EQ(offered(whose_device_lacks(~0u)),
            (std::vector<std::string>{"memory_read", "scramble", "power", "tag_bits"}));
}

TEST(Reach, AClientThatKnowsNoEscapesOfADriverThatHasSome) {
  Platform platform = whose_device_lacks(0);
  platform.has_client = true;
  EXPECT_EQ(offered(platform), std::vector<std::string>{"escape_data"});

  platform.absent_ddis.value.set(static_cast<std::size_t>(DdiId::Escape));
  EXPECT_TRUE(offered(platform).empty());
}

TEST(Reach, WhatWouldShowNothingOfTheDriverIsNot) {
  Platform platform = whose_device_lacks(~0u);
  platform.patch_list_model = platform.has_device_log = false;
  platform.segments[0].flags.value = 4;  // CpuVisible
  platform.absent_ddis.value.set(static_cast<std::size_t>(DdiId::SetPowerState));
  EXPECT_TRUE(offered(platform).empty());
}

TEST(Reach, ClausesWithoutAnythingInTheWayWaitForMemoryThatNobodySees) {
  static constexpr auto kCheck = [](const Trace&, const Platform&, Judgement&) {};
  Rule of_memory{};
  of_memory.evidence = Evidence::Memory;
  of_memory.check = kCheck;
  Rule of_calls = of_memory;
  of_calls.evidence = Evidence::Boundary;
  const std::string unreached = std::string("not reached: ") + kNoRunCameToIt;
  std::vector<ClauseResult> results{without(unreached), without(unreached),
                                    without("not reached: render: skipped")};
  results[0].rule = results[2].rule = &of_memory;
  results[1].rule = &of_calls;

  const std::vector<Reach> all = what_reaches_more(
      results, whose_device_lacks(static_cast<std::uint32_t>(DevicePart::MemoryRead)));

  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].clauses, 1u);
}

// -- the headers of both plug-ins

// What may be null and leaves nothing unjudged.
const std::map<std::string, std::string> kNothingToAdd{
    {"context_data", "only drivers that want private data need it"},
    {"resource_data", "only drivers that want private data need it"},
    {"trim", "wddmcheck trims in its place, and no clause on the driver rests on it"},
    {"place_resources", "wddmcheck packs in its place, and no clause on the driver rests on it"},
    {"config_read", "there is a header that wddmcheck makes"},
};

TEST(Reach, EveryOptionalFunctionIsSuggestedOrKnownToAddNothing) {
  std::string suggested;
  for (const Remedy& remedy : remedies()) suggested += std::string(" ") + remedy.what;
  for (const Offer& offer : offers()) suggested += std::string(" ") + offer.what;
  std::size_t seen = 0;
  for (const char* header : {"/sdk/client.h", "/sdk/device.h"}) {
    std::ostringstream read;
    read << std::ifstream(std::string(WDDM_CONFORMANCE) + header).rdbuf();
    const std::string text = read.str();
    for (std::size_t at = 0; (at = text.find("Optional, may be null", at)) != std::string::npos;) {
      at = text.find("(*", text.find("*/", at));
      ASSERT_NE(at, std::string::npos) << header;
      const std::string name = text.substr(at + 2, text.find(')', at) - at - 2);
      ++seen;
      EXPECT_NE(suggested.find(" " + name + "()") != std::string::npos,
                kNothingToAdd.contains(name))
          << name << " in " << header;
    }
  }
  EXPECT_EQ(seen, kNothingToAdd.size() + 7) << "decode, decode_entry, log, and four of kOffers";
}

}  // namespace
}  // namespace wddm::harness
