// What memory holds after operations that move no contents.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_024 {
namespace {

class Page024 : public PagingTest {
 protected:
  void runs(std::uint32_t operation, std::uint32_t packet = 1) {
    built(operation);
    add(ev::PacketEnded{.packet = packet, .paging = 1});
    done(operation, packet);
  }
  bool holds() { return TraceTest::holds("PAGE-024"); }
  std::uint32_t reached() { return times_reached("PAGE-024"); }
};

TEST_F(Page024, AFlushThatChangesNothing) {
  runs(DXGK_OPERATION_FLUSH_TLB);
  checked(DXGK_OPERATION_FLUSH_TLB);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Page024, AFlushThatWrites) {
  runs(DXGK_OPERATION_FLUSH_TLB);
  checked(DXGK_OPERATION_FLUSH_TLB);
  differs(DXGK_OPERATION_FLUSH_TLB);
  EXPECT_FALSE(holds());
}

TEST_F(Page024, AMapThatWrites) {
  runs(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  checked(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  differs(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  EXPECT_FALSE(holds());
}

TEST_F(Page024, AMapThatTheCpuCarriesOutAndThatWrites) {
  built(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  done(DXGK_OPERATION_MAP_APERTURE_SEGMENT, kNone);
  checked(DXGK_OPERATION_MAP_APERTURE_SEGMENT, kNone);
  differs(DXGK_OPERATION_MAP_APERTURE_SEGMENT, kNone);
  EXPECT_FALSE(holds());
}

TEST_F(Page024, OfSeveralPacketsAnyMayHaveWritten) {
  add(ev::PacketEnded{.packet = 0});
  runs(DXGK_OPERATION_FLUSH_TLB);
  checked(DXGK_OPERATION_FLUSH_TLB);
  differs(DXGK_OPERATION_FLUSH_TLB);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Page024, OneThatWasComparedBeforeHasNot) {
  add(ev::PacketEnded{.packet = 0});
  add(ev::MemoryChecked{.object = 0});
  runs(DXGK_OPERATION_FLUSH_TLB);
  checked(DXGK_OPERATION_FLUSH_TLB);
  differs(DXGK_OPERATION_FLUSH_TLB);
  EXPECT_FALSE(holds());
}

TEST_F(Page024, AFillMayWrite) {
  runs(DXGK_OPERATION_FILL);
  checked(DXGK_OPERATION_FILL);
  differs(DXGK_OPERATION_FILL);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::page_024
