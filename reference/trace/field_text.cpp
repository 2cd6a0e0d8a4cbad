// See field_text.h. Everything is taken from the catalogue; nothing here knows a certain op.
#include "reference/trace/field_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace wddm {
namespace {

std::string either(std::span<const std::string> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::optional<std::uint64_t> read_number(std::string_view text) {
  int base = 10;
  if (text.substr(0, 2) == "0x") {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    return std::nullopt;  // YAML 1.1 would read 010 as 8
  }
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// Levenshtein distance: how many letters are wrong, missing or too many.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t i = 0; i <= to.size(); ++i) row[i] = i;
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (from[i] == to[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string value_text(const FieldInfo& field, std::uint64_t value) {
  const std::span<const char* const> names = shape_values(field.shape);
  if (!names.empty()) return names[value];
  if (field.shape == FieldShape::Flag) return value != 0 ? "true" : "false";
  if (field.shape == FieldShape::Hex) return fmt::format("0x{:0{}x}", value, bits_of(field.member) / 4);
  return fmt::format("{}", value);
}

std::optional<std::uint64_t> read_value(const FieldInfo& field, std::string_view text, bool plain) {
  const std::span<const char* const> names = shape_values(field.shape);
  for (std::uint32_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return i;
  if (!names.empty() || !plain) return std::nullopt;
  if (field.shape == FieldShape::Flag) {
    if (text == "true") return 1;
    if (text == "false") return 0;
    return std::nullopt;
  }
  const std::optional<std::uint64_t> value = read_number(text);
  if (!value || *value < field.lowest || *value > field.highest) return std::nullopt;
  return value;
}

std::string expected_values(const FieldInfo& field) {
  const std::span<const char* const> names = shape_values(field.shape);
  if (!names.empty()) return either(std::vector<std::string>(names.begin(), names.end()));
  if (field.shape == FieldShape::Flag) return "true or false";
  if (field.shape == FieldShape::Hex)
    return fmt::format("a number in {:#x}..{:#x}", field.lowest, field.highest);
  return fmt::format("a number in {}..{}", field.lowest, field.highest);
}

std::string expected_fields(std::span<const FieldInfo> fields) {
  std::vector<std::string> names;
  for (const FieldInfo& field : fields) names.emplace_back(field.name);
  return names.empty() ? "no field" : either(names);
}

const OpInfo* find_op(std::string_view name) {
  for (const OpInfo& op : op_catalogue())
    if (name == op.name) return &op;
  return nullptr;
}

const OpInfo* nearest_op(std::string_view name) {
  constexpr std::size_t kNear = 3;
  if (name.size() > 40) return nullptr;
  const OpInfo* nearest = nullptr;
  std::size_t best = kNear;
  for (const OpInfo& op : op_catalogue()) {
    // Short names need a closer likeness, else everything is near "add".
    const std::size_t limit = std::min(best, std::string_view(op.name).size() / 2 + 1);
    const std::size_t found = distance(name, op.name);
    if (found < limit) {
      best = found;
      nearest = &op;
    }
  }
  return nearest;
}

}  // namespace wddm
