#include "conformance/host/vidmm/prediction/predicted_memory.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "conformance/host/vidmm/prediction/kept_shadow.h"
#include "conformance/host/vidmm/prediction/swizzled_forms.h"
#include "reference/digest.h"
#include "reference/gpu/execute_command.h"

namespace wddm::host {
namespace {

// Larger segments are not poisoned as a whole; pages that allocations leave always are.
constexpr std::uint32_t kPoisonedFromStart = 1024;
constexpr std::uint32_t kPoison = memory::kUnusedWord;

void fill_words(std::uint8_t* bytes, std::uint64_t size, std::uint32_t pattern) {
  std::fill_n(reinterpret_cast<std::uint32_t*>(bytes), size / sizeof pattern, pattern);
}

std::uint64_t bytes_of(std::uint64_t pages) {
  return pages * kPageSize;
}

// From page `first` of the allocation on.
gpu::Place place_in(const vidmm::PagingStep& step, std::uint32_t first = 0) {
  return {.segment = step.segment, .offset = bytes_of(step.page + first)};
}

}  // namespace

PredictedMemory::PredictedMemory(Adapter& adapter, Objects& objects, Residency& residency)
    : objects_(objects),
      residency_(residency),
      shadow_(kept_shadow().shadow()),
      frames_(kept_shadow().frames()),
      actual_(adapter, residency, frames_),
      apertures_(shadow_, frames_, residency) {}

void PredictedMemory::begin() {
  at_.fill({});
  actual_.forget_others();
  unfinished_ = lost_ = false;
  static_cast<void>(memory::written_frames());
  std::uint32_t poisoned = 0;
  for (const SegmentId segment : residency_.segments()) {
    const std::uint32_t pages = residency_.end_of_segment(segment);
    if (residency_.is_aperture(segment) || pages > kPoisonedFromStart) continue;
    if (!actual_.sees_all(segment, pages)) continue;
    make_unused(segment, pages);
    poisoned |= vidmm::segment_bit(segment);
  }
  kept_shadow().clear(residency_, poisoned);
  memory::forget_written();
  apertures_.begin();
  expect_zeros(frames_.number(dummy_frame()));
  active_ = true;
}

void PredictedMemory::end() {
  if (!active_) return;
  apertures_.end();
  active_ = false;
}

// What lies behind a BAR the host keeps. All other memory is the device's own: what that holds when
// power is back nobody says.
void PredictedMemory::power_was_lost() {
  apertures_.power_was_lost();
  if (!active_) return;
  for (const SegmentId segment : residency_.segments()) {
    if (residency_.is_aperture(segment)) continue;
    shadow_.for_each_known(segment, [&](std::uint64_t page) {
      if (actual_.page(segment, page) != nullptr) return;
      shadow_.forget({.segment = segment, .offset = bytes_of(page)}, kPageSize);
    });
  }
}

void PredictedMemory::take_other_pages(AllocationId id) {
  AllocationObject& allocation = objects_.allocation(id);
  shadow_.forget({.offset = 0, .frames = indices_[id]}, allocation.bytes);
  for (const std::uint64_t index : indices_[id]) frames_.forget(frames_[index]);
  indices_[id].clear();
  const std::vector<memory::Frame> before = allocation.frames;
  memory::frames_allocate(allocation.frames, memory::FrameOwner::Allocation);
  memory::frames_free(before);
  for (const memory::Frame frame : allocation.frames) {
    indices_[id].push_back(frames_.number(frame));
    expect_zeros(indices_[id].back());
  }
}

// A frame that was just handed out.
void PredictedMemory::expect_zeros(std::uint64_t index) {
  const gpu::Place place{.offset = 0, .frames = {&index, 1}};
  if (memory::known_to_be_zero(frames_[index])) {
    shadow_.assume(place, kPageSize, 0);
  } else {
    shadow_.fill(place, kPageSize, 0);
  }
}

bool PredictedMemory::created(AllocationId id) {
  const AllocationObject& allocation = objects_.allocation(id);
  if (allocation.frames.size() > frames_.room()) return false;
  std::vector<std::uint64_t>& indices = indices_[id];
  indices.clear();
  for (const memory::Frame frame : allocation.frames) indices.push_back(frames_.number(frame));
  at_[id] = {};
  for (const std::uint64_t index : indices) expect_zeros(index);
  return true;
}

void PredictedMemory::forget(AllocationId id) {
  const AllocationObject& allocation = objects_.allocation(id);
  if (!active_ || !allocation.live || indices_[id].empty()) return;
  const PlaceInSegment place = at_[id];
  if (residency_.is_aperture(place.segment)) {
    shadow_.unmap_aperture(place.segment, place.page, allocation.pages);
  } else if (place.segment != kNoSegment) {
    leave(place, allocation.pages);
  }
  at_[id] = {};
  shadow_.forget(place_of(id, 0), allocation.bytes);
  for (const std::uint64_t index : indices_[id]) frames_.forget(frames_[index]);
  indices_[id].clear();
}

gpu::Place PredictedMemory::place_of(AllocationId id, std::uint64_t offset) const {
  if (lies_in_system_memory(id)) return {.offset = offset, .frames = indices_[id]};
  const PlaceInSegment place = at_[id];
  return {.segment = place.segment, .offset = bytes_of(place.page) + offset};
}

void PredictedMemory::make_unused(SegmentId segment, std::uint32_t pages) {
  const bool known = actual_.begins_unused(segment);
  const memory::Frame first = actual_.first_frame_of(segment);
  for (std::uint32_t page = 0; page < pages; ++page) {
    if (known && !memory::written_ever(first + page)) continue;
    fill_words(actual_.page_to_write(segment, page), kPageSize, kPoison);
  }
}

bool PredictedMemory::lies_in_system_memory(AllocationId id) const {
  const SegmentId segment = at_[id].segment;
  return segment == kNoSegment || residency_.is_aperture(segment);
}

PlaceInSegment PredictedMemory::place_of_page(AllocationId id, std::uint64_t page) const {
  if (lies_in_system_memory(id)) {
    return {kNoSegment, static_cast<std::uint32_t>(indices_[id][page])};
  }
  return {at_[id].segment, at_[id].page + static_cast<std::uint32_t>(page)};
}

void PredictedMemory::set_aside(PlaceInSegment first, std::uint32_t pages) {
  actual_.lies_on(0, first, pages);
  shadow_.forget({.segment = first.segment, .offset = bytes_of(first.page)}, bytes_of(pages));
}

// Pages that nobody needs any more get a pattern of their own.
void PredictedMemory::leave(PlaceInSegment first, std::uint32_t pages) {
  const auto [segment, page] = first;
  const gpu::Place place{.segment = segment, .offset = bytes_of(page)};
  for (std::uint32_t i = 0; i < pages; ++i) {
    if (actual_.page(segment, page + i) == nullptr) return shadow_.forget(place, bytes_of(pages));
    fill_words(actual_.page_to_write(segment, page + i), kPageSize, kPoison);
  }
  shadow_.fill(place, bytes_of(pages), kPoison);
}

void PredictedMemory::move(const gpu::Place& to, const gpu::Place& from, std::uint64_t size) {
  shadow_.transfer(to, from, size);
  if (unfinished_) shadow_.forget(from, size);
}

void PredictedMemory::apply(const PagingEffect& effect) {
  std::visit([this](const auto& done) { on(done); }, effect);
}

// Whose memory it is from here on.
void PredictedMemory::comes_in(const vidmm::PagingStep& step, std::uint32_t first,
                               std::uint32_t pages) {
  if (!brings_into_memory(step.kind)) return;
  actual_.lies_on(objects_.allocation(step.allocation).physical_adapter,
                  {step.segment, step.page + first}, pages);
}

void PredictedMemory::on(const StepEffect& effect) {
  const vidmm::PagingStep& step = effect.step;
  const AllocationId id = step.allocation;
  if (!objects_.allocation(id).live) return;
  const gpu::Place in_segment = place_in(step);
  const gpu::Place in_system{.offset = 0, .frames = indices_[id]};
  const PlaceInSegment place{step.segment, step.page};
  comes_in(step, 0, step.pages);
  switch (step.kind) {
    case vidmm::StepKind::Fill:
      shadow_.fill(in_segment, bytes_of(step.pages), 0);
      at_[id] = place;
      break;
    case vidmm::StepKind::TransferIn:
      move(in_segment, in_system, bytes_of(step.pages));
      at_[id] = place;
      break;
    case vidmm::StepKind::TransferOut:
      move(in_system, in_segment, bytes_of(step.pages));
      if (at_[id] == place) at_[id] = {};
      break;
    case vidmm::StepKind::TransferWithin:
      move(in_segment, place_in(vidmm::origin_of(step)), bytes_of(step.pages));
      at_[id] = place;
      break;
    case vidmm::StepKind::Discard:
      if (at_[id] == place) at_[id] = {};
      break;
    case vidmm::StepKind::MapAperture:
      shadow_.map_aperture(step.segment, step.page, indices_[id]);
      at_[id] = place;
      break;
    case vidmm::StepKind::UnmapAperture:
      apertures_.unmap(step.segment, step.page, step.pages);
      if (at_[id] == place) at_[id] = {};
      break;
  }
  if (effect.converts) {
    convert({objects_.allocation(step.allocation), step, indices_[step.allocation]}, actual_,
            shadow_);
  }
}

// How a driver stores in a segment what the CPU saw otherwise, is its own affair.
void PredictedMemory::on(const SpecialLockEffect& effect) {
  const auto& [step, seen] = effect;
  on(StepEffect{step});
  if (seen.empty() || !objects_.allocation(step.allocation).live) return;
  if (brings_into_memory(step.kind)) {
    shadow_.forget({.segment = step.segment, .offset = step.page * kPageSize},
                   step.pages * kPageSize);
  } else {
    shadow_.write({.offset = 0, .frames = indices_[step.allocation]},
                  std::as_bytes(std::span(seen)));
  }
}

void PredictedMemory::on(const PartEffect& effect) {
  const auto& [step, first, pages, converts] = effect;
  const AllocationId id = step.allocation;
  if (!objects_.allocation(id).live) return;
  const gpu::Place in_segment = place_in(step, first);
  const gpu::Place in_system{.offset = bytes_of(first), .frames = indices_[id]};
  comes_in(step, first, pages);
  if (converts) {
    // The last part says what all of it comes to.
    const bool in = step.kind == vidmm::StepKind::TransferIn;
    shadow_.forget(in ? place_in(step) : gpu::Place{.offset = 0, .frames = indices_[id]},
                   bytes_of(step.pages));
  } else if (step.kind == vidmm::StepKind::Fill) {
    shadow_.fill(in_segment, bytes_of(pages), 0);
  } else if (step.kind == vidmm::StepKind::TransferIn) {
    move(in_segment, in_system, bytes_of(pages));
  } else if (step.kind == vidmm::StepKind::TransferWithin) {
    move(in_segment, place_in(vidmm::origin_of(step), first), bytes_of(pages));
  } else {
    move(in_system, in_segment, bytes_of(pages));
  }
}

void PredictedMemory::on(const FillEffect& effect) {
  const auto [id, pattern, first, pages] = effect;
  if (!objects_.allocation(id).live) return;
  shadow_.fill(place_of(id, bytes_of(first)), bytes_of(pages), pattern);
}

// -- any bytes: predictions are made of words of 32 bits

std::optional<std::uint8_t> PredictedMemory::byte_of(AllocationId id, std::uint64_t offset) const {
  const auto word = shadow_.dword(place_of(id, offset / 4 * 4));
  if (!word) return std::nullopt;
  return static_cast<std::uint8_t>(*word >> offset % 4 * 8);
}

void PredictedMemory::expect_byte(AllocationId id, std::uint64_t offset,
                                  std::optional<std::uint8_t> value) {
  const gpu::Place place = place_of(id, offset / 4 * 4);
  auto word = shadow_.dword(place);
  if (!word) return;
  if (!value) return shadow_.forget(place, 4);
  const std::uint32_t shift = offset % 4 * 8;
  *word = (*word & ~(0xffu << shift)) | std::uint32_t{*value} << shift;
  shadow_.write(place, std::as_bytes(std::span(&*word, 1)));
}

// Where in the pattern a fill begins that does not begin with a word, nobody says.
void PredictedMemory::on(const FillBytesEffect& effect) {
  const auto [id, offset, size, pattern] = effect;
  if (!objects_.allocation(id).live) return;
  const bool words = offset % 4 == 0 && size % 4 == 0;
  if (words) return shadow_.fill(place_of(id, offset), size, pattern);
  std::optional<std::uint8_t> value;
  if (pattern == (pattern & 0xff) * 0x01010101u) value = static_cast<std::uint8_t>(pattern);
  for (std::uint64_t i = 0; i < size; ++i) expect_byte(id, offset + i, value);
}

void PredictedMemory::on(const TransferBytesEffect& effect) {
  const auto& [to, to_offset, from, from_offset, size] = effect;
  if (!objects_.allocation(to).live || !objects_.allocation(from).live) return;
  const bool words = to_offset % 4 == 0 && from_offset % 4 == 0 && size % 4 == 0;
  if (words) return move(place_of(to, to_offset), place_of(from, from_offset), size);
  for (std::uint64_t i = 0; i < size; ++i) {
    expect_byte(to, to_offset + i, byte_of(from, from_offset + i));
  }
}

void PredictedMemory::on(const TransferEffect& effect) {
  const gpu::Place from{.segment = effect.from_segment, .offset = bytes_of(effect.from_page)};
  const gpu::Place to{.segment = effect.segment, .offset = bytes_of(effect.page)};
  const bool settled = apertures_.settles(effect);
  shadow_.transfer(to, from, bytes_of(effect.pages));
  if (!settled) apertures_.forget_at_dummy(effect);
}

void PredictedMemory::on(const DiscardEffect& effect) {
  shadow_.forget(place_of(effect.allocation, 0), objects_.allocation(effect.allocation).bytes);
}

void PredictedMemory::commands_ran(std::span<const gpu::Command> commands, gpu::Bindings& bindings,
                                   std::span<const AllocationId> zeros) {
  gpu::execute(commands, bindings, objects_.sizes(), shadow_,
               [&](AllocationId id, std::uint64_t at) -> std::optional<gpu::Place> {
                 if (std::find(zeros.begin(), zeros.end(), id) != zeros.end()) return std::nullopt;
                 return place_of(id, at);
               });
}

void PredictedMemory::render_unknown(AllocationId id) {
  if (id == kNoAllocation || !objects_.allocation(id).live) return;
  shadow_.forget(place_of(id, 0), objects_.allocation(id).bytes);
}

bool PredictedMemory::cpu_write(AllocationId id, std::uint32_t offset, std::uint32_t value) {
  const AllocationObject& allocation = objects_.allocation(id);
  if (offset % 4 != 0 || offset + 4ull > allocation.bytes) return false;
  const auto [segment, page] = place_of_page(id, offset / kPageSize);
  if (actual_.page(segment, page) == nullptr) return false;
  std::memcpy(actual_.page_to_write(segment, page) + offset % kPageSize, &value, 4);
  if (segment != kNoSegment) memory::note_written(actual_.frame_of(segment, page));
  shadow_.fill(place_of(id, offset), 4, value);
  return true;
}

bool PredictedMemory::cpu_fill(AllocationId id, std::uint32_t value) {
  const std::uint32_t pages = objects_.allocation(id).pages;
  for (std::uint32_t page = 0; page < pages; ++page) {
    const PlaceInSegment place = place_of_page(id, page);
    if (actual_.page(place.segment, place.page) == nullptr) return false;
    std::uint8_t* const bytes = actual_.page_to_write(place.segment, place.page);
    for (std::size_t at = 0; at < kPageSize; at += 4) std::memcpy(bytes + at, &value, 4);
    if (place.segment != kNoSegment) {
      memory::note_written(actual_.frame_of(place.segment, place.page));
    }
    shadow_.fill(place_of(id, page * kPageSize), kPageSize, value);
  }
  return true;
}

void PredictedMemory::read_contents(AllocationId id) const {
  const AllocationObject& allocation = objects_.allocation(id);
  if (!session().read_contents || !active_ || lost_ || !allocation.live) return;
  std::uint64_t contents = 0;
  for (std::uint32_t page = 0; page < allocation.pages; ++page) {
    const PlaceInSegment place = place_of_page(id, page);
    const std::uint8_t* const bytes = actual_.page(place.segment, place.page);
    if (bytes == nullptr) return;
    contents = digest({bytes, kPageSize}, contents);
  }
  session().tap(
      ev::ContentsRead{.digest = contents, .allocation = id.value, .pages = allocation.pages});
}

std::uint32_t PredictedMemory::word(AllocationId id, std::uint32_t offset) const {
  const AllocationObject& allocation = objects_.allocation(id);
  if (lost_ || !allocation.live || offset + 4ull > allocation.bytes) return kNone;
  const PlaceInSegment place = place_of_page(id, offset / kPageSize);
  const std::uint8_t* const bytes = actual_.page(place.segment, place.page);
  if (bytes == nullptr) return kNone;
  std::uint32_t value;
  std::memcpy(&value, bytes + offset % kPageSize, 4);
  return value;
}

PredictedMemory::Owner PredictedMemory::owner_of(SegmentId segment, std::uint64_t page) const {
  for (const AllocationId id : kAllAllocations) {
    const AllocationObject& allocation = objects_.allocation(id);
    if (!allocation.live) continue;
    if (segment == kNoSegment) {
      const auto found = std::find(indices_[id].begin(), indices_[id].end(), page);
      if (found == indices_[id].end()) continue;
      return {id, static_cast<std::uint32_t>(found - indices_[id].begin())};
    }
    const PlaceInSegment place = at_[id];
    if (place.segment != segment || page < place.page || page >= place.page + allocation.pages) {
      continue;
    }
    return {id, static_cast<std::uint32_t>(page - place.page)};
  }
  return {};
}

bool PredictedMemory::follows(PlaceInSegment first, std::uint32_t pages) const {
  const std::uint32_t size = residency_.end_of_segment(first.segment);
  return !lost_ && pages != 0 && first.page >= residency_.start_of_segment(first.segment) &&
         first.page < size && pages <= size - first.page;
}

}  // namespace wddm::host
