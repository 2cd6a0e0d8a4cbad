// Interlocked lists and SLISTs.
//
// The lists with a spin lock work at any IRQL: they hold the lock at HIGH_LEVEL. A list whose
// neighbours disagree is reported instead of being damaged further.
#include <cstdio>

#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/sync/spin_lock.h"

using namespace wddm::nt;

namespace {

// Holds the list's lock at HIGH_LEVEL.
class ListLock {
 public:
  ListLock(const Service& service, PKSPIN_LOCK lock)
      : service_(service),
        word_(*reinterpret_cast<volatile std::uint64_t*>(lock)),
        before_(irql()) {
    irql_raise(kHigh);
    spin_acquire(service_, word_);
  }
  ~ListLock() {
    spin_release(service_, word_);
    irql_lower(before_);
    yield_point();
  }
  ListLock(const ListLock&) = delete;
  ListLock& operator=(const ListLock&) = delete;

 private:
  const Service& service_;
  volatile std::uint64_t& word_;
  std::uint8_t before_;
};

bool sound(const Service& service, const LIST_ENTRY* entry) {
  if (entry->Flink != nullptr && entry->Blink != nullptr && entry->Flink->Blink == entry &&
      entry->Blink->Flink == entry)
    return true;
  service.report(FindingKind::BadParameter, "the list was not initialised, or is damaged");
  return false;
}

void check_slist(const Service& service, const SLIST_HEADER* head) {
  if (reinterpret_cast<std::uint64_t>(head) % MEMORY_ALLOCATION_ALIGNMENT != 0)
    service.report(FindingKind::BadParameter, "the list head is not aligned to 16 bytes");
}

}  // namespace

PLIST_ENTRY ExInterlockedInsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry,
                                        PKSPIN_LOCK Lock) {
  NT_SERVICE(ExInterlockedInsertHeadList);
  const ListLock lock(service, Lock);
  if (!sound(service, ListHead)) return nullptr;
  PLIST_ENTRY const first = ListHead->Flink;
  InsertHeadList(ListHead, ListEntry);
  return first == ListHead ? nullptr : first;
}

PLIST_ENTRY ExInterlockedInsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry,
                                        PKSPIN_LOCK Lock) {
  NT_SERVICE(ExInterlockedInsertTailList);
  const ListLock lock(service, Lock);
  if (!sound(service, ListHead)) return nullptr;
  PLIST_ENTRY const last = ListHead->Blink;
  InsertTailList(ListHead, ListEntry);
  return last == ListHead ? nullptr : last;
}

PLIST_ENTRY ExInterlockedRemoveHeadList(PLIST_ENTRY ListHead, PKSPIN_LOCK Lock) {
  NT_SERVICE(ExInterlockedRemoveHeadList);
  const ListLock lock(service, Lock);
  if (!sound(service, ListHead) || IsListEmpty(ListHead)) return nullptr;
  return RemoveHeadList(ListHead);
}

PSINGLE_LIST_ENTRY ExInterlockedPopEntryList(PSINGLE_LIST_ENTRY ListHead, PKSPIN_LOCK Lock) {
  NT_SERVICE(ExInterlockedPopEntryList);
  const ListLock lock(service, Lock);
  return PopEntryList(ListHead);
}

PSINGLE_LIST_ENTRY ExInterlockedPushEntryList(PSINGLE_LIST_ENTRY ListHead,
                                              PSINGLE_LIST_ENTRY ListEntry, PKSPIN_LOCK Lock) {
  NT_SERVICE(ExInterlockedPushEntryList);
  const ListLock lock(service, Lock);
  PSINGLE_LIST_ENTRY const first = ListHead->Next;
  PushEntryList(ListHead, ListEntry);
  return first;
}

VOID InitializeSListHead(PSLIST_HEADER SListHead) {
  NT_SERVICE(InitializeSListHead);
  check_slist(service, SListHead);
  SListHead->List.First = nullptr;
  SListHead->List.Depth = 0;
}

PSLIST_ENTRY ExpInterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry) {
  NT_SERVICE(ExpInterlockedPushEntrySList);
  yield_point();
  PSLIST_ENTRY const first = ListHead->List.First;
  ListEntry->Next = first;
  ListHead->List.First = ListEntry;
  ++ListHead->List.Depth;
  return first;
}

PSLIST_ENTRY ExpInterlockedPopEntrySList(PSLIST_HEADER ListHead) {
  NT_SERVICE(ExpInterlockedPopEntrySList);
  yield_point();
  PSLIST_ENTRY const first = ListHead->List.First;
  if (first == nullptr) return nullptr;
  ListHead->List.First = first->Next;
  --ListHead->List.Depth;
  return first;
}

PSLIST_ENTRY ExpInterlockedFlushSList(PSLIST_HEADER ListHead) {
  NT_SERVICE(ExpInterlockedFlushSList);
  yield_point();
  PSLIST_ENTRY const first = ListHead->List.First;
  ListHead->List.First = nullptr;
  ListHead->List.Depth = 0;
  return first;
}

USHORT ExQueryDepthSList(PSLIST_HEADER SListHead) {
  NT_SERVICE(ExQueryDepthSList);
  return static_cast<USHORT>(SListHead->List.Depth);
}
