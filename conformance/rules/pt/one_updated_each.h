// Seeded faults that keep one of what maps an allocation, and take updates of that one alone once the
// allocation has been mapped by it and by another.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "conformance/host/interposer.h"

namespace wddm::pt {

template <class Mapper>
class UpdatesOneEach : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) final {
    const auto& update = build->UpdatePageTable;
    const bool of_allocation = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                               update.PageTableLevel == 0 && update.hAllocation != nullptr &&
                               !update.Flags.InitialUpdate;
    const std::optional<Mapper> mapper = of_allocation ? mapper_of(update) : std::nullopt;
    if (!mapper) return Interposer::BuildPagingBuffer(adapter, build);
    const Mapper first = first_.emplace(update.hAllocation, *mapper).first->second;
    const bool again = ++written_[{update.hAllocation, *mapper}] > 1;
    if (again && first != *mapper) return STATUS_SUCCESS;
    return Interposer::BuildPagingBuffer(adapter, build);
  }

 private:
  /// Nothing: this update is the paging process's.
  [[nodiscard]] virtual std::optional<Mapper> mapper_of(
      const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) const = 0;

  std::map<HANDLE, Mapper> first_;
  std::map<std::pair<HANDLE, Mapper>, int> written_;
};

}  // namespace wddm::pt
