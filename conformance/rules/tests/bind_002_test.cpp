// Detection of binding leaks held against the lists it looked at.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::bind_002 {
namespace {

class Bind002 : public TraceTest {
 protected:
  Bind002() {
    platform_.scheduling.value = 4;
    platform_.slots = 2;
  }
  // Slot 1 is bound at byte 0; at byte 16 slot 0 is, and slot 1 is named again or not.
  void rendered(bool leaks) {
    std::vector<PatchRecord> list{{.value = 1}, {.value = 0, .split_offset = 16}};
    if (!leaks) list.push_back({.value = 1, .split_offset = 16});
    add(ev::RenderCalled{}, std::vector<AllocationRecord>{{.size = 4096, .allocation = 0}});
    add(ev::Rendered{.dma_used = 32, .dma_given = 64}, list);
  }
  void judged(std::uint32_t leaks) {
    add(ev::LeakJudged{.leaks = leaks, .rejected = leaks != 0, .ran = 1});
  }
  void planned() {
    add(ev::PortionPlanned{.end = 16});
    add(ev::PortionPlanned{.index = 1, .start = 16, .end = 32});
  }
  bool holds() { return TraceTest::holds("BIND-002"); }
};

TEST_F(Bind002, APacketThatDoesNotLeakRuns) {
  rendered(false);
  judged(0);
  planned();
  EXPECT_TRUE(holds());
}

TEST_F(Bind002, APacketThatLeaksIsRejected) {
  rendered(true);
  judged(1);
  EXPECT_TRUE(holds());
}

TEST_F(Bind002, ADetectorThatFindsNothingIsFound) {
  rendered(true);
  judged(0);
  planned();
  EXPECT_FALSE(holds());
}

TEST_F(Bind002, ADetectorThatIsNeverAskedIsFound) {
  rendered(false);
  planned();
  EXPECT_FALSE(holds());
}

TEST_F(Bind002, ADetectorThatRejectsWithoutALeakIsFound) {
  rendered(false);
  judged(1);
  EXPECT_FALSE(holds());
}

TEST_F(Bind002, WhereThereAreNoSlotsNothingCanLeak) {
  platform_.slots = 0;
  rendered(true);
  add(ev::LeakJudged{.leaks = 1});
  planned();
  EXPECT_TRUE(holds());
  judged(1);
  EXPECT_FALSE(holds());
}

TEST_F(Bind002, APacketThatIsNotCutWhereItLeaksRuns) {
  rendered(true);
  add(ev::PortionPlanned{.end = 32});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::bind_002
