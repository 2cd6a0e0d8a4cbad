// Whose page tables an update of a tile may write.
#include <vector>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::va_010 {
namespace {

constexpr std::uint32_t kProcess = 3, kPrivileged = 259, kContext = 7;

class Va010 : public TraceTest {
 protected:
  Va010() {
    add(ev::ContextCreated{.context = kContext, .engine = 1});
    add(ev::RootSet{.context = kContext, .process = kProcess, .physical_adapter = 1});
  }
  void begins() { add(ev::TileUpdate{.stage = 1, .context = kContext}); }
  void ends() { add(ev::TileUpdate{.stage = 2, .context = kContext}); }
  void writes(std::uint32_t gpu, std::uint32_t process = kProcess, bool valid = true) {
    const std::vector<EntryRecord> entries{EntryRecord{.flags = valid ? entry_flag::kValid : 0u}};
    add(ev::TableUpdated{.process = process, .count = 1, .physical_adapter = gpu}, entries);
  }
};

TEST_F(Va010, TheGpuOfTheContextIsRight) {
  begins();
  writes(1);
  ends();
  EXPECT_TRUE(holds("VA-010"));
  EXPECT_EQ(times_reached("VA-010"), 1u);
}

TEST_F(Va010, AnotherGpuIsWrong) {
  begins();
  writes(0);
  EXPECT_FALSE(holds("VA-010"));
}

TEST_F(Va010, WhatAnotherGpuHadThereMayGo) {
  begins();
  writes(0, kProcess, false);
  writes(0, kPrivileged);
  writes(1);
  ends();
  EXPECT_TRUE(holds("VA-010"));
}

TEST_F(Va010, OtherPagingIsNoUpdate) {
  begins();
  ends();
  writes(0);
  EXPECT_TRUE(holds("VA-010"));
  EXPECT_EQ(times_reached("VA-010"), 0u);
}

TEST_F(Va010, CopiesAreOfOneGpuToo) {
  begins();
  add(ev::EntriesCopied{.process = kProcess, .physical_adapter = 0});
  EXPECT_FALSE(holds("VA-010"));
}

}  // namespace
}  // namespace wddm::va_010
