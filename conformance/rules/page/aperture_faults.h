// Faults in the device's log at pages of an aperture that a paging operation has left in a known
// state: accessible, whoever accesses them.
//
// So apertures are seen also where no segment has memory that a Transfer could copy. Left out:
// GPU virtual addresses, since a fault may name one, links, and pages while an operation on them is
// on its way, or was reported to be done and has not run, by the same log. What the GPU reaches
// instead of the right page no log tells: that is memory's affair.
#pragma once

#include <algorithm>
#include <utility>

#include "conformance/host/nt/core/kernel.h"
#include "conformance/rules/device_tells.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"
#include "reference/is_any_of.h"
#include "reference/types.h"

namespace wddm::page {

class ApertureFaults {
 public:
  ApertureFaults(const Trace& trace, const Platform& platform)
      : trace_(trace), platform_(platform) {}

  struct Fault {
    std::uint32_t record = kNone;  ///< DeviceLogged
    std::uint32_t first = kNone;   ///< what is seen first of it: a finding of the bus comes before
    std::uint32_t operation = 0;   ///< DXGK_BUILDPAGINGBUFFER_OPERATION that the pages are left by
    std::uint32_t passes = 1;      ///< its
    std::uint32_t built = kNone;   ///< its last PagingBuilt
  };

  /// Calls `found(fault)` for each, in order.
  template <class Found>
  void each(const Found& found) {
    if (platform_.has_virtual_addresses() || platform_.linked_adapters > 1 ||
        !device_tells(trace_, WDDM_DEVICE_FAULT))
      return;
    in_order_of_calls<ev::PagingBuilt, ev::PagingDone, ev::DeviceLogged, ev::DdiEntered>(
        trace_, [&](std::uint32_t index) {
          const Event& event = trace_.events()[index];
          if (event.kind == EventKind::PagingBuilt) {
            built(index);
          } else if (event.kind == EventKind::PagingDone) {
            done(Trace::as<ev::PagingDone>(event));
          } else if (event.kind == EventKind::DdiEntered) {
            entered(static_cast<DdiId>(Trace::as<ev::DdiEntered>(event).ddi));
          } else if (event.kind == EventKind::Submitted) {
            const auto packet = trace_.at<ev::Submitted>(index);
            if (packet.paging != 0) packets_[{engine_of(packet), packet.fence}] = packet.packet;
          } else {
            const auto record = Trace::as<ev::DeviceLogged>(event);
            ended(record);
            const Operation* const left_by = at(record);
            if (left_by == nullptr) return;
            found(Fault{.record = index,
                        .first = first_seen(index),
                        .operation = left_by->operation,
                        .passes = left_by->passes,
                        .built = left_by->built});
          }
        });
  }

 private:
  struct Operation {
    std::uint32_t operation = 0, allocation = kNone, built = kNone, passes = 1;
    std::uint32_t segment = 0, page = 0, pages = 0;
    bool ended = false;
    [[nodiscard]] bool overlaps(std::uint32_t other, std::uint64_t first, std::uint64_t end) const {
      return segment == other && first < std::uint64_t{page} + pages && page < end;
    }
  };

  void built(std::uint32_t index) {
    const auto call = trace_.at<ev::PagingBuilt>(index);
    if (!redirects(call.operation)) return;
    const auto arguments = trace_.blob<PagingArguments>(trace_.events()[index]);
    if (arguments.empty()) return;
    const PagingArguments& given = arguments.front();
    Operation now{.operation = call.operation,
                  .allocation = call.allocation,
                  .built = index,
                  .segment = given.destination_segment,
                  .page = given.page,
                  .pages = given.pages};
    take_over(now);
    operations_.push_back(now);
  }
  // What an operation touches is its own from here on; so is what earlier calls for it have
  // touched. Of one that has ended the other pages stay as they are.
  void take_over(const Operation& now) {
    const std::uint64_t end = std::uint64_t{now.page} + now.pages;
    ScratchVector<Operation> rest;
    for (const Operation& known : operations_) {
      if (!known.overlaps(now.segment, now.page, end)) {
        rest.push_back(known);
        continue;
      }
      if (!known.ended) continue;
      const std::uint64_t known_end = std::uint64_t{known.page} + known.pages;
      Operation part = known;
      if (known.page < now.page) {
        part.pages = now.page - known.page;
        rest.push_back(part);
      }
      if (known_end > end) {
        part.page = static_cast<std::uint32_t>(end);
        part.pages = static_cast<std::uint32_t>(known_end - end);
        rest.push_back(part);
      }
    }
    operations_ = std::move(rest);
  }
  void ended(const ev::DeviceLogged& record) {
    if (record.kind != WDDM_DEVICE_PACKET_END) return;
    const auto packet = packets_.find({engine_of(record), record.tag});
    if (packet != packets_.end()) ended_.insert(packet->second);
  }
  // Several of one kind may be under way for what is no allocation: nobody knows which has ended.
  void done(const ev::PagingDone& done) {
    const auto is_it = [&](const Operation& known) {
      return !known.ended && known.operation == done.operation &&
             known.allocation == done.allocation;
    };
    const auto found = std::find_if(operations_.begin(), operations_.end(), is_it);
    if (found == operations_.end()) return;
    const bool has_run = done.packet == kNone || ended_.contains(done.packet);
    if (!has_run || done.gave_up != 0 || std::count_if(found, operations_.end(), is_it) > 1) {
      operations_.erase(found);
      return;
    }
    found->ended = true;
    found->passes = done.passes;
  }
  void entered(DdiId ddi) {
    if (is_any_of(ddi, DdiId::StopDevice, DdiId::SetPowerState, DdiId::ResetFromTimeout)) {
      operations_.clear();
    }
  }

  /// By what all of the bytes were left; null if that is not one operation, or is under way.
  [[nodiscard]] const Operation* at(const ev::DeviceLogged& record) const {
    if (record.kind != WDDM_DEVICE_FAULT) return nullptr;
    for (std::uint32_t segment = 1; segment <= platform_.segments.size(); ++segment) {
      const PlatformSegment& place = platform_.segments[segment - 1];
      const bool inside = record.address >= place.base && record.address - place.base < place.size;
      if (!inside || !place.flags.aperture()) continue;
      const std::uint64_t first = (record.address - place.base) / kPageSize;
      const std::uint64_t end =
          (record.address - place.base + std::max(record.length, 1u) - 1) / kPageSize + 1;
      for (const Operation& known : operations_) {
        if (!known.overlaps(segment, first, end)) continue;
        const bool whole = first >= known.page && end <= std::uint64_t{known.page} + known.pages;
        return known.ended && whole ? &known : nullptr;
      }
    }
    return nullptr;
  }
  [[nodiscard]] std::uint32_t first_seen(std::uint32_t index) const {
    std::uint32_t first = index;
    for (std::uint32_t before = index; before-- > 0;) {
      const Event& event = trace_.events()[before];
      if (event.kind == EventKind::DeviceLogged) continue;
      if (event.kind != EventKind::Finding ||
          Trace::as<ev::Finding>(event).kind !=
              static_cast<std::uint32_t>(nt::FindingKind::DmaOutsideMemory)) {
        break;
      }
      first = before;
    }
    return first;
  }

  const Trace& trace_;
  const Platform& platform_;
  ScratchMap<std::pair<EngineId, std::uint32_t>, std::uint32_t> packets_;  // by engine and fence
  ScratchSet<std::uint32_t> ended_;                                        // packets
  ScratchVector<Operation> operations_;  // on pages that no later one has touched
};

[[nodiscard]] inline bool maps(const ApertureFaults::Fault& fault) {
  return fault.operation != DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
}

/// Judges the pages that `concerned` operations leave by whether the GPU can access them.
template <class Concerned>
void judge_access(const Trace& trace, const Platform& platform, Judgement& judgement,
                  const char* expected, Concerned concerned) {
  ApertureFaults(trace, platform).each([&](const ApertureFaults::Fault& fault) {
    if (!concerned(fault)) return;
    const auto record = trace.at<ev::DeviceLogged>(fault.record);
    judgement.fail(fault.first, expected,
                   "an access to address " + std::to_string(record.address) +
                       " in it reaches no memory that there is",
                   {fault.built, fault.record});
  });
}

}  // namespace wddm::page
