// main() of tests that write files: each process keeps its files, testing::TempDir(), to itself,
// for ctest runs tests side by side, each in a process of its own.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::string folder = testing::TempDir() + "wddm-tests-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr || ::setenv("TEST_TMPDIR", folder.c_str(), 1) != 0) {
    std::perror(folder.c_str());
    return 1;
  }
  const int result = RUN_ALL_TESTS();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return result;
}
