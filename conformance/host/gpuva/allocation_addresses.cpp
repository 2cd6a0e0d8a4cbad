#include "conformance/host/gpuva/allocation_addresses.h"

#include <algorithm>
#include <utility>

#include "conformance/host/boundary/session.h"
#include "conformance/host/gpuva/address_pieces.h"
#include "conformance/host/gpuva/address_requests.h"

namespace wddm::host {
namespace {

constexpr std::uint64_t kUnit = ProcessRanges::kUnit;
constexpr gpummu::GpuVirtualAddress kFirst = ProcessRanges::kFirst;
constexpr const char* kNoneLeft = "there are no addresses left";

gpummu::VaRange range_of(std::uint64_t page, std::uint64_t pages) {
  return {{page * kPageSize}, pages * kPageSize};
}

}  // namespace

void AllocationAddresses::begin(const gpummu::Geometry& geometry, const OwnAddresses& own) {
  ranges_.begin(geometry, own);
  for (const AllocationId id : kAllAllocations) forget(id);
}

void AllocationAddresses::forget(ProcessId id) {
  ranges_.forget(id);
  for (const AllocationId allocation : kAllAllocations) {
    std::erase_if(mappings_[allocation], [&](const Mapping& each) { return each.process == id; });
  }
}

std::vector<AllocationAddresses::Part> AllocationAddresses::forget(AllocationId allocation) {
  std::vector<Part> parts = parts_of(allocation);
  for (const auto& [id, there] : ranges_.all()) {
    static_cast<void>(answer(id, gpuva::DestroyAllocation{allocation}));
  }
  // Nothing is known there of whose addresses without pages are.
  for (const Mapping& each : mappings_[allocation]) {
    if (each.leads_to_pages() || ranges_.find(each.process) == nullptr) continue;
    const gpuva::FreeGpuVirtualAddress input{{each.address.value}, bytes_of(allocation)};
    const Answer freed = answer(each.process, input);
    parts.insert(parts.end(), freed.parts.begin(), freed.parts.end());
  }
  mappings_[allocation].clear();
  freed_[allocation] = {};
  return parts;
}

std::vector<AllocationAddresses::Part> AllocationAddresses::parts_of(
    AllocationId allocation) const {
  std::vector<Part> parts;
  for (const auto& [id, there] : ranges_.all()) {
    const gpuva::VaMap& map = there.ranges.map();
    for (const gpuva::Piece& piece : pieces_of(map, allocation, 0, map.pages())) {
      parts.push_back({id, range_of(piece.page, piece.pages), piece.state});
    }
  }
  return parts;
}

// One that has no size is about the allocation as a whole.
bool AllocationAddresses::faults(ProcessId id, const gpu::Access& access) const {
  const Mapping* const mapping = newest(access.allocation, id);
  if (mapping == nullptr || mapping->protection == Protection::NoAccess) return true;
  const bool reads = access.kind == gpu::AccessKind::Read;
  if (mapping->protection == Protection::ReadOnly && !reads) return true;
  const Process* const there = ranges_.find(id);
  if (mapping->protection == Protection::Zero || there == nullptr) return false;
  const std::uint64_t end = std::uint64_t{access.offset} + access.size;
  for (std::uint64_t at = access.offset / kPageSize * kPageSize; at < end; at += kPageSize) {
    const auto state = there->ranges.entry({mapping->address.value + at});
    if (!state || state->kind != gpuva::PageKind::Mapped) return true;
    if (!reads && !state->write) return true;
  }
  return false;
}

const AllocationAddresses::Mapping* AllocationAddresses::newest(AllocationId allocation,
                                                                ProcessId id) const {
  const auto& all = mappings_[allocation];
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [id](const Mapping& each) { return each.process == id; });
  return found == all.rend() ? nullptr : &*found;
}

gpuva::AllocationRef AllocationAddresses::reference_to(AllocationId allocation) const {
  return {allocation, bytes_of(allocation) / kPageSize, true};
}

// Where the GPU has large pages, what is as large as one gets an address that may have them.
std::optional<AllocationAddresses::Address> AllocationAddresses::for_large_pages(
    const Process& there, AllocationId allocation) const {
  const gpummu::Geometry& geometry = ranges_.geometry();
  const std::uint64_t large = geometry.largest_page_within(bytes_of(allocation));
  const bool wanted = geometry.caps().large_page_supported &&
                      objects_.allocation(allocation).large_pages && large > kUnit;
  if (!wanted) return std::nullopt;
  const auto page = there.ranges.map().lowest_fit({.pages = bytes_of(allocation) / kPageSize,
                                                   .alignment = large / kPageSize,
                                                   .first = kFirst.value / kPageSize,
                                                   .end = there.ranges.map().pages()});
  return page ? std::optional(Address{*page * kPageSize}) : std::nullopt;
}

AllocationAddresses::Answer AllocationAddresses::answer(ProcessId id, const gpuva::VaInput& input) {
  ev::AddressAnswered told = told_of(input);
  told.paging_fence = static_cast<std::uint32_t>(fence_.value);
  told.device = fence_.device.value;
  auto decided = ranges_.ask(id, input, told);
  if (!decided) return {{}, kNoneLeft};
  Answer result;
  if (decided->placed) result.mapping = Mapping{id, *decided->placed};
  if (decided->refused) result.refused = text_of(*decided->refused);
  result.parts = std::move(decided->parts);
  return result;
}

AllocationAddresses::Answer AllocationAddresses::ask(AllocationId allocation,
                                                     const Mapping& wanted) {
  const Process* const there = ranges_.of(wanted.process);
  if (there == nullptr) return {{}, kNoneLeft};
  const std::uint64_t pages = bytes_of(allocation) / kPageSize;
  gpuva::MapGpuVirtualAddress request{.base = {wanted.address.value},
                                      .minimum = {kFirst.value},
                                      .maximum = {},
                                      .size_pages = pages,
                                      .protection = protection_of(wanted.protection),
                                      .driver_protection = wanted.driver_protection};
  if (wanted.leads_to_pages()) {
    request.allocation = reference_to(allocation);
    if (request.base.value == 0) {
      if (const auto large = for_large_pages(*there, allocation)) request.base = {large->value};
    }
  } else if (request.base.value == 0) {
    // What maps nothing gets its alignment all the same.
    const auto probe = there->ranges.map().lowest_fit({.pages = pages,
                                                       .alignment = kUnit / kPageSize,
                                                       .first = kFirst.value / kPageSize,
                                                       .end = there->ranges.map().pages()});
    if (!probe) return {{}, kNoneLeft};
    request.base = {*probe * kPageSize};
  }
  Answer result = answer(wanted.process, request);
  if (result.refused != nullptr || !result.mapping) {
    return {{}, result.refused != nullptr ? result.refused : kNoneLeft};
  }
  const Address placed = result.mapping->address;
  result.mapping = wanted;
  result.mapping->address = placed;
  return result;
}

bool AllocationAddresses::need(AllocationId allocation, ProcessId id) {
  if (newest(allocation, id) != nullptr) return true;
  if (freed_[allocation].value != 0 && id == process_of(allocation)) return true;
  const Address base = allocation == kMarkerAllocation ? ranges_.own().marker : Address{};
  const Answer answer = ask(allocation, {.process = id, .address = base});
  if (answer.mapping) mappings_[allocation].push_back(*answer.mapping);
  return answer.mapping.has_value();
}

AllocationAddresses::Address AllocationAddresses::for_commands_of(AllocationId allocation,
                                                                  ProcessId id) const {
  const Process* const there = ranges_.find(id);
  if (const Mapping* const mapping = newest(allocation, id)) {
    // What was freed of it may be another's by now.
    const bool own =
        there == nullptr || !mapping->leads_to_pages() ||
        leads_to_no_other(there->ranges.map(), allocation, mapping->address.value / kPageSize,
                          bytes_of(allocation) / kPageSize);
    return own ? mapping->address : Address{};
  }
  const Address freed = freed_[allocation];
  const bool nobodys =
      there != nullptr && id == process_of(allocation) && freed.value != 0 &&
      there->ranges.is_free({freed.value}, bytes_of(allocation) / kPageSize);
  return nobodys ? freed : Address{};
}

std::optional<AllocationAddresses::Address> AllocationAddresses::place(AllocationId allocation,
                                                                       AddressPlace at,
                                                                       std::uint32_t bit) {
  const Process* const there = ranges_.of(process_of(allocation));
  if (there == nullptr) return std::nullopt;
  switch (at) {
    case AddressPlace::Next:
      return Address{};
    case AddressPlace::Top: {
      const std::uint64_t bytes = ProcessRanges::whole_units(bytes_of(allocation));
      std::uint64_t end = ranges_.geometry().space_bytes();
      while (end >= bytes + kFirst.value) {
        if (there->ranges.is_free({end - bytes}, bytes / kPageSize)) return Address{end - bytes};
        end -= kUnit;
      }
      return std::nullopt;
    }
    case AddressPlace::Bit:
      return Address{kFirst.value + (std::uint64_t{1} << bit)};
    case AddressPlace::Same: {
      const Mapping* const now = newest(allocation, process_of(allocation));
      const Address same = now != nullptr ? now->address : freed_[allocation];
      return same.value == 0 ? std::nullopt : std::optional(same);
    }
  }
  return std::nullopt;
}

AllocationAddresses::Answer AllocationAddresses::map(AllocationId allocation, AddressPlace at,
                                                     std::uint32_t bit, Protection protection,
                                                     std::uint64_t driver_protection) {
  const auto base = place(allocation, at, bit);
  if (!base) return {{}, "there is no such address"};
  auto& all = mappings_[allocation];
  const ProcessId own = process_of(allocation);
  // Windows would map it there all the same, over what was there: whose address it was then has no
  // memory, and commands cannot tell.
  const gpummu::VaRange range{*base, bytes_of(allocation)};
  const Mapping* const now = newest(allocation, own);
  const bool again = now != nullptr && now->address == *base;
  if (base->value != 0 && !again && ranges_.geometry().contains(range) &&
      !ranges_.of(own)->ranges.is_free({base->value}, range.bytes / kPageSize)) {
    return {{}, text_of(gpuva::VaRefusal::InUse)};
  }
  Answer answer = ask(allocation, {own, *base, protection, driver_protection});
  if (!answer.mapping) return answer;
  std::erase_if(all, [&](const Mapping& each) {
    return each.process == own && each.address == answer.mapping->address;
  });
  all.push_back(*answer.mapping);
  freed_[allocation] = {};
  return answer;
}

// Piece by piece: parts of it may have been freed before, and be another's.
AllocationAddresses::Answer AllocationAddresses::free(AllocationId allocation, std::uint32_t page,
                                                      std::uint32_t pages) {
  const ProcessId own = process_of(allocation);
  const Mapping* const found = newest(allocation, own);
  if (found == nullptr) return {{}, "it has no address"};
  const std::uint64_t in_all = bytes_of(allocation) / kPageSize;
  const bool whole = pages == 0;
  if (!whole && (page >= in_all || pages > in_all - page)) return {{}, "it has no such pages"};
  if (!whole && !found->leads_to_pages()) return {{}, "it is freed as a whole"};
  const Mapping freed = *found;
  const std::uint64_t first = freed.address.value / kPageSize + (whole ? 0 : page);
  std::vector<Part> there;
  if (freed.leads_to_pages()) {
    const gpuva::VaMap& map = ranges_.of(own)->ranges.map();
    for (const gpuva::Piece& piece : pieces_of(map, allocation, first, whole ? in_all : pages)) {
      there.push_back({own, range_of(piece.page, piece.pages), piece.state});
    }
  } else {
    there.push_back({own, range_of(first, in_all), {}});
  }
  if (whole) {
    mappings_[allocation].erase(mappings_[allocation].begin() +
                                (found - mappings_[allocation].data()));
    freed_[allocation] = freed.address;
  }
  if (there.empty() && !whole) return {{}, "these pages have been freed before"};
  Answer all{freed, nullptr};
  for (const Part& part : there) {
    const gpuva::FreeGpuVirtualAddress input{{part.range.first.value}, part.range.bytes};
    if (!answer(own, input).parts.empty()) all.parts.push_back(part);
  }
  return all;
}

// -- requests as user mode makes them

AllocationAddresses::Answer AllocationAddresses::map_range(AllocationId allocation,
                                                           const RangeRequest& wanted) {
  gpuva::MapGpuVirtualAddress request = request_of(wanted);
  const bool anywhere = request.base.value == 0 && request.minimum.value == 0;
  if (anywhere) request.minimum = {kFirst.value};
  if (wanted.at != AddressChoice::BaseWithoutAllocation) {
    request.allocation = reference_to(allocation);
  }
  return answer(process_of(allocation), request);
}

AllocationAddresses::Answer AllocationAddresses::reserve(ProcessId id, AddressChoice at,
                                                         std::uint64_t base, std::uint64_t bytes,
                                                         bool zero) {
  gpuva::ReserveGpuVirtualAddress request{
      .size = bytes, .type = zero ? gpuva::kReserveZero : gpuva::kReserveNoAccess};
  if (at == AddressChoice::Limits) {
    request.minimum = {base};
    request.maximum = {base + bytes};
  } else {
    request.base = {base};
    if (at == AddressChoice::BaseAndLimits) request.minimum = {base + bytes};
  }
  if (request.base.value == 0 && request.minimum.value == 0) request.minimum = {kFirst.value};
  Answer result = answer(id, request);
  if (result.mapping) ranges_.of(id)->reserved = result.mapping->address;
  return result;
}

AllocationAddresses::Answer AllocationAddresses::update(AllocationId allocation,
                                                        const TileRequest& request) {
  const ProcessId own = process_of(allocation);
  const Process* const there = ranges_.of(own);
  if (there == nullptr || there->reserved.value == 0) return {{}, "nothing was reserved"};
  const gpuva::UpdateOperation operation =
      operation_of(request, {there->reserved.value}, reference_to(allocation));
  Answer result = answer(own, gpuva::UpdateGpuVirtualAddress{{&operation, 1}});
  for (Part& part : result.parts) part.to_source = to_source_of(request);
  return result;
}

std::vector<AllocationId> AllocationAddresses::mapped_in(AllocationId allocation,
                                                         const TileRequest& request) const {
  const Process* const there = ranges_.find(process_of(allocation));
  if (there == nullptr) return {};
  return allocations_in(there->ranges.map(), there->reserved.value / kPageSize + request.to,
                        request.pages);
}

void AllocationAddresses::commands_follow(AllocationId allocation, const TileRequest& request) {
  const ProcessId own = process_of(allocation);
  const Address first{ranges_.of(own)->reserved.value + request.to * kPageSize};
  const gpummu::VaRange changed{first, request.pages * kPageSize};
  for (const AllocationId id : kAllAllocations) {
    std::erase_if(mappings_[id], [&](const Mapping& each) {
      return each.process == own && each.address.value < changed.end() &&
             first.value < each.address.value + bytes_of(id);
    });
  }
  const bool whole = request.kind == AddressUpdate::Map && request.from == 0 &&
                     request.repeated_pages == 0 && changed.bytes == bytes_of(allocation);
  if (!whole) return;
  mappings_[allocation].push_back({own, first, request.protection, request.driver_protection});
  freed_[allocation] = {};
}

AllocationAddresses::ContextAnswer AllocationAddresses::map_context_allocation(
    ProcessId id, std::uint32_t number, const gpuva::MapGpuVirtualAddress& request) {
  if (ranges_.of(id) == nullptr) return {{}, STATUS_NO_MEMORY};
  // A driver that asks before its process has the page for marks would get the page's place.
  if (objects_.allocation(kMarkerAllocation).live) need(kMarkerAllocation, id);
  ev::AddressAnswered told = told_of(request);
  told.request = static_cast<std::uint32_t>(AddressRequest::MapContextAllocation);
  told.allocation = number;
  const auto decided = ranges_.ask(id, request, told);
  ContextAnswer answer;
  if (decided->placed) answer.address = *decided->placed;
  if (decided->refused) {
    const bool wrong = gpuva::status_of(*decided->refused) == gpuva::VaStatus::InvalidParameter;
    answer.status = wrong ? STATUS_INVALID_PARAMETER : STATUS_NO_MEMORY;
  }
  return answer;
}

void AllocationAddresses::forget_context_allocation(AllocationId id) {
  for (const Part& part : parts_of(id)) {
    session().tap(ev::AddressAnswered{.base = part.range.first.value,
                                      .size = part.range.bytes,
                                      .process = part.process.value,
                                      .request = static_cast<std::uint32_t>(AddressRequest::Free),
                                      .allocation = kNone});
  }
  ranges_.forget(id);
}

}  // namespace wddm::host
