// Maps one page as often as it can, and takes pool in blocks that need a guard page each.
#include "after_start.h"

static void deed() {
  PHYSICAL_ADDRESS highest;
  highest.QuadPart = ~0ull >> 1;
  PVOID page = MmAllocateContiguousMemory(PAGE_SIZE, highest);
  const PHYSICAL_ADDRESS address = MmGetPhysicalAddress(page);
  for (int i = 0; i < 300'000 && MmMapIoSpace(address, PAGE_SIZE, MmCached) != nullptr; ++i) {
  }
  while (ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_SIZE, 'tsoH') != nullptr) {
  }
}
