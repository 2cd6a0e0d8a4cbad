// Addresses that a driver reserves, so that mapping locked pages there cannot fail.
//
// Sources: the reference pages of MmAllocateMappingAddress, MmMapLockedPagesWithReservedMapping and
// kin, and of bug check 0xDA, SYSTEM_PTE_MISUSE, which lists what Windows stops at. We name the
// case by its first parameter, and go on.
// Left out: cache types (all memory is coherent here).
#include <algorithm>
#include <cstdint>
#include <vector>

#include "conformance/host/nt/core/leaks.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/image/call_sites.h"
#include "conformance/host/nt/memory/mdl_internal.h"

namespace wddm::nt {
namespace {

struct Reservation {
  void* base;
  std::uint64_t pages;
  std::uint32_t tag;
  Asker asker;
  MDL* mdl;       // mapped there now, or null
  void* address;  // of the first byte of that MDL: what the driver got
};
std::vector<Reservation> g_reservations;

Reservation* reserved_at(const void* base) {
  const auto found =
      std::find_if(g_reservations.begin(), g_reservations.end(),
                   [base](const Reservation& reserved) { return reserved.base == base; });
  return found == g_reservations.end() ? nullptr : &*found;
}

// The page of MmUnmapReservedMapping asks for the beginning of the range, and in the same breath
// for what mapping it returned. Windows takes both.
Reservation* reserved_or_mapped_at(const void* address) {
  const auto found = std::find_if(
      g_reservations.begin(), g_reservations.end(), [address](const Reservation& reserved) {
        return reserved.base == address || (reserved.mdl && reserved.address == address);
      });
  return found == g_reservations.end() ? nullptr : &*found;
}

Reservation* that_maps(const MDL* mdl) {
  const auto found =
      std::find_if(g_reservations.begin(), g_reservations.end(),
                   [mdl](const Reservation& reserved) { return mdl && reserved.mdl == mdl; });
  return found == g_reservations.end() ? nullptr : &*found;
}

void unmap(Reservation& reserved) {
  memory::alias_unmap_reserved(reserved.base);
  mdl_note_mapped(reserved.mdl, nullptr);
  reserved.mdl = nullptr;
  reserved.address = nullptr;
}

void* reserve(const Service& service, SIZE_T bytes, ULONG tag) {
  if (bytes == 0) {
    service.report(FindingKind::BugCheck, "SYSTEM_PTE_MISUSE 0x100: no bytes are asked for");
    return nullptr;
  }
  const std::uint64_t pages = BYTES_TO_PAGES(bytes);
  void* const base = allocation_must_fail() ? nullptr : memory::alias_reserve(pages);
  allocation_made(base != nullptr);
  if (base)
    g_reservations.push_back({base, pages, tag, asker_at(service.caller()), nullptr, nullptr});
  return base;
}

// Whether the MDL may be mapped anywhere.
bool can_be_mapped(const Service& service, const MDL* mdl) {
  const char* wrong = nullptr;
  if (!mdl_pages_are_locked(mdl))
    wrong = "the pages of the MDL are not locked";
  else if (mdl_has(mdl, MDL_MAPPED_TO_SYSTEM_VA | MDL_SOURCE_IS_NONPAGED_POOL))
    wrong = "the MDL is mapped already";
  else if (!mdl_frames_exist(mdl))
    wrong = "the MDL names frames that nobody owns";
  if (wrong) service.report(FindingKind::BadParameter, wrong);
  return wrong == nullptr;
}

// Whether the reservation is there, the caller's, and maps nothing yet.
bool is_free_to_map(const Service& service, const Reservation* reserved, ULONG tag) {
  const char* wrong = nullptr;
  if (!reserved)
    wrong = "SYSTEM_PTE_MISUSE 0x105: not an address of MmAllocateMappingAddress, or freed already";
  else if (reserved->tag != tag)
    wrong = "SYSTEM_PTE_MISUSE 0x104: PoolTag is not that of the reservation";
  else if (reserved->mdl)
    wrong = "SYSTEM_PTE_MISUSE 0x107: an MDL is mapped there already";
  if (wrong) service.report(FindingKind::BugCheck, wrong);
  return wrong == nullptr;
}

}  // namespace

bool is_mapped_at_reserved(const MDL* mdl) {
  return that_maps(mdl) != nullptr;
}

bool reserved_mapping_undo(MDL* mdl) {
  Reservation* const reserved = that_maps(mdl);
  if (!reserved) return false;
  unmap(*reserved);
  return true;
}

void reserved_mapping_boot() {
  g_reservations.clear();
}

void report_reserved_mapping_leaks() {
  if (g_reservations.empty()) return;
  std::vector<Asker> askers;
  for (const Reservation& reserved : g_reservations) askers.push_back(reserved.asker);
  leak("reserved mapping address", "range", static_cast<std::uint32_t>(askers.size()),
       from_askers(askers));
}

}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

PVOID MmAllocateMappingAddress(SIZE_T NumberOfBytes, ULONG PoolTag) {
  NT_SERVICE(MmAllocateMappingAddress);
  return reserve(service, NumberOfBytes, PoolTag);
}

VOID MmFreeMappingAddress(PVOID BaseAddress, ULONG PoolTag) {
  NT_SERVICE(MmFreeMappingAddress);
  Reservation* const reserved = reserved_at(BaseAddress);
  if (!reserved) {
    service.report(
        FindingKind::BugCheck,
        "SYSTEM_PTE_MISUSE 0x102: not an address of MmAllocateMappingAddress, or freed already");
    return;
  }
  if (reserved->tag != PoolTag)
    service.report(FindingKind::BugCheck,
                   "SYSTEM_PTE_MISUSE 0x101: PoolTag is not that of the reservation");
  if (reserved->mdl) {
    service.report(FindingKind::BugCheck, "SYSTEM_PTE_MISUSE 0x103: freed while an MDL is mapped");
    // The MDL is not looked at: it may be gone.
    wddm::memory::alias_unmap_reserved(reserved->base);
  }
  wddm::memory::alias_release(reserved->base);
  g_reservations.erase(g_reservations.begin() + (reserved - g_reservations.data()));
}

// No allocation_must_fail(): the page promises that this fails for wrong parameters only.
PVOID MmMapLockedPagesWithReservedMapping(PVOID MappingAddress, ULONG PoolTag, PMDL Mdl,
                                          MEMORY_CACHING_TYPE) {
  NT_SERVICE(MmMapLockedPagesWithReservedMapping);
  Reservation* const reserved = reserved_at(MappingAddress);
  if (!is_free_to_map(service, reserved, PoolTag) || !can_be_mapped(service, Mdl)) return nullptr;
  const std::vector<wddm::memory::Frame> frames = mdl_frames(Mdl);
  if (frames.size() > reserved->pages) {
    service.report(FindingKind::BadParameter, "the MDL has more pages than are reserved");
    return nullptr;
  }
  wddm::memory::alias_map_reserved(reserved->base, frames);
  mdl_note_mapped(Mdl, reserved->base);
  reserved->mdl = Mdl;
  reserved->address = static_cast<std::uint8_t*>(reserved->base) + Mdl->ByteOffset;
  return reserved->address;
}

VOID MmUnmapReservedMapping(PVOID BaseAddress, ULONG PoolTag, PMDL Mdl) {
  NT_SERVICE(MmUnmapReservedMapping);
  Reservation* const reserved = reserved_or_mapped_at(BaseAddress);
  if (!reserved) {
    service.report(FindingKind::BugCheck,
                   "SYSTEM_PTE_MISUSE 0x109: nothing is reserved or mapped at this address");
    return;
  }
  if (reserved->tag != PoolTag)
    service.report(FindingKind::BugCheck,
                   "SYSTEM_PTE_MISUSE 0x108: PoolTag is not that of the reservation");
  if (!reserved->mdl) {
    service.report(FindingKind::BugCheck, "SYSTEM_PTE_MISUSE 0x10B: nothing is mapped there");
    return;
  }
  if (reserved->mdl != Mdl) {
    service.report(FindingKind::BadParameter, "another MDL is mapped there");
    return;
  }
  unmap(*reserved);
}

}  // extern "C"
