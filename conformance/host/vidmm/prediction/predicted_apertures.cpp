#include "conformance/host/vidmm/prediction/predicted_apertures.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace wddm::host {

// Another one at each start: what is known of an earlier one is of no use.
void PredictedApertures::begin() {
  const memory::Frame before = dummy_;
  memory::frames_allocate({&dummy_, 1}, memory::FrameOwner::Dummy);
  power_was_lost_ = false;
  if (dummy_ != before) return;
  memory::frames_allocate({&dummy_, 1}, memory::FrameOwner::Dummy);
  memory::frames_free({&before, 1});
}

void PredictedApertures::end() {
  memory::frames_free({&dummy_, 1});
}

void PredictedApertures::unmap(SegmentId segment, std::uint32_t page, std::uint32_t pages) {
  shadow_.unmap_aperture(segment, page, pages, frames_.number(dummy_));
}

void PredictedApertures::on(const MapEffect& effect) {
  const auto& [segment, page, frames] = effect;
  if (frames.size() > frames_.room()) {
    shadow_.unmap_aperture(segment, page, frames.size());
    return;
  }
  std::vector<std::uint64_t> indices;
  for (const memory::Frame frame : frames) {
    indices.push_back(frames_.number(frame));
    const gpu::Place place{.offset = 0, .frames = {&indices.back(), 1}};
    if (memory::known_to_be_zero(frame)) {
      shadow_.assume(place, kPageSize, 0);
    } else {
      shadow_.write(place, std::as_bytes(std::span(memory::frame_bytes(frame), kPageSize)));
    }
  }
  shadow_.map_aperture(segment, page, indices);
}

void PredictedApertures::on(const UnmapEffect& effect) {
  const auto& [segment, page, pages, unused] = effect;
  for (std::uint32_t i = 0; i < pages; ++i) {
    const auto index = shadow_.frame_at(segment, page + i);
    if (!index || frames_[*index] == dummy_) continue;
    shadow_.forget({.offset = 0, .frames = {&*index, 1}}, kPageSize);
    frames_.forget(frames_[*index]);
  }
  unmap(segment, page, pages);
  memory::frames_free(unused);
}

// Dxgkrnl and the driver write to the buffer as they like, and no allocation lies there: where its
// pages lead nobody needs to know. Behind the pages that VidMm uses nothing is followed at all.
void PredictedApertures::on(const BufferEffect& effect) {
  const std::uint32_t end = residency_.end_of_segment(effect.segment);
  if (effect.page >= end) return;
  const std::uint32_t pages = std::min(effect.pages, end - effect.page);
  std::optional<std::uint64_t> dummy;
  if (!effect.shown) dummy = frames_.number(dummy_);
  shadow_.unmap_aperture(effect.segment, effect.page, pages, dummy);
}

// A driver learns of a dummy page with the pages that are unmapped: those that never were mapped
// may lead nowhere. Whether it leads pages there again after a loss of power no document says.
bool PredictedApertures::leads_somewhere(PlaceInSegment first, std::uint32_t pages) const {
  if (!residency_.is_aperture(first.segment)) return true;
  const std::optional<std::uint64_t> dummy = frames_.find(dummy_);
  for (std::uint32_t i = 0; i < pages; ++i) {
    const auto frame = shadow_.frame_at(first.segment, first.page + i);
    if (!frame || (power_was_lost_ && frame == dummy)) return false;
  }
  return true;
}

// Pages that are written to the dummy page, or read from it.
template <class Visit>
void PredictedApertures::for_each_at_dummy(const TransferEffect& effect, Visit&& visit) const {
  const std::uint64_t dummy = frames_.number(dummy_);
  const auto is_dummy = [&](SegmentId segment, std::uint64_t page) {
    return residency_.is_aperture(segment) && shadow_.frame_at(segment, page) == dummy;
  };
  for (std::uint32_t i = 0; i < effect.pages; ++i) {
    const bool writes = is_dummy(effect.segment, effect.page + i);
    if (writes || is_dummy(effect.from_segment, effect.from_page + i)) visit(i, writes);
  }
}

// Of several pages that lead to the dummy page any may have been copied last.
bool PredictedApertures::settles(const TransferEffect& effect) const {
  const auto source = [&effect](std::uint32_t i) {
    return gpu::Place{.segment = effect.from_segment,
                      .offset = std::uint64_t{effect.from_page + i} * kPageSize};
  };
  bool written = false, alike = true;
  std::optional<std::uint32_t> before;
  for_each_at_dummy(effect, [&](std::uint32_t i, bool writes) {
    written |= writes;
    alike &= !before || shadow_.same(source(*before), source(i), kPageSize);
    before = i;
  });
  return !written || alike;
}

void PredictedApertures::forget_at_dummy(const TransferEffect& effect) {
  for_each_at_dummy(effect, [&](std::uint32_t i, bool) {
    shadow_.forget(
        {.segment = effect.segment, .offset = std::uint64_t{effect.page + i} * kPageSize},
        kPageSize);
  });
}

}  // namespace wddm::host
