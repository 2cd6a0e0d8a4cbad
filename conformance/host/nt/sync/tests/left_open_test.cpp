// What a call into the driver must not leave behind beside locks, and lists that an ISR may use.
#include <gtest/gtest.h>

#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

TEST(Regions, LeftOpenAtReturnAreFoundOnce) {
  const Recorder seen = run_machine([&] {
    {
      const DriverCall call("DxgkDdiX", kPassive);
      KeEnterCriticalRegion();
    }
    const DriverCall call("DxgkDdiY", kPassive);
    KeEnterCriticalRegion();
    KeLeaveCriticalRegion();
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::LockHeldAtReturn});
  EXPECT_EQ(seen.findings[0].detail, "returned inside of a critical region");
}

TEST(Regions, GuardedOnesLeftOpenAtReturnAreFound) {
  const Recorder seen = run_machine([&] {
    const DriverCall call("DxgkDdiX", kPassive);
    KeEnterGuardedRegion();
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::LockHeldAtReturn});
}

TEST(Mutex, HeldAtReturnIsFound) {
  static KMUTEX mutex;
  const Recorder seen = run_machine([&] {
    KeInitializeMutex(&mutex, 0);
    {
      const DriverCall call("DxgkDdiX", kPassive);
      static_cast<void>(KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr));
    }
    const DriverCall call("DxgkDdiY", kPassive);
    KeReleaseMutex(&mutex, FALSE);
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::LockHeldAtReturn});
  EXPECT_EQ(seen.findings[0].detail, "returned with a mutex held");
}

TEST(SList, AnInterruptRoutineMayUseOne) {
  const Recorder seen = run_machine([&] {
    SLIST_HEADER head;
    SLIST_ENTRY entry;
    ExInitializeSListHead(&head);
    const DriverCall call("DxgkDdiInterruptRoutine", kDirql);
    InterlockedPushEntrySList(&head, &entry);
    InterlockedPopEntrySList(&head);
    InterlockedFlushSList(&head);
  });
  EXPECT_EQ(seen.kinds(), Kinds{});
}

}  // namespace
}  // namespace wddm::nt
