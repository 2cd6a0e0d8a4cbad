// Predicted bytes of one linear range of memory, each 4-byte dword either known or unspecified.
//
// The building block of predictions by physical place (`region.h`). Dwords are little-endian, as on
// every machine WDDM runs on. Left out: names, mappings, and anything that isn't content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace wddm::gpu {

/// A maximal run of known dwords that aren't what was seen.
struct Run {
  std::uint64_t offset = 0;    ///< Bytes from the start of the content, a multiple of 4.
  std::uint64_t length = 0;    ///< Bytes, a multiple of 4.
  std::uint32_t expected = 0;  ///< Predicted value of the first dword.
  std::uint32_t seen = 0;      ///< Actual value of the first dword.

  friend constexpr bool operator==(const Run&, const Run&) = default;
};

/// Bytes with a "known" mark per dword. Allocates only in `reset`.
///
/// Offsets and sizes are in bytes. Except for `write` and `forget` they are multiples of 4 and lie
/// inside the content; anything else is a defect of the caller.
///
/// Most blocks of 4 KiB hold nothing that is predicted, or one value throughout. They are kept as
/// that, so that filling, copying and forgetting whole blocks touches none of their bytes.
class Content {
 public:
  /// `size` bytes, all unspecified. A size that isn't a multiple of 4 is rounded down: the rest is
  /// never predicted. Memory that is never touched is never committed, and is reused if it
  /// suffices.
  void reset(std::uint64_t size);

  [[nodiscard]] std::uint64_t size() const { return dwords_ * 4; }

  void fill(std::uint64_t offset, std::uint64_t size, std::uint32_t pattern);
  /// Copies values and marks. `from` may be this content; ranges may overlap (as memmove).
  void copy(std::uint64_t offset, const Content& from, std::uint64_t from_offset,
            std::uint64_t size);
  /// Stores bytes of any alignment; a dword that is unspecified and only partly written stays so.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Makes every dword unspecified that [offset, offset + size) touches.
  void forget(std::uint64_t offset, std::uint64_t size);

  /// The predicted dword, or nothing if it is unspecified.
  [[nodiscard]] std::optional<std::uint32_t> dword(std::uint64_t offset) const;

  /// Whether any dword of the range is known.
  [[nodiscard]] bool predicts(std::uint64_t offset, std::uint64_t size) const;

  /// First difference that begins at or after `from`, for memory that was read from content offset
  /// `base` (a multiple of 4) on. Bytes beyond the content or beyond the last whole dword aren't
  /// compared. Go on with `from` = end of the run.
  [[nodiscard]] std::optional<Run> find_difference(std::uint64_t from, std::uint64_t base,
                                                   std::span<const std::byte> actual) const;

  void validate() const;

 private:
  static constexpr std::uint64_t kBlockDwords = 1024;
  struct Block {
    enum class Kind : std::uint32_t { Unspecified, Uniform, Detailed };
    Kind kind = Kind::Unspecified;
    std::uint32_t value = 0;  // of every dword, if Uniform
  };
  // A stretch of dwords within one block.
  struct Piece {
    std::uint64_t block, first, end;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  template <class T>
  using Array = std::unique_ptr<T[], Free>;

  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset % 4 == 0 && size % 4 == 0 && offset <= this->size() &&
           size <= this->size() - offset;
  }
  [[nodiscard]] std::uint64_t end_of(std::uint64_t block) const;
  [[nodiscard]] bool is_whole(const Piece& piece) const;
  template <class Visit>
  void for_each_piece(std::uint64_t first, std::uint64_t end, Visit&& visit) const;
  // From here on the block's dwords and marks stand in values_ and known_.
  void give_detail(std::uint64_t block);
  void fill_piece(const Piece& piece, std::uint32_t pattern);
  void forget_piece(const Piece& piece);
  void copy_piece(const Piece& piece, const Content& from, std::uint64_t from_first);
  [[nodiscard]] std::optional<std::uint32_t> predicted(std::uint64_t dword) const;

  std::uint64_t dwords_ = 0;
  std::uint64_t capacity_ = 0;  // dwords
  std::vector<Block> blocks_;
  // Of detailed blocks only.
  Array<std::uint32_t> values_;
  Array<std::uint8_t> known_;  // 1 = known; a byte each, so that marks move by memmove too
};

}  // namespace wddm::gpu
