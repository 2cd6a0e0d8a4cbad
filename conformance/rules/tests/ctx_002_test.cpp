// Whether an engine was in a context whose memory moves.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_002 {
namespace {

class Ctx002 : public TraceTest {
 protected:
  void renders(std::uint32_t context) { add(ev::Submitted{.packet = 1, .context = context}); }
  void pages(std::uint32_t node = 1) {
    add(ev::Submitted{.packet = 2, .node = node, .context = kNone, .paging = 1});
  }
  void leaving() { add(ev::Submitted{.packet = 3, .context = kNone, .paging = 1, .switches = 1}); }
  void leaves() {
    leaving();
    add(ev::PacketEnded{.packet = 3});
  }
  void destroyed(std::uint32_t context) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::DestroyContext),
                       .object = context});
  }
  void moves(std::uint32_t context) {
    add(ev::PagingBuilt{.operation = DXGK_OPERATION_VIRTUAL_TRANSFER});
    pages();
    add(ev::ContextAllocationMoved{.number = 0, .context = context});
  }
};

TEST_F(Ctx002, LeftBefore) {
  renders(1);
  leaves();
  moves(1);
  EXPECT_TRUE(holds("CTX-002"));
  EXPECT_EQ(times_reached("CTX-002"), 1u);
}

TEST_F(Ctx002, LeftWhileTheDriverTakesThePacket) {
  renders(1);
  enters(3);
  add(ev::PacketEnded{.packet = 3});
  leaving();
  moves(1);
  EXPECT_TRUE(holds("CTX-002"));
}

TEST_F(Ctx002, NotLeft) {
  renders(1);
  moves(1);
  EXPECT_FALSE(holds("CTX-002"));
}

TEST_F(Ctx002, NotLeftYet) {
  renders(1);
  leaving();
  moves(1);
  EXPECT_FALSE(holds("CTX-002"));
}

TEST_F(Ctx002, AnotherStartIsInNoContext) {
  renders(1);
  add(ev::MappingBalance{});
  moves(1);
  EXPECT_TRUE(holds("CTX-002"));
}

TEST_F(Ctx002, AnotherContextHasItsNumber) {
  renders(1);
  destroyed(1);
  moves(1);
  EXPECT_TRUE(holds("CTX-002"));
  EXPECT_EQ(times_reached("CTX-002"), 1u);
}

TEST_F(Ctx002, AnotherContextIsDestroyed) {
  renders(1);
  destroyed(2);
  moves(1);
  EXPECT_FALSE(holds("CTX-002"));
}

TEST_F(Ctx002, EnteredUnderItsNumber) {
  renders(1);
  destroyed(1);
  renders(1);
  moves(1);
  EXPECT_FALSE(holds("CTX-002"));
}

TEST_F(Ctx002, EnteredAgain) {
  renders(1);
  leaves();
  renders(1);
  moves(1);
  EXPECT_FALSE(holds("CTX-002"));
}

TEST_F(Ctx002, AnotherContextHasTakenItsPlace) {
  renders(1);
  renders(2);
  moves(1);
  EXPECT_TRUE(holds("CTX-002"));
}

TEST_F(Ctx002, SoHasPagingOnItsEngine) {
  renders(1);
  pages(0);
  moves(1);
  EXPECT_TRUE(holds("CTX-002"));
}

// In an aperture nothing is copied.
TEST_F(Ctx002, NotLeftBeforeItIsUnmapped) {
  add(ev::PagingBuilt{.operation = DXGK_OPERATION_VIRTUAL_TRANSFER});
  renders(1);
  add(ev::PagingBuilt{.operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT});
  add(ev::ContextAllocationMoved{.number = 0, .context = 1, .unlike = kNone});
  EXPECT_FALSE(holds("CTX-002"));
}

TEST_F(Ctx002, BackBeforeItIsEntered) {
  renders(1);
  add(ev::PagingBuilt{.operation = DXGK_OPERATION_VIRTUAL_TRANSFER});
  leaves();
  add(ev::PagingBuilt{.operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT});
  add(ev::ContextAllocationMoved{.number = 0, .context = 1, .unlike = kNone});
  EXPECT_TRUE(holds("CTX-002"));
}

TEST_F(Ctx002, LeftTooLate) {
  renders(1);
  add(ev::PagingBuilt{.operation = DXGK_OPERATION_VIRTUAL_TRANSFER});
  leaves();
  add(ev::ContextAllocationMoved{.number = 0, .context = 1});
  EXPECT_FALSE(holds("CTX-002"));
}

}  // namespace
}  // namespace wddm::ctx_002
