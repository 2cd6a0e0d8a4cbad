// Executive resources, push locks and run-down protection.
//
// All of them wait on one event that every release sets, and look again: there are few, and the
// order stays first come, first served. Left out: the rule that normal kernel APCs are disabled
// while a resource is held; conversion between shared and exclusive.
#include <algorithm>

#include "conformance/host/nt/core/call_check.h"
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/leaks.h"
#include "conformance/host/nt/core/threads.h"

using namespace wddm::nt;

namespace {

constexpr std::uint32_t kMagic = 0x52534552;
constexpr std::uint32_t kSharers = 3;

struct Sharer {
  std::uint32_t thread;  // ordinal + 1; 0: free
  std::uint32_t count;
};

// The kernel's own view of ERESOURCE.
struct Resource {
  LIST_ENTRY list;
  void* owner;  // exclusive owner, a Fiber
  std::int16_t active;
  std::uint16_t flag;
  std::uint32_t magic;
  std::uint32_t exclusive;  // depth
  std::uint32_t shared;     // acquisitions
  std::uint32_t exclusive_waiters;
  std::uint32_t unused;
  Sharer sharers[kSharers];  // of the first threads that share it
};
static_assert(sizeof(Resource) <= sizeof(ERESOURCE));

DispatcherHeader g_released;
std::uint32_t g_resources = 0;  // initialized and not deleted

// Waits until `free()` holds.
template <typename Free>
void wait_until_free(const Service& service, Free free) {
  while (!free()) {
    DispatcherHeader* const event = &g_released;
    static_cast<void>(event_reset(*event));
    static_cast<void>(wait_for({.objects = {&event, 1},
                                .all = false,
                                .due = kForever,
                                .service = service.name(),
                                .caller = service.caller()}));
  }
}

void released() {
  static_cast<void>(event_set(g_released));
  yield_point();
}

Resource& resource_of(PERESOURCE resource) {
  return *reinterpret_cast<Resource*>(resource);
}

bool check_resource(const Service& service, PERESOURCE resource) {
  if (resource_of(resource).magic == kMagic) return true;
  service.report(FindingKind::BadParameter, "the resource was not initialised");
  return false;
}

Sharer* sharer(Resource& resource, std::uint32_t thread) {
  for (Sharer& entry : resource.sharers)
    if (entry.thread == thread) return &entry;
  return nullptr;
}

std::uint32_t self_id() {
  return running().ordinal + 1;
}

std::uint32_t shared_by_self(Resource& resource) {
  const Sharer* entry = sharer(resource, self_id());
  return entry != nullptr ? entry->count : 0;
}

void add_sharer(Resource& resource) {
  Sharer* entry = sharer(resource, self_id());
  if (entry == nullptr) entry = sharer(resource, 0);
  if (entry != nullptr) {
    entry->thread = self_id();
    ++entry->count;
  }
  ++resource.shared;
}

void remove_sharer(Resource& resource) {
  if (Sharer* entry = sharer(resource, self_id()))
    if (--entry->count == 0) entry->thread = 0;
  --resource.shared;
}

volatile std::uint64_t& word_of(void* lock) {
  return *static_cast<volatile std::uint64_t*>(lock);
}

// Push locks: 0 free, a lock word while exclusive, else shared acquisitions times this.
constexpr std::uint64_t kPushShared = std::uint64_t{1} << 40;
// Run-down references: bit 0 says that it has begun.
constexpr std::uint64_t kRundown = 1;
constexpr std::uint64_t kRundownReference = 2;

}  // namespace

void wddm::nt::report_resource_leaks() {
  if (g_resources != 0) leak("executive", "resource", g_resources);
}

void wddm::nt::resources_boot() {
  g_resources = 0;
  header_init(g_released, ObjectKind::NotificationEvent, sizeof g_released, 0);
}

NTSTATUS ExInitializeResourceLite(PERESOURCE Resource) {
  NT_SERVICE(ExInitializeResourceLite);
  ++g_resources;
  resource_of(Resource) = {};
  resource_of(Resource).magic = kMagic;
  return STATUS_SUCCESS;
}

NTSTATUS ExDeleteResourceLite(PERESOURCE Resource) {
  NT_SERVICE(ExDeleteResourceLite);
  if (!check_resource(service, Resource)) return STATUS_INVALID_PARAMETER;
  if (resource_of(Resource).exclusive != 0 || resource_of(Resource).shared != 0)
    service.report(FindingKind::BadParameter, "the resource is still held");
  resource_of(Resource).magic = 0;
  if (g_resources != 0) --g_resources;
  return STATUS_SUCCESS;
}

BOOLEAN ExAcquireResourceExclusiveLite(PERESOURCE Resource, BOOLEAN Wait) {
  NT_SERVICE(ExAcquireResourceExclusiveLite);
  yield_point();
  if (!check_resource(service, Resource)) return FALSE;
  auto& resource = resource_of(Resource);
  Fiber& self = running();
  const auto free = [&] {
    return resource.owner == &self || (resource.exclusive == 0 && resource.shared == 0);
  };
  if (!Wait && !free()) return FALSE;
  ++resource.exclusive_waiters;
  wait_until_free(service, free);
  --resource.exclusive_waiters;
  resource.owner = &self;
  ++resource.exclusive;
  lock_acquired(Resource, "resource", service.caller(), false);
  return TRUE;
}

BOOLEAN ExAcquireResourceSharedLite(PERESOURCE Resource, BOOLEAN Wait) {
  NT_SERVICE(ExAcquireResourceSharedLite);
  yield_point();
  if (!check_resource(service, Resource)) return FALSE;
  auto& resource = resource_of(Resource);
  Fiber& self = running();
  const auto free = [&] {
    if (resource.exclusive != 0) return resource.owner == &self;
    return resource.exclusive_waiters == 0 || shared_by_self(resource) != 0;
  };
  if (!Wait && !free()) return FALSE;
  wait_until_free(service, free);
  if (resource.exclusive != 0)
    ++resource.exclusive;
  else
    add_sharer(resource);
  lock_acquired(Resource, "resource", service.caller(), false);
  return TRUE;
}

VOID ExReleaseResourceLite(PERESOURCE Resource) {
  NT_SERVICE(ExReleaseResourceLite);
  if (!check_resource(service, Resource)) return;
  auto& resource = resource_of(Resource);
  Fiber& self = running();
  if (resource.owner != &self && shared_by_self(resource) == 0 &&
      (resource.shared == 0 || sharer(resource, 0) != nullptr)) {
    service.report(FindingKind::LockNotHeld, "this thread does not hold the resource");
    return;
  }
  if (resource.owner == &self) {
    if (--resource.exclusive == 0) resource.owner = nullptr;
  } else {
    remove_sharer(resource);
  }
  lock_released(&self, Resource);
  released();
}

BOOLEAN ExIsResourceAcquiredExclusiveLite(PERESOURCE Resource) {
  NT_SERVICE(ExIsResourceAcquiredExclusiveLite);
  return resource_of(Resource).owner == &running();
}

ULONG ExIsResourceAcquiredSharedLite(PERESOURCE Resource) {
  NT_SERVICE(ExIsResourceAcquiredSharedLite);
  auto& resource = resource_of(Resource);
  return resource.owner == &running() ? resource.exclusive : shared_by_self(resource);
}

VOID ExInitializePushLock(PEX_PUSH_LOCK PushLock) {
  NT_SERVICE(ExInitializePushLock);
  *PushLock = 0;
}

VOID ExAcquirePushLockExclusive(PEX_PUSH_LOCK PushLock) {
  NT_SERVICE(ExAcquirePushLockExclusive);
  yield_point();
  volatile std::uint64_t& word = word_of(PushLock);
  if (lock_owner(word) == &running() && word < kPushShared)
    service.report(FindingKind::LockRecursive, "this thread already holds the push lock");
  wait_until_free(service, [&] { return word == 0; });
  word = lock_word(running());
  lock_acquired(PushLock, "push lock", service.caller(), false);
}

VOID ExReleasePushLockExclusive(PEX_PUSH_LOCK PushLock) {
  NT_SERVICE(ExReleasePushLockExclusive);
  volatile std::uint64_t& word = word_of(PushLock);
  if (word == 0 || word >= kPushShared || lock_owner(word) != &running()) {
    service.report(FindingKind::LockNotHeld, "this thread does not hold the push lock");
    return;
  }
  word = 0;
  lock_released(&running(), PushLock);
  released();
}

VOID ExAcquirePushLockShared(PEX_PUSH_LOCK PushLock) {
  NT_SERVICE(ExAcquirePushLockShared);
  yield_point();
  volatile std::uint64_t& word = word_of(PushLock);
  wait_until_free(service, [&] { return word % kPushShared == 0; });
  word = word + kPushShared;
  lock_acquired(PushLock, "push lock", service.caller(), false);
}

VOID ExReleasePushLockShared(PEX_PUSH_LOCK PushLock) {
  NT_SERVICE(ExReleasePushLockShared);
  volatile std::uint64_t& word = word_of(PushLock);
  if (word < kPushShared) {
    service.report(FindingKind::LockNotHeld, "the push lock is not shared");
    return;
  }
  word = word - kPushShared;
  lock_released(&running(), PushLock);
  released();
}

VOID ExInitializeRundownProtection(PEX_RUNDOWN_REF RunRef) {
  NT_SERVICE(ExInitializeRundownProtection);
  RunRef->Count = 0;
}

BOOLEAN ExAcquireRundownProtection(PEX_RUNDOWN_REF RunRef) {
  NT_SERVICE(ExAcquireRundownProtection);
  yield_point();
  if ((RunRef->Count & kRundown) != 0) return FALSE;
  RunRef->Count += kRundownReference;
  return TRUE;
}

VOID ExReleaseRundownProtection(PEX_RUNDOWN_REF RunRef) {
  NT_SERVICE(ExReleaseRundownProtection);
  if (RunRef->Count < kRundownReference) {
    service.report(FindingKind::ReferenceUnderflow, "no run-down reference is held");
    return;
  }
  RunRef->Count -= kRundownReference;
  released();
}

VOID ExWaitForRundownProtectionRelease(PEX_RUNDOWN_REF RunRef) {
  NT_SERVICE(ExWaitForRundownProtectionRelease);
  RunRef->Count |= kRundown;
  wait_until_free(service, [&] { return RunRef->Count < kRundownReference; });
}
