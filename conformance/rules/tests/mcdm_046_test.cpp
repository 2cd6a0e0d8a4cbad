// Ranges for addresses of the OS's own, with room in them and without.
#include "conformance/rules/tests/compute_test.h"

namespace wddm::mcdm_046 {
namespace {

constexpr std::uint64_t kStart = 0x40000000, kEnd = 0x44000000;

class Mcdm046 : public ComputeTest {
 protected:
  void has_addresses_of(std::uint32_t bits) { add(ev::GpuMmuReported{.address_bits = bits}); }
  bool holds_for(std::uint64_t start, std::uint64_t end) {
    caps_.InternalGpuVirtualAddressRangeStart = start;
    caps_.InternalGpuVirtualAddressRangeEnd = end;
    answers();
    return holds("MCDM-046");
  }
};

TEST_F(Mcdm046, OneWithRoom) {
  has_addresses_of(40);
  EXPECT_TRUE(holds_for(kStart, kEnd));
  EXPECT_EQ(times_reached("MCDM-046"), 1u);
}

TEST_F(Mcdm046, NoneAtAll) {
  has_addresses_of(40);
  EXPECT_TRUE(holds_for(0, 0));
  EXPECT_EQ(times_reached("MCDM-046"), 0u);
}

TEST_F(Mcdm046, ItsEndBeforeItsStart) {
  has_addresses_of(40);
  EXPECT_FALSE(holds_for(kEnd, kStart));
}

TEST_F(Mcdm046, AStartWithoutAnEnd) {
  has_addresses_of(40);
  EXPECT_FALSE(holds_for(kStart, 0));
}

TEST_F(Mcdm046, BothAtOnePlace) {
  has_addresses_of(40);
  EXPECT_FALSE(holds_for(kStart, kStart));
}

TEST_F(Mcdm046, AStartBehindAllAddresses) {
  has_addresses_of(30);
  EXPECT_FALSE(holds_for(kStart, kEnd));
}

// Of a driver that names all addresses from some on.
TEST_F(Mcdm046, AnEndBehindAllAddresses) {
  has_addresses_of(40);
  EXPECT_TRUE(holds_for(kStart, ~0ull));
}

TEST_F(Mcdm046, AllAddresses) {
  has_addresses_of(64);
  EXPECT_TRUE(holds_for(0, ~0ull));
}

TEST_F(Mcdm046, ASpaceThatNobodyHasToldOf) {
  EXPECT_TRUE(holds_for(kStart, kEnd));
  EXPECT_EQ(times_reached("MCDM-046"), 1u);
}

TEST_F(Mcdm046, OnePageWithItsEndOrWithout) {
  has_addresses_of(40);
  EXPECT_TRUE(holds_for(kStart, kStart + 0xfff));
  EXPECT_TRUE(holds_for(kStart, kStart + 0x1000));
}

TEST_F(Mcdm046, LessThanAPage) {
  has_addresses_of(40);
  EXPECT_FALSE(holds_for(kStart, kStart + 0xffe));
}

TEST_F(Mcdm046, APageInPartsOfTwo) {
  has_addresses_of(40);
  EXPECT_FALSE(holds_for(kStart + 0x800, kStart + 0x17ff));
}

TEST_F(Mcdm046, LimitsInTheMiddleOfPages) {
  has_addresses_of(40);
  EXPECT_TRUE(holds_for(kStart + 0x800, kStart + 0x2800));
}

// The last page of the space, and what would lie behind it.
TEST_F(Mcdm046, OnlyTheEndOfTheSpaceIsLeft) {
  has_addresses_of(30);
  EXPECT_FALSE(holds_for(kStart - 0x800, kEnd));
}

TEST_F(Mcdm046, TheLastPageOfTheSpace) {
  has_addresses_of(30);
  EXPECT_TRUE(holds_for(kStart - 0x1000, kEnd));
}

TEST_F(Mcdm046, BehindTheLastPageThatThereIs) {
  EXPECT_FALSE(holds_for(~0ull - 0x10, ~0ull));
}

}  // namespace
}  // namespace wddm::mcdm_046
