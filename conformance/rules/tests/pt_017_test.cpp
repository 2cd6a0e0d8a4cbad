// What copies of entries leave in both tables.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_017 {
namespace {

class Pt017 : public TraceTest {
 protected:
  void copied(std::uint32_t read, std::uint32_t unlike, std::uint32_t outside = 0) {
    add(ev::EntriesCopied{.count = 4, .read = read, .unlike = unlike, .outside = outside});
  }
};

TEST_F(Pt017, AsTheSource) {
  copied(4, 0);
  EXPECT_TRUE(holds("PT-017"));
  EXPECT_EQ(times_reached("PT-017"), 1u);
}

TEST_F(Pt017, Others) {
  copied(4, 1);
  EXPECT_FALSE(holds("PT-017"));
}

TEST_F(Pt017, MoreThanNamed) {
  copied(4, 0, 8);
  EXPECT_FALSE(holds("PT-017"));
}

TEST_F(Pt017, WhatNobodyCanReadIsNotJudged) {
  copied(0, 0);
  EXPECT_TRUE(holds("PT-017"));
  EXPECT_EQ(times_reached("PT-017"), 0u);
}

}  // namespace
}  // namespace wddm::pt_017
