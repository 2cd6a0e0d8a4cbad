// Handles: a page of a directory, a slot in it, and a generation, so that a stale one is known.
#include "plover_kmd.h"

#define SLOTS 64u

struct Slot {
  Object* Behind;
  UINT Generation;
};
static Slot* directory[SLOTS];
static KSPIN_LOCK handle_lock;

// A handle: generation in the upper half, then type, page of the directory and slot, never 0.
static HANDLE Encode(UINT generation, PloverType type, UINT page, UINT slot) {
  return (HANDLE)(ULONG_PTR)(((ULONG64)generation << 32) | (ULONG64)type << 16 | page << 6 | slot);
}

void HandlesInitialize() {
  KeInitializeSpinLock(&handle_lock);
  RtlZeroMemory(directory, sizeof directory);
}

void HandlesDestroy() {
  for (UINT i = 0; i < SLOTS; ++i)
    if (directory[i]) Free(directory[i]);
  RtlZeroMemory(directory, sizeof directory);
}

// Memory for a page is asked for outside of the lock, and given back if another was faster.
BOOLEAN Insert(Object* object, PloverType type, Adapter* owner) {
  KIRQL irql;
  BOOLEAN done = FALSE;
  object->Type = type;
  object->Owner = owner;
  for (UINT i = 0; i < SLOTS && !done; ++i) {
    Slot* fresh = directory[i] ? NULL : (Slot*)Allocate(SLOTS * sizeof(Slot));
    if (!directory[i] && !fresh) return FALSE;
    KeAcquireSpinLock(&handle_lock, &irql);
    if (!directory[i]) directory[i] = fresh, fresh = NULL;
    for (UINT s = 0; s < SLOTS && !done; ++s) {
      Slot* slot = &directory[i][s];
      if (slot->Behind) continue;
      slot->Behind = object;
      ++slot->Generation;
      object->Handle = Encode(slot->Generation, type, i, s);
      done = TRUE;
    }
    KeReleaseSpinLock(&handle_lock, irql);
    if (fresh) Free(fresh);
  }
  return done;
}

static Slot* Locate(HANDLE handle) {
  const ULONG64 h = (ULONG_PTR)handle;
  const UINT page = (UINT)(h >> 6) & 0x3ff;
  if (!h || page >= SLOTS || !directory[page]) return NULL;
  return &directory[page][h & 63];
}

Object* Find(HANDLE handle, PloverType type) {
  KIRQL irql;
  Object* found = NULL;
  KeAcquireSpinLock(&handle_lock, &irql);
  Slot* slot = Locate(handle);
  if (slot && slot->Behind && slot->Behind->Handle == handle && slot->Behind->Type == type)
    found = slot->Behind;
  KeReleaseSpinLock(&handle_lock, irql);
  return found;
}

void Remove(Object* object) {
  if (!object) return;
  KIRQL irql;
  KeAcquireSpinLock(&handle_lock, &irql);
  Locate(object->Handle)->Behind = NULL;
  KeReleaseSpinLock(&handle_lock, irql);
  Free(object);
}
