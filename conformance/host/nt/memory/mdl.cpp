// MDLs: making, locking, mapping and freeing them.
//
// Sources: the reference pages of IoAllocateMdl, MmProbeAndLockPages, MmMapLockedPagesSpecifyCache
// and kin. An MDL's state is in its MdlFlags, as drivers read them; beside it we remember what we
// made and mapped, to tell leaks and foreign pointers, and since drivers may write to MDLs.
// Left out: quotas, cache types (all memory is coherent here), pages of other processes.
#include "conformance/host/nt/memory/mdl.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "conformance/host/nt/core/leaks.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/memory/mdl_internal.h"
#include "conformance/host/nt/memory/paged_pool.h"
#include "conformance/sdk/ddi/ntstatus.h"
#include "conformance/sdk/ddi/seh.h"
#include "reference/harness_assert.h"

namespace wddm::nt {
namespace {

using memory::Frame;

constexpr std::uint32_t kMdlTag = 0x206c644d;  // 'Mdl '

struct Mapping {
  MDL* mdl;
  void* pages;    // what alias_map() gave
  void* address;  // of the MDL's first byte: what the driver got
};

std::vector<MDL*> g_mdls;       // from IoAllocateMdl
std::vector<Mapping> g_mapped;  // into system space, whoever made the MDL
std::vector<Mapping> g_user_mappings;

CallSite site_of(const Service& service) {
  return {service.name(), service.caller()};
}

std::uint64_t page_count(const MDL* mdl) {
  return ADDRESS_AND_SIZE_TO_SPAN_PAGES(MmGetMdlVirtualAddress(mdl), mdl->ByteCount);
}

bool forget(std::vector<MDL*>& list, const MDL* mdl) {
  const auto found = std::find(list.begin(), list.end(), mdl);
  if (found == list.end()) return false;
  list.erase(found);
  return true;
}

// Undoes the latest mapping that fits; false if none does.
template <class Fits>
bool undo(std::vector<Mapping>& mappings, Fits fits) {
  const auto found = std::find_if(mappings.rbegin(), mappings.rend(), fits);
  if (found == mappings.rend()) return false;
  memory::alias_unmap(found->pages);
  mappings.erase(std::next(found).base());
  return true;
}

// Fills in the frames behind the MDL's own addresses. False: some page is no memory of the machine.
bool fill_frames(MDL* mdl) {
  const auto* page = static_cast<const std::uint8_t*>(mdl->StartVa);
  PFN_NUMBER* frames = MmGetMdlPfnArray(mdl);
  for (std::uint64_t i = 0; i < page_count(mdl); ++i) {
    std::uint64_t physical = 0;
    if (!memory::physical_of(page + i * PAGE_SIZE, &physical)) return false;
    frames[i] = physical / PAGE_SIZE;
  }
  return true;
}

bool in_user_space(const void* address) {
  return address <= MmHighestUserAddress;
}

void* map(const Service& service, MDL* mdl, KPROCESSOR_MODE mode, ULONG priority) {
  if (!mdl_pages_are_locked(mdl)) {
    service.report(FindingKind::BadParameter, "the pages of the MDL are not locked");
    return nullptr;
  }
  const bool system = mode == KernelMode;
  if (system && mdl_has(mdl, MDL_MAPPED_TO_SYSTEM_VA | MDL_SOURCE_IS_NONPAGED_POOL)) {
    service.report(FindingKind::BadParameter, "the MDL is mapped already");
    return mdl->MappedSystemVa;
  }
  if (!mdl_frames_exist(mdl)) {
    service.report(FindingKind::BadParameter, "the MDL names frames that nobody owns");
    return nullptr;
  }
  void* const pages = memory::alias_map(mdl_frames(mdl), (priority & MdlMappingNoWrite) == 0);
  if (!pages) return nullptr;
  void* const address = static_cast<std::uint8_t*>(pages) + mdl->ByteOffset;
  if (system) mdl_note_mapped(mdl, address);
  (system ? g_mapped : g_user_mappings).push_back({mdl, pages, address});
  return address;
}

void* map_or_fail(const Service& service, MDL* mdl, KPROCESSOR_MODE mode, bool bug_check,
                  ULONG priority) {
  void* base = allocation_must_fail() ? nullptr : map(service, mdl, mode, priority);
  if (base) return base;
  if (mode == UserMode) ExRaiseStatus(STATUS_INSUFFICIENT_RESOURCES);
  if (bug_check)
    service.report(FindingKind::BugCheck, "mapping failed and BugCheckOnFailure is set");
  return nullptr;
}

void check_lockable(const Service& service, const MDL* mdl) {
  if (mdl_pages_are_locked(mdl))
    service.report(FindingKind::BadParameter, "the MDL describes locked or nonpaged memory");
  PoolBlock block{};
  const void* start = MmGetMdlVirtualAddress(mdl);
  const bool pageable =
      in_user_space(start) || (pool_find(start, &block) && block.kind == PoolKind::Paged);
  if (pageable && irql() > kApc)
    service.report(FindingKind::IrqlTooHigh, "pageable memory locked above APC_LEVEL");
}

}  // namespace

MDL* mdl_create(PoolOwner owner, void* base, std::uint64_t bytes, const CallSite& site) {
  const SIZE_T size = MmSizeOfMdl(base, bytes);
  void* block = pool_allocate({PoolKind::NonPaged, PoolFill::Zero, owner, kMdlTag, size}, site);
  if (!block) return nullptr;
  MDL* mdl = new (block) MDL{};
  MmInitializeMdl(mdl, base, bytes);
  return mdl;
}

std::vector<Frame> mdl_frames(const MDL* mdl) {
  return {MmGetMdlPfnArray(mdl), MmGetMdlPfnArray(mdl) + page_count(mdl)};
}

bool mdl_frames_exist(const MDL* mdl) {
  const PFN_NUMBER* frames = MmGetMdlPfnArray(mdl);
  return std::all_of(frames, frames + page_count(mdl), [](PFN_NUMBER frame) {
    return memory::frame_owner(frame) != memory::FrameOwner::Free;
  });
}

void mdl_note_mapped(MDL* mdl, void* address) {
  mdl->MappedSystemVa = address;
  mdl_unset(mdl, MDL_MAPPED_TO_SYSTEM_VA | MDL_PARTIAL_HAS_BEEN_MAPPED);
  if (!address) return;
  mdl_set(mdl, MDL_MAPPED_TO_SYSTEM_VA);
  if (mdl_has(mdl, MDL_PARTIAL)) mdl_set(mdl, MDL_PARTIAL_HAS_BEEN_MAPPED);
}

bool mdl_unmap(MDL* mdl) {
  if (reserved_mapping_undo(mdl)) return true;
  if (!undo(g_mapped, [mdl](const Mapping& mapping) { return mapping.mdl == mdl; })) return false;
  mdl_note_mapped(mdl, nullptr);
  return true;
}

void raise_access_violation() {
  ExRaiseAccessViolation();
}

MdlOverFrames::MdlOverFrames(std::span<const Frame> frames, std::uint64_t bytes,
                             std::uint32_t offset)
    : mdl_(mdl_create(PoolOwner::Host, reinterpret_cast<void*>(std::uint64_t{offset}), bytes,
                      {"MDL of Dxgkrnl", nullptr})) {
  HARNESS_ASSERT(mdl_ && offset < PAGE_SIZE && page_count(mdl_) == frames.size());
  std::copy(frames.begin(), frames.end(), MmGetMdlPfnArray(mdl_));
  mdl_set(mdl_, MDL_PAGES_LOCKED);
}

MdlOverFrames::~MdlOverFrames() {
  static_cast<void>(mdl_unmap(mdl_));
  pool_free(mdl_, kMdlTag, {"MDL of Dxgkrnl", nullptr});
}

void mdl_boot() {
  g_mdls.clear();
  mdl_pages_boot();
  reserved_mapping_boot();
  g_mapped.clear();
  g_user_mappings.clear();
}

void report_mdl_leaks() {
  const auto report_if_any = [](const char* type, const char* what, std::size_t count) {
    if (count) leak(type, what, static_cast<std::uint32_t>(count));
  };
  report_if_any("allocated", "MDL", g_mdls.size());
  report_if_any("mapped", "MDL", g_mapped.size() + g_user_mappings.size());
  report_if_any("MDL with pages", "allocation", mdl_pages_left());
  report_reserved_mapping_leaks();
}

}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

SIZE_T MmSizeOfMdl(PVOID Base, SIZE_T Length) {
  return sizeof(MDL) + sizeof(PFN_NUMBER) * ADDRESS_AND_SIZE_TO_SPAN_PAGES(Base, Length);
}

PMDL IoAllocateMdl(PVOID VirtualAddress, ULONG Length, BOOLEAN SecondaryBuffer, BOOLEAN, PIRP Irp) {
  NT_SERVICE(IoAllocateMdl);
  if (allocation_must_fail()) return nullptr;
  MDL* mdl = mdl_create(PoolOwner::Service, VirtualAddress, Length, site_of(service));
  if (!mdl) return nullptr;
  g_mdls.push_back(mdl);
  if (Irp && !SecondaryBuffer) {
    Irp->MdlAddress = mdl;
  } else if (Irp) {
    MDL** last = &Irp->MdlAddress;
    while (*last) last = &(*last)->Next;
    *last = mdl;
  }
  return mdl;
}

VOID IoFreeMdl(PMDL Mdl) {
  NT_SERVICE(IoFreeMdl);
  if (!forget(g_mdls, Mdl)) {
    service.report(FindingKind::BadParameter, "not an MDL of IoAllocateMdl, or freed already");
    return;
  }
  if (mdl_has(Mdl, MDL_PAGES_LOCKED))
    service.report(FindingKind::BadParameter, "freed with its pages locked");
  // Windows unmaps a partial MDL here, and only that. What is mapped at reserved addresses is for
  // MmUnmapReservedMapping alone to unmap.
  const bool partial = mdl_has(Mdl, MDL_PARTIAL_HAS_BEEN_MAPPED) && !is_mapped_at_reserved(Mdl);
  if (mdl_unmap(Mdl) && !partial)
    service.report(FindingKind::BadParameter, "freed while it is mapped");
  pool_free(Mdl, kMdlTag, site_of(service));
}

VOID IoBuildPartialMdl(PMDL SourceMdl, PMDL TargetMdl, PVOID VirtualAddress, ULONG Length) {
  NT_SERVICE(IoBuildPartialMdl);
  const auto* source_start = static_cast<const char*>(MmGetMdlVirtualAddress(SourceMdl));
  const auto offset = static_cast<const char*>(VirtualAddress) - source_start;
  if (offset < 0 || static_cast<std::uint64_t>(offset) >= SourceMdl->ByteCount) {
    service.report(FindingKind::BadParameter, "the address is outside of the source MDL");
    return;
  }
  if (Length == 0) Length = SourceMdl->ByteCount - static_cast<ULONG>(offset);
  if (Length > SourceMdl->ByteCount - static_cast<ULONG>(offset) ||
      MmSizeOfMdl(VirtualAddress, Length) > static_cast<SIZE_T>(TargetMdl->Size)) {
    service.report(FindingKind::BadParameter, "the length exceeds the source or target MDL");
    return;
  }
  const CSHORT size = TargetMdl->Size;
  MmInitializeMdl(TargetMdl, VirtualAddress, Length);
  TargetMdl->Size = size;
  TargetMdl->Process = SourceMdl->Process;
  mdl_set(TargetMdl, MDL_PARTIAL);
  const std::uint64_t first =
      (SourceMdl->ByteOffset + static_cast<std::uint64_t>(offset)) / PAGE_SIZE;
  std::copy_n(MmGetMdlPfnArray(SourceMdl) + first, page_count(TargetMdl),
              MmGetMdlPfnArray(TargetMdl));
  if (mdl_has(SourceMdl, MDL_MAPPED_TO_SYSTEM_VA | MDL_SOURCE_IS_NONPAGED_POOL)) {
    TargetMdl->MappedSystemVa = static_cast<char*>(SourceMdl->MappedSystemVa) + offset;
    mdl_set(TargetMdl, MDL_SOURCE_IS_NONPAGED_POOL);  // usable as it is, and not ours to unmap
  }
}

VOID MmBuildMdlForNonPagedPool(PMDL Mdl) {
  NT_SERVICE(MmBuildMdlForNonPagedPool);
  PoolBlock block{};
  void* const start = MmGetMdlVirtualAddress(Mdl);
  if (pool_find(start, &block) && block.kind == PoolKind::Paged)
    service.report(FindingKind::BadParameter, "the memory is paged pool");
  if (!fill_frames(Mdl)) {
    service.report(FindingKind::BadParameter,
                   "the memory is neither pool nor stack nor a mapping: it has no frames");
    return;
  }
  Mdl->MappedSystemVa = start;
  mdl_set(Mdl, MDL_SOURCE_IS_NONPAGED_POOL);
}

VOID MmProbeAndLockPages(PMDL Mdl, KPROCESSOR_MODE AccessMode, LOCK_OPERATION Operation) {
  NT_SERVICE(MmProbeAndLockPages);
  check_lockable(service, Mdl);
  const auto* start = static_cast<const std::uint8_t*>(MmGetMdlVirtualAddress(Mdl));
  const bool user = in_user_space(start);
  if ((user && wddm::memory::user_accessible(start) < Mdl->ByteCount) ||
      (!user && AccessMode == UserMode) || !fill_frames(Mdl))
    raise_access_violation();
  mdl_set(Mdl, MDL_PAGES_LOCKED);
  paged_pool_lock(start, Mdl->ByteCount);
  if (Operation != IoReadAccess) mdl_set(Mdl, MDL_WRITE_OPERATION);
}

VOID MmUnlockPages(PMDL Mdl) {
  NT_SERVICE(MmUnlockPages);
  if (!mdl_has(Mdl, MDL_PAGES_LOCKED)) {
    service.report(FindingKind::BadParameter, "the pages of the MDL are not locked");
    return;
  }
  // What is mapped otherwise Windows unmaps here.
  if (is_mapped_at_reserved(Mdl))
    service.report(FindingKind::BadParameter, "the MDL is mapped at reserved addresses");
  static_cast<void>(mdl_unmap(Mdl));
  mdl_unset(Mdl, MDL_PAGES_LOCKED | MDL_WRITE_OPERATION);
  paged_pool_unlock(MmGetMdlVirtualAddress(Mdl), Mdl->ByteCount);
}

PVOID MmMapLockedPages(PMDL Mdl, KPROCESSOR_MODE AccessMode) {
  NT_SERVICE(MmMapLockedPages);
  return map_or_fail(service, Mdl, AccessMode, true, NormalPagePriority);
}

PVOID MmMapLockedPagesSpecifyCache(PMDL Mdl, KPROCESSOR_MODE AccessMode, MEMORY_CACHING_TYPE, PVOID,
                                   ULONG BugCheckOnFailure, ULONG Priority) {
  NT_SERVICE(MmMapLockedPagesSpecifyCache);
  if (AccessMode == UserMode && irql() > kApc)
    service.report(FindingKind::IrqlTooHigh, "mapped to user space above APC_LEVEL");
  return map_or_fail(service, Mdl, AccessMode, BugCheckOnFailure != FALSE, Priority);
}

VOID MmUnmapLockedPages(PVOID BaseAddress, PMDL Mdl) {
  NT_SERVICE(MmUnmapLockedPages);
  const auto at_this_address = [&](const Mapping& mapping) {
    return mapping.mdl == Mdl && mapping.address == BaseAddress;
  };
  if (undo(g_user_mappings, at_this_address)) return;
  if (undo(g_mapped, at_this_address)) return mdl_note_mapped(Mdl, nullptr);
  service.report(FindingKind::BadParameter, "the MDL is not mapped at this address");
}

NTSTATUS MmProtectMdlSystemAddress(PMDL Mdl, ULONG) {
  NT_SERVICE(MmProtectMdlSystemAddress);
  if (mdl_has(Mdl, MDL_MAPPED_TO_SYSTEM_VA)) return 0;
  service.report(FindingKind::BadParameter, "the MDL is not mapped");
  return STATUS_INVALID_ADDRESS;
}

VOID KeFlushIoBuffers(PMDL, BOOLEAN, BOOLEAN) {
  NT_SERVICE(KeFlushIoBuffers);  // all memory is coherent
}

}  // extern "C"
