// Addresses of the host's own, in the range that a driver names and beside it.
#include "conformance/rules/tests/compute_test.h"

namespace wddm::mcdm_019 {
namespace {

constexpr std::uint64_t kStart = 0x40000000, kEnd = 0x44000000;
constexpr std::uint32_t kMarker = 256, kOfClient = 3;

class Mcdm019 : public ComputeTest {
 protected:
  Mcdm019() { add(ev::GpuMmuReported{.address_bits = 40}); }
  void names(std::uint64_t start, std::uint64_t end) {
    caps_.InternalGpuVirtualAddressRangeStart = start;
    caps_.InternalGpuVirtualAddressRangeEnd = end;
    answers();
  }
  void maps(std::uint64_t address, std::uint32_t allocation = kMarker, std::uint32_t process = 0,
            std::uint32_t refused = 0) {
    add(ev::AddressAnswered{.size = 0x1000,
                            .address = address,
                            .process = process,
                            .request = static_cast<std::uint32_t>(AddressRequest::Map),
                            .allocation = allocation,
                            .refused = refused});
  }
  void submits(std::uint64_t address, std::uint32_t bytes = 0x1000, std::uint32_t paging = 0) {
    add(ev::Submitted{.address = address, .end = bytes, .paging = paging});
  }
  std::size_t failures() { return TraceTest::failures("MCDM-019"); }
  std::uint32_t reached() { return times_reached("MCDM-019"); }
};

TEST_F(Mcdm019, AllOfItInTheRange) {
  names(kStart, kEnd);
  maps(kStart);
  submits(kStart + 0x10000);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Mcdm019, BelowAndBehindIt) {
  names(kStart, kEnd);
  maps(kStart - 0x1000);
  EXPECT_EQ(failures(), 1u);
  submits(kStart - 0x10);
  EXPECT_EQ(failures(), 2u);
  submits(kEnd + 0x1000);
  EXPECT_EQ(failures(), 3u);
}

TEST_F(Mcdm019, ThePageOfTheEndMayBelongToIt) {
  names(kStart, kEnd);
  maps(kEnd);
  submits(kEnd - 0x1000, 0x2000);
  EXPECT_EQ(failures(), 0u);
  submits(kEnd - 0x1000, 0x2001);
  EXPECT_EQ(failures(), 1u);
}

// Of a driver that names all addresses from some on.
TEST_F(Mcdm019, ARangeMayEndBehindAllAddresses) {
  names(kStart, ~0ull);
  maps(kStart);
  submits(kStart + 0x10000);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 2u);
  maps(kStart - 0x1000);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mcdm019, WhatIsNoneOfTheHostsInAProcess) {
  names(kStart, kEnd);
  maps(0x20000, kOfClient);
  maps(0x20000, kMarker, kSystemProcessNumber);
  maps(0, kMarker, 0, 1);
  submits(0x100000, 64, 1);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm019, WithoutARangeAnywhere) {
  names(0, 0);
  maps(0x10000);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm019, RangesThatHaveNoRoomOrMakeNoSense) {
  names(kEnd, kStart);
  maps(0x10000);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm019, ASmallRange) {
  names(kStart, kStart + 0x100000);
  maps(0x10000);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm019, ADriverThatNamesNowThisAndNowThat) {
  names(kStart, kEnd);
  maps(0x10000);
  EXPECT_EQ(failures(), 1u);
  names(kStart, kEnd + 0x10000);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_019
