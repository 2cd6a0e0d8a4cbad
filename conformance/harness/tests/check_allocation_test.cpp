// A check that holds asks the system for no memory.
//
// The operators count for the whole program. They are never inlined: g++ would else see a block of
// `new` given to `free` and warn of a mismatch that is none.
#include <cstdlib>
#include <new>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/scratch.h"
#include "reference/platform.h"

namespace {
std::size_t allocations = 0;
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* const memory = std::aligned_alloc(align, (size + align) / align * align)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace wddm::harness {
namespace {

using CheckAllocation = ReplayTest;

TEST_F(CheckAllocation, ChecksThatHoldAllocateNothing) {
  std::size_t reached = 0;
  for (const Rule* const rule : all_rules()) {
    const Scenario control = scenario_of(rule->control);
    const Judged& judged = run(control);  // makes the ledgers, which stay
    if (rule->applies(judged.platform) != nullptr) continue;
    Judgement judgement;
    const std::size_t before = allocations;
    {
      const ScratchScope scratch;
      rule->check(replayer_.trace(), judged.platform, judgement);
    }
    EXPECT_EQ(allocations, before) << rule->id;
    EXPECT_TRUE(judgement.failures().empty()) << rule->id;
    reached += judgement.times_reached() != 0;
  }
  EXPECT_GT(reached, all_rules().size() / 2);
}

}  // namespace
}  // namespace wddm::harness
