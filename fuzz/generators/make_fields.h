// Values of single fields: ids, nodes, sizes and offsets, edges first.
#pragma once

#include <array>
#include <cstdint>

#include "fuzz/generators/state_model.h"
#include "fuzz/random/random.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

inline constexpr std::array<std::uint32_t, 5> kWaits{0, 1, 10, 16, 50};
/// A failure mostly, and where NT_SUCCESS begins and ends.
inline constexpr std::array<std::uint32_t, 8> kInitializeStatuses{
    0xc0000001, 0xc0000001, 0xc0000001, 0xc0000001, 0, 0x40000000, 0x7fffffff, 0x80000000};
inline constexpr std::array<std::uint32_t, 6> kFewPages{1, 1, 2, 3, 4, 16};
/// Around the size of one command and of a few, and what the driver asked for (0).
inline constexpr std::array<std::uint32_t, 7> kPagingBytes{0, 0, 64, 96, 128, 256, 4092};

/// One that exists; once in sixteen the one that went last, or one that never was.
[[nodiscard]] std::uint8_t existing_id(const IdSet& ids, std::uint8_t last_destroyed,
                                       Random& random);
/// One that is free, mostly the lowest; once in sixteen one in use.
[[nodiscard]] std::uint8_t free_id(const IdSet& ids, std::uint8_t last_destroyed, Random& random);
/// Seldom one past the last.
[[nodiscard]] std::uint32_t some_node(const StateModel& state, Random& random);
/// Mostly one with work.
[[nodiscard]] std::uint32_t busy_node(const StateModel& state, Random& random);
/// Few, or what just fits in the memory segment or just does not.
[[nodiscard]] std::uint32_t some_size_in_pages(const StateModel& state, Random& random);
/// A first page of `pages` pages in a segment.
[[nodiscard]] std::uint32_t some_page(std::uint32_t segment_pages, std::uint32_t pages,
                                      Random& random);
/// A multiple of 4 at which `size` bytes end inside `bytes`; seldom one that is just outside, or
/// between multiples.
[[nodiscard]] std::uint32_t some_offset(std::uint32_t bytes, std::uint32_t size, Random& random);
/// A multiple of 4, at most `bytes` where that is not 0: a word, a page, all, and next to them;
/// seldom a little more, nothing or half a word.
[[nodiscard]] std::uint32_t some_size(std::uint32_t bytes, Random& random);
[[nodiscard]] std::uint32_t some_word(Random& random);

/// A size as ops give it: the number, and what it counts from.
struct SomeSize {
  std::uint32_t number = 0;
  Measure measure = Measure::Absolute;
};
/// Once in three times next to what the driver needs, in units of so many bytes or elements; else
/// one of the numbers below `sizes`. It takes the draw that below(sizes) takes, and gives the same
/// number, so that old seeds keep most of their meaning.
[[nodiscard]] SomeSize some_capacity(std::uint32_t sizes, std::uint32_t unit, Random& random);
/// `index` is any number: just enough, a little more or less, or twice that.
[[nodiscard]] SomeSize size_near_need(std::uint32_t index, std::uint32_t unit);

/// Mostly one that is bound, where it is fresh the one bound last.
[[nodiscard]] std::uint8_t bound_slot(const StateModel& state, Random& random);

}  // namespace wddm::fuzz
