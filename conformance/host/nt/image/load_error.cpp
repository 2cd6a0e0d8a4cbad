// A library that was instrumented by a sanitizer needs its run time in the program that loads it:
// there is none in a program that was built without.
#include "conformance/host/nt/image/load_error.h"

#include <algorithm>
#include <array>

namespace wddm::nt {
namespace {

struct Sanitizer {
  std::string_view prefix;
  std::string_view name;
  bool has_preset;
};

constexpr std::array<Sanitizer, 5> kSanitizers{{{"__asan_", "AddressSanitizer", true},
                                                {"__ubsan_", "UndefinedBehaviorSanitizer", true},
                                                {"__sanitizer_", "a sanitizer", true},
                                                {"__tsan_", "ThreadSanitizer", false},
                                                {"__msan_", "MemorySanitizer", false}}};

}  // namespace

std::string explained_load_error(std::string_view error) {
  constexpr std::string_view kUndefined = "undefined symbol: ";
  const std::size_t at = error.find(kUndefined);
  const std::string_view symbol =
      at == error.npos ? std::string_view{} : error.substr(at + kUndefined.size());
  const auto* const sanitizer =
      std::find_if(kSanitizers.begin(), kSanitizers.end(),
                   [symbol](const Sanitizer& one) { return symbol.starts_with(one.prefix); });
  if (sanitizer == kSanitizers.end()) return std::string(error);
  std::string text = "compiled with ";
  text.append(sanitizer->name);
  text += sanitizer->has_preset
              ? ", which this wddmcheck is not: that of the preset asan, build/asan/bin/wddmcheck, "
                "loads it ("
              : ", for which wddmcheck has no preset: compile it without (";
  return text.append(error).append(")");
}

}  // namespace wddm::nt
