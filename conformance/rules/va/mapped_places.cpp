#include "conformance/rules/va/mapped_places.h"

#include <algorithm>
#include <utility>

#include "conformance/rules/destroyed_allocations.h"
#include "conformance/rules/va/requested_ranges.h"
#include "reference/trace/ddi.h"
#include "reference/trace/op.h"

namespace wddm::va {

MappedPlaces::MappedPlaces(const Trace& trace, std::uint32_t event) {
  for (const std::uint32_t index : trace.of_any<ev::AddressAnswered, ev::DdiEntered>()) {
    if (index >= event) return;
    if (trace.events()[index].kind == EventKind::AddressAnswered) {
      follow(trace.at<ev::AddressAnswered>(index));
    } else {
      follow(trace, index);
    }
  }
}

std::optional<MappedPlace> MappedPlaces::in(std::uint32_t process, std::uint32_t allocation,
                                            std::uint64_t offset) const {
  MappedPlace found{.process = process};
  for (const Range& range : ranges_) {
    if (range.process != process || !range.leads_to(allocation, offset)) continue;
    found.address = range.first + (offset - range.offset);
    ++found.choices;
  }
  return found.choices == 0 ? std::nullopt : std::optional(found);
}

std::optional<MappedPlace> MappedPlaces::in_any(std::uint32_t allocation,
                                                std::uint64_t offset) const {
  const auto newest = std::find_if(ranges_.rbegin(), ranges_.rend(), [&](const Range& range) {
    return range.leads_to(allocation, offset);
  });
  return newest == ranges_.rend() ? std::nullopt : in(newest->process, allocation, offset);
}

void MappedPlaces::follow(const ev::AddressAnswered& one) {
  if (one.refused != 0) return;
  if (is(one, AddressRequest::Map)) {
    map({one.process, one.address, one.address + one.size, one.allocation, one.offset});
  }
  if (is(one, AddressRequest::Update)) {
    take(one.process, one.base, one.base + one.size);
    if (one.protection != static_cast<std::uint32_t>(AddressUpdate::Map)) return;
    // A part of the allocation that comes again and again: its first time will do.
    const std::uint64_t once =
        one.repeated == 0 ? one.size : std::min<std::uint64_t>(one.size, one.repeated);
    map({one.process, one.base, one.base + once, one.allocation, one.offset});
  }
  if (!is(one, AddressRequest::Free)) return;
  if (one.allocation != kNone) {
    std::erase_if(ranges_, [&](const Range& range) {
      return range.process == one.process && range.allocation == one.allocation;
    });
  }
  take(one.process, one.base, one.base + one.size);
}

void MappedPlaces::follow(const Trace& trace, std::uint32_t entered) {
  const auto call = trace.at<ev::DdiEntered>(entered);
  if (call.ddi == static_cast<std::uint32_t>(DdiId::StartDevice)) ranges_.clear();
  if (call.ddi == static_cast<std::uint32_t>(DdiId::DestroyProcess)) {
    std::erase_if(ranges_, [&](const Range& range) { return range.process == call.object; });
  }
  if (destroys_allocations(call.ddi)) {
    const DestroyedAllocations gone = destroyed_by(trace, entered);
    std::erase_if(ranges_, [&](const Range& range) { return gone.contains(range.allocation); });
  }
}

void MappedPlaces::map(const Range& range) {
  take(range.process, range.first, range.end);
  if (range.allocation != kNone) ranges_.push_back(range);
}

void MappedPlaces::take(std::uint32_t process, std::uint64_t first, std::uint64_t end) {
  ScratchVector<Range> left;
  for (const Range& range : ranges_) {
    if (range.process != process || first >= range.end || end <= range.first) {
      left.push_back(range);
      continue;
    }
    if (range.first < first) {
      left.push_back(range);
      left.back().end = first;
    }
    if (end < range.end) {
      left.push_back(range);
      left.back().first = end;
      left.back().offset += end - range.first;
    }
  }
  ranges_ = std::move(left);
}

}  // namespace wddm::va
