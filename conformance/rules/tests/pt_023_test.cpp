// Copies of several ranges of entries in one call.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/copied_entries.h"

namespace wddm::pt_023 {
namespace {

constexpr std::uint64_t kPage = 4096, kLeaf = 512 * kPage;

class Pt023 : public TraceTest {
 protected:
  // Four entries from the start of a table of a pool on, to the start of one of a process.
  void range(std::uint32_t number, std::uint64_t source, std::uint64_t destination,
             std::uint32_t unlike) {
    add(ev::EntriesCopied{.process = 0,
                          .from_first = 8,
                          .to_first = 0,
                          .count = 4,
                          .read = 4,
                          .unlike = unlike,
                          .range = number,
                          .ranges = 2},
        std::vector<CopiedFrom>{{.source_va = source * kLeaf + 8 * kPage,
                                 .first_va = destination * kLeaf,
                                 .source_process = kPrivilegedSpaceNumber}});
  }
};

TEST_F(Pt023, EachFromItsOwnTables) {
  range(0, 1, 3, 0);
  range(1, 1, 4, 0);
  range(0, 1, 4, 0);
  range(1, 2, 4, 0);
  EXPECT_TRUE(holds("PT-023"));
  EXPECT_EQ(times_reached("PT-023"), 2u);
}

TEST_F(Pt023, TheSecondIsWrong) {
  range(0, 1, 3, 0);
  range(1, 1, 4, 2);
  EXPECT_FALSE(holds("PT-023"));
}

TEST_F(Pt023, RangesOfTheSameTablesAreNotItsAffair) {
  range(0, 1, 3, 0);
  range(1, 1, 3, 4);
  EXPECT_TRUE(holds("PT-023"));
  EXPECT_EQ(times_reached("PT-023"), 0u);
}

TEST_F(Pt023, NorIsTheFirstOfACall) {
  range(0, 1, 3, 0);
  range(0, 2, 4, 4);
  EXPECT_TRUE(holds("PT-023"));
}

}  // namespace
}  // namespace wddm::pt_023
