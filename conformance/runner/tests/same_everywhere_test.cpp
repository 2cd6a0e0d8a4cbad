// A trace is the same on every machine. The C library picks variants of its functions by the CPU;
// it is told here that this one has fewer abilities than it has, and every seed's trace stays byte
// for byte the same: those with buffers that vanish or change under the driver's hands, too.
//
// Not shown: abilities that this CPU has not.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "conformance/runner/tests/program.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;

// Each in the spelling of glibc up to 2.32, and since 2.33; unknown names do nothing.
const std::vector<std::string> kLess{
    "-AVX512F_Usable,-AVX512VL_Usable,-AVX512F,-AVX512VL",
    "-AVX512F_Usable,-AVX512VL_Usable,-AVX2_Usable,-AVX_Fast_Unaligned_Load,"
    "-AVX512F,-AVX512VL,-AVX2,-ERMS,-FSRM,-BMI2",
    "-AVX512F_Usable,-AVX512VL_Usable,-AVX2_Usable,-AVX_Fast_Unaligned_Load,"
    "-AVX512F,-AVX512VL,-AVX2,-ERMS,-FSRM,-BMI2,-SSE4_2,-SSE4_1,-SSSE3,-Fast_Unaligned_Copy",
};

std::vector<std::string> seeds() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(WDDM_SEEDS))
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string trace_of(const std::string& scenario, const std::string& less) {
  const std::string path = testing::TempDir() + "/trace.txt";
  fs::remove(path);
  const Ended ended = Program({WDDMCHECK, "repro", scenario, "--trace", path},
                              {{"GLIBC_TUNABLES", less.empty() ? "" : "glibc.cpu.hwcaps=" + less}})
                          .wait();
  EXPECT_EQ(ended.code, 0) << scenario << ended.out << ended.err;
  return contents(path);
}

TEST(SameEverywhere, TracesDoNotDependOnTheVariantsOfTheCLibrary) {
  const std::vector<std::string> all = seeds();
  ASSERT_FALSE(all.empty());
  for (const std::string& seed : all) {
    const std::string expected = trace_of(seed, "");
    EXPECT_NE(expected, "");
    for (const std::string& less : kLess) EXPECT_EQ(trace_of(seed, less), expected) << less;
  }
}

// Command buffers of 16 to 60 bytes, each with a word that changes and then with one that is gone.
std::string short_buffers() {
  std::string text = "ops:\n- create_allocation: {allocation: 0}\n- create_context: {context: 0}\n";
  for (const char* command :
       {"- unbind\n", "- unbind\n- spin\n- spin\n", "- fill\n", "- fill\n- fill\n"}) {
    for (const char* hostile : {"- race: {value: 4294967295}\n", "- race: {offset: 12, value: 1}\n",
                                "- revoke: {accessible: 12}\n"})
      text.append("- render\n- bind\n").append(command).append(hostile).append("- idle\n");
  }
  const std::string path = testing::TempDir() + "/short_buffers.yaml";
  std::ofstream(path) << text;
  return path;
}

TEST(SameEverywhere, ShortBuffersAreCopiedAlike) {
  const std::string scenario = short_buffers();
  const std::string expected = trace_of(scenario, "");
  EXPECT_NE(expected.find("hostile=1"), std::string::npos) << expected;
  EXPECT_NE(expected.find("RevokedAccessed"), std::string::npos) << expected;
  for (const std::string& less : kLess) EXPECT_EQ(trace_of(scenario, less), expected) << less;
}

TEST(SameEverywhere, TestsOfTheMemoryThatChangesPass) {
  for (const std::string& less : kLess) {
    const std::pair<std::string, std::string> variable{"GLIBC_TUNABLES",
                                                       "glibc.cpu.hwcaps=" + less};
    for (const std::vector<std::string>& program :
         {std::vector<std::string>{MEMORY_TESTS, "--gtest_filter=User.*"},
          {IMAGE_TESTS, "--gtest_filter=Images.Copies*"}}) {
      const Ended ended = Program(program, {variable}).wait();
      EXPECT_EQ(ended.code, 0) << less << ended.out << ended.err;
    }
  }
}

}  // namespace
}  // namespace wddm::runner
