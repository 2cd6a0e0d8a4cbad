// What commands do to memory: a few by hand, and random streams against a map from byte to value.
//
// The naive memory knows nothing of dwords as storage, of places or of `effect_of`: it repeats the
// words of `command.h` byte by byte.
#include "reference/gpu/execute_command.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace wddm::gpu {
namespace {

constexpr std::uint32_t kAllocations = 3;
constexpr std::uint64_t kBytes[kAllocations] = {48, 32, 4096 + 64};

struct NaiveMemory {
  using Key = std::pair<std::uint32_t, std::uint64_t>;
  std::map<Key, std::uint8_t> known;
  std::map<std::uint16_t, std::uint32_t> slots;

  [[nodiscard]] bool legal(std::uint32_t a, std::uint64_t offset, std::uint64_t size) const {
    return a < kAllocations && size > 0 && offset % 4 == 0 && size % 4 == 0 &&
           offset + size <= kBytes[a];
  }
  void run(const Command& c) {
    const auto slot = slots.find(c.slot);
    switch (c.kind) {
      case CommandKind::Bind:
        if (c.slot < kBindingSlots) slots[c.slot] = c.allocation.value;
        break;
      case CommandKind::Unbind:
        slots.erase(c.slot);
        break;
      case CommandKind::Fill: {
        const bool direct = c.target == FillTarget::Allocation;
        if (!direct && slot == slots.end()) break;
        const std::uint32_t a = direct ? c.allocation.value : slot->second;
        if (!legal(a, c.offset, c.size)) break;
        for (std::uint64_t i = 0; i < c.size; ++i)
          known[{a, c.offset + i}] = static_cast<std::uint8_t>(c.value >> (i % 4 * 8));
        break;
      }
      case CommandKind::Add: {
        if (slot == slots.end() || !legal(slot->second, c.offset, 4)) break;
        if (!known.count({slot->second, c.offset})) break;
        std::uint32_t sum = static_cast<std::uint32_t>(c.value);
        for (unsigned i = 0; i < 4; ++i)
          sum += std::uint32_t{known[{slot->second, c.offset + i}]} << (i * 8);
        for (unsigned i = 0; i < 4; ++i)
          known[{slot->second, c.offset + i}] = static_cast<std::uint8_t>(sum >> (i * 8));
        break;
      }
      case CommandKind::Copy: {
        const auto from = slots.find(c.src_slot);
        if (slot == slots.end() || from == slots.end()) break;
        if (!legal(slot->second, c.offset, c.size)) break;
        if (!legal(from->second, c.src_offset, c.size)) break;
        const std::int64_t distance = std::int64_t{c.offset} - std::int64_t{c.src_offset};
        if (slot->second == from->second && std::abs(distance) < std::int64_t{c.size}) break;
        for (std::uint64_t i = 0; i < c.size; ++i) {
          const auto byte = known.find({from->second, c.src_offset + i});
          if (byte == known.end())
            known.erase({slot->second, c.offset + i});
          else
            known[{slot->second, c.offset + i}] = byte->second;
        }
        break;
      }
      case CommandKind::Nop:
      case CommandKind::Signal:
      case CommandKind::Wait:
      case CommandKind::Spin:
        break;
    }
  }
};

// Mostly legal, often exactly at an edge, sometimes just beyond.
std::uint32_t any_offset(std::uint64_t size) {
  return *rc::gen::weightedOneOf<std::uint32_t>(
      {{6, rc::gen::map(rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(size / 4)),
                        [](std::uint32_t dword) { return dword * 4; })},
       {1, rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(size) + 8)},
       {1, rc::gen::arbitrary<std::uint32_t>()}});
}

Command any_command() {
  const auto slot = static_cast<std::uint16_t>(*rc::gen::inRange(0, 5));
  const auto src = static_cast<std::uint16_t>(*rc::gen::inRange(0, 5));
  const AllocationId allocation{*rc::gen::inRange<std::uint32_t>(0, kAllocations + 1)};
  const std::uint64_t bytes = *rc::gen::element<std::uint64_t>(32, 48, 4096 + 64);
  const std::uint32_t size = any_offset(bytes) + 4 * *rc::gen::inRange<std::uint32_t>(0, 2);
  const auto value = *rc::gen::arbitrary<std::uint32_t>();
  switch (*rc::gen::weightedElement<int>({{4, 0}, {1, 1}, {4, 2}, {2, 3}, {5, 4}, {3, 5}})) {
    case 0:
      return bind(slot, allocation);
    case 1:
      return unbind(slot);
    case 2:
      return fill(slot, any_offset(bytes), size, value);
    case 3:
      return fill(allocation, any_offset(bytes), size, value);
    case 4:
      return copy(slot, any_offset(bytes), src, any_offset(bytes), size);
    default:
      return add(slot, any_offset(bytes), value);
  }
}

std::vector<Command> any_stream() {
  std::vector<Command> stream{bind(0, AllocationId{0}), bind(1, AllocationId{1}),
                              bind(2, AllocationId{2})};
  const int more = *rc::gen::inRange(1, 60);
  for (int i = 0; i < more; ++i) stream.push_back(any_command());
  return stream;
}

// One allocation in a segment, one in a page frame, one in two frames that lie the other way round.
class Memory {
 public:
  Memory() {
    memory_.add_system(10, 4);
    memory_.add_segment(SegmentId{1}, 2);
  }
  void run(std::span<const Command> commands, Bindings& bindings) {
    execute(commands, bindings, kBytes, memory_,
            [](AllocationId id, std::uint64_t offset) { return place_of(id.value, offset); });
    memory_.validate();
  }
  void run(std::span<const Command> commands) {
    Bindings none;
    run(commands, none);
  }
  [[nodiscard]] std::optional<std::uint32_t> dword(std::uint32_t a, std::uint64_t offset) const {
    return memory_.dword(place_of(a, offset));
  }
  friend bool operator==(const Memory& one, const Memory& other) {
    for (std::uint32_t a = 0; a < kAllocations; ++a) {
      for (std::uint64_t at = 0; at < kBytes[a]; at += 4) {
        if (one.dword(a, at) != other.dword(a, at)) return false;
      }
    }
    return true;
  }

 private:
  [[nodiscard]] static Place place_of(std::uint32_t a, std::uint64_t offset) {
    static constexpr std::uint64_t kFrame[] = {12};
    static constexpr std::uint64_t kFrames[] = {13, 11};
    if (a == 0) return {.segment = SegmentId{1}, .offset = kPageSize + offset};
    if (a == 1) return {.offset = offset, .frames = kFrame};
    return {.offset = offset, .frames = kFrames};
  }
  ShadowMemory memory_;
};

std::optional<std::uint32_t> naive_dword(const NaiveMemory& naive, std::uint32_t a,
                                         std::uint64_t offset) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto byte = naive.known.find({a, offset + i});
    if (byte == naive.known.end()) return std::nullopt;
    value |= std::uint32_t{byte->second} << (i * 8);
  }
  return value;
}

TEST(Execute, FillPredictsExactlyItsRange) {
  Memory memory;
  memory.run(std::array{bind(1, AllocationId{0}), fill(1, 4, 8, 0x01020304)});
  EXPECT_EQ(memory.dword(0, 0), std::nullopt);
  EXPECT_EQ(memory.dword(0, 4), 0x01020304u);
  EXPECT_EQ(memory.dword(0, 8), 0x01020304u);
  EXPECT_EQ(memory.dword(0, 12), std::nullopt);
}

TEST(Execute, CopyCarriesUnspecifiedDwordsAlong) {
  Memory memory;
  memory.run(std::array{bind(1, AllocationId{0}), bind(2, AllocationId{1}), fill(1, 0, 4, 7),
                        fill(2, 0, 16, 9), copy(2, 4, 1, 0, 8)});
  EXPECT_EQ(memory.dword(1, 0), 9u);
  EXPECT_EQ(memory.dword(1, 4), 7u);
  EXPECT_EQ(memory.dword(1, 8), std::nullopt);
  EXPECT_EQ(memory.dword(1, 12), 9u);
}

TEST(Execute, AddWrapsAndKeepsUnspecifiedUnspecified) {
  Memory memory;
  memory.run(
      std::array{bind(1, AllocationId{0}), fill(1, 0, 4, 0xFFFFFFFF), add(1, 0, 3), add(1, 4, 3)});
  EXPECT_EQ(memory.dword(0, 0), 2u);
  EXPECT_EQ(memory.dword(0, 4), std::nullopt);
}

TEST(Execute, RebindingChangesWhereLaterCommandsGo) {
  Memory memory;
  memory.run(std::array{bind(1, AllocationId{0}), bind(1, AllocationId{1}), fill(1, 0, 4, 1),
                        unbind(1), fill(1, 0, 4, 2)});
  EXPECT_EQ(memory.dword(0, 0), std::nullopt);
  EXPECT_EQ(memory.dword(1, 0), 1u);
}

TEST(Execute, SemaphoresAndTimeTouchNoMemory) {
  Memory memory;
  memory.run(
      std::array{bind(1, AllocationId{0}), signal(1, 5), wait(3, 5), spin(9), fill(1, 0, 4, 2)});
  EXPECT_EQ(memory.dword(0, 0), 2u);
  EXPECT_EQ(memory.dword(0, 4), std::nullopt);
}

RC_GTEST_PROP(ExecuteProperty, AgreesWithAByteMap, ()) {
  const std::vector<Command> stream = any_stream();
  Memory memory;
  memory.run(stream);
  NaiveMemory naive;
  for (const Command& command : stream) naive.run(command);
  for (std::uint32_t a = 0; a < kAllocations; ++a) {
    for (std::uint64_t offset = 0; offset < kBytes[a]; offset += 4) {
      RC_ASSERT(memory.dword(a, offset) == naive_dword(naive, a, offset));
    }
  }
}

RC_GTEST_PROP(ExecuteProperty, AnyCutGivesTheSameMemory, ()) {
  const std::vector<Command> stream = any_stream();
  const std::size_t cut = *rc::gen::inRange<std::size_t>(0, stream.size() + 1);
  Memory whole, parts;
  Bindings whole_bindings, part_bindings;
  whole.run(stream, whole_bindings);
  parts.run(std::span(stream).first(cut), part_bindings);
  parts.run(std::span(stream).subspan(cut), part_bindings);
  RC_ASSERT(whole_bindings == part_bindings);
  RC_ASSERT(whole == parts);
}

RC_GTEST_PROP(ExecuteProperty, DroppingCommandsWithoutEffectChangesNothing, ()) {
  const std::vector<Command> stream = any_stream();
  Bindings bindings;
  std::vector<Command> kept;
  for (const Command& command : stream) {
    if (has_effect(command, bindings, kBytes)) kept.push_back(command);
    bindings.apply(command);
  }
  Memory all, some;
  all.run(stream);
  some.run(kept);
  RC_ASSERT(all == some);
}

}  // namespace
}  // namespace wddm::gpu
