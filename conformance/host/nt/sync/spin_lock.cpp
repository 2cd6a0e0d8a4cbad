// Spin locks, plain and in-stack queued.
//
// A contended lock lets the other CPU run until it is free; a lock whose owner can never run again
// ends in the hang report. Recursion deadlocks on Windows; here it is a finding, and the lock
// counts it, so that one mistake gives one finding. Left out: the order of queued locks among
// waiters.
#include "conformance/host/nt/sync/spin_lock.h"

#include <cstdio>

#include "conformance/host/nt/core/call_check.h"
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/irql.h"
#include "conformance/host/nt/core/points.h"

namespace wddm::nt {
namespace {

constexpr std::uint64_t kOwnerMask = 0xffffffffff;
constexpr std::uint64_t kAgain = kOwnerMask + 1;

std::uint64_t owner_bits(std::uint64_t word) {
  return word & kOwnerMask & ~0xffull;
}

// Nobody wrote such a value: the lock was never initialised, or its memory was overwritten.
bool is_garbage(std::uint64_t word) {
  const std::uint64_t cpu = word & 0xff;
  const std::uint64_t ordinal = owner_bits(word) >> 8;
  const bool thread = ordinal != 0 && ordinal <= machine().next_ordinal;
  const bool idle = ordinal > kIdleOrdinal && ordinal <= kIdleOrdinal + kCpus;
  const bool root = ordinal == std::uint64_t{kRootOrdinal} + 1;
  return cpu == 0 || cpu > kCpus || (!thread && !idle && !root);
}

// True if the lock is (now) free, or counted as acquired once more.
bool settle_misuse(const Service& service, volatile std::uint64_t& word, bool* acquired) {
  *acquired = false;
  if (word == 0) return true;
  if (is_garbage(word)) {
    service.report(FindingKind::BadParameter,
                   "the spin lock was not initialised, or its memory was overwritten");
    word = 0;
    return true;
  }
  if (owner_bits(word) != owner_bits(lock_word(running()))) return false;
  service.report(FindingKind::LockRecursive, "this processor already holds the spin lock");
  word = word + kAgain;
  *acquired = true;
  return true;
}

void take(const Service& service, volatile std::uint64_t& word) {
  word = lock_word(running());
  lock_acquired(&word, "spin lock", service.caller(), true);
}

void report_not_held(const Service& service, std::uint64_t word) {
  char detail[96];
  if (word == 0)
    std::snprintf(detail, sizeof detail, "the spin lock is not held");
  else
    std::snprintf(detail, sizeof detail, "the spin lock is held by thread %u",
                  static_cast<std::uint32_t>((owner_bits(word) >> 8) - 1));
  service.report(FindingKind::LockNotHeld, detail);
}

}  // namespace

void spin_acquire(const Service& service, volatile std::uint64_t& word) {
  yield_point();
  bool acquired = false;
  while (!settle_misuse(service, word, &acquired))
    spin_while_held(word, service.name(), service.caller());
  if (!acquired) take(service, word);
}

bool spin_try(const Service& service, volatile std::uint64_t& word) {
  yield_point();
  if (word != 0) return false;
  take(service, word);
  return true;
}

void spin_release(const Service& service, volatile std::uint64_t& word) {
  const std::uint64_t held = word;
  if (held == 0 || is_garbage(held)) {
    report_not_held(service, 0);
    return;
  }
  if (owner_bits(held) != owner_bits(lock_word(running()))) report_not_held(service, held);
  if (held >= kAgain) {
    word = held - kAgain;
    return;
  }
  word = 0;
  lock_released(lock_owner(held & kOwnerMask), &word);
}

}  // namespace wddm::nt

using namespace wddm::nt;

namespace {

volatile std::uint64_t& word_of(PKSPIN_LOCK lock) {
  return *reinterpret_cast<volatile std::uint64_t*>(lock);
}

KIRQL raise_to_dispatch() {
  const KIRQL before = running().irql;
  if (before < kDispatch) irql_raise(kDispatch);
  return before;
}

}  // namespace

VOID KeInitializeSpinLock(PKSPIN_LOCK SpinLock) {
  NT_SERVICE(KeInitializeSpinLock);
  *SpinLock = 0;
}

KIRQL KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK SpinLock) {
  NT_SERVICE(KeAcquireSpinLockRaiseToDpc);
  const KIRQL before = raise_to_dispatch();
  spin_acquire(service, word_of(SpinLock));
  return before;
}

VOID KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql) {
  NT_SERVICE(KeReleaseSpinLock);
  spin_release(service, word_of(SpinLock));
  irql_restore(service, NewIrql);
  point();
}

VOID KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) {
  NT_SERVICE(KeAcquireSpinLockAtDpcLevel);
  spin_acquire(service, word_of(SpinLock));
}

VOID KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock) {
  NT_SERVICE(KeReleaseSpinLockFromDpcLevel);
  spin_release(service, word_of(SpinLock));
  yield_point();
  point();
}

BOOLEAN KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) {
  NT_SERVICE(KeTryToAcquireSpinLockAtDpcLevel);
  return spin_try(service, word_of(SpinLock));
}

BOOLEAN KeTestSpinLock(PKSPIN_LOCK SpinLock) {
  NT_SERVICE(KeTestSpinLock);
  yield_point();
  return word_of(SpinLock) == 0;
}

VOID KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle) {
  NT_SERVICE(KeAcquireInStackQueuedSpinLock);
  LockHandle->OldIrql = raise_to_dispatch();
  LockHandle->LockQueue.Lock = SpinLock;
  spin_acquire(service, word_of(SpinLock));
}

VOID KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle) {
  NT_SERVICE(KeReleaseInStackQueuedSpinLock);
  spin_release(service, word_of(LockHandle->LockQueue.Lock));
  irql_restore(service, LockHandle->OldIrql);
  point();
}

VOID KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock,
                                              PKLOCK_QUEUE_HANDLE LockHandle) {
  NT_SERVICE(KeAcquireInStackQueuedSpinLockAtDpcLevel);
  LockHandle->LockQueue.Lock = SpinLock;
  spin_acquire(service, word_of(SpinLock));
}

VOID KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE LockHandle) {
  NT_SERVICE(KeReleaseInStackQueuedSpinLockFromDpcLevel);
  spin_release(service, word_of(LockHandle->LockQueue.Lock));
  yield_point();
  point();
}
