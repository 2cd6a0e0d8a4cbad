// Ranges of GPU virtual addresses that processes have, by the answers of VidMm: for the clauses
// about requests.
#pragma once

#include "conformance/rules/destroyed_allocations.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/ddi.h"
#include "reference/trace/trace.h"

namespace wddm::va {

[[nodiscard]] inline bool is(const ev::AddressAnswered& one, AddressRequest request) {
  return one.request == static_cast<std::uint32_t>(request);
}

/// Of one process; what it obtained by one call keeps together, also where parts of it are mapped.
struct ObtainedRange {
  std::uint64_t first = 0, end = 0;
  bool reserved = false;  ///< by ReserveGpuVirtualAddress; else by Map, or by the driver
  std::uint32_t event = kNone;
  std::uint32_t allocation = kNone;  ///< whose they are; none of a reservation
};

class ObtainedRanges {
 public:
  enum class Where : std::uint8_t { Free, Inside, Across };
  struct Found {
    Where where = Where::Free;
    ObtainedRange range{};  ///< of Inside
  };

  [[nodiscard]] Found find(std::uint32_t process, std::uint64_t first, std::uint64_t bytes) const {
    const auto all = ranges_.find(process);
    if (all == ranges_.end()) return {};
    for (const ObtainedRange& range : all->second) {
      if (first >= range.end || first + bytes <= range.first) continue;
      const bool inside = first >= range.first && first + bytes <= range.end;
      return {inside ? Where::Inside : Where::Across, range};
    }
    return {};
  }
  /// What was granted, in the order of the trace.
  void follow(std::uint32_t index, const ev::AddressAnswered& one) {
    if (one.refused != 0) return;
    ScratchVector<ObtainedRange>& all = ranges_[one.process];
    ScratchVector<ObtainedRange>& mapped = mapped_[one.process];
    const std::uint64_t end = one.address + one.size;
    const bool reserves = is(one, AddressRequest::Reserve);
    if (reserves || is(one, AddressRequest::MapContextAllocation)) {
      all.push_back({one.address, end, reserves, index});
    }
    if (is(one, AddressRequest::Map)) {
      const ObtainedRange range{one.address, end, false, index, one.allocation};
      if (find(one.process, one.address, one.size).where == Where::Free) all.push_back(range);
      take(mapped, one.address, end);
      mapped.push_back(range);
    }
    if (is(one, AddressRequest::Free)) {
      take(all, one.base, one.base + one.size);
      take(mapped, one.base, one.base + one.size);
    }
  }
  /// An allocation takes the addresses with it that lead to it now, a process all, and an adapter
  /// that starts finds none.
  void follow(const Trace& trace, std::uint32_t entered) {
    const auto call = trace.at<ev::DdiEntered>(entered);
    if (call.ddi == static_cast<std::uint32_t>(DdiId::StartDevice)) {
      ranges_.clear();
      mapped_.clear();
    }
    if (call.ddi == static_cast<std::uint32_t>(DdiId::DestroyProcess)) {
      ranges_.erase(call.object);
      mapped_.erase(call.object);
    }
    if (!destroys_allocations(call.ddi)) return;
    const DestroyedAllocations gone = destroyed_by(trace, entered);
    for (auto& [process, mapped] : mapped_) {
      for (const ObtainedRange& range : mapped) {
        if (gone.contains(range.allocation)) {
          take(ranges_[process], range.first, range.end, Reserved::Stay);
        }
      }
      std::erase_if(mapped, [&](const auto& range) { return gone.contains(range.allocation); });
    }
  }

 private:
  enum class Reserved : std::uint8_t { Go, Stay };
  static void take(ScratchVector<ObtainedRange>& all, std::uint64_t first, std::uint64_t end,
                   Reserved reserved = Reserved::Go) {
    ScratchVector<ObtainedRange> left;
    for (const ObtainedRange& range : all) {
      const bool stays = range.reserved && reserved == Reserved::Stay;
      if (stays || first >= range.end || end <= range.first) {
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
      }
    }
    all = left;
  }

  ScratchMap<std::uint32_t, ScratchVector<ObtainedRange>> ranges_;  // by process
  ScratchMap<std::uint32_t, ScratchVector<ObtainedRange>> mapped_;  // the same: what leads where
};

}  // namespace wddm::va
