#include "fuzz/generators/scenario_machine.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace wddm::fuzz {
namespace {

struct Field {
  std::string_view name;
  std::uint32_t Machine::*member;
  std::uint32_t lowest, highest;
};

// Pages of 64 GiB are enough to fill.
constexpr std::uint32_t kMostPages = 1u << 24;
constexpr std::array kFields{
    Field{"nodes", &Machine::nodes, 1, 64},
    Field{"slots", &Machine::slots, 2, 1u << 16},
    Field{"local_pages", &Machine::local_pages, 1, kMostPages},
    Field{"aperture_pages", &Machine::aperture_pages, 1, kMostPages},
    Field{"gpu_virtual", &Machine::gpu_virtual, 0, 1},
    Field{"linked", &Machine::linked, 1, 64},
    Field{"displays", &Machine::displays, 0, 1},
    Field{"testing", &Machine::testing, 0, 1},
    Field{"settings", &Machine::settings, 0, 1},
};

}  // namespace

void apply_setting(const Op& configure, Machine& machine) {
  const auto setting = static_cast<Setting>(configure.a);
  const std::uint32_t is_set = configure.x != 0 ? 1 : 0;
  if (setting == Setting::Addressing) machine.gpu_virtual = configure.x == 1 ? 1 : 0;
  if (setting == Setting::LinkedAdapters) machine.linked = std::max(configure.x, 1u);
  if (setting == Setting::VideoSources) machine.displays = is_set;
  if (setting == Setting::AlternateView) machine.displays = is_set;
  if (setting == Setting::KernelModeTesting) machine.testing = is_set;
}

std::string print_machine(const Machine& machine) {
  std::string text;
  for (const Field& field : kFields) {
    text += (text.empty() ? "" : " ") + std::string(field.name) + '=' +
            std::to_string(machine.*field.member);
  }
  return text;
}

Machine read_machine(std::string_view text) {
  Machine machine;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::string_view name = word.substr(0, word.find('='));
    for (const Field& field : kFields) {
      if (field.name != name) continue;
      std::uint32_t value = machine.*field.member;
      std::from_chars(word.data() + std::min(name.size() + 1, word.size()),
                      word.data() + word.size(), value);
      machine.*field.member = std::clamp(value, field.lowest, field.highest);
    }
  }
  return machine;
}

}  // namespace wddm::fuzz
