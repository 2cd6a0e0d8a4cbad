#include "reference/gpu/content.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "reference/harness_assert.h"

namespace wddm::gpu {

static_assert(std::endian::native == std::endian::little);

namespace {

// Doubling keeps the work in memcpy, whatever the optimisation level.
void fill_doubling(std::byte* first, std::uint64_t size, std::uint32_t pattern) {
  const std::uint64_t begun = std::min<std::uint64_t>(size, 64);
  for (std::uint64_t i = 0; i < begun; i += 4) std::memcpy(first + i, &pattern, 4);
  for (std::uint64_t done = begun; done < size;) {
    const std::uint64_t step = std::min(done, size - done);
    std::memcpy(first + done, first, step);
    done += step;
  }
}

}  // namespace

void Content::reset(std::uint64_t size) {
  const std::uint64_t dwords = size / 4;
  if (dwords > capacity_) {
    // calloc hands out untouched zero pages, so a large sparse content costs only what is written.
    values_.reset(static_cast<std::uint32_t*>(std::calloc(dwords, sizeof(std::uint32_t))));
    known_.reset(static_cast<std::uint8_t*>(std::calloc(dwords, 1)));
    HARNESS_ASSERT(values_ && known_);
    capacity_ = dwords;
  } else if (dwords_ != 0) {
    std::memset(known_.get(), 0, dwords_);
  }
  dwords_ = dwords;
}

void Content::fill(std::uint64_t offset, std::uint64_t size, std::uint32_t pattern) {
  HARNESS_ASSERT(holds(offset, size));
  if (size == 0) return;
  auto* first = reinterpret_cast<std::byte*>(values_.get() + offset / 4);
  if (pattern == (pattern & 0xff) * 0x01010101u) {
    std::memset(first, static_cast<int>(pattern & 0xff), size);
  } else {
    fill_doubling(first, size, pattern);
  }
  std::memset(known_.get() + offset / 4, 1, size / 4);
}

void Content::copy(std::uint64_t offset, const Content& from, std::uint64_t from_offset,
                   std::uint64_t size) {
  HARNESS_ASSERT(holds(offset, size) && from.holds(from_offset, size));
  if (size == 0) return;
  std::memmove(values_.get() + offset / 4, from.values_.get() + from_offset / 4, size);
  std::memmove(known_.get() + offset / 4, from.known_.get() + from_offset / 4, size / 4);
}

void Content::add(std::uint64_t offset, std::uint32_t addend) {
  HARNESS_ASSERT(holds(offset, 4));
  values_[offset / 4] += addend;
}

void Content::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  HARNESS_ASSERT(offset <= size() && bytes.size() <= size() - offset);
  if (bytes.empty()) return;
  std::memcpy(reinterpret_cast<std::byte*>(values_.get()) + offset, bytes.data(), bytes.size());
  const std::uint64_t first_whole = (offset + 3) / 4;
  const std::uint64_t end_whole = (offset + bytes.size()) / 4;
  if (first_whole < end_whole) std::memset(known_.get() + first_whole, 1, end_whole - first_whole);
}

void Content::forget(std::uint64_t offset, std::uint64_t size) {
  HARNESS_ASSERT(offset <= this->size() && size <= this->size() - offset);
  if (size == 0) return;
  std::memset(known_.get() + offset / 4, 0, (offset + size + 3) / 4 - offset / 4);
}

std::optional<std::uint32_t> Content::dword(std::uint64_t offset) const {
  HARNESS_ASSERT(holds(offset, 4));
  if (known_[offset / 4] == 0) return std::nullopt;
  return values_[offset / 4];
}

bool Content::predicts(std::uint64_t offset, std::uint64_t size) const {
  HARNESS_ASSERT(holds(offset, size));
  return size != 0 && std::memchr(known_.get() + offset / 4, 1, size / 4) != nullptr;
}

std::optional<Run> Content::find_difference(std::uint64_t from, std::uint64_t base,
                                            std::span<const std::byte> actual) const {
  HARNESS_ASSERT(base % 4 == 0 && from % 4 == 0 && base <= from);
  // Equal pages are the normal case and need no look at the marks.
  constexpr std::uint64_t kBlockDwords = 1024;
  const std::uint64_t first = base / 4;
  const std::uint64_t end = std::min(dwords_, first + actual.size() / 4);
  const auto seen = [&](std::uint64_t i) {
    std::uint32_t value;
    std::memcpy(&value, actual.data() + (i - first) * 4, 4);
    return value;
  };
  const auto differs = [&](std::uint64_t i) { return known_[i] != 0 && values_[i] != seen(i); };

  std::uint64_t i = from / 4;
  while (i < end) {
    const std::uint64_t block_end = std::min(end, (i / kBlockDwords + 1) * kBlockDwords);
    const auto* there = actual.data() + (i - first) * 4;
    if (std::memcmp(values_.get() + i, there, (block_end - i) * 4) == 0) {
      i = block_end;
      continue;
    }
    while (i < block_end && !differs(i)) ++i;
    if (i == block_end) continue;
    Run run{.offset = i * 4, .length = 0, .expected = values_[i], .seen = seen(i)};
    while (i < end && differs(i)) ++i;
    run.length = i * 4 - run.offset;
    return run;
  }
  return std::nullopt;
}

void Content::validate() const {
  HARNESS_ASSERT(dwords_ <= capacity_);
  HARNESS_ASSERT((capacity_ == 0) == (values_ == nullptr));
  HARNESS_ASSERT(dwords_ == 0 ||
                 std::all_of(known_.get(), known_.get() + dwords_, [](auto k) { return k <= 1; }));
}

}  // namespace wddm::gpu
