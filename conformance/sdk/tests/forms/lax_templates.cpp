// What the Microsoft compiler takes before C++20: dependent types without `typename`, members named
// with their class.
#include <ntddk.h>

template <class T>
struct Base {
  typedef T Value;
  T stored;
};

template <class T>
struct Holder : Base<T> {
  Base<T>::Value Get() { return this->stored; }
  NTSTATUS Holder::Set(T value) {
    this->stored = value;
    return STATUS_SUCCESS;
  }
};

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT, PUNICODE_STRING) {
  Holder<ULONG> holder;
  holder.Set(1);
  return holder.Get() == 1 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}
