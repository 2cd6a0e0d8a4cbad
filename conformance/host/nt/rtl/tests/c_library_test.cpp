// Every function of the table beside the C library's own, whose results they share up to the size
// of a difference.
#include "conformance/host/nt/rtl/c_library.h"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/host/nt/core/fiber.h"

namespace wddm::nt {
namespace {

template <class Signature>
Signature* get(const char* name) {
  void* const address = c_library_function(name);
  EXPECT_NE(address, nullptr) << name;
  return reinterpret_cast<Signature*>(address);
}

int sign(int value) {
  return (value > 0) - (value < 0);
}

using Bytes = std::vector<std::uint8_t>;

Bytes counted(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
  return bytes;
}

constexpr std::size_t kRoom = 40;

TEST(CLibrary, HasNoFunctionsOfOtherMeaning) {
  EXPECT_EQ(c_library_function("swprintf"), nullptr);
  EXPECT_EQ(c_library_function("malloc"), nullptr);
}

TEST(CLibrary, MovesEverySizeToEveryPlace) {
  for (const char* name : {"memcpy", "memmove", "__asan_memmove"}) {
    auto* const move = get<void*(void*, const void*, std::size_t)>(name);
    for (std::size_t size = 0; size <= kRoom; ++size) {
      for (std::size_t from = 0; from + size <= kRoom; ++from) {
        for (std::size_t to = 0; to + size <= kRoom; ++to) {
          // ASan objects to a memcpy of overlapping ranges.
          const std::size_t apart = from < to ? to - from : from - to;
          if (std::strcmp(name, "memcpy") == 0 && from != to && apart < size) continue;
          Bytes expected = counted(kRoom), bytes = expected;
          std::memmove(expected.data() + to, expected.data() + from, size);
          ASSERT_EQ(move(bytes.data() + to, bytes.data() + from, size), bytes.data() + to);
          ASSERT_EQ(bytes, expected) << name << " " << size << " from " << from << " to " << to;
        }
      }
    }
  }
}

TEST(CLibrary, FillsEverySize) {
  auto* const fill = get<void*(void*, int, std::size_t)>("memset");
  for (std::size_t size = 0; size < kRoom; ++size) {
    Bytes expected = counted(kRoom + 1), bytes = expected;
    std::memset(expected.data() + 1, 0x1a5, size);
    ASSERT_EQ(fill(bytes.data() + 1, 0x1a5, size), bytes.data() + 1);
    ASSERT_EQ(bytes, expected) << size;
  }
}

TEST(CLibrary, ComparesByTheFirstDifference) {
  auto* const compare = get<int(const void*, const void*, std::size_t)>("memcmp");
  for (std::size_t size = 0; size < kRoom; ++size) {
    const Bytes a = counted(kRoom);
    EXPECT_EQ(compare(a.data(), a.data(), size), 0);
    for (std::size_t first = 0; first < kRoom; ++first) {
      for (std::size_t second = first; second < kRoom; ++second) {
        Bytes b = a;
        b[second] = static_cast<std::uint8_t>(~b[second]);
        b[first] = static_cast<std::uint8_t>(b[first] ^ 0x80);
        const int expected = sign(std::memcmp(a.data(), b.data(), size));
        ASSERT_EQ(compare(a.data(), b.data(), size), expected) << size << " " << first;
      }
    }
  }
}

const std::vector<std::string> kTexts{"",    "a",   "A",  "ab",    "abc",
                                      "abd", "aab", "ba", "b\xff", "abcabd"};

TEST(CLibrary, MeasuresAndSearchesText) {
  for (const std::string& text : kTexts) {
    const char* const t = text.c_str();
    EXPECT_EQ(get<std::size_t(const char*)>("strlen")(t), text.size());
    EXPECT_EQ(text_length(t), text.size());
    for (std::size_t most = 0; most < 8; ++most)
      EXPECT_EQ(get<std::size_t(const char*, std::size_t)>("strnlen")(t, most), strnlen(t, most));
    for (const int wanted : {0, int{'a'}, int{'b'}, 0xff, -1, int{'z'}}) {
      EXPECT_EQ(get<char*(const char*, int)>("strchr")(t, wanted), std::strchr(t, wanted));
      EXPECT_EQ(get<char*(const char*, int)>("strrchr")(t, wanted), std::strrchr(t, wanted));
      EXPECT_EQ(get<void*(const void*, int, std::size_t)>("memchr")(t, wanted, text.size()),
                std::memchr(t, wanted, text.size()));
    }
    for (const std::string& other : kTexts) {
      const char* const o = other.c_str();
      EXPECT_EQ(get<char*(const char*, const char*)>("strstr")(t, o), std::strstr(t, o));
      EXPECT_EQ(get<std::size_t(const char*, const char*)>("strspn")(t, o), std::strspn(t, o));
      EXPECT_EQ(get<std::size_t(const char*, const char*)>("strcspn")(t, o), std::strcspn(t, o));
      EXPECT_EQ(get<int(const char*, const char*)>("strcmp")(t, o), sign(std::strcmp(t, o)));
      for (std::size_t most = 0; most < 8; ++most)
        EXPECT_EQ(get<int(const char*, const char*, std::size_t)>("strncmp")(t, o, most),
                  sign(std::strncmp(t, o, most)));
    }
  }
}

TEST(CLibrary, CopiesAndAppendsText) {
  using Text = std::array<char, 16>;
  for (const std::string& text : kTexts) {
    const char* const t = text.c_str();
    const Text start{'x', 'y', 'z', 0, 'q', 'q', 'q', 'q', 'q', 'q', 'q', 'q', 'q', 'q', 'q', 'q'};
    const auto same = [&](const char* name, auto ours, auto theirs) {
      Text a = start, b = start;
      EXPECT_EQ(ours(a.data()), a.data()) << name;
      theirs(b.data());
      EXPECT_EQ(a, b) << name << " " << text;
    };
    using Whole = char*(char*, const char*);
    using Limited = char*(char*, const char*, std::size_t);
    same(
        "strcpy", [&](char* to) { return get<Whole>("strcpy")(to, t); },
        [&](char* to) { std::strcpy(to, t); });
    same(
        "strcat", [&](char* to) { return get<Whole>("strcat")(to, t); },
        [&](char* to) { std::strcat(to, t); });
    for (std::size_t most = 0; most < 9; ++most) {
      same(
          "strncpy", [&](char* to) { return get<Limited>("strncpy")(to, t, most); },
          [&](char* to) { std::strncpy(to, t, most); });
      same(
          "strncat", [&](char* to) { return get<Limited>("strncat")(to, t, most); },
          [&](char* to) { std::strncat(to, t, most); });
    }
  }
}

TEST(CLibrary, KnowsLettersAndSigns) {
  for (int c = -1; c < 256; ++c) {
    EXPECT_EQ(get<int(int)>("tolower")(c), std::tolower(c));
    EXPECT_EQ(get<int(int)>("toupper")(c), std::toupper(c));
  }
  EXPECT_EQ(get<int(int)>("abs")(-5), 5);
  EXPECT_EQ(get<int(int)>("abs")(5), 5);
}

#if WDDM_NT_ASAN
TEST(CLibraryDeathTest, TheSanitizerSeesWhatDriversAccess) {
  auto* const copy = get<void*(void*, const void*, std::size_t)>("memcpy");
  auto* const fill = get<void*(void*, int, std::size_t)>("memset");
  Bytes small(8, 1), large(64, 1);
  EXPECT_DEATH(copy(small.data(), large.data(), 9), "heap-buffer-overflow");
  EXPECT_DEATH(copy(large.data(), small.data(), 9), "heap-buffer-overflow");
  EXPECT_DEATH(copy(large.data(), large.data() + 8, 9), "memcpy-param-overlap");
  EXPECT_DEATH(fill(small.data(), 0, 9), "heap-buffer-overflow");
  EXPECT_DEATH(static_cast<void>(text_length(reinterpret_cast<char*>(small.data()))),
               "heap-buffer-overflow");
}
#endif

}  // namespace
}  // namespace wddm::nt
