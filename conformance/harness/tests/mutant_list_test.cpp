#include "conformance/harness/mutants/mutant_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace wddm::harness {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class MutantList : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    const std::string path = testing::TempDir() + "/" +
                             testing::UnitTest::GetInstance()->current_test_info()->name() +
                             std::to_string(++files_);
    std::ofstream(path) << text;
    return path;
  }
  std::vector<MutantEntry> three() {
    std::vector<MutantEntry> mutants;
    std::string error;
    EXPECT_TRUE(read_mutants(file("number\tname\tline\tmutation\n"
                                  "1\tkmd/a.cpp:A::f:drop:1\t7\tg() left out\n"
                                  "2\tkmd/a.cpp:A::f:negate:1\t8\t!(x)\n"
                                  "3\tkmd/a.cpp:A::f:negate:2\t9\t!(y)\n"),
                             mutants, error))
        << error;
    return mutants;
  }
  std::string complaint_about(const std::string& line);

  std::map<std::string, std::string> reasons_;  // of the last list
  int files_ = 0;
};

TEST_F(MutantList, SaysFileAndOperator) {
  const auto mutants = three();
  ASSERT_EQ(mutants.size(), 3u);
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

// What is wrong with a list of one line, or nothing.
std::string MutantList::complaint_about(const std::string& line) {
  std::string error;
  reasons_.clear();
  const bool read = read_reasons(file("# why\n" + line), three(), reasons_, error);
  EXPECT_EQ(read, error.empty());
  return error;
}

TEST_F(MutantList, AReasonIsKnownByTheName) {
  EXPECT_EQ(complaint_about("kmd/a.cpp:A::f:drop:1\tg() left out\tno effect\n"), "");
  EXPECT_EQ(reasons_.at("kmd/a.cpp:A::f:drop:1"), "no effect");
}

TEST_F(MutantList, ANameThatIsNoneIsAnError) {
  EXPECT_THAT(complaint_about("kmd/a.cpp:A::f:drop:2\tg() left out\tgone\n"),
              HasSubstr(":2: there is no mutant kmd/a.cpp:A::f:drop:2 with g() left out"));
}

TEST_F(MutantList, AReasonIsWanted) {
  EXPECT_THAT(complaint_about("kmd/a.cpp:A::f:drop:1\tg() left out\n"), HasSubstr("expected"));
  EXPECT_THAT(complaint_about("kmd/a.cpp:A::f:drop:1\tg() left out\t \n"), HasSubstr("expected"));
}

TEST_F(MutantList, ANumberThatMovedIsAnError) {
  EXPECT_THAT(complaint_about("kmd/a.cpp:A::f:negate:1\t!(y)\tno effect\n"),
              EndsWith("kmd/a.cpp:A::f:negate:1 with !(y); it is now kmd/a.cpp:A::f:negate:2"));
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
