// Hostile page tables through the real program: what a driver says of them is judged by the clause
// that is about it, whatever it is, and nothing is taken for a defect of ours.
#include <gtest/gtest.h>

#include "conformance/runner/tests/hostile_run.h"

namespace wddm::runner {
namespace {

/// A value of Lie for hostile/lie_tables.cpp.
struct TableLie {
  const char* name;
  int number;
  const char* clause;
  int levels = 3;  // of two levels the driver is asked for the size of the root
};
void PrintTo(const TableLie& lie, std::ostream* out) {
  *out << lie.name;
}

class PageTableLies : public Hostile, public testing::WithParamInterface<TableLie> {};

TEST_P(PageTableLies, AreFoundByTheClauseThatSaysSo) {
  const TableLie& lie = GetParam();
  run("lie_tables", std::string("CAPS-001:PAGE-003:VA-001:") + lie.clause, "60",
      "Addressing=1,PageTableUpdateMode=2,PageTableLevels=" + std::to_string(lie.levels) +
          ",Lie=" + std::to_string(lie.number));

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result(lie.clause), "fail") << reason(lie.clause) << all();
  for (const char* kind : {"crash", "hang", "timeout", "flake", "not-run"}) {
    EXPECT_EQ(results_["summary"][kind], 0) << kind << '\n' << all();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Hostile, PageTableLies,
    testing::Values(TableLie{"OneLevel", 1, "MMU-004"}, TableLie{"SevenLevels", 2, "MMU-004"},
                    TableLie{"OneBitTooMany", 3, "MMU-005"}, TableLie{"EndlessBits", 4, "MMU-005"},
                    TableLie{"PartOfAPage", 5, "MMU-008"}, TableLie{"NoSuchSegment", 6, "MMU-009"},
                    TableLie{"EmptyRoot", 7, "ROOT-002", 2},
                    TableLie{"EndlessRoot", 8, "ROOT-002", 2}),
    [](const auto& lie) { return std::string(lie.param.name); });

// The same driver that tells no lie: what is found is found for the lie.
TEST_F(Hostile, PageTablesWithoutALieAreSound) {
  run("lie_tables", "CAPS-001:MMU-00*:ROOT-002:VA-001", "60",
      "Addressing=1,PageTableUpdateMode=2,PageTableLevels=2,Lie=0");

  EXPECT_EQ(ended_.code, 0) << all();
  for (const char* clause : {"MMU-004", "MMU-005", "MMU-008", "MMU-009", "ROOT-002"}) {
    EXPECT_EQ(result(clause), "pass") << clause << ' ' << reason(clause);
  }
}

}  // namespace
}  // namespace wddm::runner
