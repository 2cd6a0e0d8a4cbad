// Bounds of the members of DXGK_GPUMMUCAPS.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mmu_004 {
namespace {

constexpr std::uint32_t kInvalidTlbEntriesNotCached = 1u << 10;

class Mmu004 : public TraceTest {
 protected:
  Mmu004() { platform_.interface_version = 0xB004; }  // WDDM 2.6
  static ev::GpuMmuReported good() {
    return {.caps = 0x3ff,
            .update_mode = 2,
            .address_bits = 48,
            .leaf_64kb_bytes = 4096,
            .levels = 4,
            .legacy = 1};
  }
  bool holds_with(const ev::GpuMmuReported& said) {
    add(said);
    return TraceTest::holds("MMU-004");
  }
};

TEST_F(Mmu004, TheLastOfEachRange) {
  auto said = good();
  said.levels = 6;
  said.caps |= kInvalidTlbEntriesNotCached;
  EXPECT_TRUE(holds_with(said));
  EXPECT_EQ(times_reached("MMU-004"), 1u);
}

TEST_F(Mmu004, OneLevel) {
  auto said = good();
  said.levels = 1;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, SevenLevels) {
  auto said = good();
  said.levels = 7;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, AModeThatThereIsNot) {
  auto said = good();
  said.update_mode = 3;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, ATableOfPartsOfPages) {
  auto said = good();
  said.leaf_64kb_bytes = 512;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, ReservedBits) {
  auto said = good();
  said.caps |= 1u << 13;
  EXPECT_FALSE(holds_with(said));
  platform_.interface_version = 0x10004;  // WDDM 3.1
  EXPECT_FALSE(TraceTest::holds("MMU-004"));
}

TEST_F(Mmu004, WhatNewerHeadersHaveThereIsNotKnown) {
  platform_.interface_version = 0x11007;  // WDDM 3.2
  auto said = good();
  said.caps |= 3u << 13;
  EXPECT_TRUE(holds_with(said));
}

TEST_F(Mmu004, WhatNoHeaderHasIsReserved) {
  platform_.interface_version = 0x11007;  // WDDM 3.2
  auto said = good();
  said.caps |= 1u << 15;
  EXPECT_FALSE(holds_with(said));
  platform_.interface_version = 0x12000;  // of which nothing is known
  EXPECT_TRUE(TraceTest::holds("MMU-004"));
}

struct Later {
  std::uint32_t bit, since, before;
};
class Mmu004Later : public Mmu004, public ::testing::WithParamInterface<Later> {
 protected:
  bool holds_in(std::uint32_t interface_version) {
    platform_.interface_version = interface_version;
    auto said = good();
    said.caps = 1u << GetParam().bit;
    return holds_with(said);
  }
};

TEST_P(Mmu004Later, FromItsVersionOn) {
  EXPECT_TRUE(holds_in(GetParam().since));
}

TEST_P(Mmu004Later, NotBefore) {
  EXPECT_FALSE(holds_in(GetParam().before));
}

INSTANTIATE_TEST_SUITE_P(Bits, Mmu004Later,
                         ::testing::Values(Later{8, 0x6003, 0x5023}, Later{9, 0x6003, 0x5023},
                                           Later{10, 0xB004, 0xA00B}, Later{11, 0xE003, 0xD001},
                                           Later{12, 0x10004, 0xF003}));

TEST_F(Mmu004, ReservedBitsOfLegacyBehaviors) {
  auto said = good();
  said.legacy = 2;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, ABitOfALaterVersion) {
  platform_.interface_version = 0xA00B;
  auto said = good();
  said.caps |= kInvalidTlbEntriesNotCached;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, AnAnswerThatIsNotRepeated) {
  auto said = good();
  add(said);
  said.address_bits = 47;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, AnotherStartHasTheSameTables) {
  auto said = good();
  add(said);
  add(ev::DeviceStarted{});
  said.address_bits = 47;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, WhoGetsLessMakesDoWithLess) {
  auto said = good();
  add(said);
  op(OpKind::FailPool);
  said.address_bits = 47;
  EXPECT_TRUE(holds_with(said));
  said.levels = 7;
  EXPECT_FALSE(holds_with(said)) << "but not with that";
}

TEST_F(Mmu004, WithOtherResourcesThereMayBeOtherTables) {
  auto said = good();
  add(said);
  op(OpKind::Rebalance);
  said.address_bits = 47;
  add(said);
  EXPECT_TRUE(holds_with(said));
  EXPECT_EQ(times_reached("MMU-004"), 3u);
  said.address_bits = 48;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, TheQueryFails) {
  auto said = good();
  said.status = 0xC000000D;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, OtherGpusOfALinkAreHeldToTheSame) {
  add(good());
  auto said = good();
  said.physical_adapter = 1;
  EXPECT_TRUE(holds_with(said));
  EXPECT_EQ(times_reached("MMU-004"), 2u);
  said.levels = 1;
  EXPECT_FALSE(holds_with(said));
}

TEST_F(Mmu004, OtherGpusOfALinkMayAnswerOtherwiseThanTheLead) {
  add(good());
  auto said = good();
  said.physical_adapter = 1;
  said.levels = 3;
  said.address_bits = 39;
  add(said);
  EXPECT_TRUE(TraceTest::holds("MMU-004"));
  said.address_bits = 38;
  EXPECT_FALSE(holds_with(said)) << "each has an answer of its own, and repeats it";
}

TEST_F(Mmu004, ThatAnotherGpuRefusesIsAnothersMatter) {
  add(good());
  auto said = good();
  said.physical_adapter = 1;
  said.status = 0xC000000D;
  EXPECT_TRUE(holds_with(said));
  EXPECT_EQ(times_reached("MMU-004"), 1u);
}

TEST_F(Mmu004, AnotherGpuWithoutAGpuMmuDescribesNothing) {
  add(good());
  add(ev::PhysicalAdapterReported{.physical_adapter = 1, .flags = 1});
  add(ev::GpuMmuReported{.physical_adapter = 1});
  EXPECT_TRUE(TraceTest::holds("MMU-004"));
  EXPECT_EQ(times_reached("MMU-004"), 1u);
}

}  // namespace
}  // namespace wddm::mmu_004
