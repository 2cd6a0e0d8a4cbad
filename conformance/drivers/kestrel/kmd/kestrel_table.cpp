// Handles: a serial number above an index, so that a stale one is known.
#include "kestrel_kmd.h"

#define KST_NONE 0xffffffffu
static const ULONG kIndexBits = 16;

NTSTATUS KstTableCreate(KstTable* t, ULONG limit) {
  KeInitializeSpinLock(&t->Lock);
  t->Objects =
      (KstObject*)ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(KstObject) * limit, KST_TAG);
  if (!t->Objects) return STATUS_NO_MEMORY;
  RtlZeroMemory(t->Objects, sizeof(KstObject) * limit);
  for (ULONG i = 0; i < limit; i++) t->Objects[i].NextFree = i + 1 < limit ? i + 1 : KST_NONE;
  t->Limit = limit;
  t->FreeList = 0;
  return STATUS_SUCCESS;
}

void KstTableDestroy(KstTable* t) {
  if (t->Objects) ExFreePoolWithTag(t->Objects, KST_TAG);
  t->Objects = NULL;
}

HANDLE KstTableAdd(KstTable* t, const KstObject* object) {
  KIRQL irql;
  ULONG_PTR handle = 0;
  KeAcquireSpinLock(&t->Lock, &irql);
  ULONG index = t->FreeList;
  if (index != KST_NONE) {
    KstObject* o = &t->Objects[index];
    ULONG serial = (o->Serial + 1) & 0x7fff;
    t->FreeList = o->NextFree;
    *o = *object;
    o->Serial = serial;
    o->Used = TRUE;
    handle = ((ULONG_PTR)serial << kIndexBits) | (index + 1);
  }
  KeReleaseSpinLock(&t->Lock, irql);
  return (HANDLE)handle;
}

static KstObject* Find(KstTable* t, HANDLE handle) {
  ULONG_PTR value = (ULONG_PTR)handle;
  ULONG index = (ULONG)(value & ((1u << kIndexBits) - 1)) - 1;
  if (index >= t->Limit) return NULL;
  KstObject* o = &t->Objects[index];
  return o->Used && o->Serial == (value >> kIndexBits) ? o : NULL;
}

BOOLEAN KstTableGet(KstTable* t, HANDLE handle, KstObject* object) {
  KIRQL irql;
  KeAcquireSpinLock(&t->Lock, &irql);
  KstObject* o = Find(t, handle);
  if (o) *object = *o;
  KeReleaseSpinLock(&t->Lock, irql);
  return o != NULL;
}

void KstTableRemove(KstTable* t, HANDLE handle) {
  KIRQL irql;
  KeAcquireSpinLock(&t->Lock, &irql);
  KstObject* o = Find(t, handle);
  if (o) {
    o->Used = FALSE;
    o->NextFree = t->FreeList;
    t->FreeList = (ULONG)(o - t->Objects);
  }
  KeReleaseSpinLock(&t->Lock, irql);
}
