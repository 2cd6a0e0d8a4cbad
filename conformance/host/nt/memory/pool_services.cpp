// ExAllocatePool*, ExFreePool* and lookaside lists: from the names drivers use to the pool.
//
// Sources: the function reference of wdm.h. Lookaside lists keep no cache: their entries are pool
// blocks, so that each is guarded and accounted. Left out: extended parameters of ExAllocatePool3
// other than optional ones, and raising on failure (the caller gets null as well).
#include "conformance/host/nt/core/leaks.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/memory/pool.h"
#include "conformance/sdk/ddi/nt/pool.h"

namespace wddm::nt {
namespace {

constexpr std::uint32_t kNoTag = 0x656e6f4e;  // 'None', as Windows tags ExAllocatePool

CallSite site_of(const Service& service) {
  return {service.name(), service.caller()};
}

PoolKind kind_of(POOL_TYPE type) {
  const auto bits = static_cast<unsigned>(type);
  if (bits & PagedPool) return PoolKind::Paged;
  return bits & POOL_NX_ALLOCATION ? PoolKind::NonPaged : PoolKind::NonPagedExecute;
}

void* allocate(const Service& service, PoolKind kind, PoolFill fill, SIZE_T bytes, ULONG tag) {
  if (tag == 0) service.report(FindingKind::BadParameter, "pool tag 0");
  if (bytes == 0) service.report(FindingKind::BadParameter, "zero bytes of pool");
  return pool_allocate({kind, fill, PoolOwner::Driver, tag, bytes}, site_of(service));
}

void* allocate(const Service& service, POOL_TYPE type, PoolFill fill, SIZE_T bytes, ULONG tag) {
  if (static_cast<unsigned>(type) & POOL_ZERO_ALLOCATION) fill = PoolFill::Zero;
  return allocate(service, kind_of(type), fill, bytes, tag);
}

// Flags whose meaning is optional lie in the upper half and may be ignored.
constexpr POOL_FLAGS kKnownFlags = POOL_FLAG_USE_QUOTA | POOL_FLAG_UNINITIALIZED |
                                   POOL_FLAG_SESSION | POOL_FLAG_CACHE_ALIGNED |
                                   POOL_FLAG_RAISE_ON_FAILURE | POOL_FLAG_NON_PAGED |
                                   POOL_FLAG_NON_PAGED_EXECUTE | POOL_FLAG_PAGED;
constexpr POOL_FLAGS kRequiredFlags = 0xffffffff;

void* allocate_by_flags(const Service& service, POOL_FLAGS flags, SIZE_T bytes, ULONG tag) {
  const POOL_FLAGS kinds =
      flags & (POOL_FLAG_NON_PAGED | POOL_FLAG_NON_PAGED_EXECUTE | POOL_FLAG_PAGED);
  if (kinds == 0 || (kinds & (kinds - 1)) != 0) {
    service.report(FindingKind::BadParameter, "not exactly one pool type in the flags");
    return nullptr;
  }
  if (flags & kRequiredFlags & ~kKnownFlags) {
    service.report(FindingKind::BadParameter, "unknown flag among the required ones");
    return nullptr;
  }
  const PoolKind kind = flags & POOL_FLAG_PAGED       ? PoolKind::Paged
                        : flags & POOL_FLAG_NON_PAGED ? PoolKind::NonPaged
                                                      : PoolKind::NonPagedExecute;
  const PoolFill fill = flags & POOL_FLAG_UNINITIALIZED ? PoolFill::Poison : PoolFill::Zero;
  return allocate(service, kind, fill, bytes, tag);
}

std::optional<std::uint32_t> tag_to_check(ULONG tag) {
  return tag == 0 ? std::nullopt : std::optional<std::uint32_t>(tag);
}

std::uint32_t g_lookaside_lists = 0;  // initialized and not deleted

void initialize(NPAGED_LOOKASIDE_LIST* list, PALLOCATE_FUNCTION allocate, PFREE_FUNCTION free,
                POOL_TYPE type, SIZE_T size, ULONG tag) {
  ++g_lookaside_lists;
  *list = {};
  list->Size = size;
  list->Tag = tag;
  list->Type = type;
  list->Allocate = allocate;
  list->Free = free;
}

void remove(NPAGED_LOOKASIDE_LIST* list) {
  if (list->Size != 0 && g_lookaside_lists != 0) --g_lookaside_lists;
  *list = {};
}

void* take(const Service& service, NPAGED_LOOKASIDE_LIST* list) {
  if (list->Allocate) return list->Allocate(list->Type, list->Size, list->Tag);
  return allocate(service, list->Type, PoolFill::Poison, list->Size, list->Tag);
}

void give(const Service& service, NPAGED_LOOKASIDE_LIST* list, void* entry) {
  if (list->Free) return list->Free(entry);
  pool_free(entry, list->Tag, site_of(service), PoolOwner::Driver);
}

}  // namespace

void lookaside_boot() {
  g_lookaside_lists = 0;
}

void report_lookaside_leaks() {
  if (g_lookaside_lists != 0) leak("lookaside", "list", g_lookaside_lists);
}

}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

PVOID ExAllocatePool(POOL_TYPE PoolType, SIZE_T NumberOfBytes) {
  NT_SERVICE(ExAllocatePool);
  return allocate(service, PoolType, PoolFill::Poison, NumberOfBytes, kNoTag);
}

PVOID ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
  NT_SERVICE(ExAllocatePoolWithTag);
  return allocate(service, PoolType, PoolFill::Poison, NumberOfBytes, Tag);
}

PVOID ExAllocatePoolWithQuotaTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
  NT_SERVICE(ExAllocatePoolWithQuotaTag);
  return allocate(service, PoolType, PoolFill::Poison, NumberOfBytes, Tag);
}

PVOID ExAllocatePoolWithTagPriority(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag,
                                    EX_POOL_PRIORITY) {
  NT_SERVICE(ExAllocatePoolWithTagPriority);
  return allocate(service, PoolType, PoolFill::Poison, NumberOfBytes, Tag);
}

PVOID ExAllocatePoolZero(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
  NT_SERVICE(ExAllocatePoolZero);
  return allocate(service, PoolType, PoolFill::Zero, NumberOfBytes, Tag);
}

PVOID ExAllocatePoolUninitialized(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
  NT_SERVICE(ExAllocatePoolUninitialized);
  return allocate(service, PoolType, PoolFill::Poison, NumberOfBytes, Tag);
}

PVOID ExAllocatePool2(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag) {
  NT_SERVICE(ExAllocatePool2);
  return allocate_by_flags(service, Flags, NumberOfBytes, Tag);
}

PVOID ExAllocatePool3(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag, PCPOOL_EXTENDED_PARAMETER,
                      ULONG) {
  NT_SERVICE(ExAllocatePool3);
  return allocate_by_flags(service, Flags, NumberOfBytes, Tag);
}

VOID ExFreePool(PVOID P) {
  NT_SERVICE(ExFreePool);
  pool_free(P, std::nullopt, site_of(service), PoolOwner::Driver);
}

VOID ExFreePoolWithTag(PVOID P, ULONG Tag) {
  NT_SERVICE(ExFreePoolWithTag);
  pool_free(P, tag_to_check(Tag), site_of(service), PoolOwner::Driver);
}

VOID ExFreePool2(PVOID P, ULONG Tag, PCPOOL_EXTENDED_PARAMETER, ULONG) {
  NT_SERVICE(ExFreePool2);
  pool_free(P, tag_to_check(Tag), site_of(service), PoolOwner::Driver);
}

VOID ExInitializeNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PALLOCATE_FUNCTION Allocate,
                                     PFREE_FUNCTION Free, ULONG Flags, SIZE_T Size, ULONG Tag,
                                     USHORT) {
  NT_SERVICE(ExInitializeNPagedLookasideList);
  const unsigned type = NonPagedPoolNx & ~static_cast<unsigned>(POOL_NX_ALLOCATION);
  initialize(Lookaside, Allocate, Free, static_cast<POOL_TYPE>(type | (Flags & POOL_NX_ALLOCATION)),
             Size, Tag);
}

VOID ExDeleteNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside) {
  NT_SERVICE(ExDeleteNPagedLookasideList);
  remove(Lookaside);
}

PVOID ExAllocateFromNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside) {
  NT_SERVICE(ExAllocateFromNPagedLookasideList);
  return take(service, Lookaside);
}

VOID ExFreeToNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry) {
  NT_SERVICE(ExFreeToNPagedLookasideList);
  give(service, Lookaside, Entry);
}

VOID ExInitializePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PALLOCATE_FUNCTION Allocate,
                                    PFREE_FUNCTION Free, ULONG, SIZE_T Size, ULONG Tag, USHORT) {
  NT_SERVICE(ExInitializePagedLookasideList);
  initialize(Lookaside, Allocate, Free, PagedPool, Size, Tag);
}

VOID ExDeletePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside) {
  NT_SERVICE(ExDeletePagedLookasideList);
  remove(Lookaside);
}

PVOID ExAllocateFromPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside) {
  NT_SERVICE(ExAllocateFromPagedLookasideList);
  return take(service, Lookaside);
}

VOID ExFreeToPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry) {
  NT_SERVICE(ExFreeToPagedLookasideList);
  give(service, Lookaside, Entry);
}

}  // extern "C"
