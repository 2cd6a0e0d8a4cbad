// Which sets an allocation needs, by version.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Alloc002 : public TraceTest {
 protected:
  bool holds_for(std::uint32_t write, std::uint32_t read, InterfaceVersion version) {
    platform_.interface_version = static_cast<std::uint32_t>(version);
    platform_.segments.resize(1);
    add(ev::AllocationCreated{.read_set = read, .write_set = write});
    return holds("ALLOC-002");
  }
};

TEST_F(Alloc002, AReadOnlyAllocationOfWddm1) {
  EXPECT_TRUE(holds_for(0, 1, InterfaceVersion::Wddm1_3));
}

TEST_F(Alloc002, FromWddm2OnTheReadSetDoesNotCount) {
  EXPECT_FALSE(holds_for(0, 1, InterfaceVersion::Wddm2_0));
}

TEST_F(Alloc002, NoSegmentAtAll) {
  EXPECT_FALSE(holds_for(0, 0, InterfaceVersion::Wddm1_3));
}

TEST_F(Alloc002, ASegmentThatDoesNotExist) {
  EXPECT_FALSE(holds_for(2, 1, InterfaceVersion::Wddm1_3));
}

}  // namespace
}  // namespace wddm
