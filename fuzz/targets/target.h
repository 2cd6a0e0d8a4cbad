// What every fuzz target is: a family of scenarios, and the functions that an engine calls.
//
// A target fuzzes the driver that WDDM_DRIVER, WDDM_DEVICE and WDDM_CLIENT name, or the built-in
// one. Any bytes are a scenario (reference/trace/op.h); the mutators keep them sensible. An input
// that makes a clause fail ends the process with the verdict on stderr, so that every engine keeps
// it; under `wddmcheck fuzz` it is stored by its bucket instead and fuzzing goes on. What else a
// target can be told stands in fuzz/session/target_environment.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fuzz/generators/generate.h"

namespace wddm::fuzz {

/// Ends the process with one line if there is no driver to fuzz.
void initialize(char*** argv);
int run_input(const std::uint8_t* data, std::size_t size);
std::size_t mutate_input(Family family, std::uint8_t* data, std::size_t size, std::size_t room,
                         unsigned seed);
std::size_t cross_inputs(Family family, const std::uint8_t* one, std::size_t one_size,
                         const std::uint8_t* other, std::size_t other_size, std::uint8_t* out,
                         std::size_t room, unsigned seed);

}  // namespace wddm::fuzz

/// The whole of a target, in the form of libFuzzer, which libAFLDriver understands too.
#define WDDM_FUZZ_TARGET(family)                                                                \
  extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {                                     \
    wddm::fuzz::initialize(argv);                                                               \
    return 0;                                                                                   \
  }                                                                                             \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {           \
    return wddm::fuzz::run_input(data, size);                                                   \
  }                                                                                             \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,          \
                                                 std::size_t room, unsigned seed) {             \
    return wddm::fuzz::mutate_input(family, data, size, room, seed);                            \
  }                                                                                             \
  extern "C" std::size_t LLVMFuzzerCustomCrossOver(                                             \
      const std::uint8_t* one, std::size_t one_size, const std::uint8_t* other,                 \
      std::size_t other_size, std::uint8_t* out, std::size_t room, unsigned seed) {             \
    return wddm::fuzz::cross_inputs(family, one, one_size, other, other_size, out, room, seed); \
  }
