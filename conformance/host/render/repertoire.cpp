#include "conformance/host/render/repertoire.h"

#include <algorithm>

#include "reference/is_any_of.h"

namespace wddm::host {
namespace {

using gpu::CommandKind;

bool names_slot(const gpu::Command& command) {
  return is_any_of(command.kind, CommandKind::Bind, CommandKind::Unbind, CommandKind::Fill,
                   CommandKind::Copy, CommandKind::Add);
}

}  // namespace

bool Repertoire::lacks_any() const {
  return std::find(lacks_.begin(), lacks_.end(), true) != lacks_.end();
}

bool Repertoire::lacks_any_of(const Commands& commands) const {
  return std::any_of(commands.begin(), commands.end(),
                     [this](const gpu::Command& one) { return lacks(one.kind); });
}

Repertoire::Commands Repertoire::in_its_terms(const Commands& commands, std::uint16_t patterns,
                                              AllocationId allocation, std::uint32_t most_steps) {
  const auto stood_for = [this](const gpu::Command& one) { return lacks(one.kind); };
  const auto first = std::find_if(commands.begin(), commands.end(), stood_for);
  Commands out(commands.begin(), first);
  if (first != commands.end()) out.push_back(gpu::bind(patterns, allocation));
  for (auto at = first; at != commands.end(); ++at) {
    if (!lacks(at->kind)) {
      out.push_back(*at);
    } else if (at->kind == CommandKind::Spin) {
      spin(out, *at, patterns, most_steps);
    } else if (at->kind == CommandKind::Add && !lacks(CommandKind::Fill)) {
      out.push_back(gpu::fill(at->slot, at->offset, 4, at->addend()));
    } else {
      fill(out, *at, patterns);
    }
  }
  return out;
}

// One copy of the pattern; from then on what is there already, twice as much each time.
void Repertoire::fill(Commands& out, const gpu::Command& command, std::uint16_t patterns) {
  const std::uint32_t size = command.kind == CommandKind::Add ? 4 : command.size;
  std::uint32_t done = std::min(size, kPatternBytes);
  out.push_back(gpu::copy(command.slot, command.offset, patterns,
                          pattern_of(static_cast<std::uint32_t>(command.value)), done));
  while (done < size) {
    const std::uint32_t more = std::min(done, size - done);
    out.push_back(
        gpu::copy(command.slot, command.offset + done, command.slot, command.offset, more));
    done += more;
  }
}

// A unit is about a small command or, in a longer one, about a word.
void Repertoire::spin(Commands& out, const gpu::Command& command, std::uint16_t patterns,
                      std::uint32_t most_steps) {
  if (command.value == 0) return;
  const auto steps = std::min<std::uint64_t>(command.value, most_steps);
  const std::uint64_t words = (command.value + steps - 1) / steps;
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(words, kScratchWords)) * 4;
  out.insert(out.end(), static_cast<std::size_t>(steps),
             gpu::copy(patterns, kScratch, patterns, kMarkerBytes, bytes));
}

// Values beyond the last pattern share one.
std::uint32_t Repertoire::pattern_of(std::uint32_t value) {
  const auto found = std::find(values_.begin(), values_.end(), value);
  const auto index = static_cast<std::uint32_t>(found - values_.begin());
  if (found == values_.end() && index < kPatterns) values_.push_back(value);
  return kMarkerBytes + std::min(index, kPatterns - 1) * kPatternBytes;
}

Repertoire::Commands Repertoire::marker(std::uint16_t slot, std::uint32_t offset) const {
  Commands commands{gpu::bind(slot, kMarkerAllocation)};
  if (marks_by_ladder()) {
    const std::uint32_t room = offset + (1 + kRungs) * 4;
    commands.push_back(gpu::copy(slot, room, slot, offset, kRungs * 4));
    commands.push_back(gpu::copy(slot, offset + 4, slot, room, kRungs * 4));
  } else {
    commands.push_back(gpu::add(slot, offset, 1));
  }
  commands.push_back(gpu::unbind(slot));
  return commands;
}

// The last rung is for a run too many.
std::uint32_t Repertoire::marker_offset(std::uint32_t ordinal) const {
  if (!lacks_any()) return ordinal % kMarkerWords * 4;
  if (!marks_by_ladder()) return ordinal * 4 % kMarkerBytes;
  return ordinal / kLadders < kRungs - 1 ? ordinal % kLadders * kLadderBytes : kNone;
}

std::vector<std::uint16_t> Repertoire::slots_of(const Commands& commands) {
  std::vector<std::uint16_t> slots;
  const auto note = [&slots](std::uint16_t slot) {
    if (std::find(slots.begin(), slots.end(), slot) == slots.end()) slots.push_back(slot);
  };
  for (const gpu::Command& command : commands) {
    if (!names_slot(command)) continue;
    note(command.slot);
    if (command.kind == CommandKind::Copy) note(command.src_slot);
  }
  return slots;
}

void Repertoire::fit_slots(Commands& commands, std::uint32_t count) {
  std::vector<std::uint16_t> used = slots_of(commands);
  std::sort(used.begin(), used.end());
  if (used.empty() || used.back() < count || used.size() > count) return;
  std::array<std::uint16_t, gpu::kBindingSlots> number;
  std::uint32_t free = count;
  for (std::size_t i = used.size(); i-- > 0;) {
    if (used[i] >= gpu::kBindingSlots) return;
    number[used[i]] = used[i];
    if (used[i] < count) continue;
    do {
      --free;
    } while (std::binary_search(used.begin(), used.end(), static_cast<std::uint16_t>(free)));
    number[used[i]] = static_cast<std::uint16_t>(free);
  }
  for (gpu::Command& command : commands) {
    if (!names_slot(command)) continue;
    command.slot = number[command.slot];
    if (command.kind == CommandKind::Copy) command.src_slot = number[command.src_slot];
  }
}

}  // namespace wddm::host
