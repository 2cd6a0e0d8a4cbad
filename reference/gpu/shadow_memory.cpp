#include "reference/gpu/shadow_memory.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::gpu {

void ShadowMemory::add_system(std::uint64_t first_frame, std::uint64_t pages) {
  HARNESS_ASSERT(region_of(SegmentId{0}) < 0);
  regions_.emplace_back(SegmentId{0}, first_frame, pages);
}

void ShadowMemory::add_segment(SegmentId segment, std::uint64_t pages, std::uint64_t first_page) {
  HARNESS_ASSERT(segment.value != 0 && region_of(segment) < 0 && !aperture_of(segment));
  regions_.emplace_back(segment, first_page, pages);
}

void ShadowMemory::add_aperture(SegmentId segment, std::uint64_t pages) {
  HARNESS_ASSERT(segment.value != 0 && region_of(segment) < 0 && !aperture_of(segment));
  apertures_.push_back({segment, std::vector<std::uint64_t>(pages, kNoFrame)});
}

void ShadowMemory::resize(SegmentId segment, std::uint64_t pages) {
  if (const std::ptrdiff_t region = region_of(segment); region >= 0) {
    regions_[static_cast<std::size_t>(region)].resize(pages);
    return;
  }
  const auto found =
      std::find_if(apertures_.begin(), apertures_.end(),
                   [segment](const Aperture& aperture) { return aperture.segment == segment; });
  HARNESS_ASSERT(found != apertures_.end());
  found->frames.assign(pages, kNoFrame);
}

std::ptrdiff_t ShadowMemory::region_of(SegmentId segment) const {
  for (std::size_t i = 0; i < regions_.size(); ++i)
    if (regions_[i].segment() == segment) return static_cast<std::ptrdiff_t>(i);
  return -1;
}

const ShadowMemory::Aperture* ShadowMemory::aperture_of(SegmentId segment) const {
  for (const Aperture& aperture : apertures_)
    if (aperture.segment == segment) return &aperture;
  return nullptr;
}

ShadowMemory::Aperture& ShadowMemory::aperture(SegmentId segment, std::uint64_t first,
                                               std::uint64_t pages) {
  const Aperture* found = aperture_of(segment);
  HARNESS_ASSERT(found && first <= found->frames.size() && pages <= found->frames.size() - first);
  return const_cast<Aperture&>(*found);
}

void ShadowMemory::map_aperture(SegmentId segment, std::uint64_t first_page,
                                std::span<const std::uint64_t> frames) {
  Aperture& into = aperture(segment, first_page, frames.size());
  for (const std::uint64_t frame : frames) HARNESS_ASSERT(in_frame(frame, 0, 4).region >= 0);
  std::copy(frames.begin(), frames.end(),
            into.frames.begin() + static_cast<std::ptrdiff_t>(first_page));
}

void ShadowMemory::unmap_aperture(SegmentId segment, std::uint64_t first_page, std::uint64_t pages,
                                  std::optional<std::uint64_t> dummy_frame) {
  Aperture& from = aperture(segment, first_page, pages);
  std::fill_n(from.frames.begin() + static_cast<std::ptrdiff_t>(first_page), pages,
              dummy_frame.value_or(kNoFrame));
}

std::optional<std::uint64_t> ShadowMemory::frame_at(SegmentId segment, std::uint64_t page) const {
  const Aperture* found = aperture_of(segment);
  HARNESS_ASSERT(found && page < found->frames.size());
  if (found->frames[page] == kNoFrame) return std::nullopt;
  return found->frames[page];
}

ShadowMemory::Piece ShadowMemory::in_frame(std::uint64_t frame, std::uint64_t offset,
                                           std::uint64_t size) const {
  const std::uint64_t length = std::min(size, kPageSize - offset);
  if (frame == kNoFrame) return {-1, 0, length};
  const std::ptrdiff_t system = region_of(SegmentId{0});
  HARNESS_ASSERT(system >= 0 && regions_[static_cast<std::size_t>(system)].holds(frame));
  return {system, regions_[static_cast<std::size_t>(system)].offset_of(frame) + offset, length};
}

ShadowMemory::Piece ShadowMemory::piece_at(const Place& place, std::uint64_t done,
                                           std::uint64_t size) const {
  const std::uint64_t at = place.offset + done;
  const std::uint64_t left = size - done;
  const std::uint64_t page = at / kPageSize;
  if (!place.frames.empty()) {
    HARNESS_ASSERT(page < place.frames.size());
    return in_frame(place.frames[page], at % kPageSize, left);
  }
  if (const Aperture* through = aperture_of(place.segment)) {
    HARNESS_ASSERT(page < through->frames.size());
    return in_frame(through->frames[page], at % kPageSize, left);
  }
  // System memory is only reached by frame: its pages are scattered.
  const std::ptrdiff_t region = region_of(place.segment);
  HARNESS_ASSERT(region >= 0 && place.segment.value != 0);
  const std::uint64_t start = regions_[static_cast<std::size_t>(region)].offset_of(page);
  return {region, start + at % kPageSize, left};
}

template <class Visit>
void ShadowMemory::for_each_piece(const Place& at, std::uint64_t size, Visit&& visit) {
  for (std::uint64_t done = 0; done < size;) {
    const Piece piece = piece_at(at, done, size);
    if (piece.region >= 0) visit(regions_[static_cast<std::size_t>(piece.region)], piece, done);
    done += piece.size;
  }
}

void ShadowMemory::fill(const Place& at, std::uint64_t size, std::uint32_t pattern) {
  for_each_piece(at, size, [pattern](Region& region, const Piece& piece, std::uint64_t) {
    region.fill(piece.offset, piece.size, pattern);
  });
}

void ShadowMemory::assume(const Place& at, std::uint64_t size, std::uint32_t pattern) {
  for_each_piece(at, size, [pattern](Region& region, const Piece& piece, std::uint64_t) {
    region.assume(piece.offset, piece.size, pattern);
  });
}

void ShadowMemory::transfer(const Place& to, const Place& from, std::uint64_t size) {
  for (std::uint64_t done = 0; done < size;) {
    const Piece target = piece_at(to, done, size);
    const Piece source = piece_at(from, done, size);
    const std::uint64_t step = std::min(target.size, source.size);
    if (target.region >= 0) {
      Region& into = regions_[static_cast<std::size_t>(target.region)];
      if (source.region >= 0) {
        into.copy(target.offset, regions_[static_cast<std::size_t>(source.region)], source.offset,
                  step);
      } else {
        into.forget(target.offset, step);
      }
    }
    done += step;
  }
}

void ShadowMemory::write(const Place& at, std::span<const std::byte> bytes) {
  for_each_piece(at, bytes.size(), [&](Region& region, const Piece& piece, std::uint64_t done) {
    region.write(piece.offset, bytes.subspan(done, piece.size));
  });
}

void ShadowMemory::forget(const Place& at, std::uint64_t size) {
  for_each_piece(at, size, [](Region& region, const Piece& piece, std::uint64_t) {
    region.forget(piece.offset, piece.size);
  });
}

std::optional<std::uint32_t> ShadowMemory::dword(const Place& at) const {
  const Piece piece = piece_at(at, 0, 4);
  if (piece.region < 0) return std::nullopt;
  return regions_[static_cast<std::size_t>(piece.region)].dword(piece.offset);
}

bool ShadowMemory::same(const Place& a, const Place& b, std::uint64_t size) const {
  Place first = a, second = b;
  for (std::uint64_t done = 0; done < size; done += 4) {
    const std::optional<std::uint32_t> word = dword(first);
    if (!word || word != dword(second)) return false;
    first.offset += 4;
    second.offset += 4;
  }
  return true;
}

std::optional<PageDifference> ShadowMemory::compare_page(SegmentId segment, std::uint64_t page,
                                                         std::span<const std::byte> actual) const {
  const std::ptrdiff_t region = region_of(segment);
  HARNESS_ASSERT(region >= 0);
  return regions_[static_cast<std::size_t>(region)].compare(page, actual);
}

void ShadowMemory::look_again(SegmentId segment, std::uint64_t page) {
  const std::ptrdiff_t region = region_of(segment);
  HARNESS_ASSERT(region >= 0);
  regions_[static_cast<std::size_t>(region)].look_again(page);
}

bool ShadowMemory::predicts(SegmentId segment, std::uint64_t page) const {
  return regions_[static_cast<std::size_t>(region_of(segment))].predicts(page);
}

bool ShadowMemory::is_due(SegmentId segment, std::uint64_t page) const {
  return regions_[static_cast<std::size_t>(region_of(segment))].is_due(page);
}

std::uint64_t ShadowMemory::known_pages(SegmentId segment) const {
  const std::ptrdiff_t region = region_of(segment);
  return region < 0 ? 0 : regions_[static_cast<std::size_t>(region)].known_pages();
}

void ShadowMemory::clear(std::uint32_t covered, std::uint32_t pattern) {
  for (Region& region : regions_) {
    const std::uint32_t segment = region.segment().value;
    const bool is_covered = segment != 0 && segment <= 32 && (covered >> (segment - 1) & 1) != 0;
    is_covered ? region.cover(pattern) : region.clear();
  }
  for (Aperture& aperture : apertures_)
    std::fill(aperture.frames.begin(), aperture.frames.end(), kNoFrame);
}

void ShadowMemory::validate() const {
  for (const Region& region : regions_) region.validate();
  for (const Aperture& aperture : apertures_)
    for (const std::uint64_t frame : aperture.frames) static_cast<void>(in_frame(frame, 0, 4));
}

}  // namespace wddm::gpu
