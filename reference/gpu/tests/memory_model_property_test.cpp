// The memory model against a map from byte to value, on random command streams.
//
// The naive model knows nothing of dwords as storage, of masks or of `effect_of`: it repeats the
// words of `command.h` byte by byte.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "reference/gpu/memory_model.h"

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
      default:
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

MemoryModel fresh_model() {
  MemoryModel model(8);
  for (std::uint32_t a = 0; a < kAllocations; ++a) model.create(AllocationId{a}, kBytes[a]);
  return model;
}

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

RC_GTEST_PROP(MemoryModelProperty, AgreesWithAByteMap, ()) {
  const std::vector<Command> stream = any_stream();
  MemoryModel model = fresh_model();
  NaiveMemory naive;
  Bindings bindings;
  for (const Command& command : stream) naive.run(command);
  const Progress progress = model.execute(bindings, stream);
  model.validate();
  RC_ASSERT(progress.executed == stream.size());
  for (std::uint32_t a = 0; a < kAllocations; ++a)
    for (std::uint64_t offset = 0; offset < kBytes[a]; offset += 4)
      RC_ASSERT(model.dword(AllocationId{a}, offset) == naive_dword(naive, a, offset));
}

RC_GTEST_PROP(MemoryModelProperty, AnyCutGivesTheSameMemory, ()) {
  const std::vector<Command> stream = any_stream();
  const std::size_t cut = *rc::gen::inRange<std::size_t>(0, stream.size() + 1);
  MemoryModel whole = fresh_model();
  MemoryModel parts = fresh_model();
  Bindings whole_bindings;
  Bindings part_bindings;
  whole.execute(whole_bindings, stream);
  parts.execute(part_bindings, std::span(stream).first(cut));
  parts.execute(part_bindings, std::span(stream).subspan(cut));
  RC_ASSERT(whole_bindings == part_bindings);
  for (std::uint32_t a = 0; a < kAllocations; ++a)
    for (std::uint64_t offset = 0; offset < kBytes[a]; offset += 4)
      RC_ASSERT(whole.dword(AllocationId{a}, offset) == parts.dword(AllocationId{a}, offset));
}

RC_GTEST_PROP(MemoryModelProperty, DroppingCommandsWithoutEffectChangesNothing, ()) {
  const std::vector<Command> stream = any_stream();
  MemoryModel all = fresh_model();
  MemoryModel some = fresh_model();
  Bindings bindings;
  std::vector<Command> kept;
  for (const Command& command : stream) {
    if (has_effect(command, bindings, all.sizes())) kept.push_back(command);
    bindings.apply(command);
  }
  Bindings a_bindings;
  Bindings b_bindings;
  all.execute(a_bindings, stream);
  some.execute(b_bindings, kept);
  for (std::uint32_t a = 0; a < kAllocations; ++a)
    for (std::uint64_t offset = 0; offset < kBytes[a]; offset += 4)
      RC_ASSERT(all.dword(AllocationId{a}, offset) == some.dword(AllocationId{a}, offset));
}

RC_GTEST_PROP(MemoryModelProperty, CompareFindsExactlyTheDifferingKnownDwords, ()) {
  const std::vector<Command> stream = any_stream();
  MemoryModel model = fresh_model();
  Bindings bindings;
  model.execute(bindings, stream);
  const AllocationId allocation{*rc::gen::inRange<std::uint32_t>(0, kAllocations)};
  const std::uint64_t bytes = kBytes[allocation.value];
  const std::uint64_t base = *rc::gen::inRange<std::uint64_t>(0, bytes / 4) * 4;

  std::vector<std::byte> actual(bytes - base, std::byte{0x5A});
  for (std::uint64_t at = base; at < bytes; at += 4)
    if (const auto value = model.dword(allocation, at))
      std::memcpy(actual.data() + (at - base), &*value, 4);
  const int flips = *rc::gen::inRange(0, 6);
  for (int i = 0; i < flips; ++i)
    actual[*rc::gen::inRange<std::size_t>(0, actual.size())] ^= std::byte{1};

  std::vector<Difference> expected;
  for (std::uint64_t at = base; at < bytes; at += 4) {
    const auto value = model.dword(allocation, at);
    std::uint32_t seen;
    std::memcpy(&seen, actual.data() + (at - base), 4);
    if (!value || *value == seen) continue;
    if (!expected.empty() && expected.back().offset + expected.back().length == at)
      expected.back().length += 4;
    else
      expected.push_back({allocation, at, 4, *value, seen});
  }
  std::vector<Difference> found(16);
  const Comparison comparison = model.compare(allocation, base, actual, found);
  RC_ASSERT(comparison.ranges == expected.size());
  found.resize(comparison.ranges);
  RC_ASSERT(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
}

}  // namespace
}  // namespace wddm::gpu
