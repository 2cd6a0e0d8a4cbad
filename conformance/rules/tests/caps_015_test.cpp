// Queries that nobody knows, and outputs that are too short.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_015 {
namespace {

constexpr std::uint32_t kRefused = 0xC000000D;

class Caps015 : public TraceTest {
 protected:
  void answered(InfoQuestion how, ev::InfoAnswered answer) {
    answer.how = static_cast<std::uint32_t>(how);
    add(answer);
  }
  bool holds() { return TraceTest::holds("CAPS-015"); }
};

TEST_F(Caps015, AnUnknownOneIsRefused) {
  answered(InfoQuestion::Unknown, {.status = kRefused});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-015"), 1u);
}

TEST_F(Caps015, AnUnknownOneSucceeds) {
  answered(InfoQuestion::Unknown, {});
  EXPECT_FALSE(holds());
}

TEST_F(Caps015, AnUnknownOneIsRefusedAndWritten) {
  answered(InfoQuestion::Unknown, {.status = kRefused, .changed = 4});
  EXPECT_FALSE(holds());
}

TEST_F(Caps015, AKnownOneMayBeWrittenOrRefused) {
  answered(InfoQuestion::Plain, {.changed = 4});
  answered(InfoQuestion::Short, {.status = kRefused, .changed = 4});
  EXPECT_TRUE(holds());
}

TEST_F(Caps015, NoneIsWrittenBehindItsEnd) {
  answered(InfoQuestion::Short, {.behind = 1});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::caps_015
