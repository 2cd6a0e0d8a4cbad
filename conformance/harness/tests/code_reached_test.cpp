// What processes of runs add to the coverage that is reported.
#include "conformance/harness/isolate/code_reached.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wddm::harness {
namespace {

// Two functions of the driver (the fake host's lies below 4096), and one that is not its.
std::uint8_t g_counters[5];
constexpr std::uintptr_t kPlaces[] = {16, 1, 20, 0, 32, 1, 0x10000, 1, 0x10004, 0};

TEST(CodeReached, IsWhatAnyProcessEntered) {
  note_code_counters(std::begin(g_counters), std::end(g_counters));
  note_code_places(std::begin(kPlaces), std::end(kPlaces));
  share_code_reached();
  for (const std::size_t block : {0u, 4u}) {
    const pid_t child = ::fork();
    if (child == 0) {
      g_counters[block] = 3;
      gather_code_reached();
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
  const auto functions = code_reached();
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].function, "function16");
  EXPECT_EQ(functions[0].line, "driver.c:16");
  EXPECT_EQ(functions[0].blocks, 2u);
  EXPECT_EQ(functions[0].reached, 1u);
  EXPECT_EQ(functions[1].blocks, 1u);
  EXPECT_EQ(functions[1].reached, 0u);
}

}  // namespace
}  // namespace wddm::harness
