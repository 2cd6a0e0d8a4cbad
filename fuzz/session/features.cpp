#include "fuzz/session/features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

namespace wddm::fuzz {
namespace {

constexpr std::size_t kReachFeatures = 1024;  // the first ones; events share the rest

enum class Tells : std::uint8_t {
  Nothing,
  Branch,  ///< which way something went
  Amount,  ///< how much of it: 0, 1, 2 or 3, 4 to 7 ...
};

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// By name where the format does not tell.
Tells told_by(const EventField& field) {
  const bool is_number = field.format == FieldFormat::Dec || field.format == FieldFormat::Hex;
  if (!is_number) return Tells::Branch;
  if (is_one_of(field.name, {"why", "fate", "reason", "outcome", "rejected", "again", "gave_up",
                             "idle", "claimed", "paging", "ran", "node", "level", "mode", "gone", "write"})) {
    return Tells::Branch;
  }
  return is_one_of(field.name, {"multipass_out", "merged", "differences", "index", "pass", "passes",
                                "outstanding", "leaks"})
             ? Tells::Amount
             : Tells::Nothing;
}

struct TellingField {
  std::uint8_t offset, size;
  Tells tells;
};

struct TellingFields {
  std::array<TellingField, 6> fields{};
  std::uint8_t count = 0;
};

std::array<TellingFields, kEventKinds> telling_fields_of_all() {
  std::array<TellingFields, kEventKinds> all;
  for (std::size_t kind = 1; kind < kEventKinds; ++kind) {
    TellingFields& telling = all[kind];
    for (const EventField& field : event_info(static_cast<EventKind>(kind)).fields) {
      if (field.offset + field.size > kPayloadInEvent) break;
      const Tells tells = told_by(field);
      if (tells == Tells::Nothing || telling.count == telling.fields.size()) continue;
      telling.fields[telling.count++] = {static_cast<std::uint8_t>(field.offset),
                                         static_cast<std::uint8_t>(field.size), tells};
    }
  }
  return all;
}

template <class Value>
Value read(const Event& event, std::size_t offset) {
  Value value;
  std::memcpy(&value, event.payload + offset, sizeof value);
  return value;
}

std::uint32_t value_of(const Event& event, const TellingField& field) {
  const std::uint32_t value = field.size == 1   ? read<std::uint8_t>(event, field.offset)
                              : field.size == 2 ? read<std::uint16_t>(event, field.offset)
                                                : read<std::uint32_t>(event, field.offset);
  return field.tells == Tells::Amount ? static_cast<std::uint32_t>(std::bit_width(value)) : value;
}

std::uint32_t mix(std::uint32_t hash, std::uint32_t value) {
  return (hash ^ value) * 0x9e3779b1u;
}

void bump(std::uint8_t& counter) {
  if (counter != 0xff) ++counter;
}

}  // namespace

void count_features(const Trace& trace, const Scenario& scenario, const harness::Judged& judged,
                    std::span<std::uint8_t, kFeatures> counters) {
  static const std::array<TellingFields, kEventKinds> telling = telling_fields_of_all();
  for (const Event& event : trace.events()) {
    const auto kind = static_cast<std::size_t>(event.kind);
    if (kind >= kEventKinds) continue;
    const auto op = event.op < scenario.ops.size()
                        ? static_cast<std::uint32_t>(scenario.ops[event.op].kind)
                        : 0u;
    std::uint32_t hash = mix(static_cast<std::uint32_t>(kind) << 8 | op, 0);
    for (std::size_t i = 0; i < telling[kind].count; ++i) {
      hash = mix(hash, value_of(event, telling[kind].fields[i]));
    }
    bump(counters[kReachFeatures + (hash >> 8) % (kFeatures - kReachFeatures)]);
  }
  for (std::size_t rule = 0; rule < judged.rules.size(); ++rule) {
    if (judged.rules[rule].reached == 0) continue;
    // A clause counts more finely than the engine's eight classes: 1, 2, 4 ... judgements.
    const auto size = static_cast<std::size_t>(std::bit_width(judged.rules[rule].reached));
    counters[(rule * 8 + std::min<std::size_t>(size, 8) - 1) % kReachFeatures] = 1;
  }
}

}  // namespace wddm::fuzz
