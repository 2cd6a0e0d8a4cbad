// Cursors of the list, where there was room and where there was not.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::render_003 {
namespace {

class Render003 : public TraceTest {
 protected:
  bool holds_for(std::int32_t used, std::uint32_t written, std::uint32_t status = 0) {
    add(ev::Rendered{.status = status,
                     .dma_given = 64,
                     .patches_used = used,
                     .patches_given = 8,
                     .patches_written = written});
    return holds("RENDER-003");
  }
};

TEST_F(Render003, ByWhatIsWritten) {
  EXPECT_TRUE(holds_for(8, 8));
}

TEST_F(Render003, BeyondTheList) {
  EXPECT_FALSE(holds_for(9, 8));
}

TEST_F(Render003, BeforeTheLastElement) {
  EXPECT_FALSE(holds_for(7, 8));
}

TEST_F(Render003, BehindElementsThatNobodyWrote) {
  EXPECT_FALSE(holds_for(8, 7));
}

TEST_F(Render003, OfABufferThatIsSmallerThanAskedForRender004Speaks) {
  add(ev::ContextCreated{.dma_bytes = 128, .patches = 8});
  add(ev::RenderCalled{});
  EXPECT_TRUE(holds_for(9, 8));
  EXPECT_EQ(times_reached("RENDER-003"), 0u);
  EXPECT_FALSE(holds("RENDER-004"));
}

TEST_F(Render003, OfOneThatIsAsLargeItDoesItself) {
  add(ev::ContextCreated{.dma_bytes = 64, .patches = 8});
  add(ev::RenderCalled{});
  EXPECT_FALSE(holds_for(9, 8));
  EXPECT_TRUE(holds("RENDER-004"));
}

TEST_F(Render003, ElementsOfACommandThatIsTakenBack) {
  EXPECT_TRUE(holds_for(7, 8, 0xC01E0001));
}

}  // namespace
}  // namespace wddm::render_003
