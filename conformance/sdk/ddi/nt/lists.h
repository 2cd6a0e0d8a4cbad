// Doubly and singly linked lists: inline as on Windows; the interlocked ones are imports.
#ifndef WDDM_DDI_NT_LISTS_H
#define WDDM_DDI_NT_LISTS_H

#include "types.h"

FORCEINLINE VOID InitializeListHead(PLIST_ENTRY ListHead) {
  ListHead->Flink = ListHead->Blink = ListHead;
}
FORCEINLINE BOOLEAN IsListEmpty(const LIST_ENTRY* ListHead) {
  return (BOOLEAN)(ListHead->Flink == ListHead);
}
FORCEINLINE BOOLEAN RemoveEntryList(PLIST_ENTRY Entry) {
  PLIST_ENTRY next = Entry->Flink;
  PLIST_ENTRY previous = Entry->Blink;
  previous->Flink = next;
  next->Blink = previous;
  return (BOOLEAN)(next == previous);
}
FORCEINLINE PLIST_ENTRY RemoveHeadList(PLIST_ENTRY ListHead) {
  PLIST_ENTRY entry = ListHead->Flink;
  RemoveEntryList(entry);
  return entry;
}
FORCEINLINE PLIST_ENTRY RemoveTailList(PLIST_ENTRY ListHead) {
  PLIST_ENTRY entry = ListHead->Blink;
  RemoveEntryList(entry);
  return entry;
}
FORCEINLINE VOID InsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY Entry) {
  PLIST_ENTRY next = ListHead->Flink;
  Entry->Flink = next;
  Entry->Blink = ListHead;
  next->Blink = Entry;
  ListHead->Flink = Entry;
}
FORCEINLINE VOID InsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY Entry) {
  PLIST_ENTRY previous = ListHead->Blink;
  Entry->Flink = ListHead;
  Entry->Blink = previous;
  previous->Flink = Entry;
  ListHead->Blink = Entry;
}
FORCEINLINE VOID AppendTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListToAppend) {
  PLIST_ENTRY end = ListHead->Blink;
  ListHead->Blink->Flink = ListToAppend;
  ListHead->Blink = ListToAppend->Blink;
  ListToAppend->Blink->Flink = ListHead;
  ListToAppend->Blink = end;
}
FORCEINLINE PSINGLE_LIST_ENTRY PopEntryList(PSINGLE_LIST_ENTRY ListHead) {
  PSINGLE_LIST_ENTRY first = ListHead->Next;
  if (first) ListHead->Next = first->Next;
  return first;
}
FORCEINLINE VOID PushEntryList(PSINGLE_LIST_ENTRY ListHead, PSINGLE_LIST_ENTRY Entry) {
  Entry->Next = ListHead->Next;
  ListHead->Next = Entry;
}

typedef struct DECLSPEC_ALIGN(16) _SLIST_ENTRY {
  struct _SLIST_ENTRY* Next;
} SLIST_ENTRY, *PSLIST_ENTRY;

typedef union DECLSPEC_ALIGN(16) _SLIST_HEADER {
  struct {
    ULONGLONG Alignment;
    ULONGLONG Region;
  };
  struct {
    PSLIST_ENTRY First;
    ULONG Depth;
  } List;
} SLIST_HEADER, *PSLIST_HEADER;

WDDM_EXTERN_C_BEGIN
PLIST_ENTRY ExInterlockedInsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry,
                                        PKSPIN_LOCK Lock);
PLIST_ENTRY ExInterlockedInsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry,
                                        PKSPIN_LOCK Lock);
PLIST_ENTRY ExInterlockedRemoveHeadList(PLIST_ENTRY ListHead, PKSPIN_LOCK Lock);
PSINGLE_LIST_ENTRY ExInterlockedPopEntryList(PSINGLE_LIST_ENTRY ListHead, PKSPIN_LOCK Lock);
PSINGLE_LIST_ENTRY ExInterlockedPushEntryList(PSINGLE_LIST_ENTRY ListHead,
                                              PSINGLE_LIST_ENTRY ListEntry, PKSPIN_LOCK Lock);
VOID InitializeSListHead(PSLIST_HEADER SListHead);
PSLIST_ENTRY ExpInterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry);
PSLIST_ENTRY ExpInterlockedPopEntrySList(PSLIST_HEADER ListHead);
PSLIST_ENTRY ExpInterlockedFlushSList(PSLIST_HEADER ListHead);
USHORT ExQueryDepthSList(PSLIST_HEADER SListHead);
#define ExInitializeSListHead InitializeSListHead
#define ExInterlockedPushEntrySList(head, entry, lock) ExpInterlockedPushEntrySList(head, entry)
#define ExInterlockedPopEntrySList(head, lock) ExpInterlockedPopEntrySList(head)
#define ExInterlockedFlushSList(head) ExpInterlockedFlushSList(head)
#define InterlockedPushEntrySList(head, entry) ExpInterlockedPushEntrySList(head, entry)
#define InterlockedPopEntrySList(head) ExpInterlockedPopEntrySList(head)
#define InterlockedFlushSList(head) ExpInterlockedFlushSList(head)
#define QueryDepthSList(head) ExQueryDepthSList(head)
WDDM_EXTERN_C_END

#endif
