// The byte form against YAML: whatever ops bytes decode to, their text reads back as the same ops.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/generators/generate.h"
#include "fuzz/mutators/mutate.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {
namespace {

constexpr std::size_t kMostOps = 64;

rc::Gen<std::uint64_t> any_seed() {
  return rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
}

Family any_family(Random& random) {
  return random.pick(families());
}

void reads_back(const std::vector<std::uint8_t>& bytes) {
  Scenario scenario;
  scenario.ops = decode(bytes);
  Scenario again;
  TextError error;
  RC_ASSERT(parse_scenario(print_scenario(scenario), "printed", again, error));
  RC_ASSERT(again.ops == scenario.ops);
}

RC_GTEST_PROP(BytesAndText, AgreeOnGeneratedScenarios, ()) {
  Random random(*any_seed());
  reads_back(encode(generate(any_family(random), random)));
}

RC_GTEST_PROP(BytesAndText, AgreeOnMutatedScenarios, ()) {
  Random random(*any_seed());
  std::vector<Op> ops = generate(any_family(random), random);
  for (std::uint32_t i = 1 + random.below(8); i != 0; --i) {
    ops = mutate(ops, any_family(random), random, kMostOps);
  }
  reads_back(encode(ops));
}

// Half of the kinds are assigned ones: bytes without sense are mostly ops of no kind.
RC_GTEST_PROP(BytesAndText, AgreeOnRawBytes, ()) {
  Random random(*any_seed());
  std::vector<std::uint8_t> bytes(random.below(kMostOps * 16));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    const OpInfo& info = random.pick(op_catalogue());
    if (random.one_in(2)) bytes[at] = static_cast<std::uint8_t>(info.kind);
  }
  reads_back(bytes);
}

}  // namespace
}  // namespace wddm::fuzz
