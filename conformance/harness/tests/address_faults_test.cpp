// Drivers that heed an operation on GPU virtual addresses in one form and not in another, by the
// members that say which: the clause says so in its own scenario, in a configuration in which that
// form comes.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class AddressFaults : public ReplayTest {};

// -- page tables

// What it has reserved of a process it looks up for entries that are listed, and not for one that
// is repeated by the GPU.
struct RepeatsOverItsOwn final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& update = build->UpdatePageTable;
    const HANDLE process = update.hProcess;
    if (update.Flags.Repeat && update.UpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
      update.hProcess = nullptr;
    }
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    update.hProcess = process;
    return status;
  }
};

TEST_F(AddressFaults, RepeatedEntriesAreWrittenOverReservedOnes) {
  EXPECT_TRUE(fires<RepeatsOverItsOwn>("PROC-003", Configured::ServicesUpdates));
  EXPECT_TRUE(fires<RepeatsOverItsOwn>("PROC-003", Configured::ReservedInRoot));
}

// Its own window into memory is the first page of the paging process, which leads nowhere.
struct MapsItsOwnAtZero final : Interposer {
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    const NTSTATUS status = Interposer::CreateProcess(adapter, create);
    if (NT_SUCCESS(status) && create->Flags.SystemProcess) system_ = create->hKmdProcess;
    return status;
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    const bool update = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE;
    if (status != STATUS_SUCCESS || !update || !is_of_its_first_leaf(build->UpdatePageTable)) {
      return status;
    }
    const auto asked = build->UpdatePageTable;
    build->UpdatePageTable.StartIndex = 0;
    build->UpdatePageTable.FirstPteVirtualAddress = 0;
    build->UpdatePageTable.NumPageTableEntries = 1;
    static_cast<void>(Interposer::BuildPagingBuffer(adapter, build));
    build->UpdatePageTable = asked;
    return status;
  }
  [[nodiscard]] bool is_of_its_first_leaf(
      const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) const {
    return update.hProcess == system_ && update.PageTableLevel == 0 && update.StartIndex != 0 &&
           update.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL &&
           update.FirstPteVirtualAddress == update.StartIndex * UINT64{PAGE_SIZE};
  }
  HANDLE system_ = nullptr;
};

TEST_F(AddressFaults, TheFirstPageOfThePagingProcessIsMapped) {
  EXPECT_TRUE(fires_in_that_of<MapsItsOwnAtZero>("VPAGE-010", "PT-008"));
}

// What has been initialized once is, whatever lay there since.
struct InitializesOnce final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const auto& update = build->UpdatePageTable;
    const bool initial = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                         update.Flags.InitialUpdate && build->MultipassOffset == 0 &&
                         update.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    if (initial && !known_.insert(place_of(update)).second) return STATUS_SUCCESS;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
  using Place = std::tuple<UINT, UINT64, UINT>;  // segment, offset, first entry
  static Place place_of(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) {
    const auto& table = update.PageTableAddress.GpuPhysical;
    return {table.SegmentId, table.SegmentOffset, update.StartIndex};
  }
  std::set<Place> known_;
};

TEST_F(AddressFaults, TablesWhereOthersWereInitialized) {
  EXPECT_TRUE(fires<InitializesOnce>("PT-004", Configured::FourLevels));
}

// For each table with valid entries it keeps something, and gives it back when the last of them is
// made invalid: which without ExplicitPageTableInvalidation nobody does before a table goes.
struct KeepsWhatIsValid final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    const bool update = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE;
    if (status == STATUS_SUCCESS && update) follow(build->UpdatePageTable);
    return status;
  }
  void follow(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) {
    if (update.pPageTableEntries == nullptr) return;
    Table& table = tables_[update.PageTableAddress.CpuVirtual];
    if (update.Flags.InitialUpdate) table = {};  // another one, in the place of one that went
    for (UINT i = 0; i < update.NumPageTableEntries; ++i) {
      const DXGK_PTE& entry = update.pPageTableEntries[update.Flags.Repeat ? 0 : i];
      if (entry.Valid) {
        table.valid.insert(update.StartIndex + i);
      } else {
        table.valid.erase(update.StartIndex + i);
      }
    }
    if (table.valid.empty() && table.kept != nullptr) {
      ExFreePoolWithTag(table.kept, kTag);
      table.kept = nullptr;
    } else if (!table.valid.empty() && table.kept == nullptr) {
      table.kept = ExAllocatePoolWithTag(NonPagedPoolNx, 64, kTag);
    }
  }
  static constexpr ULONG kTag = 0x70656b77;
  struct Table {
    std::set<UINT> valid;
    PVOID kept = nullptr;
  };
  std::map<PVOID, Table> tables_;
};

TEST_F(AddressFaults, WhatIsKeptForValidEntriesIsLost) {
  EXPECT_TRUE(fires<KeepsWhatIsValid>("LIFE-004", "Addressing=1"));
}

// -- flushes

template <class How>
struct Flushes final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_FLUSH_TLB) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& flush = build->FlushTlb;
    const auto asked = flush;
    const bool everything = flush.StartVirtualAddress == 0 && flush.EndVirtualAddress == 0;
    if (!everything) How::alter(flush.StartVirtualAddress, flush.EndVirtualAddress);
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    flush = asked;
    return status;
  }
};

constexpr std::uint64_t k4GB = std::uint64_t{1} << 32;

// What does not fit a count of pages of 20 bits is given up. A range that ends where it begins is
// not flushed.
struct ShortOnes {
  static void alter(D3DGPU_VIRTUAL_ADDRESS& start, D3DGPU_VIRTUAL_ADDRESS& end) {
    if (end - start >= k4GB) end = start;
  }
};
// Registers of 32 bits for addresses.
struct Below4GB {
  static void alter(D3DGPU_VIRTUAL_ADDRESS& start, D3DGPU_VIRTUAL_ADDRESS& end) {
    start %= k4GB;
    end = std::max(start + 1, end % k4GB);
  }
};
// A single page: the first one.
struct FirstPage {
  static void alter(D3DGPU_VIRTUAL_ADDRESS& start, D3DGPU_VIRTUAL_ADDRESS& end) {
    end = std::min(end, start + 4096);
  }
};

TEST_F(AddressFaults, FlushesOfLessThanFourGigabytes) {
  EXPECT_TRUE(fires<Flushes<ShortOnes>>("VPAGE-004", Configured::FourLevels));
}

TEST_F(AddressFaults, FlushesBelowFourGigabytes) {
  EXPECT_TRUE(fires<Flushes<Below4GB>>("VPAGE-004", Configured::FourLevels));
}

TEST_F(AddressFaults, FlushesOfOnePage) {
  EXPECT_TRUE(fires<Flushes<FirstPage>>("VPAGE-004", Configured::FourLevels));
}

// Of an allocation the address that it was given last is flushed.
struct FlushesTheNewest final : Interposer {
  using Key = std::pair<HANDLE, D3DGPU_VIRTUAL_ADDRESS>;  // process and address
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    const NTSTATUS status = Interposer::CreateProcess(adapter, create);
    if (NT_SUCCESS(status) && create->Flags.SystemProcess) system_ = create->hKmdProcess;
    return status;
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) follow(build->UpdatePageTable);
    const bool flush = build->Operation == DXGK_OPERATION_FLUSH_TLB;
    if (flush && is_of_an_older(build->FlushTlb)) return STATUS_SUCCESS;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
  void follow(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) {
    if (update.hProcess == system_ || update.hAllocation == nullptr) return;
    const Key address{update.hProcess, update.FirstPteVirtualAddress};
    if (!mapped_.emplace(address, update.hAllocation).second) return;
    newest_[{update.hProcess, update.hAllocation}] = update.FirstPteVirtualAddress;
  }
  [[nodiscard]] bool is_of_an_older(const DXGK_BUILDPAGINGBUFFER_FLUSHTLB& flush) const {
    const auto mapped = mapped_.find({flush.hProcess, flush.StartVirtualAddress});
    if (mapped == mapped_.end()) return false;
    return newest_.at({flush.hProcess, mapped->second}) != flush.StartVirtualAddress;
  }
  HANDLE system_ = nullptr;
  std::map<Key, HANDLE> mapped_;  // to allocations
  std::map<std::pair<HANDLE, HANDLE>, D3DGPU_VIRTUAL_ADDRESS> newest_;
};

// Flushes that follow each other are taken for one.
struct FlushesTheFirst final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool flush = build->Operation == DXGK_OPERATION_FLUSH_TLB;
    if (std::exchange(flushed_, flush) && flush) return STATUS_SUCCESS;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
  bool flushed_ = false;
};

TEST_F(AddressFaults, FlushesOfOneAddressOfSeveral) {
  EXPECT_TRUE(fires<FlushesTheNewest>("PT-005"));
  EXPECT_TRUE(fires<FlushesTheFirst>("PT-005"));
}

// -- memory of contexts

// MapApertureSegment2 is for apertures, and apertures are for allocations of clients.
struct KnowsNoContextMemoryInAdls final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_MAP_APERTURE_SEGMENT2) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& map = build->MapApertureSegment2;
    const HANDLE allocation = map.hAllocation;
    map.hAllocation = nullptr;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    map.hAllocation = allocation;
    return status;
  }
};

TEST_F(AddressFaults, ContextMemoryThatMovesByMapApertureSegment2) {
  EXPECT_TRUE(fires<KnowsNoContextMemoryInAdls>("VPAGE-011", Configured::ContextApertures2));
}

// -- which MMU a context goes by

// The answer for the first GPU of a link, which has no IOMMU.
struct SaysWhatTheLeadDoes final : Interposer {
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status)) create->ContextInfo.Caps.UseIoMmu = 0;
    return status;
  }
};

TEST_F(AddressFaults, ContextsThatDoNotSayUseIoMmu) {
  EXPECT_TRUE(fires<SaysWhatTheLeadDoes>("PROC-006", Configured::LinkedUnlikeMmus));
  EXPECT_TRUE(fires<SaysWhatTheLeadDoes>("PROC-006", Configured::IoMmu));
}

// What the driver has reserved of the process is taken to be there for every context of it.
struct FetchesThereByTheIommu final : Interposer {
  NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                       PULONG sources, PULONG children) override {
    callbacks_ = *callbacks;
    return Interposer::StartDevice(context, info, callbacks, sources, children);
  }
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    const NTSTATUS status = Interposer::CreateProcess(adapter, create);
    if (!NT_SUCCESS(status) || create->Flags.SystemProcess) return status;
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE range{};
    range.hDxgkProcess = create->hDxgkProcess;
    range.SizeInBytes = range.Alignment = 1u << 21;  // what a leaf table covers
    if (NT_SUCCESS(callbacks_.DxgkCbReserveGpuVirtualAddressRange(callbacks_.DeviceHandle, &range)))
      reserved_ = range.StartVirtualAddress;
    return status;
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status) && create->ContextInfo.Caps.UseIoMmu) by_iommu_.insert(create->hContext);
    return status;
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL altered = *submit;
    if (by_iommu_.contains(submit->hContext)) altered.DmaBufferVirtualAddress = reserved_;
    return Interposer::SubmitCommandVirtual(adapter, &altered);
  }
  DXGKRNL_INTERFACE callbacks_{};
  UINT64 reserved_ = 0;
  std::set<HANDLE> by_iommu_;
};

TEST_F(AddressFaults, ReservedAddressesThroughTheIommu) {
  EXPECT_TRUE(fires<FetchesThereByTheIommu>("PROC-003", Configured::IoMmu));
}

}  // namespace
}  // namespace wddm::harness
