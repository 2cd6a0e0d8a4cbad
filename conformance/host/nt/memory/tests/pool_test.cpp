#include "conformance/host/nt/memory/pool.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "conformance/host/memory/tests/arena_test_support.h"
#include "conformance/host/nt/tests/memory_test_support.h"
#include "conformance/sdk/ddi/nt/pool.h"

namespace wddm::nt {
namespace {

using Pool = MemoryServices;

constexpr ULONG kTag = 0x74736554;  // 'Test' as a debugger shows it

std::uint8_t* take(SIZE_T bytes) {
  return static_cast<std::uint8_t*>(ExAllocatePoolWithTag(NonPagedPoolNx, bytes, kTag));
}

bool all_are(const std::uint8_t* bytes, SIZE_T count, std::uint8_t value) {
  return std::all_of(bytes, bytes + count, [&](std::uint8_t byte) { return byte == value; });
}

TEST_F(Pool, BlocksAreAlignedAndApart) {
  std::set<std::uint8_t*> blocks;
  for (SIZE_T bytes = 1; bytes < 9000; bytes += 37) {
    std::uint8_t* block = take(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(block) % 16, 0u);
    std::memset(block, 0x11, bytes);
    EXPECT_TRUE(blocks.insert(block).second);
  }
  for (std::uint8_t* block : blocks) ExFreePoolWithTag(block, kTag);
  EXPECT_EQ(only_finding(), "");
  EXPECT_EQ(pool_usage().blocks, 0u);
}

TEST_F(Pool, BelowAPageNoBlockCrossesOne) {
  for (SIZE_T bytes = 1; bytes < 4096; bytes += 31) {
    const auto start = reinterpret_cast<std::uint64_t>(take(bytes));
    EXPECT_EQ(start / 4096, (start + bytes - 1) / 4096) << bytes;
  }
}

TEST_F(Pool, FromAPageOnBlocksStartOnOne) {
  for (SIZE_T bytes : {4096u, 4097u, 100000u})
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(take(bytes)) % 4096, 0u);
}

TEST_F(Pool, UninitialisedMemoryIsPoisoned) {
  EXPECT_TRUE(all_are(take(100), 100, kPoisonAllocated));
  EXPECT_TRUE(all_are(take(5000), 5000, kPoisonAllocated));
}

TEST_F(Pool, PoolTwoIsZeroedUnlessAskedOtherwise) {
  auto* zeroed = static_cast<std::uint8_t*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kTag));
  EXPECT_TRUE(all_are(zeroed, 64, 0));
  auto* raw = static_cast<std::uint8_t*>(
      ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_UNINITIALIZED, 64, kTag));
  EXPECT_TRUE(all_are(raw, 64, kPoisonAllocated));
}

TEST_F(Pool, ReusedMemoryIsZeroedToo) {
  for (int i = 0; i < 3000; ++i) {
    auto* block = static_cast<std::uint8_t*>(ExAllocatePoolZero(NonPagedPoolNx, 200, kTag));
    ASSERT_TRUE(all_are(block, 200, 0));
    std::memset(block, 0xff, 200);
    ExFreePool(block);
  }
}

TEST_F(Pool, PoolTwoNeedsExactlyOneType) {
  EXPECT_EQ(ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_PAGED, 64, kTag), nullptr);
  EXPECT_EQ(only_finding(), "BadParameter: not exactly one pool type in the flags");
}

TEST_F(Pool, UsageCountsWhatIsHeld) {
  void* one = take(10);
  (void)take(20);
  EXPECT_EQ(pool_usage().blocks, 2u);
  EXPECT_EQ(pool_usage().bytes, 30u);
  ExFreePool(one);
  EXPECT_EQ(pool_usage().bytes, 20u);
}

TEST_F(Pool, FreeWithAnotherTagIsFoundAndDone) {
  ExFreePoolWithTag(take(10), 0x72656854);
  EXPECT_EQ(only_finding(),
            "PoolTagMismatch: block 1, tag 'Test', 10 bytes: freed with tag 'Ther'");
  EXPECT_EQ(pool_usage().blocks, 0u);
}

TEST_F(Pool, FindingNamesServiceAndCaller) {
  ExFreePoolWithTag(take(10), 0x72656854);
  EXPECT_EQ(observer_.findings[0].service, "ExFreePoolWithTag");
  EXPECT_NE(observer_.findings[0].caller.find("TestBody"), std::string::npos);
}

TEST_F(Pool, DoubleFreeIsFound) {
  void* block = take(10);
  ExFreePool(block);
  ExFreePool(block);
  EXPECT_EQ(only_finding(), "PoolDoubleFree: block 1, tag 'Test', 10 bytes: freed already");
}

TEST_F(Pool, DoubleFreeOfALargeBlockIsFound) {
  void* block = take(10000);
  ExFreePool(block);
  ExFreePool(block);
  EXPECT_EQ(only_finding(), "PoolDoubleFree: block 1, tag 'Test', 10000 bytes: freed already");
}

TEST_F(Pool, PointerIntoABlockIsFound) {
  ExFreePool(take(64) + 16);
  EXPECT_EQ(only_finding(),
            "PoolBadPointer: not the start of block 1, tag 'Test', 64 bytes: offset 16");
}

TEST_F(Pool, ForeignPointerIsFound) {
  int local = 0;
  ExFreePool(&local);
  EXPECT_EQ(only_finding(), "PoolBadPointer: not a block of the pool");
}

TEST_F(Pool, NullPointerIsFound) {
  ExFreePool(nullptr);
  EXPECT_EQ(only_finding(), "PoolBadPointer: null pointer");
}

TEST_F(Pool, OverrunIsFoundAtFree) {
  std::uint8_t* block = take(33);
  block[33 + 2] = 0;
  ExFreePool(block);
  EXPECT_EQ(only_finding(),
            "PoolOverrun: block 1, tag 'Test', 33 bytes: written 2 bytes behind its end");
}

TEST_F(Pool, UnderrunIsFoundAtFree) {
  std::uint8_t* block = take(33);
  block[-1] = 0;
  ExFreePool(block);
  EXPECT_EQ(only_finding(),
            "PoolOverrun: block 1, tag 'Test', 33 bytes: written 1 bytes before its start");
}

TEST_F(Pool, OverrunOfALiveBlockIsFoundByTheCheckOnce) {
  take(5000)[5000] = 0;
  EXPECT_TRUE(validate_memory_services());
  EXPECT_TRUE(validate_memory_services());
  EXPECT_EQ(only_finding(),
            "PoolOverrun: block 1, tag 'Test', 5000 bytes: written 0 bytes behind its end");
}

TEST_F(Pool, LargeBlockEndsAgainstAnInaccessiblePage) {
  std::uint8_t* block = take(8192);
  EXPECT_FALSE(memory::write_faults(block + 8191));
  EXPECT_TRUE(memory::write_faults(block + 8192));
}

TEST_F(Pool, WriteAfterFreeIsFound) {
  std::uint8_t* block = take(64);
  ExFreePool(block);
  block[5] = 1;
  EXPECT_TRUE(validate_memory_services());
  EXPECT_EQ(
      only_finding(),
      "PoolUseAfterFree: block 1, tag 'Test', 64 bytes: written at offset 5 after it was freed");
}

TEST_F(Pool, WriteAfterFreeNamesTheCallThatFreed) {
  std::uint8_t* block = take(64);
  {
    const DriverCall call("DxgkDdiCloseAllocation", kPassive);
    ExFreePool(block);
  }
  block[5] = 1;
  EXPECT_TRUE(validate_memory_services());
  EXPECT_EQ(only_finding(),
            "PoolUseAfterFree: block 1, tag 'Test', 64 bytes: written at offset 5 after it was "
            "freed in DxgkDdiCloseAllocation");
}

TEST_F(Pool, WriteAfterFreeIsFoundWhenTheBlockComesToReuse) {
  std::uint8_t* block = take(64);
  ExFreePool(block);
  block[5] = 1;
  for (int i = 0; i < 2000; ++i) ExFreePool(take(64));
  EXPECT_EQ(only_finding().substr(0, 16), "PoolUseAfterFree");
}

TEST_F(Pool, FreedLargeBlockIsInaccessible) {
  std::uint8_t* block = take(5000);
  ExFreePool(block);
  EXPECT_TRUE(memory::read_faults(block));
}

TEST_F(Pool, FreedBlocksAreReusedInTheEnd) {
  for (int i = 0; i < 1000; ++i) ExFreePool(take(1 << 20));
  EXPECT_NE(take(1 << 20), nullptr);
}

TEST_F(Pool, ExhaustionGivesNull) {
  EXPECT_EQ(take(1ull << 40), nullptr);
}

TEST_F(Pool, KthAllocationFails) {
  fail_pool(2, false);
  EXPECT_NE(take(8), nullptr);
  EXPECT_EQ(take(8), nullptr);
  EXPECT_NE(take(8), nullptr);
}

TEST_F(Pool, EveryAllocationFromTheKthOnFails) {
  fail_pool(2, true);
  EXPECT_NE(take(8), nullptr);
  EXPECT_EQ(take(8), nullptr);
  EXPECT_EQ(take(8), nullptr);
  fail_pool(0, false);
  EXPECT_NE(take(8), nullptr);
}

TEST_F(Pool, APauseOfFailuresIsNotCounted) {
  fail_pool(2, false);
  {
    const PoolFailuresPaused paused;
    EXPECT_NE(take(8), nullptr);
    EXPECT_NE(take(8), nullptr);
  }
  EXPECT_NE(take(8), nullptr);
  EXPECT_EQ(take(8), nullptr);
}

TEST_F(Pool, PagedPoolAtDispatchIsFound) {
  const AtIrql dispatch(kDispatch);
  (void)ExAllocatePoolWithTag(PagedPool, 8, kTag);
  EXPECT_EQ(only_finding(), "IrqlTooHigh: paged pool above APC_LEVEL");
}

TEST_F(Pool, NonPagedPoolAtDispatchIsAllowed) {
  const AtIrql dispatch(kDispatch);
  ExFreePool(take(8));
  EXPECT_EQ(only_finding(), "");
}

TEST_F(Pool, AboveDispatchIsFound) {
  const AtIrql dirql(kDirql);
  (void)take(8);
  EXPECT_EQ(only_finding(), "IrqlTooHigh: called at IRQL 5, allowed are 0 to 2");
}

TEST_F(Pool, ExecutablePoolRunsCode) {
  const std::uint8_t code[] = {0xb8, 42, 0, 0, 0, 0xc3};  // mov eax, 42; ret
  for (SIZE_T bytes : {SIZE_T{64}, SIZE_T{5000}}) {
    void* block = ExAllocatePoolWithTag(NonPagedPoolExecute, bytes, kTag);
    std::memcpy(block, code, sizeof code);
    int (*function)() = nullptr;
    std::memcpy(&function, &block, sizeof function);
    EXPECT_EQ(function(), 42);
  }
}

TEST_F(Pool, LeaksAreReportedByTag) {
  (void)take(10);
  (void)take(20);
  (void)ExAllocatePoolWithTag(PagedPool, 5, 0x20434241);
  ExFreePool(ExAllocatePoolWithTag(PagedPool, 5, 0x656e6f44));
  report_memory_leaks();
  ASSERT_EQ(findings(), 2u);
  EXPECT_TRUE(observer_.findings[0].detail.starts_with("tag 'Test': 2 blocks, 30 bytes, from "));
  EXPECT_TRUE(observer_.findings[0].detail.find(" at pool_test.cpp:") != std::string::npos);
  EXPECT_TRUE(observer_.findings[1].detail.starts_with("tag 'ABC ': 1 blocks, 5 bytes, from "));
}

TEST_F(Pool, LeaksNameTheCallTheyWereMadeIn) {
  {
    const DriverCall call("DxgkDdiCreateDevice", kPassive);
    (void)take(10);
  }
  report_memory_leaks();
  EXPECT_TRUE(only_finding().ends_with(" in DxgkDdiCreateDevice")) << only_finding();
}

TEST_F(Pool, SameCallsGiveSameAddresses) {
  std::uint8_t* first = take(10);
  memory::map();
  boot(observer_, nullptr);
  EXPECT_EQ(take(10), first);
}

TEST_F(Pool, AddressesAreDescribed) {
  char text[128];
  std::uint8_t* small = take(100);
  std::uint8_t* large = take(4096);
  const auto say = [&](const void* address) {
    return std::string(text, describe_address(address, text, sizeof text));
  };
  EXPECT_EQ(say(small + 103), "3 bytes behind the end of pool block 1, tag 'Test', 100 bytes");
  EXPECT_EQ(say(small - 4), "4 bytes before the start of pool block 1, tag 'Test', 100 bytes");
  EXPECT_EQ(say(large + 4096), "0 bytes behind the end of pool block 2, tag 'Test', 4096 bytes");
  ExFreePool(large);
  EXPECT_EQ(say(large + 9), "9 bytes into freed pool block 2, tag 'Test', 4096 bytes");
  EXPECT_EQ(say(text), "");
}

TEST_F(Pool, LookasideListsThatAreNotDeletedAreLeaks) {
  NPAGED_LOOKASIDE_LIST deleted, left;
  ExInitializeNPagedLookasideList(&deleted, nullptr, nullptr, POOL_NX_ALLOCATION, 48, kTag, 0);
  ExInitializeNPagedLookasideList(&left, nullptr, nullptr, POOL_NX_ALLOCATION, 48, kTag, 0);
  ExDeleteNPagedLookasideList(&deleted);
  ExDeleteNPagedLookasideList(&deleted);
  report_memory_leaks();
  EXPECT_EQ(only_finding(), "ObjectLeak: 1 lookaside list left");
}

TEST_F(Pool, LookasideEntriesAreBlocksOfItsSizeAndTag) {
  NPAGED_LOOKASIDE_LIST list;
  ExInitializeNPagedLookasideList(&list, nullptr, nullptr, POOL_NX_ALLOCATION, 48, kTag, 0);
  void* entry = ExAllocateFromNPagedLookasideList(&list);
  EXPECT_EQ(pool_usage().bytes, 48u);
  ExFreeToNPagedLookasideList(&list, entry);
  ExDeleteNPagedLookasideList(&list);
  EXPECT_EQ(pool_usage().blocks, 0u);
  EXPECT_EQ(only_finding(), "");
}

TEST(PoolOfAMachine, IsNotAskedWithoutEndForWhatItRefuses) {
  const test::Recorder seen = test::run_machine([] {
    fail_pool(1, true);
    while (take(16) == nullptr) {
    }
  });
  EXPECT_EQ(seen.hang_report.find("memory is asked for without end, and refused each time\n"), 0u)
      << seen.hang_report;
}

TEST_F(Pool, GivesOnlySoManyLargeBlocks) {
  std::size_t blocks = 0;
  while (take(4096) != nullptr) ++blocks;
  EXPECT_GT(blocks, 10'000u);
  EXPECT_LT(blocks, 20'000u);
  EXPECT_EQ(only_finding(), "");
}

}  // namespace
}  // namespace wddm::nt
