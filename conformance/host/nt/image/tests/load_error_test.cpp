#include "conformance/host/nt/image/load_error.h"

#include <gtest/gtest.h>

namespace wddm::nt {
namespace {

TEST(LoadError, WhatTheDynamicLinkerSaysIsLeftAsItIs) {
  EXPECT_EQ(explained_load_error("/a/b.so: undefined symbol: vkCreateInstance"),
            "/a/b.so: undefined symbol: vkCreateInstance");
  EXPECT_EQ(explained_load_error("/a/__asan_.so: file too short"), "/a/__asan_.so: file too short");
}

TEST(LoadError, SanitizersWithAPresetAreNamedWithIt) {
  EXPECT_EQ(explained_load_error("/a/b.so: undefined symbol: __asan_register_globals"),
            "compiled with AddressSanitizer, which this wddmcheck is not: that of the preset asan, "
            "build/asan/bin/wddmcheck, loads it "
            "(/a/b.so: undefined symbol: __asan_register_globals)");
  EXPECT_TRUE(explained_load_error("b.so: undefined symbol: __ubsan_handle_add_overflow")
                  .starts_with("compiled with UndefinedBehaviorSanitizer, "));
  EXPECT_TRUE(explained_load_error("b.so: undefined symbol: __sanitizer_ptr_cmp")
                  .starts_with("compiled with a sanitizer, which this wddmcheck is not"));
}

TEST(LoadError, OthersHaveNone) {
  EXPECT_EQ(explained_load_error("b.so: undefined symbol: __tsan_init"),
            "compiled with ThreadSanitizer, for which wddmcheck has no preset: compile it without "
            "(b.so: undefined symbol: __tsan_init)");
}

}  // namespace
}  // namespace wddm::nt
