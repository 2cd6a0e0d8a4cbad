// AFL++ has one map that instrumented code counts in. Ours and the inline counters of a driver that
// is instrumented for libFuzzer get places in it, so that one driver library serves both engines.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "fuzz/targets/fuzz_engine.h"

// Of afl-compiler-rt.o.
extern "C" void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* start, std::uint32_t* stop);

namespace wddm::fuzz {
namespace {

std::array<std::uint8_t, kFeatures> g_counters;

// afl-clang-fast adds a declaration of this variable to what it instruments, this file included,
// which one of ours would collide with. It is moved when the fork server starts.
std::uint8_t* afl_map() {
  static const auto* const map =
      static_cast<std::uint8_t* const*>(::dlsym(RTLD_DEFAULT, "__afl_area_ptr"));
  return *map;
}

// Counters of one module, and where in AFL's map each of them stands.
struct Module {
  std::span<std::uint8_t> counters;
  std::vector<std::uint32_t> places;
};

Module with_places(std::span<std::uint8_t> counters) {
  Module module{counters, std::vector<std::uint32_t>(counters.size())};
  __sanitizer_cov_trace_pc_guard_init(module.places.data(),
                                      module.places.data() + module.places.size());
  return module;
}

// afl-fuzz lets a target load libraries before its fork server is up; without afl-fuzz AFL++ takes
// it for up from the beginning, and refuses whatever counts later.
void accept_counters_without_fuzzer() {
  if (std::getenv("__AFL_SHM_ID") == nullptr) ::setenv("AFL_IGNORE_PROBLEMS", "1", 0);
}

std::vector<Module>& modules() {
  static std::vector<Module> all = [] {
    accept_counters_without_fuzzer();
    return std::vector{with_places(g_counters)};
  }();
  return all;
}

}  // namespace

std::span<std::uint8_t, kFeatures> engine_counters() {
  static_cast<void>(modules());
  return g_counters;
}

void input_ended() {
  std::uint8_t* const map = afl_map();
  for (const Module& module : modules()) {
    for (std::size_t i = 0; i < module.counters.size(); ++i) {
      if (module.counters[i] == 0) continue;
      std::uint8_t& place = map[module.places[i]];
      place = static_cast<std::uint8_t>(place + module.counters[i]);
      module.counters[i] = 0;
    }
  }
}

}  // namespace wddm::fuzz

// Called by a driver library when it is loaded, which is before the fork server starts. An AFL++
// with counters of its own defines it too, and then knows better.
extern "C" __attribute__((weak)) void __sanitizer_cov_8bit_counters_init(std::uint8_t* start,
                                                                         std::uint8_t* stop) {
  wddm::fuzz::modules().push_back(wddm::fuzz::with_places({start, stop}));
}
