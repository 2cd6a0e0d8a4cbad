// Companions that come out wrong.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/copied_entries.h"

namespace wddm::va_009 {
namespace {

class Va009 : public TraceTest {
 protected:
  Va009() { platform_.nodes = 2; }
  void companion(std::uint32_t status = 0) {
    add(ev::CompanionCreated{.companion = 321,
                             .context = 1,
                             .space = kPrivilegedSpaceNumber,
                             .node = 1,
                             .status = status,
                             .named_node = 1});
  }
  void copied(std::uint32_t unlike) {
    add(ev::EntriesCopied{.count = 2, .read = 2, .unlike = unlike},
        std::vector<CopiedFrom>{{.source_process = kPrivilegedSpaceNumber}});
  }
  void submitted(std::uint32_t paging = 1, std::uint32_t node = 1) {
    add(ev::Submitted{.packet = 7, .node = node, .fence = 3, .context = 321, .paging = paging});
  }
};

TEST_F(Va009, AllIsWell) {
  companion();
  submitted();
  add(ev::PacketEnded{.packet = 7});
  copied(0);
  EXPECT_TRUE(holds("VA-009"));
  EXPECT_EQ(times_reached("VA-009"), 3u);
}

TEST_F(Va009, NoContextCanBeMadeThere) {
  companion(0xC000000D);
  EXPECT_FALSE(holds("VA-009"));
}

TEST_F(Va009, ThereIsNoMemoryForIt) {
  companion(0xC0000017);
  companion(0xC000009A);
  EXPECT_TRUE(holds("VA-009"));
  EXPECT_EQ(times_reached("VA-009"), 0u);
}

TEST_F(Va009, UserModeRunsThere) {
  companion();
  submitted(0);
  EXPECT_FALSE(holds("VA-009"));
}

TEST_F(Va009, ItRunsElsewhere) {
  companion();
  submitted(1, 0);
  EXPECT_FALSE(holds("VA-009"));
}

TEST_F(Va009, ItFaults) {
  companion();
  submitted();
  add(ev::AccessFaulted{.node = 1, .fence = 3, .packet = 7});
  EXPECT_FALSE(holds("VA-009"));
}

TEST_F(Va009, ItFaultsBeforeItsCallReturns) {
  companion();
  enters(7);
  add(ev::PacketEnded{
      .packet = 7, .fence = 3, .fate = static_cast<std::uint32_t>(PacketFate::Faulted)});
  submitted();
  EXPECT_FALSE(holds("VA-009"));
}

TEST_F(Va009, ItWalksElsewhere) {
  companion();
  submitted();
  add(ev::WalkAstray{.node = 1, .fence = 3});
  EXPECT_FALSE(holds("VA-009"));
}

TEST_F(Va009, ItDoesNotCopy) {
  companion();
  submitted();
  copied(2);
  EXPECT_FALSE(holds("VA-009"));
}

}  // namespace
}  // namespace wddm::va_009
