// What two things that went wrong in one run have in common.
#include "conformance/harness/judge/kinship.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reference/trace/trace_file.h"

namespace wddm::harness {
namespace {

constexpr std::uint32_t kFirst = 1, kSecond = 2;  // events of the trace

class KinshipTest : public testing::Test {
 protected:
  // A run with these two events behind the start of its op.
  template <class One, class Other>
  void run_with(const One& one, const Other& other) {
    constexpr std::uint32_t kRecords = 8, kBytes = 1024;
    struct alignas(64) Line {
      std::byte bytes[64];
    };
    std::vector<Line> storage(trace_storage_bytes(kRecords, kBytes) / sizeof(Line) + 1);
    TraceWriter writer = TraceWriter::create(storage.data(), kRecords, kBytes);
    writer.add(ev::OpStarted{}, 0, 0, 0);
    writer.add(one, 0, 0, 0);
    writer.add(other, 0, 0, 0);
    records_.emplace_back().run.judged.trace = trace_file(Trace(storage.data()), {}, kWholeTrace);
  }
  // Of a clause, and of the kernel.
  static Failure at(std::uint32_t event) {
    return {.id = "SPLIT-001", .event = event, .chain = {event}};
  }
  static Failure found(const char* id, std::uint32_t event, std::string seen) {
    return {.id = id, .event = event, .seen = std::move(seen), .chain = {event}};
  }
  bool are_kin(const Failure& one, const Failure& other) {
    return Kinship(records_).are_kin(0, one, other);
  }

  std::vector<RunRecord> records_;
};

TEST_F(KinshipTest, TheSameBytesAreOneThing) {
  run_with(ev::MemoryDiffers{.where = 1, .object = 2, .offset = 64, .cause_object = 5},
           ev::MemoryDiffers{.where = 1, .object = 2, .offset = 64, .cause_object = 6});
  EXPECT_TRUE(are_kin(at(kFirst), at(kSecond)));
}

TEST_F(KinshipTest, WhatBothNameOfBeforeMakesThemKinButNotAboutOneThing) {
  run_with(ev::AllocationCreated{}, ev::Finding{});
  Failure behind = at(kSecond);
  behind.chain = {kFirst, kSecond};
  EXPECT_TRUE(are_kin(at(kFirst), behind));
  EXPECT_FALSE(Kinship(records_).are_about_one(0, at(kFirst), behind));
  EXPECT_TRUE(Kinship(records_).are_about_one(0, at(kSecond), behind));
}

TEST_F(KinshipTest, InOneCallOfRenderMoreThanOneThingMayBeWrong) {
  run_with(ev::RenderCalled{.render = 4}, ev::Rendered{.render = 4});
  EXPECT_TRUE(are_kin(at(kFirst), at(kSecond)));
  EXPECT_FALSE(Kinship(records_).are_about_one(0, at(kFirst), at(kSecond)));
}

TEST_F(KinshipTest, OtherBytesAreAnother) {
  run_with(ev::MemoryDiffers{.where = 1, .object = 2, .offset = 64, .cause_object = 5},
           ev::MemoryDiffers{.where = 1, .object = 2, .offset = 68, .cause_object = 6});
  EXPECT_FALSE(are_kin(at(kFirst), at(kSecond)));
}

TEST_F(KinshipTest, WhatADriverAssertsIsAboutItsCall) {
  run_with(ev::Finding{}, ev::AllocationCreated{});
  EXPECT_TRUE(are_kin(found("NT-Assertion", kFirst, "count == 1"), at(kSecond)));
  EXPECT_FALSE(are_kin(found("NT-PoolOverrun", kFirst, "8 bytes"), at(kSecond)));
}

TEST_F(KinshipTest, WhatADriverAssertsIsAboutNoLaterCall) {
  run_with(ev::Finding{}, ev::DdiEntered{});
  EXPECT_FALSE(are_kin(found("NT-Assertion", kFirst, "count == 1"), at(kSecond)));
}

TEST_F(KinshipTest, WhatTheDriverIsHasManyMembers) {
  const auto says = [](const char* seen) { return found("SEG-002", kFirst, seen); };
  const auto one_thing = [this](const Failure& one, const Failure& other) {
    return Kinship(records_).say_the_same(0, one, other);
  };
  const Failure commit = says("segment 1 has CommitLimit 0");
  run_with(ev::SegmentReported{}, ev::OpStarted{});

  EXPECT_TRUE(one_thing(commit, says("CommitLimit below Size in segment 1")));
  EXPECT_FALSE(one_thing(commit, says("CacheCoherent without Aperture in segment 1")));
  EXPECT_FALSE(one_thing(commit, says("segment 1 has 5 bytes")));
  EXPECT_TRUE(one_thing(at(kSecond), at(kSecond))) << "what it does is one thing";
}

TEST_F(KinshipTest, ALeakIsOfWhatWasLeftBefore) {
  run_with(ev::AllocationGroup{.left_bytes = 32, .left_blocks = 2}, ev::Finding{});
  EXPECT_TRUE(are_kin(at(kFirst), found("NT-PoolLeak", kSecond, "PoolLeak: 2 blocks, 32 bytes")));
}

TEST_F(KinshipTest, WhatLeftNothingLeadsToNoLeak) {
  run_with(ev::AllocationGroup{.left_bytes = -8, .left_blocks = -1}, ev::AllocationGroup{});
  const Failure leak = found("NT-PoolLeak", 7, "PoolLeak: 2 blocks, 32 bytes");
  EXPECT_FALSE(are_kin(at(kFirst), leak));
  EXPECT_FALSE(are_kin(at(kSecond), leak));
}

TEST_F(KinshipTest, OneFunctionAskedForBoth) {
  run_with(ev::Finding{}, ev::Finding{});
  const Failure pool = found("NT-PoolLeak", kFirst, "1 blocks, from Entry::start at entry.cpp:9");
  EXPECT_TRUE(are_kin(pool, found("NT-ObjectLeak", kSecond,
                                  "1 contiguous block left, from Entry::start at entry.cpp:20")));
  EXPECT_FALSE(are_kin(pool, found("NT-ObjectLeak", kSecond,
                                   "1 contiguous block left, from Entry::stop at entry.cpp:20")));
}

TEST_F(KinshipTest, AThreadIsToldApartByItsNumber) {
  run_with(ev::Finding{}, ev::Finding{});
  const Failure freed = found("NT-PoolUseAfterFree", kFirst,
                              "freed while it holds an object that thread 11 waits for (f+0x1)");
  const auto alive = [](const char* seen) {
    return found("NT-ThreadAliveAtUnload", kSecond, seen);
  };
  EXPECT_TRUE(are_kin(freed, alive("ThreadAliveAtUnload: thread 11 has not ended (g+0x0)")));
  EXPECT_FALSE(are_kin(freed, alive("ThreadAliveAtUnload: thread 12 has not ended (g+0x0)")));
  EXPECT_TRUE(are_kin(alive("thread 11 has not ended"),
                      found("NT-ObjectLeak", 7, "ObjectLeak: 1 thread reference left")));
}

TEST_F(KinshipTest, WhoNamesAnEventOfAnotherOpMeansIt) {
  const Failure earlier{.id = "SPLIT-001", .event = 4, .op = 2, .chain = {4}};
  EXPECT_TRUE(Kinship::names({.id = "BIND-001", .event = 9, .op = 3, .chain = {4, 9}}, earlier));
  EXPECT_FALSE(Kinship::names({.id = "BIND-001", .event = 9, .op = 3, .chain = {9}}, earlier));
  EXPECT_FALSE(Kinship::names({.id = "BIND-001", .event = 9, .op = 2, .chain = {4, 9}}, earlier));
}

}  // namespace
}  // namespace wddm::harness
