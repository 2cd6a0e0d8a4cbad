// A trace of one client that asks for residency of allocation 1, and uses it.
#pragma once

#include "conformance/rules/tests/trace_test.h"
#include "reference/gpuva/residency_request.h"

namespace wddm {

class ClientTest : public TraceTest {
 protected:
  static constexpr std::uint32_t kCantTrimFurther = 1, kMustSucceed = 2, kNotWrittenTo = 8;

  ClientTest() { add(ev::AllocationCreated{.size = 4096, .allocation = 1}); }
  void makes_resident(gpuva::ResidencyStatus status = gpuva::ResidencyStatus::Ok,
                      std::uint32_t flags = 0, std::uint64_t fence = 0) {
    asks(0, status, flags, fence);
  }
  void evicts(std::uint32_t flags = 0) { asks(1, gpuva::ResidencyStatus::Ok, flags, 0); }
  void uses(bool writes = false) {
    add(ev::BufferBuilt{.context = 2, .count = 1, .required_only = 1},
        std::vector<AllocationRecord>{{.allocation = 1, .write = writes ? 1u : 0u}});
  }
  void waits(std::uint64_t value, std::uint32_t context = 2) {
    add(ev::PagingFenceWaited{.value = value, .context = context});
  }

 private:
  void asks(std::uint32_t request, gpuva::ResidencyStatus status, std::uint32_t flags,
            std::uint64_t fence) {
    add(ev::ResidencyAsked{.fence_value = fence,
                           .request = request,
                           .status = static_cast<std::uint32_t>(status),
                           .flags = flags,
                           .count = 1},
        std::vector<std::uint32_t>{1});
  }
};

}  // namespace wddm
