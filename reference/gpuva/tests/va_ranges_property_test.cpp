// The GPU virtual address allocator beside a space kept page by page: on random requests, and on
// every list of up to five requests of a small alphabet.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <vector>

#include "reference/gpuva/tests/naive_requests.h"

namespace wddm::gpuva {
namespace {

using testing::BothSpaces;
using testing::kAllocationPages;

std::uint64_t below(std::uint64_t end) {
  return *rc::gen::inRange<std::uint64_t>(0, end);
}

AllocationRef allocation(std::uint64_t id) {
  return {{static_cast<std::uint32_t>(id)}, kAllocationPages, false};
}

UpdateOperation any_operation() {
  const std::uint64_t size = 1 + below(12);
  const GpuVirtualAddress base = address_of(16 + below(64));
  switch (below(3)) {
    case 0: {
      const std::uint64_t once = size % 2 == 0 ? size / 2 : size;
      return UpdateMap{.base = base,
                       .size = size * kPageSize,
                       .allocation = allocation(1 + below(3)),
                       .allocation_offset = below(20) * kPageSize,
                       .allocation_size = below(2) * once * kPageSize};
    }
    case 1:
      return UpdateUnmap{base, size * kPageSize, below(2) ? kProtectZero : kProtectNoAccess};
    default:
      return UpdateCopy{base, size * kPageSize, address_of(16 + below(64))};
  }
}

bool any_request(BothSpaces& spaces) {
  switch (below(9)) {
    case 0:
      return spaces.map(0, 1 + below(20), static_cast<std::uint32_t>(below(4)), below(40),
                        below(2) == 0, below(60), 60 + below(68));
    case 1:
    case 2:
      return spaces.map(1 + below(127), 1 + below(12), static_cast<std::uint32_t>(below(4)),
                        below(40));
    case 3:
      return spaces.reserve(below(8) * 16, 16 * (1 + below(3)), below(2) == 0);
    case 4:
      return spaces.reserve_for_driver(below(8) * 16, 16 * (1 + below(2)), below(2) == 0);
    case 5:
      return spaces.free(1 + below(127), 1 + below(24));
    case 6:
      return spaces.destroy(static_cast<std::uint32_t>(1 + below(3)));
    default: {
      std::vector<UpdateOperation> operations(below(4));
      for (UpdateOperation& operation : operations) operation = any_operation();
      return spaces.update(operations);
    }
  }
}

RC_GTEST_PROP(VaRangesProperty, SaysTheSameAsPageByPage, ()) {
  BothSpaces spaces;
  RC_ASSERT(spaces.reserve(16, 48, true));
  RC_ASSERT(spaces.reserve(64, 16, false));
  const std::uint64_t requests = below(60);
  for (std::uint64_t i = 0; i < requests; ++i) RC_ASSERT(any_request(spaces));
}

RC_GTEST_PROP(VaRangesProperty, EveryAddressIsInOneRangeAtMost, ()) {
  // The space is larger than any list of pages could be.
  VaRanges ranges({.address_bits = 63});
  std::vector<Placed> live;
  const std::uint64_t requests = below(80);
  for (std::uint64_t i = 0; i < requests; ++i) {
    if (!live.empty() && below(3) == 0) {
      const std::size_t which = below(live.size());
      const auto freed =
          ranges.step(FreeGpuVirtualAddress{live[which].address, live[which].pages * kPageSize});
      RC_ASSERT(std::holds_alternative<IgnoreQueued>(freed[0]));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
      continue;
    }
    const std::uint64_t size = kPageSize64K << below(47);
    const auto decisions = ranges.step(ReserveGpuVirtualAddress{.size = size});
    if (const auto* placed = std::get_if<Placed>(&decisions[0])) live.push_back(*placed);
    ranges.validate();
  }
  for (const Placed& a : live) {
    for (const Placed& b : live) {
      if (&a == &b) continue;
      RC_ASSERT(page_of(a.address) + a.pages <= page_of(b.address) ||
                page_of(b.address) + b.pages <= page_of(a.address));
    }
  }
}

/// Ten requests that meet each other.
bool request(BothSpaces& spaces, std::size_t which) {
  switch (which) {
    case 0:
      return spaces.reserve(16, 16, true);
    case 1:
      return spaces.reserve(0, 16, false);
    case 2:
      return spaces.map(20, 4, 1);
    case 3:
      return spaces.map(22, 4, 0);
    case 4:
      return spaces.map(0, 3, 2);
    case 5:
      return spaces.free(18, 4);
    case 6:
      return spaces.destroy(1);
    case 7:
      return spaces.update({UpdateCopy{address_of(19), 4 * kPageSize, address_of(21)}});
    case 8:
      return spaces.update({UpdateMap{.base = address_of(17),
                                      .size = 6 * kPageSize,
                                      .allocation = allocation(1),
                                      .allocation_size = 2 * kPageSize},
                            UpdateUnmap{address_of(20), kPageSize, kProtectNoAccess}});
    default:
      return spaces.reserve_for_driver(64, 16, true);
  }
}
constexpr std::size_t kRequests = 10;

std::size_t try_all(const BothSpaces& before, std::size_t left) {
  if (left == 0) return 1;
  std::size_t lists = 1;
  for (std::size_t which = 0; which < kRequests; ++which) {
    BothSpaces after = before;
    if (!request(after, which)) {
      ADD_FAILURE() << "request " << which << ", " << left << " before the end";
      return lists;
    }
    lists += try_all(after, left - 1);
  }
  return lists;
}

TEST(VaRangesExhaustive, EveryListOfFiveRequests) {
  EXPECT_EQ(try_all(BothSpaces(), 5), 111'111u);
}

}  // namespace
}  // namespace wddm::gpuva
