#include "conformance/host/adapter/objects/allocation_shapes.h"

#include "conformance/host/adapter/objects/resource_calls.h"
#include "conformance/host/adapter/system_memory_segment.h"

namespace wddm::host {
namespace {

// The smallest, a page of 64 KB, a page more than two of them, and what is large.
constexpr std::uint32_t kPages[] = {1, 16, 33, 256};

void describe(const Adapter& adapter, Objects& objects, const WddmAllocationRequest& request) {
  PrivateData data;
  if (!objects.private_data(request, data)) return;
  ResourceCalls calls(adapter, objects, kFirstDevice, data, 1);
  if (!NT_SUCCESS(calls.create())) return;
  calls.tell({.asked = request.bytes,
              .asked_segment = request.segment,
              .asked_aperture = request.aperture,
              .asked_cpu_visible = request.cpu_visible});
  calls.destroy();
}

}  // namespace

void describe_shapes(const Adapter& adapter, Objects& objects) {
  WddmAllocationRequest request{};
  request.size = sizeof(request);
  const auto segments = static_cast<std::uint32_t>(adapter.segments(0).size());
  for (const std::uint32_t pages : kPages) {
    request.bytes = pages * kPageSize;
    for (const std::uint32_t visible : {0u, 1u}) {
      request.cpu_visible = visible;
      for (request.segment = 0; request.segment <= segments; ++request.segment) {
        describe(adapter, objects, request);
      }
      request.segment = 0;
      request.aperture = 1;
      if (has_aperture(adapter)) describe(adapter, objects, request);
      request.aperture = 0;
    }
  }
}

}  // namespace wddm::host
