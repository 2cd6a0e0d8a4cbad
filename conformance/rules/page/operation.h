// Which paging operation a comparison of memory belongs to, for the clauses of paging.
//
// Memory is compared when the last packet of an operation has ended, or when all is at rest where
// the CPU did it at build time. PagingDone says which packet that was, if any; the arguments are
// those of the latest BuildPagingBuffer for the same operation and allocation. Where a transfer is
// cut into sub-transfers, all are built before the first is done: then the last one stands for the
// whole.
#pragma once

#include <d3dkmddi.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/rules/differing_memory.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/is_any_of.h"

namespace wddm::page {

/// Fill and Transfer, which name places of segments. With page tables of the driver their virtual
/// kin are called for instead.
[[nodiscard]] inline NotApplicable by_segments(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  return platform.gpu_mmu ? "GPU virtual addresses: FillVirtual and TransferVirtual are called for"
                          : nullptr;
}

/// ... where they have a memory segment to name.
[[nodiscard]] inline NotApplicable by_memory_segments(const Platform& platform) {
  const NotApplicable reason = by_segments(platform);
  return reason ? reason : paging_of_memory_segments(platform);
}

/// A map or an unmap: it moves no bytes.
[[nodiscard]] inline bool redirects(std::uint32_t operation) {
  return is_any_of(operation, DXGK_OPERATION_MAP_APERTURE_SEGMENT,
                   DXGK_OPERATION_MAP_APERTURE_SEGMENT2, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT);
}

[[nodiscard]] inline bool is_transfer(std::uint32_t operation) {
  return is_any_of(operation, DXGK_OPERATION_TRANSFER, DXGK_OPERATION_VIRTUAL_TRANSFER);
}

struct CheckedOperation {
  ev::PagingDone done;  ///< its last packet
  PagingArguments arguments;
  std::uint32_t built;  ///< event of the last call that built it
  /// Pool allocations or callbacks were made to fail between then and its end. Whatever it left
  /// undone, that says nothing for a clause that knows of one reason why.
  bool disturbed = false;
};

/// Every comparison of memory after a paging operation, and every difference that it found.
class CheckedOperations {
 public:
  struct Found {
    std::uint32_t event;      ///< MemoryChecked or MemoryDiffers
    std::uint32_t operation;  ///< index of it
  };
  explicit CheckedOperations(const Trace& trace);
  [[nodiscard]] std::span<const Found> found() const { return found_; }
  [[nodiscard]] const CheckedOperation& of(const Found& found) const {
    return operations_[found.operation];
  }

 private:
  std::vector<CheckedOperation> operations_;
  std::vector<Found> found_;
};

/// A Transfer with Swizzle or Unswizzle, which copies no byte to where it was: PAGE-010.
inline bool converts(const CheckedOperation& operation) {
  DXGK_TRANSFERFLAGS flags{};
  flags.Value = operation.arguments.flags;
  return operation.done.operation == DXGK_OPERATION_TRANSFER &&
         (flags.Swizzle != 0 || flags.Unswizzle != 0);
}

/// The clause does not hold by a difference after an operation. Of one by GPU virtual addresses it
/// says which page of the paging process that is, by which entry, and what wrote that last; `more`
/// follows.
void fail_found(const Trace& trace, const CheckedOperations::Found& found,
                const CheckedOperation& operation, Judgement& judgement, std::string expected,
                const char* more = "");

/// Which differences speak against an operation.
enum class Differences : std::uint8_t {
  All,
  Inside  ///< those where it was to write
};

/// Judges an operation by one comparison after it.
inline void judge_found(const Trace& trace, const CheckedOperations::Found& found,
                        const CheckedOperation& operation, Judgement& judgement,
                        const char* expected, Differences which = Differences::All) {
  const Event& event = trace.events()[found.event];
  if (event.kind == EventKind::MemoryChecked) return judgement.reached(found.event);
  const auto differs = Trace::as<ev::MemoryDiffers>(event);
  if (which == Differences::Inside && differs.inside == 0) return;
  fail_found(trace, found, operation, judgement, expected);
}

/// Judges every operation that `concerned` accepts by what memory holds after it, but for those
/// that convert.
template <class Concerned>
void judge_memory(const Trace& trace, Judgement& judgement, const char* expected,
                  Concerned concerned, Differences which = Differences::All) {
  const CheckedOperations& checked = trace.ledger<CheckedOperations>();
  for (const CheckedOperations::Found& found : checked.found()) {
    const CheckedOperation& operation = checked.of(found);
    if (!concerned(operation) || converts(operation)) continue;
    judge_found(trace, found, operation, judgement, expected, which);
  }
}

/// For Rule::unreached of who looks at what commands of paging do.
inline constexpr const char* kNoCommandSeen =
    "no paging operation that it judges was seen to become a command and to work on memory";

/// One side is system memory, whose pages do not follow each other.
inline bool scattered_transfer(const CheckedOperation& operation) {
  const PagingArguments& arguments = operation.arguments;
  return operation.done.operation == DXGK_OPERATION_TRANSFER && arguments.scattered != 0 &&
         (arguments.source_segment == 0 || arguments.destination_segment == 0);
}

/// What the last operation on an aperture left a page of it as. Lives within one check.
class AperturePages {
 public:
  enum State : std::uint8_t {
    Unknown,
    Mapped,        ///< by MapApertureSegment
    MappedByList,  ///< by MapApertureSegment2
    Unmapped
  };

  explicit AperturePages(const Trace& trace) : trace_(trace), calls_(trace.of<ev::PagingBuilt>()) {}

  /// Up to this event.
  void follow(std::uint32_t last_call) {
    for (; next_ < calls_.size() && calls_[next_] <= last_call; ++next_) {
      const Event& event = trace_.events()[calls_[next_]];
      const auto arguments = trace_.blob<PagingArguments>(event);
      if (!arguments.empty()) take(Trace::as<ev::PagingBuilt>(event), arguments.front());
    }
  }
  /// Whether all of the pages of a segment are in this state.
  [[nodiscard]] bool all(std::uint32_t segment, std::uint32_t page, std::uint32_t pages,
                         State state) const {
    const auto found = states_.find(segment);
    if (found == states_.end()) return false;
    const States& states = found->second;
    if (pages == 0 || page >= states.size() || pages > states.size() - page) return false;
    for (std::uint32_t i = 0; i < pages; ++i) {
      if ((states[page + i] & ~kInParts) != state) return false;
    }
    return true;
  }
  /// Whether the last map of one of them took several buffers.
  [[nodiscard]] bool any_in_parts(std::uint32_t segment, std::uint32_t page,
                                  std::uint32_t pages) const {
    const auto found = states_.find(segment);
    if (found == states_.end()) return false;
    const States& states = found->second;
    for (std::uint32_t i = 0; i < pages && page + i < states.size(); ++i) {
      if ((states[page + i] & kInParts) != 0) return true;
    }
    return false;
  }

 private:
  using States = ScratchVector<std::uint8_t>;  // by page: State, and whether it came in parts
  static constexpr std::uint8_t kInParts = 0x80;
  static constexpr std::uint32_t kMost = 1u << 20;  // 4 GiB

  void take(const ev::PagingBuilt& call, const PagingArguments& arguments) {
    std::uint8_t state = Unknown;
    if (call.operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) state = Mapped;
    if (call.operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2) state = MappedByList;
    if (call.operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) state = Unmapped;
    if (state == Unknown) return;
    if (state != Unmapped && call.pass != 0) state |= kInParts;
    States& states = states_[arguments.destination_segment];
    for (std::uint32_t i = 0; i < arguments.pages && arguments.page + i < kMost; ++i) {
      set(states, arguments.page + i, state);
    }
  }
  static void set(States& states, std::uint32_t page, std::uint8_t state) {
    if (page >= states.size()) states.resize(page + 1, Unknown);
    states[page] = state;
  }

  const Trace& trace_;
  std::span<const std::uint32_t> calls_;
  std::size_t next_ = 0;                      // of calls_
  ScratchMap<std::uint32_t, States> states_;  // by SegmentId
};

/// Judges Transfers to aperture pages in this state by where their bytes arrived. A Transfer is
/// judged with the state at its build, since map and unmap run on the same node in order. With GPU
/// virtual addresses it is one whose entries lead into the aperture.
inline void judge_aperture(const Trace& trace, const Platform& platform, Judgement& judgement,
                           AperturePages::State state, const char* expected) {
  AperturePages pages(trace);
  judge_memory(trace, judgement, expected, [&](const CheckedOperation& operation) {
    pages.follow(operation.built);
    const PagingArguments& arguments = operation.arguments;
    const std::uint32_t segment = arguments.destination_segment;
    if (!is_transfer(operation.done.operation) || segment == 0 ||
        segment > platform.segments.size() || !platform.segments[segment - 1].flags.aperture()) {
      return false;
    }
    return pages.all(segment, arguments.page, arguments.pages, state);
  });
}

}  // namespace wddm::page
