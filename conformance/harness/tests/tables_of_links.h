// Links of two GPUs whose leaf tables lie elsewhere than their directories: settings, ops that map
// and copy on both GPUs, and a driver that says where the leaves lie.
#pragma once

#include <string>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {

inline constexpr const char* kLinkSettings = R"(
ops:
- configure: {setting: Addressing, value: 1}
- configure: {setting: LinkedAdapters, value: 2}
)";
inline constexpr const char* kThreeLevels = "- configure: {setting: PageTableLevels, value: 3}\n";

inline constexpr const char* kBothGpus = R"(
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 3, place: local}
- create_allocation: {allocation: 2, pages: 3, place: local, physical_adapter: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x11223344}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 4096, source_offset: 4096, size: 4096}
- idle
)";
/// Behind kBothGpus, and a table that moves.
inline constexpr const char* kBackFromAnEviction = R"(
- evict: {allocation: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 1, source: 2, offset: 0, source_offset: 4096, size: 4096}
- idle
)";

/// What the driver says of its leaf tables when they lie in that segment; 0: in system memory. It
/// writes entries of any table wherever it is told to.
template <UINT Segment>
struct LeavesIn final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_PAGETABLELEVELDESC || !NT_SUCCESS(status)) return status;
    const auto* const asked = static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(query->pInputData);
    auto* const level = static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(query->pOutputData);
    if (asked->LevelIndex == 0) {
      level->PageTableSegmentId = level->PagingProcessPageTableSegmentId = Segment;
    }
    return status;
  }
};

}  // namespace wddm::harness
