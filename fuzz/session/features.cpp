#include "fuzz/session/features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

namespace wddm::fuzz {
namespace {

constexpr std::size_t kReachFeatures = 1024;  // the first ones; events share the rest

// Fields whose value says which way something went, by name where the format does not.
bool tells_a_branch(const EventField& field) {
  if (field.format != FieldFormat::Dec && field.format != FieldFormat::Hex) return true;
  for (const char* name : {"why", "fate", "reason", "outcome", "rejected", "again", "gave_up",
                           "multipass_out", "idle", "merged", "claimed", "differences"}) {
    if (std::string_view(field.name) == name) return true;
  }
  return false;
}

struct Branches {
  std::array<std::uint8_t, 4> offsets{};
  std::array<std::uint8_t, 4> sizes{};
  std::uint8_t count = 0;
};

std::array<Branches, kEventKinds> branches_of_all() {
  std::array<Branches, kEventKinds> all;
  for (std::size_t kind = 1; kind < kEventKinds; ++kind) {
    Branches& branches = all[kind];
    for (const EventField& field : event_info(static_cast<EventKind>(kind)).fields) {
      if (!tells_a_branch(field) || branches.count == branches.offsets.size()) continue;
      branches.offsets[branches.count] = static_cast<std::uint8_t>(field.offset);
      branches.sizes[branches.count++] = static_cast<std::uint8_t>(field.size);
    }
  }
  return all;
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
  static const std::array<Branches, kEventKinds> branches = branches_of_all();
  for (const Event& event : trace.events()) {
    const auto kind = static_cast<std::size_t>(event.kind);
    if (kind >= kEventKinds) continue;
    const auto op = event.op < scenario.ops.size()
                        ? static_cast<std::uint32_t>(scenario.ops[event.op].kind)
                        : 0u;
    std::uint32_t hash = mix(static_cast<std::uint32_t>(kind) << 8 | op, 0);
    const Branches& fields = branches[kind];
    for (std::size_t i = 0; i < fields.count; ++i) {
      std::uint32_t value = 0;
      std::memcpy(&value, event.payload + fields.offsets[i], std::min<std::size_t>(fields.sizes[i], 4));
      hash = mix(hash, value);
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
