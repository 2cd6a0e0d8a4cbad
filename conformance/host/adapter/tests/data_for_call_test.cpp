// Private data of one call: what the driver is shown, what is left of it, and when its memory
// serves again.
#include "conformance/host/adapter/objects/data_for_call.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace wddm::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

class DataForCallTest : public testing::Test {
 protected:
  void SetUp() override { forget_data_of_calls(); }
};

TEST_F(DataForCallTest, WhatTheDriverWroteComesBackAndIsGoneBehind) {
  Bytes data = {1, 2, 3};
  DataForCall given(data);
  auto* const place = static_cast<std::uint8_t*>(given.place());
  EXPECT_EQ(Bytes(place, place + 3), data);
  place[1] = 7;

  given.take_back();

  EXPECT_EQ(data, (Bytes{1, 7, 3}));
  EXPECT_EQ(Bytes(place, place + 3), Bytes(3, 0xDD));
}

TEST_F(DataForCallTest, NoneHaveNoPlace) {
  Bytes none;
  EXPECT_EQ(DataForCall(none).place(), nullptr);
}

TEST_F(DataForCallTest, NobodyElseGetsThePlaceInTheSameRun) {
  Bytes data(24, 5);
  const void* const first = DataForCall(data).place();
  EXPECT_NE(DataForCall(data).place(), first);
}

// No other test has data of these sizes.
TEST_F(DataForCallTest, TheNextRunHasThePlaceForAsManyBytes) {
  Bytes data(40, 5), more(41, 6);
  const void* const first = DataForCall(data).place();
  forget_data_of_calls();

  EXPECT_NE(DataForCall(more).place(), first);
  EXPECT_EQ(DataForCall(data).place(), first);
}

}  // namespace
}  // namespace wddm::host
