// Requests of DxgkCbMapContextAllocation, and their answers.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::va_011 {
namespace {

class Va011 : public TraceTest {
 protected:
  Va011() { add(ev::ContextAllocationMade{.size = 0x1800, .number = 3}); }
  void refused(ev::AddressAnswered one) {
    one.refused = 1;
    answered(one);
  }
  void answered(ev::AddressAnswered one) {
    one.request = static_cast<std::uint32_t>(AddressRequest::MapContextAllocation);
    one.allocation = 3;
    add(one);
  }
  bool holds() { return TraceTest::holds("VA-011"); }
  std::uint32_t reached() { return times_reached("VA-011"); }
};

TEST_F(Va011, AllOfIt) {
  answered({.size = 0x2000, .address = 0x20000, .protection = 1 | 16});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Va011, MoreThanItHas) {
  refused({.size = 0x3000});
  EXPECT_FALSE(holds());
}

TEST_F(Va011, PagesBehindItsEnd) {
  refused({.size = 0x1000, .offset = 0x2000});
  EXPECT_FALSE(holds());
}

TEST_F(Va011, NoPages) {
  refused({.size = 0});
  EXPECT_FALSE(holds());
}

TEST_F(Va011, AnAddressInsideAPage) {
  refused({.base = 0x20800, .size = 0x1000});
  EXPECT_FALSE(holds());
}

TEST_F(Va011, LimitsInsideAPage) {
  refused({.minimum = 0x20800, .size = 0x1000});
  EXPECT_FALSE(holds());
}

TEST_F(Va011, LimitsWithoutRoom) {
  refused({.minimum = 0x20000, .maximum = 0x21000, .size = 0x2000});
  EXPECT_FALSE(holds());
}

TEST_F(Va011, LimitsDoNotCountBesideAnAddress) {
  refused({.base = 0x20000, .minimum = 0x20800, .maximum = 0x20000, .size = 0x1000});
  EXPECT_TRUE(holds());
}

TEST_F(Va011, ZeroMapsNoAllocation) {
  refused({.size = 0x1000, .protection = 4});
  EXPECT_FALSE(holds());
}

TEST_F(Va011, AddressesOfAnother) {
  refused({.base = 0x20000, .size = 0x1000});
  refused({.size = 0x1000});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Va011, WhatUserModeAsksFor) {
  add(ev::AddressAnswered{
      .size = 0, .request = static_cast<std::uint32_t>(AddressRequest::Map), .refused = 1});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::va_011
