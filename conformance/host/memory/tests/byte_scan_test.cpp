#include "conformance/host/memory/byte_scan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace wddm::memory {
namespace {

constexpr std::uint8_t kValue = 0xc9;

// Long runs of one byte and few others, at lengths around every step of a search.
rc::Gen<std::vector<std::uint8_t>> buffers() {
  const auto piece = rc::gen::build<std::pair<std::size_t, std::uint8_t>>(
      rc::gen::set(&std::pair<std::size_t, std::uint8_t>::first,
                   rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, 20),
                                  rc::gen::element<std::size_t>(255, 256, 257, 4095, 4096, 4104))),
      rc::gen::set(&std::pair<std::size_t, std::uint8_t>::second,
                   rc::gen::elementOf(std::vector<std::uint8_t>{kValue, kValue, 0, 1})));
  return rc::gen::map(rc::gen::container<std::vector<std::pair<std::size_t, std::uint8_t>>>(piece),
                      [](const auto& pieces) {
                        std::vector<std::uint8_t> bytes;
                        for (const auto& [count, byte] : pieces) {
                          bytes.insert(bytes.end(), count, byte);
                        }
                        return bytes;
                      });
}

RC_GTEST_PROP(ByteScan, TheTailIsWhatALoopFinds, ()) {
  const std::vector<std::uint8_t> bytes = *buffers();
  std::size_t expected = bytes.size();
  while (expected != 0 && bytes[expected - 1] == kValue) --expected;
  RC_ASSERT(size_without_tail(bytes.data(), bytes.size(), kValue) == expected);
}

RC_GTEST_PROP(ByteScan, TheFirstDifferenceIsWhatALoopFinds, ()) {
  const std::vector<std::uint8_t> one = *buffers();
  std::vector<std::uint8_t> other = one;
  if (!one.empty()) other[*rc::gen::inRange<std::size_t>(0, one.size())] ^= 1;
  const std::size_t from = *rc::gen::inRange<std::size_t>(0, one.size() + 1);
  std::size_t expected = from;
  while (expected < one.size() && one[expected] == other[expected]) ++expected;
  RC_ASSERT(first_difference(one.data(), other.data(), from, one.size()) == expected);
}

}  // namespace
}  // namespace wddm::memory
