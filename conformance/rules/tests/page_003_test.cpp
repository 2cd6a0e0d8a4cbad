// Operations in several buffers.
#include "conformance/rules/tests/paging_test.h"
#include "conformance/sdk/device.h"

namespace wddm::page_003 {
namespace {

class Page003 : public PagingTest {
 protected:
  void gives_up(std::uint32_t given, std::uint32_t status = kInsufficient) {
    add(ev::SegmentsReported{.paging_bytes = 4096});
    built(DXGK_OPERATION_TRANSFER, {}, {.status = status, .given = given});
    add(ev::PagingDone{.operation = DXGK_OPERATION_TRANSFER, .passes = 9, .gave_up = 1});
  }
  bool holds() { return TraceTest::holds("PAGE-003"); }
};

TEST_F(Page003, TogetherTheyDoIt) {
  built(DXGK_OPERATION_TRANSFER);
  done(DXGK_OPERATION_TRANSFER, 1, 2);
  checked(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-003"), 1u);
}

TEST_F(Page003, TogetherTheyDoNot) {
  built(DXGK_OPERATION_TRANSFER);
  done(DXGK_OPERATION_TRANSFER, 1, 2);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_FALSE(holds());
}

class Page003Maps : public Page003 {
 protected:
  void mapped(std::uint32_t passes) {
    add(ev::PagingDone{
        .operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT, .allocation = 3, .passes = passes});
  }
  void commands(std::uint32_t differences) {
    const auto render = static_cast<std::uint32_t>(MemoryCause::Render);
    add(ev::MemoryChecked{.cause = render, .differences = differences});
    if (differences != 0) add(ev::MemoryDiffers{.object = 3, .length = 4, .cause = render});
  }
};

TEST_F(Page003Maps, CommandsShowWhereTheyLead) {
  mapped(2);
  commands(0);
  commands(1);
  EXPECT_FALSE(holds());
}

TEST_F(Page003Maps, InOneBufferTheyAreAnothersMatter) {
  mapped(1);
  commands(0);
  commands(1);
  EXPECT_TRUE(holds());
}

TEST_F(Page003Maps, AnUnmapIsNoMap) {
  add(ev::PagingDone{
      .operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT, .allocation = 3, .passes = 2});
  commands(0);
  commands(1);
  EXPECT_TRUE(holds());
}

TEST_F(Page003Maps, WhereNothingElseIsWellNobodyKnows) {
  mapped(2);
  commands(1);
  EXPECT_TRUE(holds());
}

TEST_F(Page003Maps, WhereOthersDifferTooNobodyKnows) {
  mapped(2);
  commands(0);
  add(ev::MemoryDiffers{.object = 4, .length = 4});
  commands(1);
  EXPECT_TRUE(holds());
}

TEST_F(Page003Maps, NorBehindAnAccessThatReachedNothing) {
  mapped(2);
  commands(0);
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_FAULT});
  commands(1);
  EXPECT_TRUE(holds());
}

TEST_F(Page003Maps, WhatDiffersBehindAMapOthersWrote) {
  built(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  done(DXGK_OPERATION_MAP_APERTURE_SEGMENT, 1, 2);
  differs(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  EXPECT_TRUE(holds());
}

TEST_F(Page003, OneBufferIsAnothersMatter) {
  built(DXGK_OPERATION_TRANSFER);
  done(DXGK_OPERATION_TRANSFER);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-003"), 0u);
}

class Page003MappedPages : public Page003 {
 protected:
  static constexpr PagingArguments kPages{.destination_segment = 2, .page = 5, .pages = 2};
  void maps(std::uint32_t passes) {
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      built(DXGK_OPERATION_MAP_APERTURE_SEGMENT, kPages, {.pass = pass});
    }
    done(DXGK_OPERATION_MAP_APERTURE_SEGMENT, 1, passes);
    checked(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  }
  void transfers() {
    built(DXGK_OPERATION_TRANSFER, kPages);
    done(DXGK_OPERATION_TRANSFER, 2);
  }
};

// No byte is another for it.
TEST_F(Page003MappedPages, AMapThatNothingGoesThroughShowsNothing) {
  maps(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-003"), 0u);
}

TEST_F(Page003MappedPages, ATransferToItsPagesShowsThatItWasWhole) {
  maps(2);
  transfers();
  checked(DXGK_OPERATION_TRANSFER, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-003"), 1u);
}

TEST_F(Page003MappedPages, ATransferToItsPagesShowsThatItWasNot) {
  maps(2);
  transfers();
  differs(DXGK_OPERATION_TRANSFER, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Page003MappedPages, AMapInOneBufferIsAnothersMatter) {
  maps(2);
  maps(1);
  transfers();
  differs(DXGK_OPERATION_TRANSFER, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-003"), 0u);
}

TEST_F(Page003MappedPages, PagesThatWereUnmappedAreAnothersMatter) {
  maps(2);
  built(DXGK_OPERATION_UNMAP_APERTURE_SEGMENT, kPages);
  transfers();
  differs(DXGK_OPERATION_TRANSFER, 2);
  EXPECT_TRUE(holds());
}

class Page003BehindAReset : public Page003 {
 protected:
  void in_its_middle() {
    built(DXGK_OPERATION_TRANSFER, {}, {.status = kInsufficient, .given = 4096});
    add(ev::AdapterReset{.stage = 0, .cause = 1});
    add(ev::AdapterReset{.stage = 1, .cause = 1});
  }
  void in_one_buffer(std::uint32_t operation) {
    built(operation, {}, {.given = 4096});
    done(operation);
  }
};

TEST_F(Page003BehindAReset, TheNextIsWhole) {
  in_its_middle();
  in_one_buffer(DXGK_OPERATION_TRANSFER);
  checked(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-003"), 1u);
}

TEST_F(Page003BehindAReset, TheNextGoesOnWithWhatHasEnded) {
  in_its_middle();
  in_one_buffer(DXGK_OPERATION_TRANSFER);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_FALSE(holds());
}

TEST_F(Page003BehindAReset, TheNextButOneIsAnothersMatter) {
  in_its_middle();
  in_one_buffer(DXGK_OPERATION_TRANSFER);
  checked(DXGK_OPERATION_TRANSFER);
  in_one_buffer(DXGK_OPERATION_TRANSFER);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
}

TEST_F(Page003BehindAReset, OneOfAnotherKindIsAnothersMatter) {
  in_its_middle();
  in_one_buffer(DXGK_OPERATION_FILL);
  differs(DXGK_OPERATION_FILL);
  EXPECT_TRUE(holds());
}

// What is done at once goes through no buffer, and is no continuation.
TEST_F(Page003BehindAReset, OneWithoutABufferIsAnothersMatter) {
  in_its_middle();
  built(DXGK_OPERATION_TRANSFER);
  in_one_buffer(DXGK_OPERATION_TRANSFER);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_FALSE(holds());
}

TEST_F(Page003BehindAReset, WhatWasWholeBeforeItIsNotBegunAnew) {
  in_one_buffer(DXGK_OPERATION_TRANSFER);
  add(ev::AdapterReset{.cause = 1});
  in_one_buffer(DXGK_OPERATION_TRANSFER);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
}

TEST_F(Page003, WithoutAResetAnOperationIsGivenUpByTheDriver) {
  built(DXGK_OPERATION_TRANSFER, {}, {.status = kInsufficient});
  built(DXGK_OPERATION_TRANSFER);
  done(DXGK_OPERATION_TRANSFER);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
}

TEST_F(Page003, ABufferOfTheSizeAskedForIsEnough) {
  gives_up(4096);
  EXPECT_FALSE(holds());
}

TEST_F(Page003, ASmallerOneNeedNotBe) {
  gives_up(4095);
  EXPECT_TRUE(holds());
}

TEST_F(Page003, OtherFailuresAreAnothersMatter) {
  gives_up(4096, 0xC000000D);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::page_003
