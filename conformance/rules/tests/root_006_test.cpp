// Roots that contexts get, and which of their entries are written.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::root_006 {
namespace {

constexpr std::uint32_t kInitialUpdate = 2;

class Root006 : public TraceTest {
 protected:
  void written(std::uint32_t first, std::uint32_t count, std::uint32_t flags = kInitialUpdate,
               std::uint64_t place = 0x4000) {
    add(ev::TableUpdated{.place = place,
                         .segment = 1,
                         .level = 1,
                         .first = first,
                         .count = count,
                         .flags = flags,
                         .entries = 512});
  }
  void set(std::uint32_t entries, std::uint64_t place = 0x4000) {
    add(ev::RootSet{.place = place, .context = 1, .segment = 1, .entries = entries});
  }
  bool holds() { return TraceTest::holds("ROOT-006"); }
};

TEST_F(Root006, All) {
  written(0, 256);
  written(256, 256);
  set(512);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-006"), 1u);
}

TEST_F(Root006, AsManyAsAreAnnounced) {
  written(0, 256);
  set(256);
  EXPECT_TRUE(holds());
}

TEST_F(Root006, Half) {
  written(0, 256);
  set(512);
  EXPECT_FALSE(holds());
}

TEST_F(Root006, AGap) {
  written(0, 128);
  written(256, 256);
  set(512);
  EXPECT_FALSE(holds());
}

TEST_F(Root006, LaterUpdatesAreNoBeginning) {
  written(0, 512, 0);
  set(512);
  EXPECT_FALSE(holds());
}

TEST_F(Root006, ARootThatMovedIsWritten) {
  written(0, 512);
  add(ev::TableMoved{.from = 0x4000, .to = 0x8000, .level = 1});
  set(512, 0x8000);
  EXPECT_TRUE(holds());
}

// A larger one takes the place of a smaller one, written where it is.
TEST_F(Root006, ARootThatGrewIsWrittenWhereItIs) {
  written(0, 256);
  written(0, 512, kInitialUpdate, 0x8000);
  add(ev::TableMoved{.from = 0x4000, .to = 0x8000, .level = 1});
  set(512, 0x8000);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::root_006
