// A driver that leaves behind what it asked for through operators new that look at what they got:
// one that does not is a jump to the service.
#include <ntddk.h>

#define LEAKING_APART __attribute__((noinline))

LEAKING_APART void* operator new(size_t bytes) {
  void* block = ExAllocatePoolWithTag(NonPagedPoolNx, bytes, 'kaeL');
  if (block != NULL) *(volatile UCHAR*)block = 1;
  return block;
}
LEAKING_APART void* operator new[](size_t bytes) {
  void* block = operator new(bytes);
  if (block != NULL) *(volatile UCHAR*)block = 2;
  return block;
}

struct Own {
  LEAKING_APART static void* operator new(size_t bytes) {
    void* block = ExAllocatePoolWithTag(NonPagedPoolNx, bytes, 'kaeL');
    if (block != NULL) *(volatile UCHAR*)block = 3;
    return block;
  }
  int value;
};

static void* volatile kept[4];

LEAKING_APART static void keep_one() {
  kept[0] = new int;
}
LEAKING_APART static void keep_many() {
  kept[1] = new int[4];
}
LEAKING_APART static void keep_own() {
  kept[2] = new Own;
}
LEAKING_APART static void keep_without() {
  kept[3] = ExAllocatePoolWithTag(NonPagedPoolNx, 8, 'kaeL');
}

extern "C" NTSTATUS DriverEntry(DRIVER_OBJECT*, UNICODE_STRING*) {
  keep_one();
  keep_many();
  keep_own();
  keep_without();
  return STATUS_SUCCESS;
}
