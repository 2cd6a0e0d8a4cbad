#include "conformance/host/memory/in_order.h"

#include <bit>

#include "conformance/host/memory/layout.h"

#define WDDM_UNSEEN __attribute__((no_sanitize("address", "undefined")))
// What accesses the memory lies together, and is nowhere else, so that it can be told by its place.
#define WDDM_TOGETHER WDDM_UNSEEN __attribute__((section("wddm_in_order"), noinline))
#define WDDM_INSIDE WDDM_UNSEEN __attribute__((always_inline)) inline

// Made by the linker.
extern "C" const char __start_wddm_in_order[], __stop_wddm_in_order[];

namespace wddm::memory {
namespace {

using internal::address_of;

// What is volatile is accessed as written here: once, in this order, whole.
template <class T>
struct Word {
  typedef volatile T Type __attribute__((aligned(1), may_alias));

  WDDM_INSIDE static T load(std::uint64_t at) { return *reinterpret_cast<const Type*>(at); }
  WDDM_INSIDE static void store(std::uint64_t at, T value) { *reinterpret_cast<Type*>(at) = value; }
};

template <class T>
WDDM_INSIDE void copy_one(std::uint64_t to, std::uint64_t from) {
  Word<T>::store(to, Word<T>::load(from));
}

WDDM_INSIDE void copy_forward(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  for (; bytes >= 8; bytes -= 8, to += 8, from += 8) copy_one<std::uint64_t>(to, from);
  if (bytes & 4) copy_one<std::uint32_t>(to, from), to += 4, from += 4;
  if (bytes & 2) copy_one<std::uint16_t>(to, from), to += 2, from += 2;
  if (bytes & 1) copy_one<std::uint8_t>(to, from);
}

// The same words as forward, the last one first.
WDDM_INSIDE void copy_backward(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  to += bytes;
  from += bytes;
  if (bytes & 1) copy_one<std::uint8_t>(to -= 1, from -= 1);
  if (bytes & 2) copy_one<std::uint16_t>(to -= 2, from -= 2);
  if (bytes & 4) copy_one<std::uint32_t>(to -= 4, from -= 4);
  for (; bytes >= 8; bytes -= 8) copy_one<std::uint64_t>(to -= 8, from -= 8);
}

// Both were read from memory, which may say something else by now.
template <class T>
WDDM_INSIDE int order_of(T a, T b) {
  const int first = std::countr_zero(static_cast<T>(a ^ b)) / 8 * 8;
  const auto byte = [first](T word) { return static_cast<std::uint8_t>(word >> first); };
  return byte(a) < byte(b) ? -1 : 1;
}

template <class T>
WDDM_INSIDE int compare_one(std::uint64_t a, std::uint64_t b) {
  const T x = Word<T>::load(a);
  const T y = Word<T>::load(b);
  return x == y ? 0 : order_of(x, y);
}

}  // namespace

WDDM_TOGETHER void move_in_order(void* to, const void* from, std::size_t bytes) {
  const std::uint64_t target = address_of(to);
  const std::uint64_t source = address_of(from);
  if (target - source < bytes) {
    copy_backward(target, source, bytes);
  } else {
    copy_forward(target, source, bytes);
  }
}

WDDM_TOGETHER void fill_in_order(void* to, std::uint8_t value, std::size_t bytes) {
  const std::uint64_t word = value * std::uint64_t{0x0101010101010101};
  std::uint64_t at = address_of(to);
  for (; bytes >= 8; bytes -= 8, at += 8) Word<std::uint64_t>::store(at, word);
  if (bytes & 4) Word<std::uint32_t>::store(at, static_cast<std::uint32_t>(word)), at += 4;
  if (bytes & 2) Word<std::uint16_t>::store(at, static_cast<std::uint16_t>(word)), at += 2;
  if (bytes & 1) Word<std::uint8_t>::store(at, value);
}

WDDM_TOGETHER int compare_in_order(const void* a, const void* b, std::size_t bytes) {
  std::uint64_t x = address_of(a);
  std::uint64_t y = address_of(b);
  int order = 0;
  for (; bytes >= 8 && order == 0; bytes -= 8, x += 8, y += 8)
    order = compare_one<std::uint64_t>(x, y);
  if (order == 0 && bytes & 4) order = compare_one<std::uint32_t>(x, y), x += 4, y += 4;
  if (order == 0 && bytes & 2) order = compare_one<std::uint16_t>(x, y), x += 2, y += 2;
  if (order == 0 && bytes & 1) order = compare_one<std::uint8_t>(x, y);
  return order;
}

bool is_in_order(const void* code) {
  const std::uint64_t start = address_of(__start_wddm_in_order);
  return address_of(code) - start < address_of(__stop_wddm_in_order) - start;
}

}  // namespace wddm::memory
