// Requests to a NaiveSpace and to VaRanges alike, and whether both answer the same.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "reference/gpuva/tests/naive_space.h"

namespace wddm::gpuva::testing {

constexpr std::uint64_t kAllocationPages = 64;

/// A leaf table covers 16 pages, an entry of the root 64.
constexpr std::uint64_t kPages = 128;
inline VaConfig small_space() {
  return {
      .address_bits = 19, .leaf_coverage = kPageSize64K, .root_entry_coverage = 4 * kPageSize64K};
}

class BothSpaces {
 public:
  BothSpaces() : naive(kPages), ranges(small_space()) {}

  /// Page 0: any. `allocation` 0: NoAccess.
  bool map(std::uint64_t page, std::uint64_t count, std::uint32_t allocation,
           std::uint64_t offset = 0, bool pages_64k = false, std::uint64_t first = 0,
           std::uint64_t end = kPages) {
    MapGpuVirtualAddress input{.base = address_of(page),
                               .minimum = address_of(first),
                               .maximum = address_of(end),
                               .offset_pages = offset,
                               .size_pages = count,
                               .protection = kProtectNoAccess};
    if (allocation != 0) {
      input.allocation = {{{allocation}, kAllocationPages, pages_64k}};
      input.protection = kProtectWrite;
    }
    std::optional<std::uint64_t> at = page;
    if (page == 0) {
      at.reset();
      if (pages_64k && allocation != 0) at = naive.lowest(count, 16, offset % 16, first, end);
      if (!at) at = naive.lowest(count, 1, 0, first, end);
    }
    const bool takes_map = allocation != 0;
    const bool legal =
        at && (naive.is_free(*at, count) ||
               (naive.in_one_range(*at, count) && naive.pages()[*at]->client_may_map &&
                (takes_map || naive.pages()[*at]->origin != RangeOrigin::Map)));
    if (legal) {
      if (naive.is_free(*at, count)) {
        naive.obtain(*at, count, {.origin = RangeOrigin::Map, .client_may_map = true});
      }
      for (std::uint64_t i = 0; i < count; ++i) {
        NaivePage& to = *naive.pages()[*at + i];
        to.kind = takes_map ? PageKind::Mapped : PageKind::Invalid;
        to.allocation = allocation;
        to.allocation_page = offset + i;
      }
    }
    return agree(input, legal, legal ? at : std::nullopt);
  }

  bool reserve(std::uint64_t page, std::uint64_t count, bool zero) {
    const ReserveGpuVirtualAddress input{.base = address_of(page),
                                         .size = count * kPageSize,
                                         .type = zero ? kReserveZero : kReserveNoAccess};
    const auto at = page == 0 ? naive.lowest(count, 16, 0, 1, kPages) : std::optional(page);
    const bool legal = at && naive.is_free(*at, count);
    if (legal) {
      naive.obtain(*at, count,
                   {.origin = RangeOrigin::Reserve,
                    .client_may_map = true,
                    .reserved_as = zero ? PageKind::Zero : PageKind::Invalid});
    }
    return agree(input, legal, legal ? at : std::nullopt);
  }

  bool reserve_for_driver(std::uint64_t page, std::uint64_t count, bool client_may_map) {
    const ReserveForDriver input{.size = count * kPageSize,
                                 .alignment = static_cast<std::uint32_t>(kPageSize64K),
                                 .base = address_of(page),
                                 .allow_user_mode_mapping = client_may_map};
    const auto at = page == 0 ? naive.lowest(count, 16, 0, 64, kPages) : std::optional(page);
    const bool legal = at && *at >= 64 && naive.is_free(*at, count);
    if (legal) {
      naive.obtain(*at, count, {.origin = RangeOrigin::Driver, .client_may_map = client_may_map});
    }
    return agree(input, legal, legal ? at : std::nullopt);
  }

  bool free(std::uint64_t page, std::uint64_t count) {
    const FreeGpuVirtualAddress input{.base = address_of(page), .size = count * kPageSize};
    const bool legal = naive.in_one_range(page, count) && naive.pages()[page]->client_may_map;
    if (legal) naive.free(page, count);
    return agree(input, legal, {});
  }

  bool destroy(std::uint32_t allocation) {
    naive.destroy(allocation);
    return agree(DestroyAllocation{{allocation}}, true, {});
  }

  bool update(const std::vector<UpdateOperation>& operations) {
    NaiveSpace after = naive;
    std::optional<std::uint32_t> destination;
    std::optional<std::uint32_t> source;
    bool legal = true;
    for (const UpdateOperation& any : operations) {
      legal = legal && std::visit(
                           [&](const auto& operation) {
                             return naive_apply(after, operation, destination, source);
                           },
                           any);
    }
    if (legal) naive = after;
    return agree(UpdateGpuVirtualAddress{operations}, legal, {});
  }

  NaiveSpace naive;
  VaRanges ranges;

 private:
  static bool reserved(const NaiveSpace& space, GpuVirtualAddress base, std::uint64_t size,
                       std::optional<std::uint32_t>& reservation) {
    const std::uint64_t page = page_of(base);
    if (page == 0 || !space.in_one_range(page, size / kPageSize)) return false;
    const NaivePage& first = *space.pages()[page];
    if (first.origin != RangeOrigin::Reserve) return false;
    if (reservation && *reservation != first.range) return false;
    reservation = first.range;
    return true;
  }
  static bool naive_apply(NaiveSpace& space, const UpdateMap& map,
                          std::optional<std::uint32_t>& destination,
                          std::optional<std::uint32_t>&) {
    if (!reserved(space, map.base, map.size, destination)) return false;
    const std::uint64_t once =
        (map.allocation_size == 0 ? map.size : map.allocation_size) / kPageSize;
    for (std::uint64_t i = 0; i < map.size / kPageSize; ++i) {
      NaivePage& to = *space.pages()[page_of(map.base) + i];
      to.kind = PageKind::Mapped;
      to.allocation = map.allocation.id.value;
      to.allocation_page = map.allocation_offset / kPageSize + i % once;
    }
    return true;
  }
  static bool naive_apply(NaiveSpace& space, const UpdateUnmap& unmap,
                          std::optional<std::uint32_t>& destination,
                          std::optional<std::uint32_t>&) {
    if (!reserved(space, unmap.base, unmap.size, destination)) return false;
    for (std::uint64_t i = 0; i < unmap.size / kPageSize; ++i) {
      space.pages()[page_of(unmap.base) + i]->kind =
          unmap.protection == kProtectZero ? PageKind::Zero : PageKind::Invalid;
    }
    return true;
  }
  static bool naive_apply(NaiveSpace& space, const UpdateCopy& copy,
                          std::optional<std::uint32_t>& destination,
                          std::optional<std::uint32_t>& source) {
    if (!reserved(space, copy.destination, copy.size, destination)) return false;
    if (!reserved(space, copy.source, copy.size, source)) return false;
    const auto before = space.pages();
    for (std::uint64_t i = 0; i < copy.size / kPageSize; ++i) {
      NaivePage& to = *space.pages()[page_of(copy.destination) + i];
      const NaivePage& from = *before[page_of(copy.source) + i];
      to.kind = from.kind;
      to.allocation = from.allocation;
      to.allocation_page = from.allocation_page;
    }
    return true;
  }

  bool agree(const VaInput& input, bool legal, std::optional<std::uint64_t> at) {
    const auto decisions = ranges.step(input);
    const bool refused = !decisions.empty() && std::holds_alternative<VaRefused>(decisions[0]);
    if (refused == legal) return false;
    if (at && std::get<Placed>(decisions[0]).address != address_of(*at)) return false;
    ranges.validate();
    const auto pages = seen(ranges);
    for (std::uint64_t page = 1; page < kPages; ++page) {
      if (seen(naive.pages()[page]) != pages[page]) return false;
    }
    return true;
  }
};

}  // namespace wddm::gpuva::testing
