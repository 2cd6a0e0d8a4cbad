// Shadow memory against a map from (segment, page, dword) to value, on random paging operations.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "reference/gpu/shadow_memory.h"

namespace wddm::gpu {
namespace {

constexpr std::uint64_t kFirstFrame = 10;
constexpr std::uint64_t kFrames = 6;
constexpr std::uint64_t kVideoPages = 4;
constexpr std::uint64_t kAperturePages = 3;
constexpr SegmentId kVideo{1};
constexpr SegmentId kAperture{2};

struct Naive {
  using Key = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;  // segment, page, dword
  std::map<Key, std::uint32_t> known;
  std::map<std::uint64_t, std::uint64_t> aperture;

  [[nodiscard]] std::optional<Key> key(const Place& place, std::uint64_t i) const {
    const std::uint64_t at = place.offset + i * 4;
    const std::uint64_t page = at / 4096;
    const std::uint64_t dword = at % 4096 / 4;
    if (!place.frames.empty()) return Key{0, place.frames[page], dword};
    if (place.segment == kVideo) return Key{1, page, dword};
    const auto frame = aperture.find(page);
    if (frame == aperture.end()) return std::nullopt;
    return Key{0, frame->second, dword};
  }
};

struct OwnedPlace {
  SegmentId segment{};
  std::uint64_t offset = 0;
  std::vector<std::uint64_t> frames;
  [[nodiscard]] Place view() const { return {segment, offset, frames}; }
};

// A place with room for two pages from its offset on. `half` keeps the two sides of a transfer in
// disjoint memory: frames below or above the middle.
OwnedPlace any_place(bool half) {
  OwnedPlace place;
  place.offset = *rc::gen::inRange<std::uint64_t>(0, 1024) * 4;
  switch (*rc::gen::inRange(0, 2)) {
    case 0:
      place.segment = half ? kVideo : kAperture;
      return place;
    default: {
      const std::uint64_t low = kFirstFrame + (half ? 3 : 0);
      place.frames = {low + 2, low, low + 1};
      return place;
    }
  }
}

RC_GTEST_PROP(ShadowMemoryProperty, AgreesWithAMapByPlace, ()) {
  ShadowMemory memory;
  memory.add_system(kFirstFrame, kFrames);
  memory.add_segment(kVideo, kVideoPages);
  memory.add_aperture(kAperture, kAperturePages);
  Naive naive;
  const int steps = *rc::gen::inRange(1, 25);
  for (int step = 0; step < steps; ++step) {
    const bool half = *rc::gen::arbitrary<bool>();
    const OwnedPlace to = any_place(half);
    const OwnedPlace from = any_place(!half);
    const std::uint64_t size = *rc::gen::inRange<std::uint64_t>(0, 2049) * 4;
    switch (*rc::gen::inRange(0, 5)) {
      case 0: {
        const auto pattern = *rc::gen::arbitrary<std::uint32_t>();
        memory.fill(to.view(), size, pattern);
        for (std::uint64_t i = 0; i < size / 4; ++i)
          if (const auto key = naive.key(to.view(), i)) naive.known[*key] = pattern;
        break;
      }
      case 1:
        memory.transfer(to.view(), from.view(), size);
        for (std::uint64_t i = 0; i < size / 4; ++i) {
          const auto key = naive.key(to.view(), i);
          const auto source = naive.key(from.view(), i);
          if (!key) continue;
          if (source && naive.known.count(*source))
            naive.known[*key] = naive.known[*source];
          else
            naive.known.erase(*key);
        }
        break;
      case 2:
        memory.forget(to.view(), size);
        for (std::uint64_t i = 0; i < size / 4; ++i)
          if (const auto key = naive.key(to.view(), i)) naive.known.erase(*key);
        break;
      case 3: {
        // Only the lower frames, so that a transfer's two sides stay disjoint.
        const std::uint64_t page = *rc::gen::inRange<std::uint64_t>(0, kAperturePages);
        const std::array<std::uint64_t, 1> frame{kFirstFrame + page};
        memory.map_aperture(kAperture, page, frame);
        naive.aperture[page] = frame[0];
        break;
      }
      default: {
        const std::uint64_t page = *rc::gen::inRange<std::uint64_t>(0, kAperturePages);
        memory.unmap_aperture(kAperture, page, 1);
        naive.aperture.erase(page);
      }
    }
  }
  memory.validate();
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < kFrames; ++i) all.push_back(kFirstFrame + i);
  const auto agree = [&](const Place& place) {
    const auto key = naive.key(place, 0);
    const auto known = key ? naive.known.find(*key) : naive.known.end();
    const auto expected = known == naive.known.end() ? std::nullopt : std::optional(known->second);
    RC_ASSERT(memory.dword(place) == expected);
  };
  for (std::uint64_t at = 0; at < kFrames * 4096; at += 4) agree({.offset = at, .frames = all});
  for (std::uint64_t at = 0; at < kVideoPages * 4096; at += 4)
    agree({.segment = kVideo, .offset = at});
}

}  // namespace
}  // namespace wddm::gpu
