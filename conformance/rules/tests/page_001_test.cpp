// How far the cursors of a paging buffer may move, and what is written there.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::page_001 {
namespace {

constexpr std::uint32_t kGiven = 256, kPrivateGiven = 32;
constexpr std::uint32_t kTooSmall = 0xC01E0001;  // STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER

class Page001 : public TraceTest {
 protected:
  void built(std::int32_t used, std::uint32_t written, std::uint32_t status = 0,
             std::int32_t private_used = 0) {
    add(ev::PagingBuilt{.status = status,
                        .given = kGiven,
                        .used = used,
                        .private_given = kPrivateGiven,
                        .private_used = private_used},
        std::vector{PagingArguments{.written = written}});
  }
  bool holds() { return TraceTest::holds("PAGE-001"); }
};

TEST_F(Page001, ExactlyWhatWasWritten) {
  built(64, 64);
  built(0, 0);
  built(static_cast<std::int32_t>(kGiven), kGiven);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-001"), 3u);
}

TEST_F(Page001, AByteBehindTheCursor) {
  built(64, 65);
  EXPECT_FALSE(holds());
}

TEST_F(Page001, WorkOfTheCpuLeavesTheBufferAlone) {
  built(0, 4);
  EXPECT_FALSE(holds());
}

TEST_F(Page001, BytesMayBeLeftToPatch) {
  built(64, 40);
  EXPECT_TRUE(holds());
}

TEST_F(Page001, WithVirtualAddressesNobodyPatches) {
  platform_.gpu_mmu = true;
  built(64, 56);
  EXPECT_TRUE(holds()) << "eight bytes may look like those of an untouched buffer";
  built(64, 55);
  EXPECT_FALSE(holds());
}

TEST_F(Page001, ACursorBeforeTheBuffer) {
  built(-4, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Page001, ACursorBehindTheBuffer) {
  built(static_cast<std::int32_t>(kGiven) + 4, kGiven);
  EXPECT_FALSE(holds());
}

TEST_F(Page001, WhereThereIsTooLittleSpaceItStaysInsideToo) {
  built(64, 80, kTooSmall);
  EXPECT_TRUE(holds()) << "what lies behind the cursor is not submitted";
  built(static_cast<std::int32_t>(kGiven) + 4, kGiven, kTooSmall);
  EXPECT_FALSE(holds());
}

TEST_F(Page001, PrivateData) {
  built(64, 64, 0, static_cast<std::int32_t>(kPrivateGiven));
  EXPECT_TRUE(holds());
  built(64, 64, 0, static_cast<std::int32_t>(kPrivateGiven) + 8);
  EXPECT_EQ(failures("PAGE-001"), 1u);
  built(64, 64, 0, -8);
  EXPECT_EQ(failures("PAGE-001"), 2u);
}

TEST_F(Page001, BytesBesideEitherArea) {
  for (const GuardArea area : {GuardArea::DmaBuffer, GuardArea::PatchedPagingBuffer}) {
    add(ev::GuardDamaged{.area = static_cast<std::uint32_t>(area), .bytes = 4});
  }
  EXPECT_TRUE(holds());
  std::size_t wrong = 0;
  for (const GuardArea area : {GuardArea::PagingBuffer, GuardArea::PagingPrivateData}) {
    add(ev::GuardDamaged{.area = static_cast<std::uint32_t>(area), .bytes = 4});
    EXPECT_EQ(failures("PAGE-001"), ++wrong);
  }
}

}  // namespace
}  // namespace wddm::page_001
