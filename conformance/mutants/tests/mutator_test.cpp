// The operators, text in and text out.
#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/mutants/mutator.h"

namespace wddm::mutants {
namespace {

constexpr const char* kBefore =
    "struct Bits { unsigned one : 1; unsigned all; };\n"
    "bool call(int a, int b); void work(); struct Lock { bool synchronize(void (*)()); };\n"
    "enum { kMany = 64 };\n"
    "void f(int a, int b, unsigned* p, Bits& bits, Lock& lock, unsigned long offset) {";

Sample sample_of(const std::string& body) {
  return mutate(kBefore + body + "}\n");
}

// The mutant's text alone stands where `#` is, if it is the only one of its kind.
bool has(const std::string& body, const std::string& piece, const std::string& kind) {
  const Sample sample = sample_of(body);
  EXPECT_EQ(sample.error, "");
  std::string wanted = piece;
  for (const Mutant& mutant : sample.mutants) {
    if (mutant.name.find(":" + kind + ":") == std::string::npos) continue;
    wanted = piece;
    for (std::size_t at; (at = wanted.find('#')) != std::string::npos;)
      wanted.replace(at, 1, std::to_string(mutant.number));
    if (sample.text.find(wanted) != std::string::npos) return true;
  }
  ADD_FAILURE() << sample.text << "\nhas no " << kind << " " << piece;
  return false;
}

std::size_t number_of(const std::string& body, const std::string& kind) {
  const Sample sample = sample_of(body);
  EXPECT_EQ(sample.error, "");
  return static_cast<std::size_t>(
      std::count_if(sample.mutants.begin(), sample.mutants.end(), [&kind](const Mutant& mutant) {
        return mutant.name.find(":" + kind + ":") != std::string::npos;
      }));
}

TEST(Mutator, NegatesConditionsAndTheirSides) {
  EXPECT_TRUE(
      has("if (a == 1) work();", "(WDDM_MUTANT(#) ? !(a == 1) : static_cast<bool>(", "negate"));
  EXPECT_TRUE(has("while (a) --a;", "(WDDM_MUTANT(#) ? !(a) : static_cast<bool>(a))", "negate"));
  EXPECT_TRUE(has("for (;b;) --b;", "!(b)", "negate"));
  EXPECT_EQ(number_of("if (a && b) work();", "negate"), 3u);
}

TEST(Mutator, MovesBorders) {
  EXPECT_TRUE(has("call(a < b, 0);", "::wddm_mutants::less(#, (a ), ( b))", "border"));
  EXPECT_TRUE(has("call(a >= b, 0);", "::wddm_mutants::greater_equal(#, (a ), ( b))", "border"));
  EXPECT_TRUE(has("call(a == b, 0);", "(WDDM_MUTANT(#) ? (!(a == b)) : (a == b))", "border"));
  // That would be the negated condition once more.
  EXPECT_EQ(number_of("if (a == b) work();", "border"), 0u);
}

TEST(Mutator, TakesNumbersForOthers) {
  EXPECT_TRUE(has("a = 0;", "::wddm_mutants::off(#, (0), +1)", "constant"));
  EXPECT_TRUE(has("a = 7;", "::wddm_mutants::off(#, (7), -1)", "constant"));
  EXPECT_TRUE(has("call(kMany, 0);", "::wddm_mutants::off(#, (kMany), +4)", "unit"));
  EXPECT_TRUE(has("offset = offset & 8;", "::wddm_mutants::off(#, (offset & ", "unit"));
}

TEST(Mutator, ExchangesSumsAndDifferences) {
  EXPECT_TRUE(has("a = a + b;", "::wddm_mutants::plus(#, (a ), ( b))", "arith"));
  EXPECT_TRUE(has("a -= b;", "(WDDM_MUTANT(#) ? (a += b) : (", "arith"));
  EXPECT_EQ(number_of("p = p + a;", "arith"), 0u);
}

TEST(Mutator, LeavesStatementsOut) {
  EXPECT_TRUE(has("work();", "(WDDM_MUTANT(#) ? (void)0 : (void)(work()));", "drop"));
  EXPECT_TRUE(has("++a;", "(WDDM_MUTANT(#) ? (void)0 : (void)(++a));", "drop"));
  EXPECT_TRUE(has("while (a) break;", "if (!WDDM_MUTANT(#)) break;", "drop"));
  EXPECT_TRUE(has("if (a) b = a;", "(WDDM_MUTANT(#) ? (void)0 : (void)(b = a));", "keep"));
  EXPECT_TRUE(has("bits.one = 1;", "(void)0", "flag"));
  EXPECT_TRUE(has("bits.all |= 4;", "(void)0", "flag"));
}

TEST(Mutator, ExchangesArgumentsOfOneType) {
  EXPECT_TRUE(has("call(a, b);", "(WDDM_MUTANT(#) ? (call(b, a)) : (call(a, b)))", "swap"));
  EXPECT_EQ(number_of("call(a, a);", "swap"), 0u);
}

TEST(Mutator, WorksWithoutTheLock) {
  EXPECT_TRUE(has("lock.synchronize(work);",
                  "(WDDM_MUTANT(#) ? (work(), true) : (lock.synchronize(work)))", "lock"));
}

TEST(Mutator, ReturnsAtOnce) {
  EXPECT_TRUE(has("work();", "{ if (WDDM_MUTANT(#)) return ; ", "return"));
  const Sample both = mutate("bool f() { return 1 < 2; }");
  EXPECT_NE(both.text.find("return false;"), std::string::npos);
  EXPECT_NE(both.text.find("return true;"), std::string::npos);
}

TEST(Mutator, LetsBeWhatIsFixed) {
  for (const char* const text :
       {"constexpr int f(int a) { return a + 1; }", "int g; enum { kOne = 1 + 1 };",
        "void f() { static_assert(1 < 2, \"\"); }", "void f() { int room[16]; (void)room; }",
        "void f() { static const int one = 1; }",
        "#define TWICE(x) ((x) + (x))\nint f(int a) { return TWICE(a < 1); }"}) {
    const Sample sample = mutate(text);
    EXPECT_EQ(sample.error, "");
    for (const Mutant& mutant : sample.mutants)
      EXPECT_NE(mutant.name.find(":return:"), std::string::npos) << mutant.name << " in " << text;
  }
  EXPECT_EQ(number_of("switch (a) { case 4: work(); }", "constant"), 0u);
}

TEST(Mutator, NamesAreStable) {
  const std::string text = "struct S { void f(int a) { if (a < 1) a = 2; } };";
  const Sample once = mutate(text), moved = mutate("\n\nint other(int b) { return b; }\n" + text);
  ASSERT_FALSE(once.mutants.empty());
  ASSERT_EQ(moved.mutants.size(), once.mutants.size());
  for (std::size_t i = 0; i < once.mutants.size(); ++i) {
    EXPECT_EQ(once.mutants[i].name, moved.mutants[i].name);
    EXPECT_EQ(once.mutants[i].line + 3, moved.mutants[i].line);
  }
  EXPECT_EQ(once.mutants.front().name, "sample.cpp:S::f:return:1");
}

TEST(Mutator, LinesStayWhatTheyAre) {
  const std::string text = "void f(int a,\n int b) {\n if (a <  // why\n  b) {\n a = b;\n }\n}\n";
  const Sample sample = mutate(text);
  EXPECT_EQ(std::count(sample.text.begin(), sample.text.end(), '\n'),
            std::count(text.begin(), text.end(), '\n'));
}

TEST(Mutator, SaysWhatDoesNotCompile) {
  EXPECT_NE(mutate("void f() { nothing(); }").error, "");
}

}  // namespace
}  // namespace wddm::mutants
