// Repeated entries.
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pt_009 {
namespace {

class Pt009 : public TablesTest {
 protected:
  void repeated(std::uint32_t unequal, std::uint32_t wrong = 0, std::uint32_t count = 4) {
    const EntryRecord wanted{.address = 0x5000, .flags = kValid};
    std::vector<EntryDifference> seen(wrong, {.expected = wanted, .seen = {}});
    carried_out({wanted}, seen, {.count = count, .flags = kRepeat}, unequal);
  }
};

TEST_F(Pt009, AllAreTheSame) {
  repeated(0);
  EXPECT_TRUE(holds("PT-009"));
  EXPECT_EQ(times_reached("PT-009"), 1u);
}

TEST_F(Pt009, OnlyTheFirstIsRight) {
  repeated(3, 3);
  EXPECT_FALSE(holds("PT-009"));
  EXPECT_TRUE(holds("PTE-001"));
}

TEST_F(Pt009, ThatAllAreWrongIsAnothersMatter) {
  repeated(0, 4);
  EXPECT_TRUE(holds("PT-009"));
  EXPECT_FALSE(holds("PTE-001"));
}

TEST_F(Pt009, OneEntryIsNotRepeated) {
  repeated(0, 0, 1);
  EXPECT_EQ(times_reached("PT-009"), 0u);
}

// Hardware may have bits that mean nothing, or a sum over where the entry stands.
TEST_F(Pt009, OtherBytesMaySayTheSame) {
  repeated(3);
  EXPECT_TRUE(holds("PT-009"));
  EXPECT_EQ(times_reached("PT-009"), 1u);
}

}  // namespace
}  // namespace wddm::pt_009
