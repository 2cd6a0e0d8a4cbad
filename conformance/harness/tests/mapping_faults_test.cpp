// Drivers that do right by an address the first time, or where nothing else is like it, and not by
// what becomes of it later: entries of several kinds in one update, zeros that turn to memory,
// addresses above 4 GB, second processes, roots that grow, copies that are stopped. A clause says
// so in its own scenario, or in that of another one.
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class MappingFaults : public ReplayTest {
 protected:
  const Judged& play(const char* text, Configured where, const Fault& fault) {
    return run(with_settings(scenario_of(text), settings_of(where)), &fault);
  }
};

// -- entries

// DriverProtection is what an address begins with: when its pages have moved, it is not looked at.
struct ProtectsOnce final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    auto& update = build->UpdatePageTable;
    const bool maps = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                      update.PageTableLevel == 0 && update.hAllocation != nullptr &&
                      update.pPageTableEntries[0].Valid != 0;
    if (!maps) return Interposer::BuildPagingBuffer(adapter, build);
    if (build->MultipassOffset == 0) {
      again_ = !known_.emplace(update.hAllocation, update.FirstPteVirtualAddress).second;
    }
    const UINT64 asked = update.DriverProtection;
    if (again_) update.DriverProtection = 0;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    update.DriverProtection = asked;
    return status;
  }
  std::set<std::pair<HANDLE, UINT64>> known_;
  bool again_ = false;
};

TEST_F(MappingFaults, DriverProtectionOfTheFirstUpdate) {
  EXPECT_TRUE(fires<ProtectsOnce>("PTE-008", Configured::GpuVirtual));
  EXPECT_TRUE(fires<ProtectsOnce>("PTE-008", Configured::FourLevels));
}

// What holds for all addresses of an update, its first page says.
template <class Flags>
struct FlagsOfTheFirst final : pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    const DXGK_PTE* first = nullptr;
    for (UINT i = 0; update.PageTableLevel == 0 && i < update.NumPageTableEntries; ++i) {
      DXGK_PTE& entry = update.pPageTableEntries[i];
      if (!entry.Valid || entry.Zero) continue;
      if (first == nullptr) first = &entry;
      Flags::copy(*first, entry);
    }
    return true;
  }
};
struct Accesses {
  static void copy(const DXGK_PTE& from, DXGK_PTE& to) {
    to.ReadOnly = from.ReadOnly;
    to.NoExecute = from.NoExecute;
  }
};
struct Coherence {
  static void copy(const DXGK_PTE& from, DXGK_PTE& to) { to.CacheCoherent = from.CacheCoherent; }
};

TEST_F(MappingFaults, ProtectionOfTheFirstEntry) {
  EXPECT_TRUE(fires<FlagsOfTheFirst<Accesses>>("PTE-004", Configured::GpuVirtual));
  EXPECT_TRUE(fires<FlagsOfTheFirst<Coherence>>("PTE-005", Configured::GpuVirtual));
}

// Where zeros were read nothing was, and nothing has to be flushed.
struct ZerosAreNothing final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_FLUSH_TLB && build->FlushTlb.hProcess == replaced_) {
      replaced_ = nullptr;
      return STATUS_SUCCESS;
    }
    const auto& update = build->UpdatePageTable;
    if (build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && update.PageTableLevel == 0) {
      follow(update);
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
  void follow(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) {
    for (UINT i = 0; i < update.NumPageTableEntries; ++i) {
      const DXGK_PTE& entry = update.pPageTableEntries[update.Flags.Repeat ? 0 : i];
      const std::pair<HANDLE, UINT64> page{update.hProcess,
                                           update.FirstPteVirtualAddress + i * UINT64{4096}};
      const bool was_zero = zeros_.erase(page) != 0;
      if (entry.Valid && entry.Zero) zeros_.insert(page);
      if (was_zero && entry.Valid && !entry.Zero) replaced_ = update.hProcess;
    }
  }
  std::set<std::pair<HANDLE, UINT64>> zeros_;
  HANDLE replaced_ = nullptr;
};

TEST_F(MappingFaults, ZerosThatAreNotFlushed) {
  EXPECT_TRUE(fires<ZerosAreNothing>("PTE-003", Configured::GpuVirtual));
  EXPECT_TRUE(fires<ZerosAreNothing>("PTE-003", Configured::FourLevels));
}

// -- page faults

template <class How>
struct AltersFaults final : Interposer {
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) How::alter(altered);
    Interposer::NotifyInterrupt(adapter, &altered);
  }
};
struct Of32Bits {
  static void alter(DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
    data.DmaPageFaulted.FaultedVirtualAddress &= 0xffffffffu;
  }
};

TEST_F(MappingFaults, FaultsAboveFourGigabytes) {
  EXPECT_TRUE(fires<AltersFaults<Of32Bits>>("MMU-013", Configured::FourLevels));
}

// -- processes

// Companions of all processes have the root of the first.
struct OnePrivilegedSpace final : Interposer {
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    if (paging_device_ == nullptr) paging_device_ = device;
    const bool companion = create->Flags.SystemContext != 0 && device != paging_device_;
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status) && companion) companions_.insert(create->hContext);
    return status;
  }
  void SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    DXGKARG_SETROOTPAGETABLE altered = *set;
    if (companions_.contains(set->hContext)) {
      if (first_.NumEntries == 0) first_ = *set;
      altered.Address = first_.Address;
      altered.NumEntries = first_.NumEntries;
    }
    Interposer::SetRootPageTable(adapter, &altered);
  }
  HANDLE paging_device_ = nullptr;
  std::set<HANDLE> companions_;
  DXGKARG_SETROOTPAGETABLE first_{};
};

TEST_F(MappingFaults, OnePrivilegedSpaceForAll) {
  EXPECT_TRUE(fires<OnePrivilegedSpace>("VA-009", Configured::FourLevels));
}

// The address space is the device's: when one goes, it is over for all contexts of the process.
struct SpaceOfTheDevice final : Interposer {
  NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* create) override {
    const NTSTATUS status = Interposer::CreateDevice(adapter, create);
    adapter_ = adapter;
    if (NT_SUCCESS(status)) processes_[create->hDevice] = create->hKmdProcess;
    return status;
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status)) contexts_[create->hContext] = device;
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    contexts_.erase(context);
    return Interposer::DestroyContext(context);
  }
  NTSTATUS DestroyDevice(HANDLE device) override {
    const HANDLE process = processes_[device];
    processes_.erase(device);
    const NTSTATUS status = Interposer::DestroyDevice(device);
    for (const auto& [context, of] : contexts_) {
      if (processes_[of] != process) continue;
      DXGKARG_SETROOTPAGETABLE none{};
      none.hContext = context;
      Interposer::SetRootPageTable(adapter_, &none);
    }
    return status;
  }
  HANDLE adapter_ = nullptr;
  std::map<HANDLE, HANDLE> processes_;  // by device
  std::map<HANDLE, HANDLE> contexts_;   // devices
};

TEST_F(MappingFaults, AProcessThatLosesItsFirstDevice) {
  const Fault fault = fault_of<SpaceOfTheDevice>();
  const char* const control = find_rule("PROC-005")->control;
  EXPECT_FALSE(play(control, Configured::FourLevels, fault).failures.empty());
}

// -- roots

// How many entries a root has by now, the context learns that is told first.
struct TellsOneOfItsSize final : Interposer {
  void SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    const auto known = sizes_.emplace(set->hContext, set->NumEntries);
    const bool told = set->Address.SegmentOffset == told_.Address.SegmentOffset &&
                      set->NumEntries == told_.NumEntries;
    told_ = *set;
    DXGKARG_SETROOTPAGETABLE altered = *set;
    if (!known.second && told) altered.NumEntries = known.first->second;
    known.first->second = altered.NumEntries;
    Interposer::SetRootPageTable(adapter, &altered);
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    sizes_.erase(context);
    return Interposer::DestroyContext(context);
  }
  std::map<HANDLE, UINT> sizes_;
  DXGKARG_SETROOTPAGETABLE told_{};
};

TEST_F(MappingFaults, AGrowingRootThatOneContextIsToldOf) {
  const Fault fault = fault_of<TellsOneOfItsSize>();
  const char* const scenario = find_rule("ROOT-009")->scenario;
  EXPECT_TRUE(says(play(scenario, Configured::GpuVirtualUpdates, fault), "ROOT-007"));
}

// A packet that was stopped goes on with the root that it was submitted with first.
struct KeepsRootOfStop final : Interposer {
  void SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    roots_[set->hContext] = *set;
    Interposer::SetRootPageTable(adapter, set);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    const auto now = roots_.find(submit->hContext);
    if (submit->Flags.Paging || now == roots_.end()) {
      return Interposer::SubmitCommandVirtual(adapter, submit);
    }
    if (!submit->Flags.Resubmission) {
      submitted_[submit->hContext] = now->second;
      return Interposer::SubmitCommandVirtual(adapter, submit);
    }
    Interposer::SetRootPageTable(adapter, &submitted_[submit->hContext]);
    const NTSTATUS status = Interposer::SubmitCommandVirtual(adapter, submit);
    Interposer::SetRootPageTable(adapter, &now->second);
    return status;
  }
  std::map<HANDLE, DXGKARG_SETROOTPAGETABLE> roots_, submitted_;
};

TEST_F(MappingFaults, AStoppedPacketOfTheOtherGpuThatKeepsItsRoot) {
  EXPECT_TRUE(fires_in_that_of<KeepsRootOfStop>("LDA-003", "ROOT-010"));
}

// -- copies

TEST_F(MappingFaults, CopiesThatAreNotCarriedOutWhenTheyAreSubmittedAgain) {
  const Rule& copies = *find_rule("PT-017");
  const Fault& runs_once = find_rule("PT-019")->fault;
  EXPECT_TRUE(says(play(copies.control, Configured::GpuVirtual, runs_once), "PT-017"));
}

}  // namespace
}  // namespace wddm::harness
