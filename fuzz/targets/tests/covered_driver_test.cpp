// A driver that is instrumented for libFuzzer: its coverage counts, and it runs without a fuzzer
// too.
#include <gtest/gtest.h>

#include "conformance/runner/tests/program.h"

namespace wddm::runner {
namespace {

const std::vector<std::pair<std::string, std::string>> kDriver{
    {"WDDM_DRIVER", DRIVER}, {"WDDM_DEVICE", DEVICE}, {"WDDM_CLIENT", CLIENT}};

// Of "INFO: Loaded 1 modules   (2345 inline 8-bit counters)".
int counters_in(const std::string& said) {
  const std::size_t bracket = said.find("modules") == std::string::npos
                                  ? std::string::npos
                                  : said.find('(', said.find("modules"));
  return bracket == std::string::npos ? 0 : std::atoi(said.c_str() + bracket + 1);
}

TEST(CoveredDriver, ItsCodeIsWhatTheEngineCounts) {
  const Ended ended = Program({FUZZ_TARGET, "-runs=20", "-seed=1337"}, kDriver).wait();

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_GT(counters_in(ended.err), 500) << ended.err;
}

TEST(CoveredDriver, RunsWithoutAFuzzer) {
  const Ended ended =
      Program({WDDMCHECK, "run", "--filter", "CAPS-*", "--output", testing::TempDir() + "covered"},
              kDriver)
          .wait();

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

}  // namespace
}  // namespace wddm::runner
