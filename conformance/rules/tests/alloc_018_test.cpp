// References that a driver acquires and releases.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_018 {
namespace {

class Alloc018 : public TraceTest {
 protected:
  void reference(std::uint32_t number, std::uint32_t released) {
    add(ev::HandleReferenced{.reference = number, .released = released});
  }
  void acquired(std::uint32_t number) { reference(number, 0); }
  void released(std::uint32_t number) { reference(number, 1); }
  bool holds_at_the_end() {
    add(ev::MappingBalance{});
    return holds("ALLOC-018");
  }
};

TEST_F(Alloc018, EachIsReleased) {
  acquired(0);
  acquired(1);
  released(1);
  released(0);
  EXPECT_TRUE(holds_at_the_end());
  EXPECT_EQ(times_reached("ALLOC-018"), 4u);
}

TEST_F(Alloc018, OneIsLeft) {
  acquired(0);
  acquired(1);
  released(0);
  EXPECT_FALSE(holds_at_the_end());
}

TEST_F(Alloc018, ItIsHeldNoLongerInTheNextLife) {
  acquired(0);
  released(0);
  EXPECT_TRUE(holds_at_the_end());
  EXPECT_TRUE(holds_at_the_end());
}

TEST_F(Alloc018, AHandleOfNone) {
  acquired(0);
  released(0);
  reference(kNone, 2);
  EXPECT_FALSE(holds_at_the_end());
}

TEST_F(Alloc018, NobodyAcquires) {
  EXPECT_TRUE(holds_at_the_end());
  EXPECT_EQ(times_reached("ALLOC-018"), 0u);
}

}  // namespace
}  // namespace wddm::alloc_018
