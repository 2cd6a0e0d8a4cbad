// What rules on splitting share: every patch-location list that Render made, with the allocation
// list behind it and the commands that the client's decoder found in the buffer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/rules/scratch.h"
#include "conformance/sdk/client.h"
#include "reference/trace/trace.h"

namespace wddm::split {

/// Stands for the allocation of an element whose AllocationIndex is out of range.
inline constexpr std::uint32_t kNoEntry = kNone - 1;

struct RenderedList {
  std::uint32_t rendered = kNone;  ///< event
  std::uint32_t render = 0, pass = 0;
  std::uint32_t bytes = 0;  ///< U: what the call wrote
  /// It had less room than its context asked for, which Windows never gives: a driver may have had
  /// to part what it keeps together else.
  bool cramped = false;
  std::span<const PatchRecord> elements;
  std::span<const AllocationRecord> entries;  ///< as they were when Render returned
  std::span<const std::uint32_t> decoded;     ///< Decoded events up to the next call of Render

  /// Slot of the allocation; kNone: the element releases its row; kNoEntry: see there.
  [[nodiscard]] std::uint32_t allocation_of(const PatchRecord& element) const {
    return element.allocation_index < entries.size() ? entries[element.allocation_index].allocation
                                                     : kNoEntry;
  }
  [[nodiscard]] bool names_allocation(const PatchRecord& element) const {
    return allocation_of(element) < kNoEntry;
  }
  /// The end of the split group that begins at element `first`.
  [[nodiscard]] std::size_t group_end(std::size_t first) const {
    std::size_t end = first + 1;
    while (end < elements.size() && elements[end].split_offset == elements[first].split_offset) {
      ++end;
    }
    return end;
  }
  [[nodiscard]] bool is_sorted() const {
    for (std::size_t i = 1; i < elements.size(); ++i) {
      if (elements[i].split_offset < elements[i - 1].split_offset) return false;
    }
    return true;
  }
};

/// Of each call of Render that made output. A cursor outside of its buffer (RENDER-003) leaves
/// nothing to say how far the list reaches.
class RenderedLists {
 public:
  explicit RenderedLists(const Trace& trace);
  [[nodiscard]] std::span<const RenderedList> all() const { return lists_; }

 private:
  std::vector<RenderedList> lists_;
};

/// Calls `visit(const RenderedList&)` for each of them.
template <class Visit>
void for_each_list(const Trace& trace, Visit&& visit) {
  for (const RenderedList& list : trace.ledger<RenderedLists>().all()) visit(list);
}

/// An access through a slot by a command at `offset` of the buffer.
struct SlotAccess {
  std::uint32_t event = kNone;  ///< Decoded
  std::uint64_t offset = 0;
  std::uint32_t slot = 0;
  std::uint64_t end = 0;  ///< of the command
};

/// Slots by the address fields that elements patch: hardware whose commands hold addresses and know
/// no slots uses that of the element.
class SlotsByField {
 public:
  explicit SlotsByField(const RenderedList& list) {
    for (const PatchRecord& element : list.elements) {
      if (list.names_allocation(element)) slots_[element.patch_offset] = element.slot();
    }
  }
  /// kNone: nothing is patched there.
  [[nodiscard]] std::uint32_t at(std::uint64_t patch_offset) const {
    const auto found = slots_.find(patch_offset);
    return found == slots_.end() ? kNone : found->second;
  }

 private:
  ScratchMap<std::uint64_t, std::uint32_t> slots_;
};

/// Whether user mode has altered what its client built. What the driver then makes of it may have
/// another form, which the client's decoder takes for something else.
[[nodiscard]] inline bool is_tampered(const Trace& trace, const RenderedList& list) {
  return trace.at<ev::Rendered>(list.rendered).hostile != 0;
}

/// Calls `visit(const SlotAccess&)` for every access, in the order of the buffer; of a tampered one
/// for none.
template <class Visit>
void for_each_access(const Trace& trace, const RenderedList& list, Visit&& visit) {
  if (is_tampered(trace, list)) return;
  const SlotsByField fields(list);
  for (const std::uint32_t index : list.decoded) {
    const auto decoded = trace.at<ev::Decoded>(index);
    if (decoded.stage != static_cast<std::uint32_t>(DmaStage::Rendered) ||
        decoded.render != list.render || decoded.count == kNone) {
      continue;
    }
    for (const WddmDecoded& command : trace.blob<WddmDecoded>(trace.events()[index])) {
      if (command.kind == 0) continue;
      const std::uint64_t offset = std::uint64_t{decoded.start} + command.offset;
      const std::uint64_t end = offset + command.length;
      if (command.slot != kNone) visit(SlotAccess{index, offset, command.slot, end});
      if (command.source_slot != kNone && command.source_slot != command.slot) {
        visit(SlotAccess{index, offset, command.source_slot, end});
      }
      if (command.slot != kNone || command.source_slot != kNone) continue;
      for (std::uint32_t i = 0; i < std::min(command.address_count, 2u); ++i) {
        const std::uint32_t slot =
            fields.at(std::uint64_t{decoded.start} + command.address_offset[i]);
        if (slot != kNone) visit(SlotAccess{index, offset, slot, end});
      }
    }
  }
}

/// The slot table of one buffer, by the elements applied so far. Lives within one check.
class Rows {
 public:
  struct Row {
    std::uint32_t allocation = kNone;  ///< kNone: empty again
    std::uint32_t element = 0;         ///< that wrote it last
  };
  void apply(const RenderedList& list, std::uint32_t element) {
    const PatchRecord& record = list.elements[element];
    Row& row = rows_[record.slot()];
    // An index out of range names nothing: BIND-004.
    const std::uint32_t allocation =
        list.names_allocation(record) ? list.allocation_of(record) : kNone;
    if ((row.allocation == kNone) != (allocation == kNone))
      bound_ += row.allocation == kNone ? 1 : -1;
    row = {allocation, element};
  }
  /// The row, if an element has ever written it.
  [[nodiscard]] const Row* find(std::uint32_t slot) const {
    const auto found = rows_.find(slot);
    return found == rows_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const ScratchMap<std::uint32_t, Row>& all() const { return rows_; }
  [[nodiscard]] std::int64_t bound() const { return bound_; }

 private:
  ScratchMap<std::uint32_t, Row> rows_;
  std::int64_t bound_ = 0;
};

[[nodiscard]] inline std::string number(std::uint64_t value) {
  return std::to_string(value);
}

}  // namespace wddm::split
