// Paged pool is out of reach from DISPATCH_LEVEL on: for the driver, not for the host.
#include <cstring>

#include "conformance/host/nt/memory/mdl.h"
#include "conformance/host/nt/tests/memory_test_support.h"
#include "conformance/sdk/ddi/nt/memory.h"
#include "conformance/sdk/ddi/nt/pool.h"

namespace wddm::nt {
namespace {

constexpr ULONG kPagedTag = 0x74736554;  // 'Test' as a debugger shows it
constexpr SIZE_T kSmallBlock = 100, kLargeBlock = 3 * 4096;

std::uint8_t* take_paged(SIZE_T bytes, POOL_TYPE type = PagedPool) {
  return static_cast<std::uint8_t*>(ExAllocatePoolWithTag(type, bytes, kPagedTag));
}

std::uint8_t touch(const std::uint8_t* byte) {
  return *const_cast<const volatile std::uint8_t*>(byte);
}

class PagedPoolAccess : public MemoryServices {
 protected:
  PagedPoolAccess() {
    set_driver_code([](const void*) { return true; });
  }
  ~PagedPoolAccess() override { set_driver_code(nullptr); }

  std::uint8_t* const small_ = take_paged(kSmallBlock);
  std::uint8_t* const large_ = take_paged(kLargeBlock);
};

TEST_F(PagedPoolAccess, BelowDispatchLevelIsTheCommonCase) {
  for (const std::uint8_t level : {kPassive, kApc}) {
    const AtIrql at(level);
    std::memset(small_, 7, kSmallBlock);
    EXPECT_EQ(touch(large_ + 4096), 0xa5u);
  }
  EXPECT_EQ(only_finding(), "");
}

TEST_F(PagedPoolAccess, FromThereOnIsFound) {
  const AtIrql at(kDispatch);
  touch(small_ + 3);

  EXPECT_EQ(only_finding(),
            "PagedPoolAtDispatch: an access 3 bytes into pool block 1, tag 'Test', 100 bytes, of "
            "paged pool, at IRQL 2");
}

TEST_F(PagedPoolAccess, EachTimeTheLevelIsRaised) {
  for (int i = 0; i < 3; ++i) {
    const AtIrql at(kDirql);
    large_[i * 4096] = 1;
    large_[i * 4096 + 1] = 2;
  }
  EXPECT_EQ(findings(), 3u) << "and what was written is there";
  EXPECT_EQ(large_[2 * 4096 + 1], 2u);
}

TEST_F(PagedPoolAccess, OfNonpagedBlocksBesideThemIsNot) {
  std::uint8_t* const other = take_paged(kSmallBlock, NonPagedPoolNx);
  const AtIrql at(kDispatch);
  other[0] = 1;

  EXPECT_EQ(only_finding(), "");
}

TEST_F(PagedPoolAccess, OfTheHostIsNone) {
  set_driver_code(nullptr);
  const AtIrql at(kDispatch);
  small_[0] = 1;

  EXPECT_EQ(only_finding(), "");
}

TEST_F(PagedPoolAccess, PagesThatAreLockedStay) {
  MDL* const mdl = IoAllocateMdl(large_, kLargeBlock, FALSE, FALSE, nullptr);
  MmProbeAndLockPages(mdl, KernelMode, IoWriteAccess);
  {
    const AtIrql at(kDispatch);
    large_[0] = 1;
  }
  EXPECT_EQ(only_finding(), "");
  MmUnlockPages(mdl);
  IoFreeMdl(mdl);

  const AtIrql at(kDispatch);
  large_[0] = 1;
  EXPECT_EQ(findings(), 1u);
}

TEST_F(PagedPoolAccess, AFreedLargeBlockMayBecomeANonpagedOne) {
  const std::uint8_t* const was = large_;
  ExFreePool(large_);
  for (int i = 0; i < 64; ++i) ExFreePool(take_paged(kLargeBlock));  // it has rested then
  std::uint8_t* const again = take_paged(kLargeBlock, NonPagedPoolNx);
  ASSERT_EQ(again, was);
  const AtIrql at(kDispatch);
  again[0] = 1;

  EXPECT_EQ(only_finding(), "");
}

}  // namespace
}  // namespace wddm::nt
