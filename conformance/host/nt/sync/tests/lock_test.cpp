// IRQL, spin locks, fast mutexes and their kin.
#include <gtest/gtest.h>

#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

TEST(Irql, RaiseAndLower) {
  KIRQL old = 9;
  KIRQL during = 9;
  KIRQL after = 9;
  const Recorder seen = run_machine([&] {
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    during = KeGetCurrentIrql();
    KeLowerIrql(old);
    after = KeGetCurrentIrql();
  });
  EXPECT_EQ(old, PASSIVE_LEVEL);
  EXPECT_EQ(during, DISPATCH_LEVEL);
  EXPECT_EQ(after, PASSIVE_LEVEL);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Irql, RaiseThatLowersIsFound) {
  const Recorder seen = run_machine([&] {
    const DriverCall call("DxgkDdiX", kDispatch);
    KIRQL old;
    KeRaiseIrql(PASSIVE_LEVEL, &old);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::BadParameter});
}

TEST(Irql, LowerThatRaisesIsFound) {
  const Recorder seen = run_machine([&] { KeLowerIrql(DISPATCH_LEVEL); });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::BadParameter});
}

TEST(Irql, ServiceAboveItsMaximumIsFound) {
  const Recorder seen = run_machine([&] {
    const DriverCall call("DxgkDdiX", kDispatch);
    ZwClose(nullptr);
  });
  ASSERT_FALSE(seen.findings.empty());
  EXPECT_EQ(seen.findings[0].kind, FindingKind::IrqlTooHigh);
  EXPECT_EQ(seen.findings[0].service, "ZwClose");
  EXPECT_EQ(seen.findings[0].detail, "called at IRQL 2, allowed are 0 to 0");
}

TEST(Irql, ServiceBelowItsMinimumIsFound) {
  const Recorder seen = run_machine([&] {
    KSPIN_LOCK lock = 0;
    KeAcquireSpinLockAtDpcLevel(&lock);
    KeReleaseSpinLockFromDpcLevel(&lock);
  });
  EXPECT_EQ(seen.kinds(), (Kinds{FindingKind::IrqlTooLow, FindingKind::IrqlTooLow}));
}

TEST(Irql, ReturnAtAnotherLevelIsFoundAndPutRight) {
  std::uint8_t after = 9;
  const Recorder seen = run_machine([&] {
    {
      const DriverCall call("DxgkDdiX", kPassive);
      KIRQL old;
      KeRaiseIrql(DISPATCH_LEVEL, &old);
    }
    after = irql();
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::IrqlChanged});
  EXPECT_EQ(seen.findings[0].service, "DxgkDdiX");
  EXPECT_EQ(seen.findings[0].detail, "called at IRQL 0, returned at IRQL 2");
  EXPECT_EQ(after, kPassive);
}

extern "C" [[gnu::noinline]] void misuse_in_a_named_function() {
  KeLowerIrql(DISPATCH_LEVEL);
  asm volatile("");  // no tail call, whose return address would be elsewhere
}

TEST(Irql, FindingsNameTheCaller) {
  const Recorder seen = run_machine([&] { misuse_in_a_named_function(); });
  ASSERT_EQ(seen.findings.size(), 1u);
  EXPECT_EQ(seen.findings[0].caller.substr(0, 28), "misuse_in_a_named_function+0");
}

TEST(SpinLock, RaisesAndRestoresTheIrql) {
  KIRQL during = 9;
  KIRQL after = 9;
  const Recorder seen = run_machine([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    during = irql();
    KeReleaseSpinLock(&lock, old);
    after = irql();
  });
  EXPECT_EQ(during, DISPATCH_LEVEL);
  EXPECT_EQ(after, PASSIVE_LEVEL);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(SpinLock, RecursionIsFoundOnce) {
  const Recorder seen = run_machine([&] {
    KSPIN_LOCK lock = 0;
    KIRQL old;
    KIRQL inner;
    KeAcquireSpinLock(&lock, &old);
    KeAcquireSpinLock(&lock, &inner);
    KeReleaseSpinLock(&lock, inner);
    KeReleaseSpinLock(&lock, old);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::LockRecursive});
}

TEST(SpinLock, ReleaseOfAFreeLockIsFound) {
  const Recorder seen = run_machine([&] {
    KSPIN_LOCK lock = 0;
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeReleaseSpinLock(&lock, old);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::LockNotHeld});
}

TEST(SpinLock, GarbageInTheLockIsFound) {
  const Recorder seen = run_machine([&] {
    KSPIN_LOCK lock = 0xcdcdcdcdcdcdcdcd;
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    KeReleaseSpinLock(&lock, old);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::BadParameter});
}

TEST(SpinLock, HeldAtReturnIsFoundWithItsPlace) {
  const Recorder seen = run_machine([&] {
    static KSPIN_LOCK lock;
    lock = 0;
    const DriverCall call("DxgkDdiX", kDispatch);
    KeAcquireSpinLockAtDpcLevel(&lock);
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::LockHeldAtReturn});
  EXPECT_NE(seen.findings[0].detail.find("spin lock held that was acquired at"), std::string::npos);
}

TEST(SpinLock, LoweringTheIrqlUnderALockIsFound) {
  const Recorder seen = run_machine([&] {
    KSPIN_LOCK lock = 0;
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    KeLowerIrql(old);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeReleaseSpinLock(&lock, old);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::IrqlTooLow});
}

// Gives the other fiber its turn whenever there is a choice.
class Alternate : public SchedulePolicy {
 public:
  std::uint32_t choose(std::uint32_t) override { return 1; }
};

TEST(SpinLock, ContentionLetsTheOwnerGoOn) {
  Alternate policy;
  std::string order;
  KSPIN_LOCK lock = 0;
  const auto critical = [&](char name) {
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    order += name;
    for (int i = 0; i < 5; ++i) YieldProcessor();
    order += name;
    KeReleaseSpinLock(&lock, old);
  };
  auto a = [&] { critical('a'); };
  auto b = [&] { critical('b'); };
  const Recorder seen = run_machine(
      [&] {
        spawn("a", a);
        spawn("b", b);
        settle();
      },
      &policy);
  EXPECT_TRUE(order == "aabb" || order == "bbaa") << order;
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(SpinLock, OwnerThatNeverRunsAgainIsAHang) {
  KSPIN_LOCK lock = 0;
  KEVENT never;
  auto owner = [&] {
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    wait(&never);
  };
  auto other = [&] {
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
  };
  const Recorder seen = run_machine([&] {
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    driver_thread_detached(owner);
    driver_thread_detached(other);
    wait(&never);
  });
  EXPECT_NE(seen.hang_report.find("spins in KeAcquireSpinLockRaiseToDpc"), std::string::npos)
      << seen.hang_report;
  EXPECT_NE(seen.hang_report.find("held by thread 1 (driver)"), std::string::npos);
}

TEST(SpinLock, TryFailsWhileHeld) {
  BOOLEAN taken = TRUE;
  KSPIN_LOCK lock = 0;
  auto other = [&] {
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    taken = KeTryToAcquireSpinLockAtDpcLevel(&lock);
    KeLowerIrql(old);
  };
  const Recorder seen = run_machine([&] {
    spawn("other", other);
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    for (int i = 0; i < 3; ++i) YieldProcessor();
    KeReleaseSpinLock(&lock, old);
  });
  EXPECT_FALSE(taken);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(SpinLock, QueuedLockKeepsTheOldIrqlInItsHandle) {
  std::uint8_t after = 9;
  const Recorder seen = run_machine([&] {
    KSPIN_LOCK lock = 0;
    KLOCK_QUEUE_HANDLE handle;
    KeAcquireInStackQueuedSpinLock(&lock, &handle);
    KeReleaseInStackQueuedSpinLock(&handle);
    after = irql();
  });
  EXPECT_EQ(after, kPassive);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(FastMutex, RunsAtApcLevelAndRestores) {
  std::uint8_t during = 9;
  std::uint8_t after = 9;
  const Recorder seen = run_machine([&] {
    FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    ExAcquireFastMutex(&mutex);
    during = irql();
    ExReleaseFastMutex(&mutex);
    after = irql();
  });
  EXPECT_EQ(during, kApc);
  EXPECT_EQ(after, kPassive);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(FastMutex, ExcludesOthers) {
  std::string order;
  FAST_MUTEX mutex;
  KEVENT go;
  auto body = [&] {
    ExAcquireFastMutex(&mutex);
    order += 'b';
    ExReleaseFastMutex(&mutex);
  };
  run_machine([&] {
    ExInitializeFastMutex(&mutex);
    KeInitializeEvent(&go, NotificationEvent, FALSE);
    ExAcquireFastMutex(&mutex);
    driver_thread_detached(body);
    settle();
    order += 'a';
    ExReleaseFastMutex(&mutex);
    settle();
  });
  EXPECT_EQ(order, "ab");
}

TEST(FastMutex, RecursionIsFound) {
  const Recorder seen = run_machine([&] {
    FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    ExAcquireFastMutex(&mutex);
    ExAcquireFastMutex(&mutex);
    ExReleaseFastMutex(&mutex);
    ExReleaseFastMutex(&mutex);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::LockRecursive});
}

TEST(FastMutex, HeldAtReturnIsFound) {
  const Recorder seen = run_machine([&] {
    static FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    const DriverCall call("DxgkDdiX", kPassive);
    ExAcquireFastMutex(&mutex);
  });
  EXPECT_EQ(seen.kinds(), (Kinds{FindingKind::IrqlChanged, FindingKind::LockHeldAtReturn}));
}

TEST(FastMutex, UnsafeFormNeedsACriticalRegion) {
  const Recorder seen = run_machine([&] {
    FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    KeEnterCriticalRegion();
    ExAcquireFastMutexUnsafe(&mutex);
    ExReleaseFastMutexUnsafe(&mutex);
    KeLeaveCriticalRegion();
    ExAcquireFastMutexUnsafe(&mutex);
    ExReleaseFastMutexUnsafe(&mutex);
  });
  EXPECT_EQ(seen.kinds(), (Kinds{FindingKind::IrqlTooLow, FindingKind::IrqlTooLow}));
}

TEST(GuardedMutex, DisablesApcsNotTheIrql) {
  std::uint8_t during = 9;
  BOOLEAN disabled = FALSE;
  const Recorder seen = run_machine([&] {
    KGUARDED_MUTEX mutex;
    KeInitializeGuardedMutex(&mutex);
    KeAcquireGuardedMutex(&mutex);
    during = irql();
    disabled = KeAreAllApcsDisabled();
    KeReleaseGuardedMutex(&mutex);
  });
  EXPECT_EQ(during, kPassive);
  EXPECT_TRUE(disabled);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Resource, SharersRunTogetherAndKeepWritersOut) {
  std::string order;
  ERESOURCE resource;
  auto reader = [&] {
    ExAcquireResourceSharedLite(&resource, TRUE);
    order += 'r';
    ExReleaseResourceLite(&resource);
  };
  auto writer = [&] {
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    order += 'w';
    ExReleaseResourceLite(&resource);
  };
  const Recorder seen = run_machine([&] {
    ExInitializeResourceLite(&resource);
    ExAcquireResourceSharedLite(&resource, TRUE);
    driver_thread_detached(reader);
    settle();
    driver_thread_detached(writer);
    settle();
    order += '|';
    ExReleaseResourceLite(&resource);
    settle();
  });
  EXPECT_EQ(order, "r|w");
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Resource, OnesThatAreNotDeletedAreLeaks) {
  static ERESOURCE deleted, left;
  const Recorder seen = run_machine([&] {
    ExInitializeResourceLite(&deleted);
    ExInitializeResourceLite(&left);
    ExDeleteResourceLite(&deleted);
    report_leaks();
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::ObjectLeak});
  EXPECT_EQ(seen.findings[0].detail, "1 executive resource left");
}

TEST(Resource, ReleaseByAStrangerIsFound) {
  const Recorder seen = run_machine([&] {
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    ExReleaseResourceLite(&resource);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::LockNotHeld});
}

TEST(PushLock, ExclusiveKeepsSharersOut) {
  std::string order;
  EX_PUSH_LOCK lock;
  auto body = [&] {
    ExAcquirePushLockShared(&lock);
    order += 's';
    ExReleasePushLockShared(&lock);
  };
  const Recorder seen = run_machine([&] {
    ExInitializePushLock(&lock);
    ExAcquirePushLockExclusive(&lock);
    driver_thread_detached(body);
    settle();
    order += 'x';
    ExReleasePushLockExclusive(&lock);
    settle();
  });
  EXPECT_EQ(order, "xs");
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Rundown, WaitsForReferencesAndRefusesNewOnes) {
  std::string order;
  EX_RUNDOWN_REF reference;
  auto body = [&] {
    ExWaitForRundownProtectionRelease(&reference);
    order += 'w';
  };
  BOOLEAN late = TRUE;
  run_machine([&] {
    ExInitializeRundownProtection(&reference);
    ExAcquireRundownProtection(&reference);
    driver_thread_detached(body);
    settle();
    late = ExAcquireRundownProtection(&reference);
    order += 'r';
    ExReleaseRundownProtection(&reference);
    settle();
  });
  EXPECT_FALSE(late);
  EXPECT_EQ(order, "rw");
}

}  // namespace
}  // namespace wddm::nt
