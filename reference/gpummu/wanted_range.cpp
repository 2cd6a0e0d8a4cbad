#include "reference/gpummu/wanted_range.h"

namespace wddm::gpummu {

void WantedRange::seek(std::uint64_t va) {
  if (va < run_start_) {
    run_ = 0;
    run_start_ = map.range.first.value;
  }
  while (va - run_start_ >= map.pages[run_].bytes) {
    run_start_ += map.pages[run_].bytes;
    ++run_;
  }
}

PhysicalAddress WantedRange::page_at(std::uint64_t va) {
  seek(va);
  PhysicalAddress place = map.pages[run_].first;
  place.offset += va - run_start_;
  return place;
}

std::uint64_t WantedRange::contiguous_at(std::uint64_t va) {
  seek(va);
  return run_start_ + map.pages[run_].bytes - va;
}

}  // namespace wddm::gpummu
