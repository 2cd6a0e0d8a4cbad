#include "conformance/host/adapter/isolated_memory.h"

#include <algorithm>
#include <cstdint>

#include "conformance/host/boundary/session.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/memory/memory_services.h"
#include "conformance/sdk/ddi/nt/memory.h"
#include "conformance/sdk/ddi/nt/pool.h"

namespace wddm::host {
namespace {

// A handle is no address: who takes one for the other touches what nobody has.
constexpr std::uintptr_t kNoAddress = std::uintptr_t{1} << 63;

HANDLE handle_of(void* memory) {
  if (memory == nullptr) return nullptr;
  return reinterpret_cast<HANDLE>(reinterpret_cast<std::uintptr_t>(memory) ^ kNoAddress);
}
void* memory_of(HANDLE handle) {
  return handle_of(handle);
}

template <class Held>
bool taken(std::vector<Held>& held, void* memory) {
  const auto found = std::find(held.begin(), held.end(), static_cast<Held>(memory));
  if (found == held.end()) return false;
  held.erase(found);
  return true;
}

NTSTATUS unknown_handle(const char* callback) {
  nt::report(nt::FindingKind::BadParameter, callback,
             "hMemoryHandle is of nothing that the matching callback gave and that is still there",
             nullptr);
  return STATUS_INVALID_PARAMETER;
}

std::uint32_t freed(std::uint32_t made, std::size_t held) {
  return made - static_cast<std::uint32_t>(held);
}

}  // namespace

void IsolatedMemory::begin() {
  blocks_.clear();
  mdls_.clear();
  blocks_made_ = mdls_made_ = 0;
  told_ = false;
}

void IsolatedMemory::accessed(std::uint64_t address, bool write, std::uint32_t physical_adapter) {
  if (told_) return;
  const void* const block = nt::contiguous_memory_at(address);
  if (block == nullptr || std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end()) return;
  told_ = true;
  session().tap(
      ev::UnmappedAccess{.address = address, .write = write, .physical_adapter = physical_adapter});
}

void IsolatedMemory::tell_balance() const {
  if (blocks_made_ == 0 && mdls_made_ == 0) return;
  session().tap(ev::IsolatedMemoryBalance{.blocks = blocks_made_,
                                          .blocks_freed = freed(blocks_made_, blocks_.size()),
                                          .mdls = mdls_made_,
                                          .mdls_freed = freed(mdls_made_, mdls_.size())});
}

NTSTATUS IsolatedMemory::allocate(DXGKARGCB_ALLOCATECONTIGUOUSMEMORY& args) {
  args.pMemory = MmAllocateContiguousMemorySpecifyCache(
      args.NumberOfBytes, args.LowestAcceptableAddress, args.HighestAcceptableAddress,
      args.BoundaryAddressMultiple, MmCached);
  args.hMemoryHandle = handle_of(args.pMemory);
  if (args.pMemory == nullptr) return STATUS_NO_MEMORY;
  blocks_.push_back(args.pMemory);
  ++blocks_made_;
  return STATUS_SUCCESS;
}

NTSTATUS IsolatedMemory::free(const DXGKARGCB_FREECONTIGUOUSMEMORY& args) {
  void* const memory = memory_of(args.hMemoryHandle);
  if (!taken(blocks_, memory)) return unknown_handle("DxgkCbFreeContiguousMemory");
  MmFreeContiguousMemory(memory);
  return STATUS_SUCCESS;
}

NTSTATUS IsolatedMemory::allocate(DXGKARGCB_ALLOCATEPAGESFORMDL& args) {
  args.pMdl = MmAllocatePagesForMdlEx(args.LowAddress, args.HighAddress, args.SkipBytes,
                                      args.TotalBytes, MmCached, args.Flags);
  args.hMemoryHandle = handle_of(args.pMdl);
  if (args.pMdl == nullptr) return STATUS_NO_MEMORY;
  mdls_.push_back(args.pMdl);
  ++mdls_made_;
  return STATUS_SUCCESS;
}

NTSTATUS IsolatedMemory::free(const DXGKARGCB_FREEPAGESFROMMDL& args) {
  const PMDL mdl = static_cast<PMDL>(memory_of(args.hMemoryHandle));
  if (!taken(mdls_, mdl)) return unknown_handle("DxgkCbFreePagesFromMdl");
  MmFreePagesFromMdl(mdl);
  ExFreePool(mdl);
  return STATUS_SUCCESS;
}

}  // namespace wddm::host
