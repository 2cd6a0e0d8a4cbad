// Interlocked operations. On one OS thread they need no lock; each is a place where another fiber
// may run before it. Any IRQL.
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/machine.h"
#include "conformance/host/nt/core/fiber_scheduler.h"

using namespace wddm::nt;

namespace {

void point(const char* name) {
  machine().last_service = name;
  deliver_if_any();
  yield_point();
}

template <typename T, typename U>
T exchange(T volatile* target, U value) {
  const T before = *target;
  *target = static_cast<T>(value);
  return before;
}

template <typename T>
T compare_exchange(T volatile* target, T value, T comparand) {
  const T before = *target;
  if (before == comparand) *target = value;
  return before;
}

// Signed overflow wraps, as the processor's instruction does.
template <typename T>
T wrapping_add(T a, T b) {
  T sum;
  static_cast<void>(__builtin_add_overflow(a, b, &sum));
  return sum;
}

template <typename T>
T add(T volatile* addend, T value) {
  const T sum = wrapping_add<T>(*addend, value);
  *addend = sum;
  return sum;
}

template <typename T>
UCHAR bit_before(T volatile* base, LONG offset, bool set) {
  T volatile& word = base[offset >> 5];
  const auto bit = static_cast<T>(1u << (offset & 31));
  const bool before = (word & bit) != 0;
  word = set ? (word | bit) : (word & ~bit);
  return before;
}

}  // namespace

#define WDDM_INTERLOCKED(T, suffix)                                                            \
  T WddmInterlockedIncrement##suffix(T volatile* Addend) {                                     \
    point("InterlockedIncrement" #suffix);                                                     \
    return add(Addend, T{1});                                                                  \
  }                                                                                            \
  T WddmInterlockedDecrement##suffix(T volatile* Addend) {                                     \
    point("InterlockedDecrement" #suffix);                                                     \
    return add(Addend, T{-1});                                                                 \
  }                                                                                            \
  T WddmInterlockedExchange##suffix(T volatile* Target, T Value) {                             \
    point("InterlockedExchange" #suffix);                                                      \
    return exchange(Target, Value);                                                            \
  }                                                                                            \
  T WddmInterlockedCompareExchange##suffix(T volatile* Destination, T Exchange, T Comparand) { \
    point("InterlockedCompareExchange" #suffix);                                               \
    return compare_exchange(Destination, Exchange, Comparand);                                 \
  }                                                                                            \
  T WddmInterlockedAnd##suffix(T volatile* Destination, T Value) {                             \
    point("InterlockedAnd" #suffix);                                                           \
    return exchange(Destination, *Destination & Value);                                        \
  }                                                                                            \
  T WddmInterlockedOr##suffix(T volatile* Destination, T Value) {                              \
    point("InterlockedOr" #suffix);                                                            \
    return exchange(Destination, *Destination | Value);                                        \
  }                                                                                            \
  T WddmInterlockedXor##suffix(T volatile* Destination, T Value) {                             \
    point("InterlockedXor" #suffix);                                                           \
    return exchange(Destination, *Destination ^ Value);                                        \
  }

WDDM_INTERLOCKED(LONG, )
WDDM_INTERLOCKED(LONG64, 64)
WDDM_INTERLOCKED(SHORT, 16)

LONG WddmInterlockedExchangeAdd(LONG volatile* Addend, LONG Value) {
  point("InterlockedExchangeAdd");
  return exchange(Addend, wrapping_add<LONG>(*Addend, Value));
}

LONG64 WddmInterlockedExchangeAdd64(LONG64 volatile* Addend, LONG64 Value) {
  point("InterlockedExchangeAdd64");
  return exchange(Addend, wrapping_add<LONG64>(*Addend, Value));
}

PVOID WddmInterlockedExchangePointer(PVOID volatile* Target, PVOID Value) {
  point("InterlockedExchangePointer");
  return exchange(Target, Value);
}

PVOID WddmInterlockedCompareExchangePointer(PVOID volatile* Destination, PVOID Exchange,
                                            PVOID Comparand) {
  point("InterlockedCompareExchangePointer");
  return compare_exchange(Destination, Exchange, Comparand);
}

UCHAR WddmInterlockedbittestandset(LONG volatile* Base, LONG Offset) {
  point("InterlockedBitTestAndSet");
  return bit_before(Base, Offset, true);
}

UCHAR WddmInterlockedbittestandreset(LONG volatile* Base, LONG Offset) {
  point("InterlockedBitTestAndReset");
  return bit_before(Base, Offset, false);
}

VOID KeMemoryBarrier(void) {
  point("KeMemoryBarrier");
}
