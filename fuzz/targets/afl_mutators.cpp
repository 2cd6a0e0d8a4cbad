// The op-level mutators as a library for afl-fuzz (AFL_CUSTOM_MUTATOR_LIBRARY), with a trimmer that
// leaves out whole ops: byte-wise trimming would only shift fields into each other.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "fuzz/mutators/mixture.h"
#include "fuzz/mutators/mutate.h"
#include "fuzz/session/target_environment.h"

namespace wddm::fuzz {
namespace {

constexpr std::size_t kOpBytes = sizeof(Op);
constexpr std::size_t kMostOps = 128;

Machine machine_told() {
  const char* const text = std::getenv(kMachineVariable);
  return read_machine(text != nullptr ? text : "");
}

struct Mutators {
  explicit Mutators(unsigned seed) : random(seed) {}
  Random random;
  Machine machine = machine_told();
  Mixture mixture;
  std::vector<std::uint8_t> out;
  // Trimming: `kept` without the ops [at, at + chunk) is tried next.
  std::vector<std::uint8_t> kept;
  std::size_t at = 0, chunk = 0;

  // Never all that is left: an input of no ops is none.
  void next_place() {
    const std::size_t ops = kept.size() / kOpBytes;
    while (chunk != 0 && (at >= ops || chunk >= ops)) {
      chunk /= 2;
      at = 0;
    }
  }
};

// AFL++ takes null for a mutator that failed, and ends; no bytes for one that has nothing to try.
std::size_t hand_out(std::vector<std::uint8_t>& bytes, std::uint8_t** output) {
  const std::size_t size = bytes.size();
  bytes.resize(std::max<std::size_t>(size, 1));
  *output = bytes.data();
  return size;
}

}  // namespace
}  // namespace wddm::fuzz

extern "C" {

using wddm::fuzz::Mutators;

void* afl_custom_init(void*, unsigned seed) {
  return new Mutators(seed);
}

void afl_custom_deinit(void* data) {
  delete static_cast<Mutators*>(data);
}

std::size_t afl_custom_fuzz(void* data, std::uint8_t* input, std::size_t size,
                            std::uint8_t** output, std::uint8_t* other, std::size_t other_size,
                            std::size_t room) {
  using namespace wddm::fuzz;
  auto& mutators = *static_cast<Mutators*>(data);
  const std::size_t most = std::min(room / kOpBytes, kMostOps);
  Random& random = mutators.random;
  std::vector<wddm::Op> ops;
  if (mutators.mixture.from_nothing(random)) {
    ops = invent(Family::Everything, random, most, mutators.machine);
  } else {
    ops = wddm::decode({input, size});
    if (other != nullptr && random.one_in(4)) {
      ops = cross(ops, wddm::decode({other, other_size}), random, most);
    }
    ops = mutate(ops, Family::Everything, random, most, mutators.machine);
  }
  mutators.out = wddm::encode(ops);
  return hand_out(mutators.out, output);
}

// AFL++ trims while the step that post_trim names is below the number of steps given here. How many
// there will be is not known: there is one step, which is over when nothing is left to try.
int afl_custom_init_trim(void* data, std::uint8_t* input, std::size_t size) {
  auto& mutators = *static_cast<Mutators*>(data);
  mutators.kept = wddm::encode(wddm::decode({input, size}));
  mutators.at = 0;
  mutators.chunk = mutators.kept.size() / wddm::fuzz::kOpBytes / 2;
  mutators.next_place();
  return mutators.chunk != 0 ? 1 : 0;
}

std::size_t afl_custom_trim(void* data, std::uint8_t** output) {
  using namespace wddm::fuzz;
  auto& mutators = *static_cast<Mutators*>(data);
  const std::size_t begin = mutators.at * kOpBytes;
  const std::size_t end = std::min(begin + mutators.chunk * kOpBytes, mutators.kept.size());
  mutators.out = mutators.kept;
  mutators.out.erase(mutators.out.begin() + static_cast<std::ptrdiff_t>(begin),
                     mutators.out.begin() + static_cast<std::ptrdiff_t>(end));
  return hand_out(mutators.out, output);
}

int afl_custom_post_trim(void* data, unsigned char success) {
  auto& mutators = *static_cast<Mutators*>(data);
  if (success != 0) {
    mutators.kept = mutators.out;
  } else {
    mutators.at += mutators.chunk;
  }
  mutators.next_place();
  return mutators.chunk != 0 ? 0 : 1;
}

}  // extern "C"
