// Allocations that were renamed, and which of their instances a buffer may still name.
//
// A lock with Discard need not wait for the GPU: VidMm may put other memory behind the allocation.
// That is a newer instance of it, with a handle of its own. As soon as an element of a buffer names
// an instance, no later element of that buffer or of a later one names an older one: VidMm rejects
// a buffer that does.
//
// Instances that nothing uses any more come again: VidMm goes round the list of them. The oldest is
// the newest then, and those that were named after it are older.
//
// Source: nc-d3dumddi-pfnd3dddi_lockcb.md # Remarks (instances),
// requesting-to-rename-an-allocation.md; clause BIND-007. Left out: when VidMm waits rather than
// rename, and when it shortens the list.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "reference/types.h"

namespace wddm::vidmm {

class Instances {
 public:
  /// `instance` is the newest one of `original`, which was created and is the oldest.
  void renamed(AllocationId original, AllocationId instance);
  /// The oldest instance of `original`, which was renamed, is the newest from here on.
  AllocationId reuse(AllocationId original);
  /// It is gone; an original with all that it was renamed to.
  void forget(AllocationId id);

  [[nodiscard]] bool none() const { return families_.empty(); }
  /// How many there are of an original, itself included.
  [[nodiscard]] std::size_t count_of(AllocationId original) const;
  /// Whether no newer one was named. True of what was never renamed.
  [[nodiscard]] bool may_name(AllocationId id) const;
  /// A buffer names it, and may.
  void name(AllocationId id);
  /// Whether both are instances of one allocation, and `one` is the older.
  [[nodiscard]] bool is_older(AllocationId one, AllocationId other) const;

  /// What the elements of a buffer name, in their order. Nothing if VidMm takes it, or the first
  /// element that goes back: then nothing of the buffer counts.
  [[nodiscard]] std::optional<std::size_t> take(std::span<const AllocationId> elements);

 private:
  struct Family {
    AllocationId original = kNoAllocation;
    std::vector<AllocationId> members;  // oldest first; the original is one of them
    std::size_t newest_named = 0;
  };
  struct Place {
    std::size_t family, member;
  };
  [[nodiscard]] std::optional<Place> find(AllocationId id) const;

  std::vector<Family> families_;
};

}  // namespace wddm::vidmm
