// What binds the client of residency: RES-006..010.
#include "reference/gpuva/residency_client.h"

#include <gtest/gtest.h>

#include <vector>

namespace wddm::gpuva {
namespace {

using Verdicts = std::vector<ClientVerdict>;
using Ids = std::vector<AllocationId>;
constexpr AllocationId kA{0};
constexpr AllocationId kB{1};
constexpr ContextId kFirst{0};
constexpr ContextId kSecond{1};

struct Client : ResidencyClient {
  Client() {
    for (const AllocationId id : {kA, kB}) (void)judge(ClientAllocation{id, 2});
  }
  Verdicts tell(const ClientEvent& event) {
    const auto verdicts = judge(event);
    return {verdicts.begin(), verdicts.end()};
  }
  Verdicts make(const Ids& ids, std::uint64_t value = 0) {
    return tell(ClientMade{.allocations = ids,
                           .status = value == 0 ? ResidencyStatus::Ok : ResidencyStatus::Pending,
                           .fence_value = value});
  }
  Verdicts attempt(bool last, bool must, ResidencyStatus status) {
    return tell(ClientMade{{&kA, 1}, last, must, status, 0});
  }
  Verdicts evict(const Ids& ids, bool not_written = false) {
    return tell(ClientEvicted{ids, not_written});
  }
  Verdicts submit(const Ids& ids, std::uint64_t fence = 1, ContextId context = kFirst) {
    return tell(ClientSubmitted{context, fence, ids});
  }
  /// Submits, and all of it ends.
  void use(const Ids& ids, std::uint64_t fence) {
    EXPECT_EQ(submit(ids, fence), Verdicts{});
    (void)tell(ClientCompleted{fence});
  }
};

TEST(ResidencyClient, RES_006_AWaitOfTheContextIsEnough) {
  Client client;
  (void)client.make({kA}, 3);
  EXPECT_EQ(client.submit({kA}), (Verdicts{{ClientFault::NotWaited, kA}}));
  (void)client.tell(ClientWaits{kFirst, 2});
  EXPECT_EQ(client.submit({kA}), (Verdicts{{ClientFault::NotWaited, kA}}));
  (void)client.tell(ClientWaits{kFirst, 3});
  EXPECT_EQ(client.submit({kA}), Verdicts{});
  EXPECT_EQ(client.submit({kA}, 2, kSecond), (Verdicts{{ClientFault::NotWaited, kA}}));
}

TEST(ResidencyClient, RES_006_WhatTheCpuSawCountsForAllContexts) {
  Client client;
  (void)client.make({kA}, 3);
  (void)client.tell(ClientSaw{3});
  EXPECT_EQ(client.submit({kA}, 1, kSecond), Verdicts{});
}

TEST(ResidencyClient, RES_006_Value0IsDoneAlready) {
  Client client;
  (void)client.make({kA});
  EXPECT_EQ(client.submit({kA}), Verdicts{});
}

TEST(ResidencyClient, RES_006_AReclaimIsWaitedForToo) {
  Client client;
  (void)client.make({kA});
  (void)client.tell(ClientOffered{{&kA, 1}});
  (void)client.tell(ClientReclaimed{{&kA, 1}, 4});
  EXPECT_EQ(client.submit({kA}), (Verdicts{{ClientFault::NotWaited, kA}}));
}

TEST(ResidencyClient, RES_007_MustSucceedNeedsCantTrimFurther) {
  Client client;
  EXPECT_EQ(client.attempt(false, true, ResidencyStatus::InvalidParameter),
            (Verdicts{{ClientFault::MustSucceedAlone}}));
}

TEST(ResidencyClient, RES_007_TheFinalAttemptFollowsAFailure) {
  Client client;
  EXPECT_EQ(client.attempt(true, false, ResidencyStatus::Ok),
            (Verdicts{{ClientFault::FinalAttemptFirst}}));
  EXPECT_EQ(client.attempt(false, false, ResidencyStatus::OutOfMemory), Verdicts{});
  EXPECT_EQ(client.attempt(true, true, ResidencyStatus::Ok), Verdicts{});
  EXPECT_EQ(client.attempt(true, false, ResidencyStatus::Ok),
            (Verdicts{{ClientFault::FinalAttemptFirst}}));
}

TEST(ResidencyClient, RES_008_NoUseAfterTheLastEvict) {
  Client client;
  (void)client.make({kA, kA});
  (void)client.evict({kA});
  EXPECT_EQ(client.submit({kA}), Verdicts{});
  (void)client.evict({kA});
  EXPECT_EQ(client.submit({kA}), (Verdicts{{ClientFault::UsedAfterEvict, kA}}));
  (void)client.make({kA});
  EXPECT_EQ(client.submit({kA}), Verdicts{});
}

TEST(ResidencyClient, RES_008_NoUseWhileOffered) {
  Client client;
  (void)client.make({kA});
  (void)client.tell(ClientOffered{{&kA, 1}});
  EXPECT_EQ(client.submit({kA}), (Verdicts{{ClientFault::UsedWhileOffered, kA}}));
}

TEST(ResidencyClient, RES_001_NoUseOfWhatWasNeverRequired) {
  Client client;
  (void)client.attempt(false, false, ResidencyStatus::OutOfMemory);
  EXPECT_EQ(client.submit({kB, kA}),
            (Verdicts{{ClientFault::NotRequired, kB}, {ClientFault::NotRequired, kA}}));
}

TEST(ResidencyClient, RES_009_NotWrittenToIsTrue) {
  Client client;
  (void)client.make({kA, kB});
  (void)client.tell(GpuWrote{kA});
  EXPECT_EQ(client.evict({kB}, true), Verdicts{});
  EXPECT_EQ(client.evict({kA}, true), (Verdicts{{ClientFault::WrittenTo, kA}}));
}

TEST(ResidencyClient, RES_009_OnlyWritesSinceItWasMadeResidentCount) {
  Client client;
  (void)client.make({kA});
  (void)client.tell(GpuWrote{kA});
  (void)client.evict({kA});
  (void)client.make({kA});
  EXPECT_EQ(client.evict({kA}, true), Verdicts{});
}

/// A is used each frame, B once, in frames that end with a periodic trim.
struct Frames : Client {
  Frames() {
    (void)make({kA, kB});
    use({kA, kB}, 1);
    (void)tell(TrimBegins{.periodic = true});
    EXPECT_EQ(tell(TrimEnds{}), Verdicts{});
    use({kA}, 2);
    (void)tell(TrimBegins{.periodic = true});
  }
};

TEST(ResidencyClient, RES_010_APeriodicTrimTakesWhatIsUnused) {
  Frames frames;
  (void)frames.evict({kB});
  EXPECT_EQ(frames.tell(TrimEnds{}), Verdicts{});
}

TEST(ResidencyClient, RES_010_APeriodicTrimLeavesNothingUnused) {
  Frames frames;
  EXPECT_EQ(frames.tell(TrimEnds{}), (Verdicts{{ClientFault::KeptUnused, kB}}));
}

TEST(ResidencyClient, RES_010_APeriodicTrimLeavesWhatIsUsed) {
  Frames frames;
  (void)frames.evict({kA, kB});
  EXPECT_EQ(frames.tell(TrimEnds{}), (Verdicts{{ClientFault::TrimmedUsed, kA}}));
}

TEST(ResidencyClient, RES_010_ARestartSetsTheFenceOnly) {
  Client client;
  (void)client.make({kA});
  client.use({kA}, 1);
  (void)client.tell(TrimBegins{.restart_periodic = true});
  EXPECT_EQ(client.tell(TrimEnds{}), Verdicts{});
  (void)client.tell(TrimBegins{.periodic = true});
  EXPECT_EQ(client.tell(TrimEnds{}), (Verdicts{{ClientFault::KeptUnused, kA}}));
}

TEST(ResidencyClient, RES_010_ARestartEvictsNothing) {
  Client client;
  (void)client.make({kA});
  (void)client.make({kA, kB});
  client.use({kA, kB}, 1);
  (void)client.tell(TrimBegins{.restart_periodic = true});
  EXPECT_EQ(client.evict({kA, kB}),
            (Verdicts{{ClientFault::TrimmedOnRestart, kA}, {ClientFault::TrimmedOnRestart, kB}}));
  EXPECT_EQ(client.tell(TrimEnds{}), Verdicts{});
  EXPECT_EQ(client.evict({kA}), Verdicts{});
}

TEST(ResidencyClient, RES_010_ARestartForABudgetMayEvict) {
  Client client;
  (void)client.make({kA});
  client.use({kA}, 1);
  (void)client.tell(TrimBegins{.restart_periodic = true, .to_budget = true, .bytes = kPageSize});
  EXPECT_EQ(client.evict({kA}), Verdicts{});
  EXPECT_EQ(client.tell(TrimEnds{}), Verdicts{});
}

TEST(ResidencyClient, RES_010_NotBothPeriodicFlags) {
  Client client;
  EXPECT_EQ(client.tell(TrimBegins{.periodic = true, .restart_periodic = true}),
            (Verdicts{{ClientFault::TrimFlagsTogether}}));
}

TEST(ResidencyClient, RES_010_TrimToBudgetTakesSoManyBytes) {
  for (const std::uint64_t pages : {2, 3}) {
    Client client;
    (void)client.make({kA, kB});
    client.use({kA, kB}, 1);
    (void)client.tell(TrimBegins{.to_budget = true, .bytes = pages * kPageSize});
    (void)client.evict({kA});
    const Verdicts expected = pages == 2 ? Verdicts{} : Verdicts{{ClientFault::TrimmedTooLittle}};
    EXPECT_EQ(client.tell(TrimEnds{}), expected);
  }
}

TEST(ResidencyClient, RES_010_WhatIsInUseNeedNotGo) {
  Client client;
  (void)client.make({kA});
  (void)client.submit({kA}, 1);
  (void)client.tell(TrimBegins{.to_budget = true, .bytes = kPageSize});
  EXPECT_EQ(client.tell(TrimEnds{}), Verdicts{});
}

}  // namespace
}  // namespace wddm::gpuva
