#include "reference/gpummu/tlb_model.h"

namespace wddm::gpummu {

void Tlb::replace(const VaRange& range, std::uint32_t level, Slot slot, const Entry& before,
                  const Entry& now) {
  if (before == now) return;
  if (!before.valid && (invalid_ == Invalid::NotCached || !now.valid)) return;
  stale_.push_back({range, level, slot, before});
}

/// What a flush covers in part is remembered for the rest.
void Tlb::flush(const VaRange& range) {
  std::vector<Stale> left;
  for (const Stale& each : stale_) {
    const std::uint64_t first = std::max(each.range.first.value, range.first.value);
    const std::uint64_t end = std::min(each.range.end(), range.end());
    if (first >= end) {
      left.push_back(each);
      continue;
    }
    Stale part = each;
    part.range.bytes = first - each.range.first.value;
    if (part.range.bytes != 0) left.push_back(part);
    part.range = {GpuVirtualAddress{end}, each.range.end() - end};
    if (part.range.bytes != 0) left.push_back(part);
  }
  stale_ = std::move(left);
}

}  // namespace wddm::gpummu
