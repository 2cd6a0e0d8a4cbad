// Drivers that go wrong with GPU virtual addresses in ways that no clause was written for: some
// clause, or the kernel, says so in the scenario of some rule.
//
// Left out: which clause, since any that blames the driver will do, and faults that nothing sees.
#include <map>
#include <vector>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class HandFaults : public ReplayTest {
 protected:
  /// What fired first, "CLAUSE in RULE"; empty if nothing.
  template <class Kind>
  std::string first_fired() {
    const Fault fault = fault_of<Kind>();
    for (const Rule* const rule : all_rules()) {
      const Scenario scenario =
          with_settings(scenario_of(rule->scenario), configuration_of_fault(*rule).settings);
      const Judged& judged = run(scenario, &fault);
      if (!judged.failures.empty()) return judged.failures.front().id + " in " + rule->id;
    }
    return "";
  }
};

// Nothing fires without a fault: what fires below is the fault.
TEST_F(HandFaults, None) {
  EXPECT_EQ(first_fired<Interposer>(), "");
}

/// Passes all updates of page tables through one method.
struct OfUpdates : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE)
      return Interposer::BuildPagingBuffer(adapter, build);
    const auto asked = build->UpdatePageTable;
    NTSTATUS status = STATUS_SUCCESS;
    if (alter(build->UpdatePageTable)) status = Interposer::BuildPagingBuffer(adapter, build);
    build->UpdatePageTable = asked;
    return status;
  }
  /// False: the driver does nothing and says that all is well.
  virtual bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) = 0;
};

// A loop that ends before the table's last entry.
struct LastEntryOfTableNotWritten final : OfUpdates {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_PAGETABLELEVELDESC && NT_SUCCESS(status)) {
      const auto& in = *static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(query->pInputData);
      const auto& out = *static_cast<const DXGK_PAGE_TABLE_LEVEL_DESC*>(query->pOutputData);
      entries_[in.LevelIndex] = 1u << out.PageTableIndexBitCount;
    }
    return status;
  }
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    if (update.StartIndex + update.NumPageTableEntries == entries_[update.PageTableLevel])
      --update.NumPageTableEntries;
    return update.NumPageTableEntries > 0;
  }
  std::map<UINT, UINT> entries_;
};

TEST_F(HandFaults, LastEntryOfTableNotWritten) {
  EXPECT_NE(first_fired<LastEntryOfTableNotWritten>(), "");
}

// Entries of directories are only ever added: "the leaf says that it is invalid anyway".
struct DirectoriesKeepInvalidEntries final : OfUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    return update.PageTableLevel == 0 || update.Flags.InitialUpdate ||
           update.pPageTableEntries->Valid != 0;
  }
};

TEST_F(HandFaults, DirectoriesKeepInvalidEntries) {
  EXPECT_NE(first_fired<DirectoriesKeepInvalidEntries>(), "");
}

// The write protection of pages is not carried over into entries.
struct EveryPageCanBeWritten final : OfUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    if (update.PageTableLevel != 0 || update.pPageTableEntries == nullptr) return true;
    const UINT entries = update.Flags.Repeat ? 1 : update.NumPageTableEntries;
    copy_.assign(update.pPageTableEntries, update.pPageTableEntries + entries);
    for (DXGK_PTE& entry : copy_) entry.ReadOnly = 0;
    update.pPageTableEntries = copy_.data();
    return true;
  }
  std::vector<DXGK_PTE> copy_;
};

TEST_F(HandFaults, EveryPageCanBeWritten) {
  EXPECT_NE(first_fired<EveryPageCanBeWritten>(), "");
}

struct OfFlushes : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_FLUSH_TLB)
      return Interposer::BuildPagingBuffer(adapter, build);
    const auto asked = build->FlushTlb;
    NTSTATUS status = STATUS_SUCCESS;
    if (alter(build->FlushTlb)) status = Interposer::BuildPagingBuffer(adapter, build);
    build->FlushTlb = asked;
    return status;
  }
  /// False: the driver does nothing and says that all is well.
  virtual bool alter(DXGK_BUILDPAGINGBUFFER_FLUSHTLB& flush) = 0;
};

// A range of several pages loses its last one, whether its end belongs to it or not.
struct LastPageOfRangeNotFlushed final : OfFlushes {
  bool alter(DXGK_BUILDPAGINGBUFFER_FLUSHTLB& flush) override {
    constexpr UINT64 kPage = 4096;
    if (flush.EndVirtualAddress - flush.StartVirtualAddress > kPage)
      flush.EndVirtualAddress -= kPage + 1;
    return true;
  }
};

TEST_F(HandFaults, LastPageOfRangeNotFlushed) {
  EXPECT_NE(first_fired<LastPageOfRangeNotFlushed>(), "");
}

// All flushes are those of the process that was flushed first.
struct FirstProcessFlushed final : OfFlushes {
  bool alter(DXGK_BUILDPAGINGBUFFER_FLUSHTLB& flush) override {
    if (first_ == nullptr) first_ = flush.hProcess;
    flush.hProcess = first_;
    return true;
  }
  HANDLE first_ = nullptr;
};

TEST_F(HandFaults, FirstProcessFlushed) {
  EXPECT_NE(first_fired<FirstProcessFlushed>(), "");
}

// A range from 0 to 0 is empty.
struct EmptyRangesNotFlushed final : OfFlushes {
  bool alter(DXGK_BUILDPAGINGBUFFER_FLUSHTLB& flush) override {
    return flush.StartVirtualAddress != 0 || flush.EndVirtualAddress != 0;
  }
};

TEST_F(HandFaults, EmptyRangesNotFlushed) {
  EXPECT_TRUE(fires<EmptyRangesNotFlushed>("VPAGE-004"));
}

// ... and for clients alone.
struct SpacesOfClientsNotFlushed final : Interposer {
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    const NTSTATUS status = Interposer::CreateProcess(adapter, create);
    if (create->Flags.SystemProcess != 0) system_ = create->hKmdProcess;
    return status;
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const auto& flush = build->FlushTlb;
    if (build->Operation == DXGK_OPERATION_FLUSH_TLB && flush.hProcess != system_ &&
        flush.EndVirtualAddress == 0) {
      return STATUS_SUCCESS;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
  HANDLE system_ = nullptr;
};

TEST_F(HandFaults, SpacesOfClientsNotFlushed) {
  EXPECT_TRUE(fires<SpacesOfClientsNotFlushed>("VPAGE-004"));
}

// One mark says that some table has changed since the last flush: of two updates and then two flushes
// the second is thought to be for nothing.
struct FlushesWhatChangedOnce final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) changed_ = true;
    if (build->Operation != DXGK_OPERATION_FLUSH_TLB)
      return Interposer::BuildPagingBuffer(adapter, build);
    if (!changed_) return STATUS_SUCCESS;
    changed_ = false;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
  bool changed_ = false;
};

TEST_F(HandFaults, FlushesWhatChangedOnce) {
  EXPECT_NE(first_fired<FlushesWhatChangedOnce>(), "");
}

// Of several ranges the first is copied.
struct FirstRangeCopied final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES)
      return Interposer::BuildPagingBuffer(adapter, build);
    const UINT asked = build->CopyPageTableEntries.NumRanges;
    build->CopyPageTableEntries.NumRanges = 1;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->CopyPageTableEntries.NumRanges = asked;
    return status;
  }
};

TEST_F(HandFaults, FirstRangeCopied) {
  EXPECT_TRUE(fires<FirstRangeCopied>("PT-017"));
}

// A context that gets another root keeps the number of entries of its first.
struct EntriesOfFirstRoot final : Interposer {
  void SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    DXGKARG_SETROOTPAGETABLE altered = *set;
    altered.NumEntries = first_.emplace(set->hContext, set->NumEntries).first->second;
    Interposer::SetRootPageTable(adapter, &altered);
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    first_.erase(context);
    return Interposer::DestroyContext(context);
  }
  std::map<HANDLE, UINT> first_;
};

TEST_F(HandFaults, EntriesOfFirstRoot) {
  EXPECT_NE(first_fired<EntriesOfFirstRoot>(), "");
}

// The root is remembered by adapter, to save a write of the register that each context has.
struct SameRootIsSetOnce final : Interposer {
  void SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    const bool same = last_.Address.SegmentId == set->Address.SegmentId &&
                      last_.Address.SegmentOffset == set->Address.SegmentOffset &&
                      last_.NumEntries == set->NumEntries;
    last_ = *set;
    if (!same) Interposer::SetRootPageTable(adapter, set);
  }
  DXGKARG_SETROOTPAGETABLE last_{};
};

TEST_F(HandFaults, SameRootIsSetOnce) {
  EXPECT_NE(first_fired<SameRootIsSetOnce>(), "");
}

// One process object for all that use the adapter, with a count of them.
struct OneProcess final : Interposer {
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    if (users_++ == 0) {
      const NTSTATUS status = Interposer::CreateProcess(adapter, create);
      if (!NT_SUCCESS(status)) users_ = 0;
      only_ = create->hKmdProcess;
      return status;
    }
    create->hKmdProcess = only_;
    return STATUS_SUCCESS;
  }
  NTSTATUS DestroyProcess(HANDLE adapter, HANDLE process) override {
    return --users_ == 0 ? Interposer::DestroyProcess(adapter, process) : STATUS_SUCCESS;
  }
  int users_ = 0;
  HANDLE only_ = nullptr;
};

TEST_F(HandFaults, OneProcess) {
  EXPECT_NE(first_fired<OneProcess>(), "");
}

// The switch to another context is written behind the packet that needs it.
struct ContextOfPreviousPacket final : Interposer {
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL altered = *submit;
    if (!submit->Flags.Paging) {
      if (last_ != nullptr) altered.hContext = last_;
      last_ = submit->hContext;
    }
    return Interposer::SubmitCommandVirtual(adapter, &altered);
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    if (last_ == context) last_ = nullptr;
    return Interposer::DestroyContext(context);
  }
  HANDLE last_ = nullptr;
};

TEST_F(HandFaults, ContextOfPreviousPacket) {
  EXPECT_NE(first_fired<ContextOfPreviousPacket>(), "");
}

// Faults carry the process of the first that there was.
struct ProcessOfFirstFault final : Interposer {
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      if (first_ == nullptr) first_ = data->DmaPageFaulted.FaultedProcessHandle;
      altered.DmaPageFaulted.FaultedProcessHandle = first_;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }
  HANDLE first_ = nullptr;
};

TEST_F(HandFaults, ProcessOfFirstFault) {
  EXPECT_NE(first_fired<ProcessOfFirstFault>(), "");
}

// Faults carry the driver's own handle of the process, not Dxgkrnl's.
struct DriversProcessInFault final : Interposer {
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    const NTSTATUS status = Interposer::CreateProcess(adapter, create);
    own_[create->hDxgkProcess] = create->hKmdProcess;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED)
      altered.DmaPageFaulted.FaultedProcessHandle = own_[data->DmaPageFaulted.FaultedProcessHandle];
    Interposer::NotifyInterrupt(adapter, &altered);
  }
  std::map<HANDLE, HANDLE> own_;
};

TEST_F(HandFaults, DriversProcessInFault) {
  EXPECT_NE(first_fired<DriversProcessInFault>(), "");
}

// The fence of a packet that faulted is reported once more, as one that is done.
struct FaultedFenceCompletes final : Interposer {
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    Interposer::NotifyInterrupt(adapter, data);
    if (data->InterruptType != DXGK_INTERRUPT_DMA_PAGE_FAULTED) return;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA again{};
    again.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    again.DmaCompleted.SubmissionFenceId = data->DmaPageFaulted.FaultedFenceId;
    again.DmaCompleted.NodeOrdinal = data->DmaPageFaulted.NodeOrdinal;
    again.DmaCompleted.EngineOrdinal = data->DmaPageFaulted.EngineOrdinal;
    Interposer::NotifyInterrupt(adapter, &again);
  }
};

TEST_F(HandFaults, FaultedFenceCompletes) {
  EXPECT_NE(first_fired<FaultedFenceCompletes>(), "");
}

// The register for the size of a copy has 16 bits.
struct SizeOfTransferHas16Bits final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_VIRTUAL_TRANSFER)
      return Interposer::BuildPagingBuffer(adapter, build);
    const UINT64 asked = build->TransferVirtual.TransferSizeInBytes;
    build->TransferVirtual.TransferSizeInBytes = asked & 0xFFFF;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->TransferVirtual.TransferSizeInBytes = asked;
    return status;
  }
};

TEST_F(HandFaults, SizeOfTransferHas16Bits) {
  EXPECT_NE(first_fired<SizeOfTransferHas16Bits>(), "");
}

// The offset in the allocation is added to both addresses, which stand for that place already.
struct OffsetOfTransferTwice final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_VIRTUAL_TRANSFER)
      return Interposer::BuildPagingBuffer(adapter, build);
    const auto asked = build->TransferVirtual;
    build->TransferVirtual.SourceVirtualAddress += asked.AllocationOffsetInBytes;
    build->TransferVirtual.DestinationVirtualAddress += asked.AllocationOffsetInBytes;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->TransferVirtual = asked;
    return status;
  }
};

TEST_F(HandFaults, OffsetOfTransferTwice) {
  EXPECT_NE(first_fired<OffsetOfTransferTwice>(), "");
}

}  // namespace
}  // namespace wddm::harness
