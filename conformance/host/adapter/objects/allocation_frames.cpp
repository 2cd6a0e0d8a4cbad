#include "conformance/host/adapter/objects/allocation_frames.h"

#include <cstddef>
#include <cstdint>

namespace wddm::host {
namespace {

constexpr std::size_t kLeast = 4;
// The second and the third: a driver that moves pages which follow each other at once looks further
// than one of two pages, and at another place than from the first on.
constexpr std::size_t kPair = 1;
constexpr std::size_t kPaired = 2;

}  // namespace

void take_allocation_frames(std::span<memory::Frame> out) {
  memory::Frame pair = 0;
  if (out.size() >= kLeast) {
    pair = memory::frames_allocate_contiguous(kPaired, memory::FrameOwner::Allocation, UINT64_MAX);
  }
  if (pair == 0) return memory::frames_allocate(out, memory::FrameOwner::Allocation);
  memory::frames_allocate(out.first(kPair), memory::FrameOwner::Allocation);
  out[kPair] = pair;
  out[kPair + 1] = pair + 1;
  memory::frames_allocate(out.subspan(kPair + kPaired), memory::FrameOwner::Allocation);
}

}  // namespace wddm::host
