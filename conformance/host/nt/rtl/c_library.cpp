// What drivers import from a C library, as far as it means the same on Windows; anything else that
// the dynamic linker could find (swprintf has 4-byte characters there) would be bound wrongly.
//
// They are not the C library's own, of which each machine has other variants (in_order.h). Strings
// are read a byte at a time and never beyond the one that decides. Where a sanitizer watches, it is
// asked before a driver's access, and what it objects to goes through its own function, which
// reports it; for libFuzzer compared bytes are noted as by its own functions.
#include "conformance/host/nt/rtl/c_library.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "conformance/host/memory/in_order.h"
#include "conformance/host/nt/memory/paged_pool.h"

extern "C" {

// Of the run times of AddressSanitizer and libFuzzer; null without.
[[gnu::weak]] void* __asan_region_is_poisoned(void* begin, std::size_t bytes);
[[gnu::weak]] void __sanitizer_weak_hook_memcmp(void* caller, const void* a, const void* b,
                                                std::size_t bytes, int result);
[[gnu::weak]] void __sanitizer_weak_hook_strcmp(void* caller, const char* a, const char* b,
                                                int result);
[[gnu::weak]] void __sanitizer_weak_hook_strncmp(void* caller, const char* a, const char* b,
                                                 std::size_t count, int result);
[[gnu::weak]] void __sanitizer_weak_hook_strstr(void* caller, const char* text, const char* part,
                                                char* result);

}  // extern "C"

namespace wddm::nt {
namespace {

// Volatile, so that the compiler neither inlines them nor knows them.
void* (*volatile g_report_memcpy)(void*, const void*, std::size_t) = std::memcpy;
void* (*volatile g_report_memmove)(void*, const void*, std::size_t) = std::memmove;
void* (*volatile g_report_memset)(void*, int, std::size_t) = std::memset;
int (*volatile g_report_memcmp)(const void*, const void*, std::size_t) = std::memcmp;

bool is_watched() {
  return __asan_region_is_poisoned != nullptr;
}

bool is_poisoned(const void* begin, std::size_t bytes) {
  return is_watched() && bytes != 0 &&
         __asan_region_is_poisoned(const_cast<void*>(begin), bytes) != nullptr;
}

bool overlap(const void* a, const void* b, std::size_t bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a);
  const auto y = reinterpret_cast<std::uintptr_t>(b);
  return x != y && (x < y ? y - x : x - y) < bytes;
}

// Overlapping ranges are moved, as on Windows; only the sanitizer objects.
void* copy(void* to, const void* from, std::size_t bytes) {
  paged_pool_accessed(from, bytes, __builtin_return_address(0));
  paged_pool_accessed(to, bytes, __builtin_return_address(0));
  if (is_poisoned(from, bytes) || is_poisoned(to, bytes) ||
      (is_watched() && overlap(to, from, bytes)))
    return g_report_memcpy(to, from, bytes);
  memory::move_in_order(to, from, bytes);
  return to;
}

void* move(void* to, const void* from, std::size_t bytes) {
  paged_pool_accessed(from, bytes, __builtin_return_address(0));
  paged_pool_accessed(to, bytes, __builtin_return_address(0));
  if (is_poisoned(from, bytes) || is_poisoned(to, bytes)) return g_report_memmove(to, from, bytes);
  memory::move_in_order(to, from, bytes);
  return to;
}

void* fill(void* to, int value, std::size_t bytes) {
  paged_pool_accessed(to, bytes, __builtin_return_address(0));
  if (is_poisoned(to, bytes)) return g_report_memset(to, value, bytes);
  memory::fill_in_order(to, static_cast<std::uint8_t>(value), bytes);
  return to;
}

int compare(const void* a, const void* b, std::size_t bytes) {
  const int result = is_poisoned(a, bytes) || is_poisoned(b, bytes)
                         ? g_report_memcmp(a, b, bytes)
                         : memory::compare_in_order(a, b, bytes);
  if (__sanitizer_weak_hook_memcmp)
    __sanitizer_weak_hook_memcmp(__builtin_return_address(0), a, b, bytes, result);
  return result;
}

// What follows is checked by a sanitizer byte by byte. A byte is read as often as the code says, and
// spans and searches read some again; the compiler may not make a call of the C library's of it.
char at(const char* text, std::size_t index = 0) {
  return *const_cast<const volatile char*>(text + index);
}

void put(char* text, char value) {
  *const_cast<volatile char*>(text) = value;
}

void* find_byte(const void* from, int value, std::size_t bytes) {
  const auto* text = static_cast<const char*>(from);
  for (; bytes != 0; --bytes, ++text)
    if (at(text) == static_cast<char>(value)) return const_cast<char*>(text);
  return nullptr;
}

std::size_t length_within(const char* text, std::size_t most) {
  std::size_t length = 0;
  while (length < most && at(text, length) != 0) ++length;
  return length;
}

std::size_t length(const char* text) {
  return length_within(text, SIZE_MAX);
}

int order(const char* a, const char* b, std::size_t most) {
  for (; most != 0; --most, ++a, ++b) {
    const auto x = static_cast<unsigned char>(at(a));
    const auto y = static_cast<unsigned char>(at(b));
    if (x != y) return x < y ? -1 : 1;
    if (x == 0) break;
  }
  return 0;
}

int compare_text(const char* a, const char* b) {
  const int result = order(a, b, SIZE_MAX);
  if (__sanitizer_weak_hook_strcmp)
    __sanitizer_weak_hook_strcmp(__builtin_return_address(0), a, b, result);
  return result;
}

int compare_text_within(const char* a, const char* b, std::size_t most) {
  const int result = order(a, b, most);
  if (__sanitizer_weak_hook_strncmp)
    __sanitizer_weak_hook_strncmp(__builtin_return_address(0), a, b, most, result);
  return result;
}

char* find(const char* text, int wanted) {
  for (;; ++text) {
    const char character = at(text);
    if (character == static_cast<char>(wanted)) return const_cast<char*>(text);
    if (character == 0) return nullptr;
  }
}

char* find_last(const char* text, int wanted) {
  char* last = nullptr;
  for (;; ++text) {
    const char character = at(text);
    if (character == static_cast<char>(wanted)) last = const_cast<char*>(text);
    if (character == 0) return last;
  }
}

bool starts_with(const char* text, const char* part) {
  for (; at(part) != 0; ++text, ++part)
    if (at(text) != at(part)) return false;
  return true;
}

char* find_text(const char* text, const char* part) {
  const char* found = text;
  while (!starts_with(found, part)) {
    if (at(found++) == 0) {
      found = nullptr;
      break;
    }
  }
  char* const result = const_cast<char*>(found);
  if (__sanitizer_weak_hook_strstr)
    __sanitizer_weak_hook_strstr(__builtin_return_address(0), text, part, result);
  return result;
}

// Copies up to the terminator, with it; returns where it stands.
char* put_text(char* to, const char* from) {
  for (;; ++to, ++from) {
    const char character = at(from);
    put(to, character);
    if (character == 0) return to;
  }
}

char* copy_text(char* to, const char* from) {
  put_text(to, from);
  return to;
}

char* append_text(char* to, const char* from) {
  put_text(to + length(to), from);
  return to;
}

char* copy_text_within(char* to, const char* from, std::size_t most) {
  std::size_t i = 0;
  for (char character = 1; i < most && character != 0; ++i) put(to + i, character = at(from, i));
  for (; i < most; ++i) put(to + i, 0);
  return to;
}

char* append_text_within(char* to, const char* from, std::size_t most) {
  char* end = to + length(to);
  for (; most != 0; --most, ++end, ++from) {
    const char character = at(from);
    if (character == 0) break;
    put(end, character);
  }
  put(end, 0);
  return to;
}

// Length of the start of `text` of which all, or no, characters are in `set`.
std::size_t span_while(const char* text, const char* set, bool in_set) {
  std::size_t i = 0;
  for (; at(text, i) != 0; ++i)
    if ((find(set, at(text, i)) != nullptr) != in_set) break;
  return i;
}

std::size_t span_in(const char* text, const char* set) {
  return span_while(text, set, true);
}
std::size_t span_not_in(const char* text, const char* set) {
  return span_while(text, set, false);
}

int to_lower(int character) {
  return character >= 'A' && character <= 'Z' ? character + ('a' - 'A') : character;
}
int to_upper(int character) {
  return character >= 'a' && character <= 'z' ? character - ('a' - 'A') : character;
}
int absolute(int value) {
  return value < 0 ? static_cast<int>(0u - static_cast<unsigned>(value)) : value;
}

struct Function {
  std::string_view name;
  void* address;
};

template <class Result, class... Arguments>
Function function(std::string_view name, Result (*address)(Arguments...)) {
  return {name, reinterpret_cast<void*>(address)};
}

// clang's sanitizer calls functions of its own in place of the first three.
const std::array kFunctions{
    function("memcpy", copy),
    function("memmove", move),
    function("memset", fill),
    function("__asan_memcpy", copy),
    function("__asan_memmove", move),
    function("__asan_memset", fill),
    function("memcmp", compare),
    function("bcmp", compare),
    function("memchr", find_byte),
    function("strlen", length),
    function("strnlen", length_within),
    function("strcmp", compare_text),
    function("strncmp", compare_text_within),
    function("strchr", find),
    function("strrchr", find_last),
    function("strstr", find_text),
    function("strcpy", copy_text),
    function("strncpy", copy_text_within),
    function("strcat", append_text),
    function("strncat", append_text_within),
    function("strspn", span_in),
    function("strcspn", span_not_in),
    function("tolower", to_lower),
    function("toupper", to_upper),
    function("abs", absolute),
};

}  // namespace

void move_bytes(void* to, const void* from, std::size_t bytes) {
  move(to, from, bytes);
}

std::size_t text_length(const char* text) {
  return length(text);
}

void* c_library_function(std::string_view name) {
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&](const Function& function) { return function.name == name; });
  return found == kFunctions.end() ? nullptr : found->address;
}

}  // namespace wddm::nt
