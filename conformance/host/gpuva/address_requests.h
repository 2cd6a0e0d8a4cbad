// Requests for GPU virtual addresses between ops, oracle and trace: protections as the oracle has
// them, refusals in words, and what was asked as an event.
#pragma once

#include <optional>

#include "reference/gpummu/caps.h"
#include "reference/gpuva/va_request.h"
#include "reference/trace/event.h"
#include "reference/trace/op.h"

namespace wddm::host {

[[nodiscard]] gpuva::Protection protection_of(Protection protection);
/// Null, or why a driver with these caps has no such entries.
[[nodiscard]] const char* not_in(const gpummu::GpuMmuCaps& caps, Protection protection);
[[nodiscard]] const char* text_of(gpuva::VaRefusal why);
/// Without its answer, and whose it is.
[[nodiscard]] ev::AddressAnswered told_of(const gpuva::VaInput& input);

/// What a client is told to wait for; 0: nothing.
struct PagingFence {
  DeviceId device{kNone};
  std::uint64_t value = 0;
};

/// MapGpuVirtualAddress as an op asks for it.
struct RangeRequest {
  Protection protection = Protection::ReadWrite;
  AddressChoice at = AddressChoice::Base;
  std::uint64_t base = 0;
  std::uint64_t pages = 0;
  std::uint64_t offset_pages = 0;
};
/// All but the allocation.
[[nodiscard]] gpuva::MapGpuVirtualAddress request_of(const RangeRequest& wanted);

/// One operation of UpdateGpuVirtualAddress, in pages of a reserved range and of an allocation.
struct TileRequest {
  AddressUpdate kind = AddressUpdate::Map;
  std::uint64_t to = 0, from = 0, pages = 0;
  std::uint64_t repeated_pages = 0;  ///< AllocationSizeInBytes; 0: as many
  Protection protection = Protection::ReadWrite;
  std::uint64_t driver_protection = 0;
};
[[nodiscard]] gpuva::UpdateOperation operation_of(const TileRequest& request,
                                                  gpuva::GpuVirtualAddress reserved,
                                                  const gpuva::AllocationRef& allocation);
/// Of the entries that it is to make; those of a copy are as they are.
[[nodiscard]] Protection protection_of(const TileRequest& request);
/// Of a copy: what an address has to be moved by to be that of its source. Nothing where the two
/// overlap: when entries are written the source is not there any more.
[[nodiscard]] std::optional<std::uint64_t> to_source_of(const TileRequest& request);

}  // namespace wddm::host
