// Drivers that describe the allocations which they make otherwise.
#pragma once

#include <memory>

#include "conformance/host/interposer.h"

namespace wddm {

template <void (*kAlter)(DXGK_ALLOCATIONINFO&)>
class AltersAllocations final : public Interposer {
 public:
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    for (UINT i = 0; i < create->NumAllocations; ++i) kAlter(create->pAllocationInfo[i]);
    return status;
  }
};
template <void (*kAlter)(DXGK_ALLOCATIONINFO&)>
std::unique_ptr<Interposer> alters_allocations() {
  return std::unique_ptr<Interposer>(new AltersAllocations<kAlter>);
}

}  // namespace wddm
