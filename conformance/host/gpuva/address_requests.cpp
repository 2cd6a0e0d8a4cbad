#include "conformance/host/gpuva/address_requests.h"

#include <algorithm>
#include <variant>

namespace wddm::host {
namespace {

struct ToldOf {
  using Told = ev::AddressAnswered;
  static constexpr std::uint32_t number(AddressRequest request) {
    return static_cast<std::uint32_t>(request);
  }
  Told operator()(const gpuva::MapGpuVirtualAddress& one) const {
    return {.base = one.base.value,
            .minimum = one.minimum.value,
            .maximum = one.maximum.value,
            .size = one.size_pages * kPageSize,
            .offset = one.offset_pages * kPageSize,
            .request = number(AddressRequest::Map),
            .allocation = one.allocation ? one.allocation->id.value : kNone,
            .protection = static_cast<std::uint32_t>(one.protection)};
  }
  Told operator()(const gpuva::ReserveGpuVirtualAddress& one) const {
    return {.base = one.base.value,
            .minimum = one.minimum.value,
            .maximum = one.maximum.value,
            .size = one.size,
            .request = number(AddressRequest::Reserve),
            .allocation = kNone,
            .protection = one.type};
  }
  Told operator()(const gpuva::FreeGpuVirtualAddress& one) const {
    return {.base = one.base.value,
            .size = one.size,
            .request = number(AddressRequest::Free),
            .allocation = kNone};
  }
  // One operation; `protection` is its AddressUpdate.
  Told operator()(const gpuva::UpdateGpuVirtualAddress& one) const {
    Told told{.request = number(AddressRequest::Update), .allocation = kNone};
    if (one.operations.empty()) return told;
    if (const auto* map = std::get_if<gpuva::UpdateMap>(&one.operations[0])) {
      told.base = map->base.value;
      told.size = map->size;
      told.offset = map->allocation_offset;
      told.allocation = map->allocation.id.value;
      told.protection = static_cast<std::uint32_t>(AddressUpdate::Map);
      told.repeated = static_cast<std::uint32_t>(map->allocation_size);
      told.access = static_cast<std::uint32_t>(map->protection);
    } else if (const auto* unmap = std::get_if<gpuva::UpdateUnmap>(&one.operations[0])) {
      const bool zero = unmap->protection == gpuva::kProtectZero;
      told.base = unmap->base.value;
      told.size = unmap->size;
      told.protection =
          static_cast<std::uint32_t>(zero ? AddressUpdate::Zero : AddressUpdate::Unmap);
    } else if (const auto* copy = std::get_if<gpuva::UpdateCopy>(&one.operations[0])) {
      told.base = copy->destination.value;
      told.size = copy->size;
      told.offset = copy->source.value;
      told.protection = static_cast<std::uint32_t>(AddressUpdate::Copy);
    }
    return told;
  }
  Told operator()(const gpuva::DestroyAllocation& one) const {
    return {.request = number(AddressRequest::Free), .allocation = one.allocation.value};
  }
  template <class Other>
  Told operator()(const Other&) const {
    return {.allocation = kNone};
  }
};

}  // namespace

gpuva::Protection protection_of(Protection protection) {
  switch (protection) {
    case Protection::ReadWrite:
      return gpuva::kProtectWrite | gpuva::kProtectExecute;
    case Protection::ReadOnly:
      return gpuva::kProtectExecute;
    case Protection::NoExecute:
      return gpuva::kProtectWrite;
    case Protection::Zero:
      return gpuva::kProtectZero;
    case Protection::NoAccess:
      return gpuva::kProtectNoAccess;
  }
  return 0;
}

const char* not_in(const gpummu::GpuMmuCaps& caps, Protection protection) {
  switch (protection) {
    case Protection::ReadOnly:
      return caps.read_only_memory_supported ? nullptr : "the driver has no read-only entries";
    case Protection::NoExecute:
      return caps.no_execute_memory_supported ? nullptr : "the driver has no no-execute entries";
    case Protection::Zero:
      return caps.zero_in_pte_supported ? nullptr : "the driver has no zero entries";
    case Protection::ReadWrite:
    case Protection::NoAccess:
      break;
  }
  return nullptr;
}

const char* text_of(gpuva::VaRefusal why) {
  switch (why) {
    case gpuva::VaRefusal::InUse:
    case gpuva::VaRefusal::NotOneRange:
      return "something else has these addresses";
    case gpuva::VaRefusal::OutsideSpace:
      return "the address space ends before";
    case gpuva::VaRefusal::FromMap:
      return "what an allocation was mapped to is not made zero or inaccessible: free it first";
    case gpuva::VaRefusal::NotObtained:
      return "nothing was mapped there";
    case gpuva::VaRefusal::NoRoom:
    case gpuva::VaRefusal::TooManyPieces:
      return "there are no addresses left";
    case gpuva::VaRefusal::Unaligned:
    case gpuva::VaRefusal::NoSize:
    case gpuva::VaRefusal::BadProtection:
    case gpuva::VaRefusal::BadType:
    case gpuva::VaRefusal::NeedsAllocation:
    case gpuva::VaRefusal::TakesNoAllocation:
    case gpuva::VaRefusal::OutsideAllocation:
    case gpuva::VaRefusal::BadRepetition:
    case gpuva::VaRefusal::DriversOwn:
    case gpuva::VaRefusal::NotReserved:
    case gpuva::VaRefusal::OtherReservation:
    case gpuva::VaRefusal::RootEntryZero:
    case gpuva::VaRefusal::OutsideCreateProcess:
      break;
  }
  return "the addresses cannot be mapped so";
}

ev::AddressAnswered told_of(const gpuva::VaInput& input) {
  return std::visit(ToldOf{}, input);
}

gpuva::MapGpuVirtualAddress request_of(const RangeRequest& wanted) {
  gpuva::MapGpuVirtualAddress request{.offset_pages = wanted.offset_pages,
                                      .size_pages = wanted.pages,
                                      .protection = protection_of(wanted.protection)};
  const std::uint64_t end = wanted.base + wanted.pages * kPageSize;
  switch (wanted.at) {
    case AddressChoice::Base:
    case AddressChoice::BaseWithoutAllocation:
      request.base = {wanted.base};
      break;
    case AddressChoice::Limits:
      request.minimum = {wanted.base};
      request.maximum = {end};
      break;
    case AddressChoice::BaseAndLimits:
      request.base = {wanted.base};
      request.minimum = {end};
      request.maximum = {end + wanted.pages * kPageSize};
      break;
  }
  return request;
}

gpuva::UpdateOperation operation_of(const TileRequest& request, gpuva::GpuVirtualAddress reserved,
                                    const gpuva::AllocationRef& allocation) {
  const gpuva::GpuVirtualAddress first{reserved.value + request.to * kPageSize};
  const std::uint64_t bytes = request.pages * kPageSize;
  switch (request.kind) {
    case AddressUpdate::Map:
      return gpuva::UpdateMap{.base = first,
                              .size = bytes,
                              .allocation = allocation,
                              .allocation_offset = request.from * kPageSize,
                              .allocation_size = request.repeated_pages * kPageSize,
                              .protection = protection_of(request.protection),
                              .driver_protection = request.driver_protection};
    case AddressUpdate::Unmap:
      return gpuva::UpdateUnmap{first, bytes, gpuva::kProtectNoAccess};
    case AddressUpdate::Zero:
      return gpuva::UpdateUnmap{first, bytes, gpuva::kProtectZero};
    case AddressUpdate::Copy:
      return gpuva::UpdateCopy{{reserved.value + request.from * kPageSize}, bytes, first};
  }
  return gpuva::UpdateUnmap{};
}

Protection protection_of(const TileRequest& request) {
  if (request.kind == AddressUpdate::Zero) return Protection::Zero;
  return request.kind == AddressUpdate::Map ? request.protection : Protection::ReadWrite;
}

std::optional<std::uint64_t> to_source_of(const TileRequest& request) {
  const std::uint64_t apart =
      std::max(request.to, request.from) - std::min(request.to, request.from);
  if (request.kind != AddressUpdate::Copy || apart < request.pages) return std::nullopt;
  return (request.from - request.to) * kPageSize;
}

}  // namespace wddm::host
