// Contiguous memory, device memory, physical addresses, probing.
//
// Sources: the reference pages of MmAllocateContiguousMemory*, MmMapIoSpace*, ProbeForRead and kin.
// Left out: cache types, node numbers, the lower address limit other than by failing.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <vector>

#include "conformance/host/nt/core/leaks.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/image/call_sites.h"
#include "conformance/host/nt/memory/mdl.h"
#include "conformance/host/nt/memory/pool.h"
#include "conformance/sdk/ddi/seh.h"
#include "reference/types.h"

namespace wddm::nt {
namespace {

using memory::Frame;

// Contiguous memory is uninitialised; this much of it is made to look so. Video memory of whole
// megabytes stays zero, because touching all its pages would cost more than most scenarios.
constexpr std::uint64_t kPoisonLimit = 1 << 20;
// An address is the user's up to here.
constexpr std::uint64_t kUserEnd = memory::kUserBase + memory::kUserSize;

struct Contiguous {
  void* base;
  Frame first;
  std::uint64_t pages;
  Asker asker;
};
struct IoMapping {
  void* base;
  std::uint64_t bytes;
  Asker asker;
};
std::vector<Contiguous> g_contiguous;
std::vector<IoMapping> g_io_mappings;

// The frame behind what was just allocated stays nobody's until all others have been used: a GPU
// that is told of too many pages, or begins one too early, finds no memory there.
void leave_gap_behind(std::uint64_t highest) {
  const Frame gap = memory::frames_allocate_contiguous(1, memory::FrameOwner::Driver, highest, 1,
                                                       memory::FrameContent::Leftover);
  if (gap != 0) memory::frames_free_contiguous(gap);
}

void* take_contiguous(const Service& service, SIZE_T bytes, std::uint64_t lowest,
                      std::uint64_t highest, std::uint64_t boundary) {
  const std::uint64_t pages = pages_of(bytes);
  if (pages == 0 || allocation_must_fail()) return nullptr;
  // Aligned to its size, a run crosses no multiple of a boundary that is at least as large.
  std::uint64_t alignment = 1;
  if (boundary != 0) {
    alignment = std::bit_ceil(pages);
    if (alignment * kPageSize > boundary || alignment > 4096) return nullptr;
  }
  const bool poisoned = pages * kPageSize <= kPoisonLimit;
  const Frame first = memory::frames_allocate_contiguous(
      pages, memory::FrameOwner::Driver, highest, alignment,
      poisoned ? memory::FrameContent::Leftover : memory::FrameContent::Zero);
  if (first == 0) return nullptr;
  bool registers = false;
  void* base = memory::bus_map(first * kPageSize, pages * kPageSize, &registers);
  if (!base || first * kPageSize < lowest) {
    if (base) memory::bus_unmap(base);
    memory::frames_free_contiguous(first);
    return nullptr;
  }
  leave_gap_behind(highest);
  if (poisoned) std::memset(base, kPoisonAllocated, pages * kPageSize);
  g_contiguous.push_back({base, first, pages, asker_at(service.caller())});
  return base;
}

void* allocate_contiguous(const Service& service, SIZE_T bytes, std::uint64_t lowest,
                          std::uint64_t highest, std::uint64_t boundary) {
  void* const base = take_contiguous(service, bytes, lowest, highest, boundary);
  allocation_made(base != nullptr);
  return base;
}

void free_contiguous(const Service& service, void* base) {
  const auto found = std::find_if(g_contiguous.begin(), g_contiguous.end(),
                                  [&](const Contiguous& block) { return block.base == base; });
  if (found == g_contiguous.end()) {
    service.report(FindingKind::BadParameter, "not contiguous memory, or freed already");
    return;
  }
  memory::bus_unmap(base);
  memory::frames_free_contiguous(found->first);
  g_contiguous.erase(found);
}

// "The size in bytes of the allocated buffer": rounded up to pages it is the same.
void compare_size(const Service& service, void* base, SIZE_T bytes) {
  const auto found = std::find_if(g_contiguous.begin(), g_contiguous.end(),
                                  [&](const Contiguous& block) { return block.base == base; });
  if (found == g_contiguous.end() || found->pages == pages_of(bytes)) return;
  service.report(FindingKind::BadParameter, "NumberOfBytes is not that of the allocation");
}

// One of two, and at most one of two others besides.
bool is_protection_of_contiguous_memory(ULONG protect) {
  constexpr ULONG kCaching = PAGE_NOCACHE | PAGE_WRITECOMBINE;
  const ULONG access = protect & ~kCaching;
  const bool known = access == PAGE_READWRITE || access == PAGE_EXECUTE_READWRITE;
  return known && (protect & kCaching) != kCaching;
}

bool has_memory(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0 || address + bytes - 1 < address) return false;
  for (Frame frame = address / kPageSize; frame <= (address + bytes - 1) / kPageSize; ++frame)
    if (memory::frame_owner(frame) == memory::FrameOwner::Free) return false;
  return true;
}

void* map_io(const Service& service, PHYSICAL_ADDRESS address, SIZE_T bytes) {
  if (allocation_must_fail()) return nullptr;
  bool registers = false;
  void* base = memory::bus_map(static_cast<std::uint64_t>(address.QuadPart), bytes, &registers);
  if (!base) {
    // Else address space is exhausted.
    if (!has_memory(static_cast<std::uint64_t>(address.QuadPart), bytes))
      service.report(FindingKind::BadParameter, "nothing answers at that physical address");
    return nullptr;
  }
  g_io_mappings.push_back({base, bytes, asker_at(service.caller())});
  return base;
}

std::uint64_t quad(PHYSICAL_ADDRESS address) {
  return static_cast<std::uint64_t>(address.QuadPart);
}

std::uint64_t at(const volatile void* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

// The kernel reads the mask before it looks at `how`: EFAULT tells a bad address, EINVAL a good
// one, and nothing is changed.
bool readable(const void* address) {
  const auto aligned = reinterpret_cast<const void*>(at(address) & ~7ull);
  return syscall(SYS_rt_sigprocmask, -1, aligned, nullptr, 8) == -1 && errno == EINVAL;
}

void probe_range(const volatile void* address, SIZE_T length, ULONG alignment) {
  if (length == 0) return;
  if (at(address) & (alignment - 1)) ExRaiseDatatypeMisalignment();
  if (at(address) + length < at(address) || at(address) + length > kUserEnd)
    raise_access_violation();
}

template <class Left>
void report_left(const char* type, const char* what, const std::vector<Left>& all) {
  if (all.empty()) return;
  std::vector<Asker> askers;
  for (const Left& one : all) askers.push_back(one.asker);
  leak(type, what, static_cast<std::uint32_t>(all.size()), from_askers(askers));
}

}  // namespace

const void* contiguous_memory_at(std::uint64_t physical_address) {
  const Frame frame = physical_address / kPageSize;
  for (const Contiguous& block : g_contiguous) {
    if (frame >= block.first && frame - block.first < block.pages) return block.base;
  }
  return nullptr;
}

std::size_t contiguous_blocks() {
  return g_contiguous.size();
}

void io_memory_boot() {
  g_contiguous.clear();
  g_io_mappings.clear();
}

void report_io_memory_leaks() {
  report_left("contiguous", "block", g_contiguous);
  report_left("I/O space", "mapping", g_io_mappings);
}

}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

PVOID MmSystemRangeStart = reinterpret_cast<PVOID>(wddm::memory::kArenaBase);
PVOID MmHighestUserAddress = reinterpret_cast<PVOID>(kUserEnd - 1);

PVOID MmAllocateContiguousMemory(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS HighestAcceptableAddress) {
  NT_SERVICE(MmAllocateContiguousMemory);
  return allocate_contiguous(service, NumberOfBytes, 0, quad(HighestAcceptableAddress), 0);
}

PVOID MmAllocateContiguousMemorySpecifyCache(SIZE_T NumberOfBytes,
                                             PHYSICAL_ADDRESS LowestAcceptableAddress,
                                             PHYSICAL_ADDRESS HighestAcceptableAddress,
                                             PHYSICAL_ADDRESS BoundaryAddressMultiple,
                                             MEMORY_CACHING_TYPE) {
  NT_SERVICE(MmAllocateContiguousMemorySpecifyCache);
  return allocate_contiguous(service, NumberOfBytes, quad(LowestAcceptableAddress),
                             quad(HighestAcceptableAddress), quad(BoundaryAddressMultiple));
}

PVOID MmAllocateContiguousNodeMemory(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
                                     PHYSICAL_ADDRESS HighestAcceptableAddress,
                                     PHYSICAL_ADDRESS BoundaryAddressMultiple, ULONG Protect,
                                     NODE_REQUIREMENT) {
  NT_SERVICE(MmAllocateContiguousNodeMemory);
  if (!is_protection_of_contiguous_memory(Protect))
    service.report(FindingKind::BadParameter, "Protect is none of contiguous memory");
  return allocate_contiguous(service, NumberOfBytes, quad(LowestAcceptableAddress),
                             quad(HighestAcceptableAddress), quad(BoundaryAddressMultiple));
}

VOID MmFreeContiguousMemory(PVOID BaseAddress) {
  NT_SERVICE(MmFreeContiguousMemory);
  free_contiguous(service, BaseAddress);
}

VOID MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T NumberOfBytes,
                                        MEMORY_CACHING_TYPE) {
  NT_SERVICE(MmFreeContiguousMemorySpecifyCache);
  compare_size(service, BaseAddress, NumberOfBytes);
  free_contiguous(service, BaseAddress);
}

PVOID MmAllocateNonCachedMemory(SIZE_T NumberOfBytes) {
  NT_SERVICE(MmAllocateNonCachedMemory);
  return allocate_contiguous(service, NumberOfBytes, 0, ~0ull, 0);
}

VOID MmFreeNonCachedMemory(PVOID BaseAddress, SIZE_T) {
  NT_SERVICE(MmFreeNonCachedMemory);
  free_contiguous(service, BaseAddress);
}

PHYSICAL_ADDRESS MmGetPhysicalAddress(PVOID BaseAddress) {
  NT_SERVICE(MmGetPhysicalAddress);
  PHYSICAL_ADDRESS result{};
  std::uint64_t physical = 0;
  if (wddm::memory::physical_of(BaseAddress, &physical))
    result.QuadPart = static_cast<LONGLONG>(physical);
  else
    service.report(FindingKind::BadParameter, "the address has no physical memory behind it");
  return result;
}

PVOID MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, MEMORY_CACHING_TYPE) {
  NT_SERVICE(MmMapIoSpace);
  return map_io(service, PhysicalAddress, NumberOfBytes);
}

PVOID MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, ULONG) {
  NT_SERVICE(MmMapIoSpaceEx);
  return map_io(service, PhysicalAddress, NumberOfBytes);
}

VOID MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes) {
  NT_SERVICE(MmUnmapIoSpace);
  const auto found = std::find_if(g_io_mappings.begin(), g_io_mappings.end(),
                                  [&](const IoMapping& map) { return map.base == BaseAddress; });
  if (found == g_io_mappings.end()) {
    service.report(FindingKind::BadParameter, "not mapped by MmMapIoSpace, or unmapped already");
    return;
  }
  if (found->bytes != NumberOfBytes)
    service.report(FindingKind::BadParameter, "unmapped with another size than mapped");
  wddm::memory::bus_unmap(BaseAddress);
  g_io_mappings.erase(found);
}

BOOLEAN MmIsAddressValid(PVOID VirtualAddress) {
  NT_SERVICE(MmIsAddressValid);
  return readable(VirtualAddress);
}

VOID ProbeForRead(const volatile VOID* Address, SIZE_T Length, ULONG Alignment) {
  NT_SERVICE(ProbeForRead);
  probe_range(Address, Length, Alignment);
}

VOID ProbeForWrite(volatile VOID* Address, SIZE_T Length, ULONG Alignment) {
  NT_SERVICE(ProbeForWrite);
  probe_range(Address, Length, Alignment);
  // Unlike reading, writing is tried on every page.
  const auto user = [](std::uint64_t address) {
    return wddm::memory::user_accessible(reinterpret_cast<const void*>(address));
  };
  for (std::uint64_t done = 0; done < Length;) {
    const std::uint64_t left = user(at(Address) + done);
    if (left == 0) raise_access_violation();
    done += left;
  }
}

HANDLE MmSecureVirtualMemory(PVOID Address, SIZE_T Size, ULONG) {
  NT_SERVICE(MmSecureVirtualMemory);
  if (allocation_must_fail()) return nullptr;
  return wddm::memory::user_accessible(Address) >= Size ? Address : nullptr;
}

VOID MmUnsecureVirtualMemory(HANDLE) {
  NT_SERVICE(MmUnsecureVirtualMemory);
}

}  // extern "C"
