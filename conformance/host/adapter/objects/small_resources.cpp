#include "conformance/host/adapter/objects/small_resources.h"

#include <algorithm>
#include <vector>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"
#include "reference/gpummu/address.h"

namespace wddm::host {
namespace {

// What GPUs ask of buffers at most.
constexpr std::uint64_t kAlignment = 256;

struct Placed {
  std::vector<std::uint64_t> allocations;  // bytes of each
  std::vector<WddmPlacedResource> resources;
};

Placed pack(std::span<const std::uint64_t> sizes) {
  Placed placed;
  std::uint64_t used = 0;
  for (const std::uint64_t bytes : sizes) {
    const bool fits = !placed.allocations.empty() && used + bytes <= placed.allocations.back() &&
                      !decisions().packs_nothing();
    if (!fits) {
      used = 0;
      placed.allocations.push_back(decisions().packs_nothing()
                                       ? bytes
                                       : std::max<std::uint64_t>(bytes, gpummu::kPageSize64K));
    }
    placed.resources.push_back(
        {.allocation = static_cast<std::uint32_t>(placed.allocations.size() - 1),
         .reserved = 0,
         .offset = used});
    used += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return placed;
}

Placed ask(const Objects& objects, std::span<const std::uint64_t> sizes) {
  const WddmClient* const client = objects.client();
  if (client == nullptr || client->place_resources == nullptr) return pack(sizes);
  Placed placed;
  placed.allocations.assign(sizes.size(), 0);
  placed.resources.assign(sizes.size(), {});
  const WddmPlacementRequest request{.size = sizeof(request),
                                     .resource_count = static_cast<std::uint32_t>(sizes.size()),
                                     .resource_bytes = sizes.data()};
  WddmPlacementResult result{.size = sizeof(result),
                             .allocation_count = 0,
                             .allocation_bytes = placed.allocations.data(),
                             .resources = placed.resources.data(),
                             .resource_stride = sizeof(WddmPlacedResource),
                             .reserved = 0};
  if (client->place_resources(objects.client_instance(), &request, &result) != 0) {
    return pack(sizes);
  }
  // What is in none of those that there was room for is misplaced.
  placed.allocations.resize(std::min<std::size_t>(result.allocation_count, sizes.size()));
  return placed;
}

bool fits(const Placed& placed, const WddmPlacedResource& where, std::uint64_t bytes) {
  if (where.allocation >= placed.allocations.size()) return false;
  const std::uint64_t room = placed.allocations[where.allocation];
  return where.offset <= room && bytes <= room - where.offset;
}

// Those outside of their allocation, or over one that lies before them.
std::uint32_t misplaced(const Placed& placed, std::uint64_t bytes) {
  std::vector<WddmPlacedResource> sorted = placed.resources;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.allocation != b.allocation ? a.allocation < b.allocation : a.offset < b.offset;
  });
  std::uint32_t wrong = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool over = i > 0 && sorted[i - 1].allocation == sorted[i].allocation &&
                      sorted[i].offset - sorted[i - 1].offset < bytes;
    wrong += over || !fits(placed, sorted[i], bytes) ? 1 : 0;
  }
  return wrong;
}

}  // namespace

void place_small_resources(const Adapter& adapter, const Objects& objects, std::uint32_t count,
                           std::uint64_t bytes) {
  const std::vector<std::uint64_t> sizes(count, bytes);
  const Placed placed = ask(objects, sizes);
  const std::uint64_t unit = adapter.has_64kb_pages(~0u) ? gpummu::kPageSize64K : kPageSize;
  ev::ResourcesPlaced told{.requested = count * bytes,
                           .resources = count,
                           .allocations = static_cast<std::uint32_t>(placed.allocations.size()),
                           .unit = static_cast<std::uint32_t>(unit)};
  for (const std::uint64_t each : placed.allocations) {
    told.committed += each / unit * unit + (each % unit != 0 ? unit : 0);
  }
  told.wrong = misplaced(placed, bytes);
  session().tap(told);
}

}  // namespace wddm::host
