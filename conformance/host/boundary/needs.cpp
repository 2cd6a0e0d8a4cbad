#include "conformance/host/boundary/needs.h"

#include <algorithm>

namespace wddm::host {
namespace {

// As op.def has them for sizes that count from nothing.
constexpr std::uint64_t kMostBytes = 1u << 20, kMostElements = 1u << 16;

}  // namespace

void Needs::rendered(std::uint32_t ordinal, std::uint32_t dma_bytes, std::uint32_t patches) {
  if (!measuring_) return;
  if (renders_.size() <= ordinal) renders_.resize(std::size_t{ordinal} + 1);
  renders_[ordinal].dma_bytes += dma_bytes;
  renders_[ordinal].patches += patches;
}

void Needs::paged(std::uint64_t bytes) {
  if (measuring_) largest_paging_ = std::max(largest_paging_, bytes);
}

void Needs::paged(OwnMeasure kind, std::uint64_t bytes) {
  std::uint64_t& largest = largest_of_kind_[static_cast<std::size_t>(kind)];
  if (measuring_) largest = std::max(largest, bytes);
}

Needs::Render Needs::render(std::uint32_t ordinal) const {
  return ordinal < renders_.size() ? renders_[ordinal] : Render{};
}

std::uint32_t Needs::size(Measure measure, std::uint32_t value, std::uint64_t needed,
                          std::uint32_t asked, std::uint64_t most) const {
  if (measuring_ || (measure != Measure::Absolute && needed == 0)) return asked;
  std::uint64_t size = needed;
  switch (measure) {
    case Measure::Absolute:
      return value == 0 ? asked : value;
    case Measure::NeededPlus:
      size += value;
      break;
    case Measure::NeededMinus:
      size -= std::min<std::uint64_t>(size, value);
      break;
    case Measure::NeededTimes:
      size *= value;
      break;
  }
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(size, 1, most));
}

std::uint32_t Needs::dma_bytes(const Op& render_op, std::uint32_t ordinal,
                               std::uint32_t asked) const {
  return size(static_cast<Measure>(render_op.b), render_op.x, render(ordinal).dma_bytes, asked,
              kMostBytes);
}

std::uint32_t Needs::patch_capacity(const Op& render_op, std::uint32_t ordinal,
                                    std::uint32_t asked) const {
  return size(static_cast<Measure>(render_op.c), render_op.y, render(ordinal).patches, asked,
              kMostElements);
}

std::uint32_t Needs::paging_bytes(Measure measure, std::uint32_t value,
                                  std::uint32_t asked) const {
  return size(measure, value, largest_paging_, asked, kMostBytes);
}

std::uint32_t Needs::paging_bytes(OwnMeasure kind, Measure measure, std::uint32_t value,
                                  std::uint32_t asked) const {
  const std::uint64_t largest = largest_of_kind_[static_cast<std::size_t>(kind)];
  return size(measure, value, largest, asked, kMostBytes);
}

bool any_relative_size(std::span<const Op> ops) {
  return std::any_of(ops.begin(), ops.end(), [](const Op& op) {
    const OpInfo* const info = op_info(op.kind);
    if (info == nullptr) return false;
    return std::any_of(info->fields.begin(), info->fields.end(), [&](const FieldInfo& field) {
      return field.shape == FieldShape::Measure && field_of(op, field.member) != 0;
    });
  });
}

}  // namespace wddm::host
