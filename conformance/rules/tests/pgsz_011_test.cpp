// What a transfer says of the pages that map its ranges.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pgsz_011 {
namespace {

class Pgsz011 : public TraceTest {
 protected:
  void transfer(std::uint32_t flags, std::uint32_t source_page, std::uint32_t destination_page) {
    add(ev::TransferBuilt{.source = 0x200000,
                          .destination = 0xA0000,
                          .size = 0x10000,
                          .flags = flags,
                          .source_page = source_page,
                          .destination_page = destination_page});
  }
};

TEST_F(Pgsz011, EachSideHasItsFlag) {
  transfer(0, 4096, 4096);
  transfer(1, 65536, 4096);
  transfer(2, 4096, 65536);
  transfer(3, 65536, 65536);
  EXPECT_TRUE(holds("PGSZ-011"));
  EXPECT_EQ(times_reached("PGSZ-011"), 8u);
}

TEST_F(Pgsz011, AFlagThatIsMissing) {
  transfer(1, 65536, 65536);
  EXPECT_FALSE(holds("PGSZ-011"));
}

TEST_F(Pgsz011, AFlagForSmallPages) {
  transfer(1, 4096, 4096);
  EXPECT_FALSE(holds("PGSZ-011"));
}

TEST_F(Pgsz011, ReservedBits) {
  transfer(4, 4096, 4096);
  EXPECT_FALSE(holds("PGSZ-011"));
}

TEST_F(Pgsz011, PagesOfBothSizesHaveNoRightFlag) {
  transfer(0, 0, 4096);
  transfer(1, 0, 4096);
  EXPECT_TRUE(holds("PGSZ-011"));
}

}  // namespace
}  // namespace wddm::pgsz_011
