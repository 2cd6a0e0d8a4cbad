// Which instances of a renamed allocation a buffer may name.
#include "reference/vidmm/instances.h"

#include <gtest/gtest.h>

namespace wddm::vidmm {
namespace {

constexpr AllocationId kOldest{3}, kMiddle{7}, kNewest{5}, kAnother{4};

class InstancesTest : public ::testing::Test {
 protected:
  InstancesTest() {
    instances_.renamed(kOldest, kMiddle);
    instances_.renamed(kOldest, kNewest);
  }
  std::optional<std::size_t> take(const std::vector<AllocationId>& elements) {
    return instances_.take(elements);
  }
  Instances instances_;
};

TEST_F(InstancesTest, OneBufferMayNameThemInOrder) {
  EXPECT_EQ(take({kOldest, kOldest, kMiddle, kAnother, kNewest, kNewest}), std::nullopt);
}

TEST_F(InstancesTest, NoElementGoesBack) {
  EXPECT_EQ(take({kOldest, kMiddle, kAnother, kOldest}), 3u);
}

TEST_F(InstancesTest, NoLaterBufferGoesBack) {
  EXPECT_EQ(take({kMiddle}), std::nullopt);
  EXPECT_EQ(take({kOldest}), 0u);
  EXPECT_EQ(take({kMiddle, kNewest}), std::nullopt);
}

TEST_F(InstancesTest, ABufferThatIsRejectedNamesNothing) {
  EXPECT_EQ(take({kNewest, kMiddle}), 1u);
  EXPECT_EQ(take({kOldest}), std::nullopt);
}

TEST_F(InstancesTest, WhatIsNamedFirstMayBeTheNewest) {
  EXPECT_EQ(take({kNewest}), std::nullopt);
  EXPECT_FALSE(instances_.may_name(kMiddle));
}

TEST_F(InstancesTest, WhatWasNeverRenamedMayAlwaysBeNamed) {
  EXPECT_EQ(take({kNewest, kAnother, kNoAllocation}), std::nullopt);
  EXPECT_TRUE(instances_.may_name(kAnother));
}

TEST_F(InstancesTest, AgeIsWithinOneAllocation) {
  EXPECT_TRUE(instances_.is_older(kMiddle, kNewest));
  EXPECT_FALSE(instances_.is_older(kNewest, kMiddle));
  EXPECT_FALSE(instances_.is_older(kMiddle, kMiddle));
  EXPECT_FALSE(instances_.is_older(kAnother, kNewest));
}

TEST_F(InstancesTest, AnInstanceThatComesAgainIsTheNewest) {
  EXPECT_EQ(take({kOldest, kMiddle}), std::nullopt);
  EXPECT_EQ(instances_.reuse(kOldest), kOldest);
  EXPECT_EQ(instances_.count_of(kOldest), 3u);
  EXPECT_TRUE(instances_.is_older(kNewest, kOldest));
  EXPECT_EQ(take({kMiddle, kNewest, kOldest}), std::nullopt);
  EXPECT_EQ(take({kNewest}), 0u);
}

TEST_F(InstancesTest, TheyComeAgainInTurn) {
  EXPECT_EQ(take({kNewest}), std::nullopt);
  EXPECT_EQ(instances_.reuse(kOldest), kOldest);
  EXPECT_EQ(instances_.reuse(kOldest), kMiddle);
  EXPECT_EQ(take({kNewest, kOldest, kMiddle}), std::nullopt);
  EXPECT_EQ(instances_.reuse(kOldest), kNewest);
  EXPECT_EQ(take({kOldest}), 0u) << "the next one was named since";
}

TEST_F(InstancesTest, AnOriginalThatHasComeAgainStillTakesAllWithIt) {
  instances_.reuse(kOldest);
  instances_.forget(kMiddle);
  EXPECT_EQ(take({kOldest}), std::nullopt);
  EXPECT_EQ(take({kNewest}), 0u);
  instances_.forget(kOldest);
  EXPECT_TRUE(instances_.none());
}

TEST_F(InstancesTest, AnOriginalThatGoesTakesAllWithIt) {
  EXPECT_EQ(take({kNewest}), std::nullopt);
  EXPECT_EQ(instances_.count_of(kOldest), 3u);
  instances_.forget(kOldest);
  EXPECT_TRUE(instances_.none());
  EXPECT_EQ(take({kOldest}), std::nullopt);
  EXPECT_EQ(instances_.count_of(kOldest), 1u);
}

TEST_F(InstancesTest, AnInstanceThatGoesLeavesTheOthersTheirOrder) {
  EXPECT_EQ(take({kMiddle}), std::nullopt);
  instances_.forget(kMiddle);
  EXPECT_EQ(take({kOldest}), std::nullopt);
  EXPECT_EQ(take({kNewest, kOldest}), 1u);
}

}  // namespace
}  // namespace wddm::vidmm
