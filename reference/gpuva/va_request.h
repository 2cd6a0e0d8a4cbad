// What the GPU virtual address allocator is asked, and what it decides.
//
// Members are those of the DDI's structures, in their units, as a client gave them: anything may be
// wrong. What the DDI names by a handle is given with its size, because the allocator knows no
// allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "reference/gpuva/gpu_address.h"
#include "reference/gpuva/page_state.h"
#include "reference/types.h"

namespace wddm::gpuva {

/// D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE, as its Value.
using Protection = std::uint64_t;
inline constexpr Protection kProtectWrite = 1;
inline constexpr Protection kProtectExecute = 2;
inline constexpr Protection kProtectZero = 4;
inline constexpr Protection kProtectNoAccess = 8;
inline constexpr Protection kProtectSystemUseOnly = 16;

/// D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE, as its value.
inline constexpr std::uint32_t kReserveNoAccess = 0;
inline constexpr std::uint32_t kReserveZero = 1;
inline constexpr std::uint32_t kReserveNoCommit = 2;

/// An allocation that a request names.
struct AllocationRef {
  AllocationId id{};
  std::uint64_t size_pages = 0;
  bool pages_64k = false;  ///< its memory is managed in pages of 64 KiB (PGSZ-003)
};

/// D3DDDI_MAPGPUVIRTUALADDRESS, or DXGKARGCB_MAPCONTEXTALLOCATION.
struct MapGpuVirtualAddress {
  GpuVirtualAddress base{};     ///< 0: any
  GpuVirtualAddress minimum{};  ///< 0: no limit; both limits count for base 0 only
  GpuVirtualAddress maximum{};  ///< 0: no limit
  std::optional<AllocationRef> allocation{};
  std::uint64_t offset_pages = 0;
  std::uint64_t size_pages = 0;
  Protection protection = kProtectWrite;
  std::uint64_t driver_protection = 0;
  bool context_allocation = false;  ///< DxgkCbMapContextAllocation
};

/// D3DDDI_RESERVEGPUVIRTUALADDRESS.
struct ReserveGpuVirtualAddress {
  GpuVirtualAddress base{};  ///< 0: any
  GpuVirtualAddress minimum{};
  GpuVirtualAddress maximum{};
  std::uint64_t size = 0;  ///< bytes
  std::uint32_t type = kReserveNoAccess;
  std::uint64_t driver_protection = 0;
};

/// D3DKMT_FREEGPUVIRTUALADDRESS.
struct FreeGpuVirtualAddress {
  GpuVirtualAddress base{};
  std::uint64_t size = 0;  ///< bytes
};

/// MAP; with another protection MAP_PROTECT.
struct UpdateMap {
  GpuVirtualAddress base{};
  std::uint64_t size = 0;  ///< bytes
  AllocationRef allocation;
  std::uint64_t allocation_offset = 0;  ///< bytes
  std::uint64_t allocation_size = 0;    ///< bytes; 0: as `size`
  Protection protection = kProtectWrite;
  std::uint64_t driver_protection = 0;
};
struct UpdateUnmap {
  GpuVirtualAddress base{};
  std::uint64_t size = 0;  ///< bytes
  Protection protection = kProtectNoAccess;
};
struct UpdateCopy {
  GpuVirtualAddress source{};
  std::uint64_t size = 0;  ///< bytes
  GpuVirtualAddress destination{};
};
using UpdateOperation = std::variant<UpdateMap, UpdateUnmap, UpdateCopy>;

/// The operations of one call of UpdateGpuVirtualAddress, in order.
struct UpdateGpuVirtualAddress {
  std::span<const UpdateOperation> operations;
};

/// DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE.
struct ReserveForDriver {
  std::uint64_t size = 0;       ///< bytes
  std::uint32_t alignment = 0;  ///< bytes
  GpuVirtualAddress base{};     ///< 0: any
  bool allow_user_mode_mapping = false;
};

/// DxgkDdiCreateProcess has returned: the driver may reserve no more.
struct EndOfCreation {};

/// The allocation is destroyed.
struct DestroyAllocation {
  AllocationId allocation{};
};

using VaInput =
    std::variant<MapGpuVirtualAddress, ReserveGpuVirtualAddress, FreeGpuVirtualAddress,
                 UpdateGpuVirtualAddress, ReserveForDriver, EndOfCreation, DestroyAllocation>;

/// Why a request is refused; nothing has changed then.
enum class VaRefusal : std::uint8_t {
  Unaligned,          ///< an address or size is no multiple of its unit
  NoSize,             ///< nothing is asked for
  OutsideSpace,       ///< it ends behind the address space, or begins below what is ever given out
  BadProtection,      ///< bits that exclude each other, or are not the client's
  BadType,            ///< no such reservation type
  NeedsAllocation,    ///< hAllocation 0 without Zero and NoAccess
  TakesNoAllocation,  ///< hAllocation with Zero or NoAccess
  OutsideAllocation,  ///< the allocation has no such pages
  BadRepetition,      ///< AllocationSizeInBytes does not divide SizeInBytes
  InUse,              ///< it must be free, and is not
  NotOneRange,        ///< neither free nor inside one range
  FromMap,            ///< Zero or NoAccess in a range obtained by Map
  DriversOwn,         ///< in a range that the driver reserved for itself
  NotReserved,        ///< Update: not inside a range obtained by Reserve
  OtherReservation,   ///< Update: not the one of the operations before
  NotObtained,        ///< Free: not inside one range of the client's
  RootEntryZero,      ///< the driver's range takes a part of root entry 0
  OutsideCreateProcess,  ///< the driver reserves when it may not
  NoRoom,                ///< no such place is free
  TooManyPieces,         ///< the model's own limit
};

/// How the DDI tells it.
enum class VaStatus : std::uint8_t { InvalidParameter, NoMemory };
[[nodiscard]] VaStatus status_of(VaRefusal refusal);

/// The request got these addresses: VirtualAddress or StartVirtualAddress.
struct Placed {
  GpuVirtualAddress address{};
  std::uint64_t pages = 0;
  friend bool operator==(const Placed&, const Placed&) = default;
};
/// Queue an update of these entries to this state, behind what was queued before.
struct SetEntries {
  GpuVirtualAddress address{};
  std::uint64_t pages = 0;
  PageState state;
  friend bool operator==(const SetEntries&, const SetEntries&) = default;
};
/// What is still queued for these entries is not to be done (VA-007).
struct IgnoreQueued {
  GpuVirtualAddress address{};
  std::uint64_t pages = 0;
  friend bool operator==(const IgnoreQueued&, const IgnoreQueued&) = default;
};
/// Nothing is done.
struct VaRefused {
  VaRefusal why{};
  std::size_t operation = 0;  ///< of UpdateGpuVirtualAddress
  friend bool operator==(const VaRefused&, const VaRefused&) = default;
};

using VaDecision = std::variant<Placed, SetEntries, IgnoreQueued, VaRefused>;

}  // namespace wddm::gpuva
