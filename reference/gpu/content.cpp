#include "reference/gpu/content.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "reference/harness_assert.h"

namespace wddm::gpu {

static_assert(std::endian::native == std::endian::little);

namespace {

// Doubling keeps the work in memcpy, whatever the optimisation level.
void fill_dwords(std::uint32_t* first, std::uint64_t count, std::uint32_t pattern) {
  const std::uint64_t begun = std::min<std::uint64_t>(count, 16);
  std::fill_n(first, begun, pattern);
  for (std::uint64_t done = begun; done < count;) {
    const std::uint64_t step = std::min(done, count - done);
    std::memcpy(first + done, first, step * 4);
    done += step;
  }
}

std::uint32_t dword_at(const std::byte* at) {
  std::uint32_t value;
  std::memcpy(&value, at, 4);
  return value;
}

// Memory that equals itself shifted by a dword repeats its first one.
bool repeats(const std::byte* memory, std::uint64_t dwords, std::uint32_t value) {
  return dword_at(memory) == value && std::memcmp(memory, memory + 4, (dwords - 1) * 4) == 0;
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
  }
  dwords_ = dwords;
  blocks_.assign((dwords + kBlockDwords - 1) / kBlockDwords, {});
}

std::uint64_t Content::end_of(std::uint64_t block) const {
  return std::min(dwords_, (block + 1) * kBlockDwords);
}

bool Content::is_whole(const Piece& piece) const {
  return piece.first % kBlockDwords == 0 && piece.end == end_of(piece.block);
}

template <class Visit>
void Content::for_each_piece(std::uint64_t first, std::uint64_t end, Visit&& visit) const {
  while (first < end) {
    const std::uint64_t block = first / kBlockDwords;
    const Piece piece{block, first, std::min(end, end_of(block))};
    visit(piece);
    first = piece.end;
  }
}

void Content::give_detail(std::uint64_t block) {
  const Block before = blocks_[block];
  if (before.kind == Block::Kind::Detailed) return;
  const std::uint64_t first = block * kBlockDwords;
  const std::uint64_t count = end_of(block) - first;
  const bool known = before.kind == Block::Kind::Uniform;
  if (known) fill_dwords(values_.get() + first, count, before.value);
  std::memset(known_.get() + first, known, count);
  blocks_[block].kind = Block::Kind::Detailed;
}

void Content::fill_piece(const Piece& piece, std::uint32_t pattern) {
  Block& block = blocks_[piece.block];
  if (is_whole(piece)) {
    block = {Block::Kind::Uniform, pattern};
    return;
  }
  if (block.kind == Block::Kind::Uniform && block.value == pattern) return;
  give_detail(piece.block);
  fill_dwords(values_.get() + piece.first, piece.end - piece.first, pattern);
  std::memset(known_.get() + piece.first, 1, piece.end - piece.first);
}

void Content::forget_piece(const Piece& piece) {
  Block& block = blocks_[piece.block];
  if (block.kind == Block::Kind::Unspecified) return;
  if (is_whole(piece)) {
    block = {};
    return;
  }
  give_detail(piece.block);
  std::memset(known_.get() + piece.first, 0, piece.end - piece.first);
}

void Content::fill(std::uint64_t offset, std::uint64_t size, std::uint32_t pattern) {
  HARNESS_ASSERT(holds(offset, size));
  for_each_piece(offset / 4, (offset + size) / 4,
                 [&](const Piece& piece) { fill_piece(piece, pattern); });
}

// The source lies within one block too.
void Content::copy_piece(const Piece& piece, const Content& from, std::uint64_t from_first) {
  const Block source = from.blocks_[from_first / kBlockDwords];
  if (source.kind == Block::Kind::Unspecified) return forget_piece(piece);
  if (source.kind == Block::Kind::Uniform) return fill_piece(piece, source.value);
  const std::uint64_t count = piece.end - piece.first;
  if (is_whole(piece)) {
    blocks_[piece.block].kind = Block::Kind::Detailed;
  } else {
    give_detail(piece.block);
  }
  std::memmove(values_.get() + piece.first, from.values_.get() + from_first, count * 4);
  std::memmove(known_.get() + piece.first, from.known_.get() + from_first, count);
}

void Content::copy(std::uint64_t offset, const Content& from, std::uint64_t from_offset,
                   std::uint64_t size) {
  HARNESS_ASSERT(holds(offset, size) && from.holds(from_offset, size));
  // From the end on where the source would be overwritten otherwise.
  const bool backwards = &from == this && offset > from_offset;
  for (std::uint64_t left = size / 4; left != 0;) {
    const std::uint64_t done = size / 4 - left;
    std::uint64_t first = offset / 4, source = from_offset / 4, count = 0;
    if (backwards) {
      const std::uint64_t end = first + left, source_end = source + left;
      count = std::min({left, (end - 1) % kBlockDwords + 1, (source_end - 1) % kBlockDwords + 1});
      first = end - count;
      source = source_end - count;
    } else {
      first += done;
      source += done;
      count = std::min(
          {left, kBlockDwords - first % kBlockDwords, kBlockDwords - source % kBlockDwords});
    }
    copy_piece({first / kBlockDwords, first, first + count}, from, source);
    left -= count;
  }
}

void Content::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  HARNESS_ASSERT(offset <= size() && bytes.size() <= size() - offset);
  if (bytes.empty()) return;
  const std::uint64_t end = offset + bytes.size();
  for_each_piece(offset / 4, (end + 3) / 4, [&](const Piece& piece) { give_detail(piece.block); });
  std::memcpy(reinterpret_cast<std::byte*>(values_.get()) + offset, bytes.data(), bytes.size());
  const std::uint64_t first_whole = (offset + 3) / 4;
  const std::uint64_t end_whole = end / 4;
  if (first_whole < end_whole) std::memset(known_.get() + first_whole, 1, end_whole - first_whole);
}

void Content::forget(std::uint64_t offset, std::uint64_t size) {
  HARNESS_ASSERT(offset <= this->size() && size <= this->size() - offset);
  if (size == 0) return;
  for_each_piece(offset / 4, (offset + size + 3) / 4,
                 [this](const Piece& piece) { forget_piece(piece); });
}

std::optional<std::uint32_t> Content::predicted(std::uint64_t dword) const {
  const Block& block = blocks_[dword / kBlockDwords];
  if (block.kind == Block::Kind::Uniform) return block.value;
  if (block.kind == Block::Kind::Unspecified || known_[dword] == 0) return std::nullopt;
  return values_[dword];
}

std::optional<std::uint32_t> Content::dword(std::uint64_t offset) const {
  HARNESS_ASSERT(holds(offset, 4));
  return predicted(offset / 4);
}

bool Content::predicts(std::uint64_t offset, std::uint64_t size) const {
  HARNESS_ASSERT(holds(offset, size));
  bool any = false;
  for_each_piece(offset / 4, (offset + size) / 4, [&](const Piece& piece) {
    const Block::Kind kind = blocks_[piece.block].kind;
    any = any || kind == Block::Kind::Uniform ||
          (kind == Block::Kind::Detailed &&
           std::memchr(known_.get() + piece.first, 1, piece.end - piece.first) != nullptr);
  });
  return any;
}

std::optional<Run> Content::find_difference(std::uint64_t from, std::uint64_t base,
                                            std::span<const std::byte> actual) const {
  HARNESS_ASSERT(base % 4 == 0 && from % 4 == 0 && base <= from);
  const std::uint64_t first = base / 4;
  const std::uint64_t end = std::min(dwords_, first + actual.size() / 4);
  const auto at = [&](std::uint64_t i) { return actual.data() + (i - first) * 4; };
  const auto differs = [&](std::uint64_t i) {
    const auto expected = predicted(i);
    return expected && *expected != dword_at(at(i));
  };
  // Equal blocks are the normal case and need no look at single dwords.
  const auto equal = [&](std::uint64_t i, std::uint64_t block_end) {
    const Block& block = blocks_[i / kBlockDwords];
    if (block.kind == Block::Kind::Unspecified) return true;
    if (block.kind == Block::Kind::Uniform) return repeats(at(i), block_end - i, block.value);
    return std::memcmp(values_.get() + i, at(i), (block_end - i) * 4) == 0;
  };

  std::uint64_t i = from / 4;
  while (i < end) {
    const std::uint64_t block_end = std::min(end, end_of(i / kBlockDwords));
    if (equal(i, block_end)) {
      i = block_end;
      continue;
    }
    while (i < block_end && !differs(i)) ++i;
    if (i == block_end) continue;
    Run run{.offset = i * 4, .length = 0, .expected = *predicted(i), .seen = dword_at(at(i))};
    while (i < end && differs(i)) ++i;
    run.length = i * 4 - run.offset;
    return run;
  }
  return std::nullopt;
}

void Content::validate() const {
  HARNESS_ASSERT(dwords_ <= capacity_);
  HARNESS_ASSERT((capacity_ == 0) == (values_ == nullptr));
  HARNESS_ASSERT(blocks_.size() == (dwords_ + kBlockDwords - 1) / kBlockDwords);
  for (std::uint64_t block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].kind != Block::Kind::Detailed) continue;
    HARNESS_ASSERT(std::all_of(known_.get() + block * kBlockDwords, known_.get() + end_of(block),
                               [](auto k) { return k <= 1; }));
  }
}

}  // namespace wddm::gpu
