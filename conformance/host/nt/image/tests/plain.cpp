// A driver that counts its entries, in static data of every kind.
#include <ntddk.h>

static int initialised = 7;
static int zeroed;
static const char* const relocated = "text";
static int (*volatile relocated_later)(int);

static int plus_one(int x) {
  return x + 1;
}

struct Base {
  virtual int value() = 0;
};
struct Derived : Base {
  int value() override { return 3; }
};
static Derived object;

// Must stay the driver's own: the host has another one.
void* operator new(size_t bytes) {
  return ExAllocatePoolWithTag(NonPagedPoolNx, bytes, 'tseT');
}
void operator delete(void* block) noexcept {
  ExFreePoolWithTag(block, 'tseT');
}
void operator delete(void* block, size_t) noexcept {
  ExFreePoolWithTag(block, 'tseT');
}

extern "C" NTSTATUS DriverEntry(DRIVER_OBJECT*, UNICODE_STRING* path) {
  relocated_later = plus_one;
  zeroed = relocated_later(zeroed);
  ++initialised;
  Base* base = &object;
  int* on_heap = new int(base->value());
  const int sum = initialised * 100 + zeroed * 10 + *on_heap;
  delete on_heap;
  const WCHAR wide[] = L"ab";
  return path == NULL && sizeof(wide) == 6 && relocated[0] == 't' ? sum : -1;
}
