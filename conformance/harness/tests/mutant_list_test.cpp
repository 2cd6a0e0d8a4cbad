#include "conformance/harness/mutants/mutant_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace wddm::harness {
namespace {

class MutantList : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    const std::string path = testing::TempDir() + "/" +
                             testing::UnitTest::GetInstance()->current_test_info()->name() +
                             std::to_string(++files_);
    std::ofstream(path) << text;
    return path;
  }
  std::vector<MutantEntry> two() {
    std::vector<MutantEntry> mutants;
    std::string error;
    EXPECT_TRUE(read_mutants(file("number\tname\tline\tmutation\n"
                                  "1\tkmd/a.cpp:A::f:drop:1\t7\tg() left out\n"
                                  "2\tkmd/a.cpp:A::f:negate:1\t8\t!(x)\n"),
                             mutants, error))
        << error;
    return mutants;
  }
  int files_ = 0;
};

TEST_F(MutantList, SaysFileAndOperator) {
  const auto mutants = two();
  ASSERT_EQ(mutants.size(), 2u);
  EXPECT_EQ(mutants[1].file(), "kmd/a.cpp");
  EXPECT_EQ(mutants[1].kind(), "negate");
  EXPECT_EQ(mutants[1].line, "8");
}

TEST_F(MutantList, RefusesWhatIsNoMutant) {
  std::vector<MutantEntry> mutants;
  std::string error;
  EXPECT_FALSE(read_mutants(file("number\tname\tline\tmutation\n2\tkmd/a.cpp:f:drop:1\t7\tx\n"),
                            mutants, error));
  EXPECT_NE(error.find(":2: no mutant"), std::string::npos) << error;
}

TEST_F(MutantList, ANameThatIsNoneIsAnError) {
  const auto mutants = two();
  std::map<std::string, std::string> reasons;
  std::string error;
  EXPECT_FALSE(read_reasons(file("# why\nkmd/a.cpp:A::f:drop:2\tgone\n"), mutants, reasons, error));
  EXPECT_NE(error.find("there is no mutant kmd/a.cpp:A::f:drop:2"), std::string::npos) << error;
}

TEST_F(MutantList, AReasonIsWanted) {
  const auto mutants = two();
  std::map<std::string, std::string> reasons;
  std::string error;
  EXPECT_FALSE(read_reasons(file("kmd/a.cpp:A::f:drop:1\n"), mutants, reasons, error));
  error.clear();
  EXPECT_TRUE(read_reasons(file("kmd/a.cpp:A::f:drop:1\tno effect\n"), mutants, reasons, error));
  EXPECT_EQ(reasons.at("kmd/a.cpp:A::f:drop:1"), "no effect");
}

TEST_F(MutantList, ASampleIsAlwaysTheSame) {
  std::vector<MutantEntry> many(100);
  for (unsigned i = 0; i < 100; ++i) {
    many[i].number = i + 1;
    many[i].name = "kmd/a.cpp:A::f:drop:" + std::to_string(i + 1);
  }
  const auto once = sample_of(many, 10), again = sample_of(many, 10);
  ASSERT_EQ(once.size(), 10u);
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].name, again[i].name);
  EXPECT_TRUE(std::is_sorted(once.begin(), once.end(),
                             [](const auto& a, const auto& b) { return a.number < b.number; }));
}

}  // namespace
}  // namespace wddm::harness
