// Descriptors with room between them.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::seg_005 {
namespace {

class Seg005 : public TraceTest {
 protected:
  void answered(ev::InfoAnswered answer, InfoQuestion how = InfoQuestion::Strided) {
    answer.how = static_cast<std::uint32_t>(how);
    add(answer);
  }
  bool holds() { return TraceTest::holds("SEG-005"); }
};

TEST_F(Seg005, EachIsAtItsPlace) {
  answered({});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SEG-005"), 1u);
}

TEST_F(Seg005, FourWaysToFail) {
  answered({.status = 0xC000000D});
  answered({.changed = 1});
  answered({.behind = 1});
  answered({.unlike = 1});
  EXPECT_EQ(failures("SEG-005"), 4u);
}

TEST_F(Seg005, ForWantOfMemoryItMayFailAndWriteNothing) {
  constexpr std::uint32_t kNoMemory = 0xC0000017;
  op(OpKind::FailPool);
  answered({.status = kNoMemory, .unlike = 2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SEG-005"), 0u);
  answered({.status = kNoMemory, .changed = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Seg005, OtherQuestionsAreAnothersMatter) {
  answered({.changed = 1, .unlike = 1}, InfoQuestion::Again);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SEG-005"), 0u);
}

}  // namespace
}  // namespace wddm::seg_005
