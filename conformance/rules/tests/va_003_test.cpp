// Which ranges a Map may take, and which a Reserve (VA-004).
#include "conformance/rules/tests/trace_test.h"

namespace wddm::va_003 {
namespace {

constexpr std::uint32_t kWrite = 1, kZero = 4, kNoAccess = 8;

class Va003 : public TraceTest {
 protected:
  void map(std::uint64_t base, std::uint64_t size, std::uint32_t protection = kWrite,
           std::uint32_t allocation = 1) {
    add(ev::AddressAnswered{.base = base,
                            .size = size,
                            .address = base,
                            .request = static_cast<std::uint32_t>(AddressRequest::Map),
                            .allocation = allocation,
                            .protection = protection});
  }
  void map_context_allocation(std::uint64_t base, std::uint64_t size) {
    add(ev::AddressAnswered{
        .base = base,
        .size = size,
        .address = base,
        .request = static_cast<std::uint32_t>(AddressRequest::MapContextAllocation)});
  }
  void reserve(std::uint64_t base, std::uint64_t size) {
    add(ev::AddressAnswered{.base = base,
                            .size = size,
                            .address = base,
                            .request = static_cast<std::uint32_t>(AddressRequest::Reserve)});
  }
  void free(std::uint64_t base, std::uint64_t size) {
    add(ev::AddressAnswered{
        .base = base, .size = size, .request = static_cast<std::uint32_t>(AddressRequest::Free)});
  }
};

TEST_F(Va003, InsideAReservedRange) {
  reserve(0x100000, 0x10000);
  map(0x100000, 0x2000, kNoAccess, kNone);
  map(0x102000, 0x2000, kZero, kNone);
  map(0x104000, 0x2000);
  EXPECT_TRUE(holds("VA-003"));
  EXPECT_NE(times_reached("VA-003"), 0u);
}

TEST_F(Va003, HalfOutside) {
  reserve(0x100000, 0x10000);
  map(0x10f000, 0x2000);
  EXPECT_FALSE(holds("VA-003"));
}

TEST_F(Va003, AcrossTwoRanges) {
  reserve(0x100000, 0x10000);
  reserve(0x110000, 0x10000);
  map(0x10f000, 0x2000);
  EXPECT_FALSE(holds("VA-003"));
}

TEST_F(Va003, AContextAllocationOverAMapping) {
  map(0x100000, 0x4000);
  map_context_allocation(0x104000, 0x1000);
  EXPECT_TRUE(holds("VA-003"));
  map_context_allocation(0x100000, 0x1000);
  EXPECT_FALSE(holds("VA-003"));
}

TEST_F(Va003, AContextAllocationInsideAReservedRange) {
  reserve(0x100000, 0x10000);
  map_context_allocation(0x104000, 0x1000);
  EXPECT_FALSE(holds("VA-003"));
}

TEST_F(Va003, NoAccessOverAMapping) {
  map(0x100000, 0x4000);
  map(0x100000, 0x4000, kNoAccess, kNone);
  EXPECT_FALSE(holds("VA-003"));
}

TEST_F(Va003, ZeroWithAnAllocation) {
  map(0x100000, 0x4000, kZero);
  EXPECT_FALSE(holds("VA-003"));
}

TEST_F(Va003, WhatWasFreedIsFree) {
  map(0x100000, 0x4000);
  free(0x100000, 0x2000);
  map(0x100000, 0x2000, kNoAccess, kNone);
  EXPECT_TRUE(holds("VA-003"));
  map(0x101000, 0x2000);
  EXPECT_FALSE(holds("VA-003"));
}

TEST_F(Va003, ANewStartBeginsAnew) {
  map(0x100000, 0x4000);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::StartDevice)});
  map(0x103000, 0x4000);
  EXPECT_TRUE(holds("VA-003"));
}

TEST_F(Va003, ReservationsDoNotOverlap) {
  reserve(0x100000, 0x20000);
  EXPECT_TRUE(holds("VA-004"));
  reserve(0x110000, 0x10000);
  EXPECT_FALSE(holds("VA-004"));
}

TEST_F(Va003, ReservationsDoNotTakeMappings) {
  map(0x108000, 0x1000);
  reserve(0x100000, 0x10000);
  EXPECT_FALSE(holds("VA-004"));
}

TEST_F(Va003, ReservationsCountIn64KB) {
  reserve(0x100000, 0x11000);
  EXPECT_FALSE(holds("VA-004"));
}

}  // namespace
}  // namespace wddm::va_003
