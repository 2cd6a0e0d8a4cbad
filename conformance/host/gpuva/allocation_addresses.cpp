#include "conformance/host/gpuva/allocation_addresses.h"

#include <algorithm>

namespace wddm::host {
namespace {

constexpr std::uint64_t kUnit = gpummu::kPageSize64K;
constexpr std::uint64_t kMegabyte = 1u << 20;
// Null and what is near it is nobody's.
constexpr gpummu::GpuVirtualAddress kOfMarker{kUnit};
constexpr gpummu::GpuVirtualAddress kFirst{2 * kUnit};
// Between kFirst + 8 MB and kFirst + 16 MB.
constexpr gpummu::VaRange kCommands{{9 * kMegabyte}, 7 * kMegabyte};
constexpr std::uint64_t kSmallSpace = 64 * kMegabyte;

std::uint64_t up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

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

}  // namespace

void AllocationAddresses::begin(const gpummu::Geometry& geometry) {
  geometry_ = geometry;
  processes_.clear();
  kept_for_driver_.clear();
  for (const AllocationId id : kAllAllocations) forget(id);
}

gpummu::VaRange AllocationAddresses::commands_of(const gpummu::Geometry& geometry) {
  const std::uint64_t all = geometry.space_bytes();
  if (all >= kSmallSpace) return kCommands;
  const std::uint64_t first = all / 4 * 3 / kUnit * kUnit;
  return {{first}, all - first};
}

AllocationAddresses::Process* AllocationAddresses::process(ProcessId id) {
  if (const auto found = processes_.find(id); found != processes_.end()) return &found->second;
  if (!geometry_ || geometry_->space_bytes() < 8 * kUnit) return nullptr;
  const gpuva::VaConfig config{
      .address_bits = geometry_->caps().virtual_address_bit_count,
      .leaf_coverage = geometry_->table_bytes(0),
      .root_entry_coverage = geometry_->entry_bytes(geometry_->root_level())};
  Process& made = processes_.try_emplace(id, config).first->second;
  const gpummu::VaRange commands = commands_of(*geometry_);
  for (const gpummu::VaRange& range : kept_for_driver_[id]) {
    static_cast<void>(made.ranges.step(
        gpuva::ReserveForDriver{.size = range.bytes,
                                .alignment = static_cast<std::uint32_t>(config.leaf_coverage),
                                .base = {range.first.value}}));
  }
  static_cast<void>(made.ranges.step(gpuva::EndOfCreation{}));
  static_cast<void>(made.ranges.step(gpuva::ReserveGpuVirtualAddress{
      .base = {commands.first.value}, .minimum = {}, .maximum = {}, .size = commands.bytes}));
  made.next_commands = commands.first.value;
  return &made;
}

// What breaks the rules of such ranges is judged by PROC-002, and is nobody's all the same.
void AllocationAddresses::keep_for_driver(ProcessId id, std::span<const gpummu::VaRange> ranges) {
  if (ranges.empty() || processes_.contains(id)) return;
  kept_for_driver_[id].assign(ranges.begin(), ranges.end());
}

ProcessId AllocationAddresses::process_of(AllocationId allocation) const {
  return objects_.device(objects_.allocation(allocation).device).process;
}

std::uint64_t AllocationAddresses::bytes_of(AllocationId allocation) const {
  return objects_.allocation(allocation).bytes;
}

void AllocationAddresses::forget(ProcessId id) {
  processes_.erase(id);
  kept_for_driver_.erase(id);
  for (const AllocationId allocation : kAllAllocations) {
    std::erase_if(mappings_[allocation], [&](const Mapping& each) { return each.process == id; });
  }
}

void AllocationAddresses::forget(AllocationId allocation) {
  for (const Mapping& each : mappings_[allocation]) {
    if (const auto found = processes_.find(each.process); found != processes_.end()) {
      static_cast<void>(found->second.ranges.step(
          gpuva::FreeGpuVirtualAddress{{each.address.value}, bytes_of(allocation)}));
    }
  }
  mappings_[allocation].clear();
  freed_[allocation] = {};
}

const AllocationAddresses::Mapping* AllocationAddresses::newest(AllocationId allocation,
                                                                ProcessId id) const {
  const auto& all = mappings_[allocation];
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [id](const Mapping& each) { return each.process == id; });
  return found == all.rend() ? nullptr : &*found;
}

AllocationAddresses::Answer AllocationAddresses::ask(AllocationId allocation, ProcessId id,
                                                     Address base, Protection protection) {
  Process* const there = process(id);
  if (there == nullptr) return {{}, "there are no addresses left"};
  const std::uint64_t pages = bytes_of(allocation) / kPageSize;
  gpuva::MapGpuVirtualAddress request{.base = {base.value},
                                      .minimum = {kFirst.value},
                                      .maximum = {},
                                      .size_pages = pages,
                                      .protection = protection_of(protection)};
  const Mapping wanted{id, base, protection};
  // What maps nothing gets its alignment all the same.
  request.allocation = gpuva::AllocationRef{allocation, pages, true};
  if (!wanted.leads_to_pages()) {
    if (base.value == 0) {
      const auto probe = there->ranges.map().lowest_fit({.pages = pages,
                                                         .alignment = kUnit / kPageSize,
                                                         .first = kFirst.value / kPageSize,
                                                         .end = there->ranges.map().pages()});
      if (!probe) return {{}, "there are no addresses left"};
      request.base = {*probe * kPageSize};
    }
    request.allocation.reset();
  }
  for (const gpuva::VaDecision& decision : there->ranges.step(request)) {
    if (const auto* placed = std::get_if<gpuva::Placed>(&decision)) {
      return {Mapping{id, {placed->address.value}, protection}, nullptr};
    }
    if (const auto* no = std::get_if<gpuva::VaRefused>(&decision)) return {{}, text_of(no->why)};
  }
  return {{}, "there are no addresses left"};
}

bool AllocationAddresses::need(AllocationId allocation, ProcessId id) {
  if (newest(allocation, id) != nullptr) return true;
  if (freed_[allocation].value != 0 && id == process_of(allocation)) return true;
  const Address base = allocation == kMarkerAllocation ? kOfMarker : Address{};
  const Answer answer = ask(allocation, id, base, Protection::ReadWrite);
  if (answer.mapping) mappings_[allocation].push_back(*answer.mapping);
  return answer.mapping.has_value();
}

AllocationAddresses::Address AllocationAddresses::for_commands_of(AllocationId allocation,
                                                                  ProcessId id) const {
  if (const Mapping* const mapping = newest(allocation, id)) return mapping->address;
  const auto there = processes_.find(id);
  const Address freed = freed_[allocation];
  const bool nobodys =
      there != processes_.end() && id == process_of(allocation) && freed.value != 0 &&
      there->second.ranges.is_free({freed.value}, bytes_of(allocation) / kPageSize);
  return nobodys ? freed : Address{};
}

std::optional<AllocationAddresses::Address> AllocationAddresses::place(AllocationId allocation,
                                                                       AddressPlace at,
                                                                       std::uint32_t bit) {
  const Process* const there = process(process_of(allocation));
  if (there == nullptr) return std::nullopt;
  switch (at) {
    case AddressPlace::Next:
      return Address{};
    case AddressPlace::Top: {
      const std::uint64_t bytes = up(bytes_of(allocation), kUnit);
      std::uint64_t end = geometry_->space_bytes();
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
                                                     std::uint32_t bit, Protection protection) {
  const auto base = place(allocation, at, bit);
  if (!base) return {{}, "there is no such address"};
  auto& all = mappings_[allocation];
  const ProcessId own = process_of(allocation);
  // Windows would map it there all the same, over what was there: whose address it was then has no
  // memory, and commands cannot tell.
  const gpummu::VaRange range{*base, bytes_of(allocation)};
  const Mapping* const now = newest(allocation, own);
  const bool again = now != nullptr && now->address == *base;
  if (base->value != 0 && !again && geometry_->contains(range) &&
      !process(own)->ranges.is_free({base->value}, range.bytes / kPageSize)) {
    return {{}, text_of(gpuva::VaRefusal::InUse)};
  }
  Answer answer = ask(allocation, own, *base, protection);
  if (!answer.mapping) return answer;
  std::erase_if(all, [&](const Mapping& each) {
    return each.process == own && each.address == answer.mapping->address;
  });
  all.push_back(*answer.mapping);
  freed_[allocation] = {};
  return answer;
}

AllocationAddresses::Answer AllocationAddresses::free(AllocationId allocation) {
  const ProcessId own = process_of(allocation);
  const Mapping* const found = newest(allocation, own);
  if (found == nullptr) return {{}, "it has no address"};
  const Mapping freed = *found;
  mappings_[allocation].erase(mappings_[allocation].begin() +
                              (found - mappings_[allocation].data()));
  static_cast<void>(process(own)->ranges.step(
      gpuva::FreeGpuVirtualAddress{{freed.address.value}, bytes_of(allocation)}));
  freed_[allocation] = freed.address;
  return {freed, nullptr};
}

AllocationAddresses::Address AllocationAddresses::next_commands(ProcessId id, std::uint64_t bytes) {
  Process* const there = process(id);
  if (there == nullptr) return {};
  const gpummu::VaRange ring = commands_of(*geometry_);
  bytes = std::min(up(bytes, kUnit), ring.bytes);
  if (bytes > ring.end() - there->next_commands) there->next_commands = ring.first.value;
  return {there->next_commands};
}

void AllocationAddresses::commands_take(ProcessId id, Address at, std::uint64_t bytes) {
  if (Process* const there = process(id)) {
    there->next_commands = std::min(at.value + up(bytes, kUnit), commands_of(*geometry_).end());
  }
}

}  // namespace wddm::host
