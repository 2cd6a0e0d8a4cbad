#include "reference/vidmm/instances.h"

#include <algorithm>
#include <utility>

#include "reference/harness_assert.h"

namespace wddm::vidmm {

std::optional<Instances::Place> Instances::find(AllocationId id) const {
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const std::vector<AllocationId>& members = families_[i].members;
    const auto found = std::find(members.begin(), members.end(), id);
    if (found != members.end()) {
      return Place{i, static_cast<std::size_t>(found - members.begin())};
    }
  }
  return std::nullopt;
}

void Instances::renamed(AllocationId original, AllocationId instance) {
  HARNESS_ASSERT(!find(instance));
  std::optional<Place> at = find(original);
  if (!at) {
    families_.push_back({.original = original, .members = {original}});
    at = Place{families_.size() - 1, 0};
  }
  HARNESS_ASSERT(families_[at->family].original == original);
  families_[at->family].members.push_back(instance);
}

AllocationId Instances::reuse(AllocationId original) {
  const std::optional<Place> at = find(original);
  HARNESS_ASSERT(at && families_[at->family].original == original);
  Family& family = families_[at->family];
  std::rotate(family.members.begin(), family.members.begin() + 1, family.members.end());
  if (family.newest_named != 0) --family.newest_named;
  return family.members.back();
}

void Instances::forget(AllocationId id) {
  const std::optional<Place> at = find(id);
  if (!at) return;
  Family& family = families_[at->family];
  if (id == family.original || family.members.size() == 2) {
    families_.erase(families_.begin() + static_cast<std::ptrdiff_t>(at->family));
    return;
  }
  family.members.erase(family.members.begin() + static_cast<std::ptrdiff_t>(at->member));
  if (family.newest_named >= at->member && family.newest_named != 0) --family.newest_named;
}

std::size_t Instances::count_of(AllocationId original) const {
  const std::optional<Place> at = find(original);
  return at ? families_[at->family].members.size() : 1;
}

bool Instances::may_name(AllocationId id) const {
  const std::optional<Place> at = find(id);
  return !at || at->member >= families_[at->family].newest_named;
}

void Instances::name(AllocationId id) {
  HARNESS_ASSERT(may_name(id));
  if (const std::optional<Place> at = find(id)) families_[at->family].newest_named = at->member;
}

bool Instances::is_older(AllocationId one, AllocationId other) const {
  const std::optional<Place> first = find(one), second = find(other);
  return first && second && first->family == second->family && first->member < second->member;
}

std::optional<std::size_t> Instances::take(std::span<const AllocationId> elements) {
  if (none()) return std::nullopt;
  std::vector<Family> before = families_;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!may_name(elements[i])) {
      families_ = std::move(before);
      return i;
    }
    name(elements[i]);
  }
  return std::nullopt;
}

}  // namespace wddm::vidmm
