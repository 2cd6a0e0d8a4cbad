#include "fuzz/generators/make_fields.h"

#include <algorithm>
#include <iterator>

namespace wddm::fuzz {

std::uint8_t existing_id(const IdSet& ids, std::uint8_t last_destroyed, Random& random) {
  if (ids.empty() || random.one_in(16)) {
    return random.one_in(4) ? static_cast<std::uint8_t>(random.next()) : last_destroyed;
  }
  return random.pick(ids.members());
}

std::uint8_t free_id(const IdSet& ids, std::uint8_t last_destroyed, Random& random) {
  if (random.one_in(16)) return existing_id(ids, last_destroyed, random);
  if (random.one_in(4) && !ids.contains(last_destroyed)) return last_destroyed;
  if (random.one_in(32)) return 255;
  std::uint8_t id = 0;
  while (id != 255 && ids.contains(id)) ++id;
  return id;
}

std::uint32_t some_node(const StateModel& state, Random& random) {
  return random.below(state.machine().nodes + (random.one_in(32) ? 1 : 0));
}

std::uint32_t busy_node(const StateModel& state, Random& random) {
  const std::uint32_t node = some_node(state, random);
  if (state.work(node) != 0 || random.one_in(4)) return node;
  for (std::uint32_t other = 0; other < state.machine().nodes; ++other) {
    if (state.work(other) != 0) return other;
  }
  return node;
}

std::uint32_t some_size_in_pages(const StateModel& state, Random& random) {
  const std::uint32_t all = state.local_pages();
  const std::uint32_t free = all - std::min(all, state.local_pages_used());
  const std::uint32_t near = random.below(3);  // one less, exactly, one more
  switch (random.below(state.little_memory() ? 6 : 16)) {
    case 0:
      return std::max(free + near, 2u) - 1;
    case 1:
      return std::max(all + (random.one_in(4) ? near : 1), 2u) - 1;
    case 2:
      return std::max(all / 2 + near, 2u) - 1;
    case 3:
    case 4:  // two of them do not fit side by side
      if (state.little_memory()) return all / 2 + 1 + random.below(std::max(all / 2, 1u));
      break;
    default:
      break;
  }
  const std::uint32_t few = random.pick(std::span<const std::uint32_t>(kFewPages));
  return random.one_in(8) ? few : std::min(few, all);
}

std::uint32_t some_page(std::uint32_t segment_pages, std::uint32_t pages, Random& random) {
  const std::uint32_t last = segment_pages - std::min(segment_pages, pages);
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return last + 1;
    case 2:
      return random.below(last + 1);
    default:  // away from where allocations are put first
      return last - random.below(std::min(last + 1, 8u));
  }
}

std::uint32_t some_offset(std::uint32_t bytes, std::uint32_t size, Random& random) {
  const std::uint32_t last = bytes - std::min(bytes, size);
  switch (random.below(random.one_in(8) ? 8 : 6)) {
    case 0:
    case 1:
      return 0;
    case 2:
      return last;
    case 3:
      return std::min(last, kPageBytes - 4);
    case 4:
      return std::min(last, kPageBytes * random.below(4));
    case 5:
      return random.below(last / 4 + 1) * 4;
    case 6:
      return last + 4;
    default:
      return random.one_in(2) ? last + 1 : ~3u - random.below(4) * 4;
  }
}

std::uint32_t some_size(std::uint32_t bytes, Random& random) {
  std::uint32_t size = bytes;
  switch (random.below(random.one_in(8) ? 8 : 6)) {
    case 0:
      size = 4;
      break;
    case 1:
      size = kPageBytes;
      break;
    case 2:
      size = kPageBytes + 4;
      break;
    case 3:
      size = random.below(bytes / 4 + 1) * 4;
      break;
    case 4:
      break;
    case 5:
      size = bytes / 8 * 4;
      break;
    case 6:
      return bytes + 4;
    default:
      return random.one_in(2) ? 0 : 2;
  }
  return bytes == 0 ? size : std::min(size, bytes);
}

SomeSize size_near_need(std::uint32_t index, std::uint32_t unit) {
  static constexpr SomeSize kNear[] = {{1, Measure::NeededMinus}, {0, Measure::NeededPlus},
                                       {2, Measure::NeededMinus}, {5, Measure::NeededMinus},
                                       {1, Measure::NeededPlus},  {3, Measure::NeededMinus},
                                       {2, Measure::NeededTimes}, {12, Measure::NeededMinus}};
  SomeSize size = kNear[index % std::size(kNear)];
  if (size.measure != Measure::NeededTimes) size.number *= unit;
  return size;
}

SomeSize some_capacity(std::uint32_t sizes, std::uint32_t unit, Random& random) {
  // below(3 * n) / 3 is what below(n) would have been.
  const std::uint32_t drawn = random.below(3 * sizes);
  return drawn % 3 == 0 ? size_near_need(drawn / 3, unit) : SomeSize{drawn / 3, Measure::Absolute};
}

std::uint32_t some_word(Random& random) {
  if (random.one_in(8)) return random.one_in(2) ? 0 : ~0u;
  return static_cast<std::uint32_t>(random.next());
}

std::uint8_t bound_slot(const StateModel& state, Random& random) {
  const std::uint32_t slots = std::min(state.machine().slots, 256u);
  if (state.bound_slots().empty() || random.one_in(32)) {
    return static_cast<std::uint8_t>(random.below(slots));
  }
  if (state.binding_unused() && random.one_in(2)) return state.newest_slot();
  return random.pick(state.bound_slots().members());
}

}  // namespace wddm::fuzz
