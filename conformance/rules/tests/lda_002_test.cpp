// Answers about the GPUs of a link that do not fit them.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::lda_002 {
namespace {

constexpr std::uint32_t kRefused = 0xC000000D, kApertureFlag = 1;

class Lda002 : public TraceTest {
 protected:
  Lda002() { platform_.linked_adapters = 2; }
  void lists(std::uint32_t physical_adapter, std::uint32_t segment, std::uint32_t flags = 0) {
    add(ev::SegmentReported{
        .segment = segment, .flags = flags, .physical_adapter = physical_adapter});
  }
  void describes(std::uint32_t physical_adapter, std::uint32_t segment, std::uint32_t status = 0) {
    add(ev::GpuMmuReported{.physical_adapter = physical_adapter, .levels = 1});
    add(ev::PageTableLevelReported{.physical_adapter = physical_adapter,
                                   .status = status,
                                   .segment = segment,
                                   .paging_segment = segment});
  }
  void carries_out(std::uint32_t physical_adapter, std::uint32_t wrong) {
    add(ev::TableUpdated{.mode = 2, .physical_adapter = physical_adapter});
    add(ev::TableCompared{
        .update = updates_++, .decoded = 4, .wrong = wrong, .physical_adapter = physical_adapter});
  }
  std::size_t failures() { return TraceTest::failures("LDA-002"); }
  std::uint32_t updates_ = 0;
};

TEST_F(Lda002, SegmentsOfItsOwnPass) {
  lists(0, 3);
  lists(1, 1);
  describes(1, 1);
  describes(1, 0);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Lda002, ASegmentOfAnotherGpuDoesNot) {
  lists(0, 3);
  lists(1, 1);
  describes(1, 3);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda002, ItsHandleIsItsOwn) {
  add(ev::PhysicalAdapterReported{.physical_adapter = 1, .handle = 1});
  EXPECT_EQ(failures(), 0u);
  add(ev::PhysicalAdapterReported{.physical_adapter = 1, .handle = 2});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda002, NoHandleIsNone) {
  add(ev::PhysicalAdapterReported{.physical_adapter = 0});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda002, ItsHandleIsNotLookedAtWhereTheQueryFails) {
  add(ev::PhysicalAdapterReported{.physical_adapter = 1, .status = kRefused});
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Lda002, NorDoesAnAperture) {
  lists(1, 2, kApertureFlag);
  describes(1, 2);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda002, EveryGpuAnswers) {
  add(ev::GpuMmuReported{.physical_adapter = 1, .status = kRefused});
  describes(1, 0, kRefused);
  add(ev::RootSizeReported{.physical_adapter = 1});
  EXPECT_EQ(failures(), 3u);
}

TEST_F(Lda002, OneWithoutAnMmuOfItsOwnNeedNot) {
  add(ev::PhysicalAdapterReported{.physical_adapter = 1, .flags = 1, .handle = 1});
  add(ev::GpuMmuReported{.physical_adapter = 1, .status = kRefused});
  add(ev::RootSizeReported{.physical_adapter = 1});
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Lda002, OneThatSaysItHasOneDoes) {
  add(ev::PhysicalAdapterReported{.physical_adapter = 1, .flags = 2, .handle = 1});
  add(ev::GpuMmuReported{.physical_adapter = 1, .status = kRefused});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda002, WhatDoesNotExistMayBeRefused) {
  describes(1, 0);
  add(ev::PageTableLevelReported{.physical_adapter = 1, .level = 1, .status = kRefused});
  add(ev::GpuMmuReported{.physical_adapter = 2, .status = kRefused});
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Lda002, TablesOfAnotherFormAreNone) {
  carries_out(1, 4);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda002, OneWrongEntryIsNoOtherForm) {
  carries_out(1, 1);
  carries_out(0, 4);
  EXPECT_EQ(failures(), 0u);
}

}  // namespace
}  // namespace wddm::lda_002
