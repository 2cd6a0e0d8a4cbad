// PAGE-007: the pages of an MDL are used one by one.

#include <span>
#include <utility>

#include "conformance/rules/page/operation.h"
#include "conformance/rules/scratch.h"

namespace wddm::page_007 {
namespace {

using page::CheckedOperation;
using page::CheckedOperations;

constexpr std::uint32_t kPage = 4096;

// What one comparison found behind one transfer.
using Differences = std::span<const CheckedOperations::Found>;
// Pages of allocations that earlier comparisons found to differ, by allocation and offset.
using WrongBefore = ScratchSet<std::pair<std::uint32_t, std::uint32_t>>;

ev::MemoryDiffers at(const Trace& trace, const CheckedOperations::Found& found) {
  return trace.at<ev::MemoryDiffers>(found.event);
}

bool lies_in_its_allocation(const ev::MemoryDiffers& differs, const CheckedOperation& operation) {
  return differs.where == static_cast<std::uint32_t>(MemoryPlace::Allocation) &&
         differs.object == operation.done.allocation;
}

// An element stands where another was to be: somebody takes the pages in another order.
bool holds_what_another_was_to(const Trace& trace, Differences differences) {
  ScratchSet<std::pair<std::uint32_t, std::uint32_t>> expected;  // by place in a page
  for (const auto& found : differences) {
    const auto differs = at(trace, found);
    expected.emplace(differs.offset % kPage, differs.expected);
  }
  for (const auto& found : differences) {
    const auto differs = at(trace, found);
    if (expected.contains({differs.offset % kPage, differs.seen})) return true;
  }
  return false;
}

// A whole transfer begins with the first frame, as who counts up from there does: that page is
// right and a later one is not.
bool goes_astray_behind_the_first(const Trace& trace, const CheckedOperation& operation,
                                  Differences differences) {
  for (const auto& found : differences) {
    const auto differs = at(trace, found);
    if (!lies_in_its_allocation(differs, operation) || differs.offset < kPage) return false;
  }
  return !differences.empty();
}

// A transfer that begins elsewhere in its source leaves what differs where it was to write; one
// that begins elsewhere in its destination writes elsewhere. Of a part that goes out the latter is
// the MDL; where one that comes in goes wrong, TransferOffset may be to blame as well. `known`: the
// differences are those of the part that its arguments tell of, but for what was wrong before.
bool writes_other_frames(const Trace& trace, const CheckedOperation& operation, bool known,
                         const WrongBefore& wrong_before, Differences differences) {
  if (operation.arguments.destination_segment != 0) return false;
  for (const auto& found : differences) {
    const auto differs = at(trace, found);
    if (differs.inside == 0) return true;
    const bool before = differs.offset + kPage <= operation.arguments.offset;
    if (!known || !before || !lies_in_its_allocation(differs, operation)) continue;
    if (!wrong_before.contains({differs.object, differs.offset})) return true;
  }
  return false;
}

// Whether the frames of the MDL are what went wrong.
bool takes_other_frames(const Trace& trace, const CheckedOperation& operation, bool known,
                        const WrongBefore& wrong_before, Differences differences) {
  if (writes_other_frames(trace, operation, known, wrong_before, differences)) return true;
  const PagingArguments& arguments = operation.arguments;
  if (arguments.offset != 0 || arguments.mdl_offset != 0) return false;
  return goes_astray_behind_the_first(trace, operation, differences) ||
         holds_what_another_was_to(trace, differences);
}

// Comparisons behind one operation alone: others show what several have done.
ScratchSet<std::uint32_t> compared_alone(const Trace& trace) {
  ScratchSet<std::uint32_t> alone;
  std::uint32_t ended = 0;
  for (const std::uint32_t index : trace.of_any<ev::PagingDone, ev::MemoryChecked>()) {
    if (trace.events()[index].kind == EventKind::PagingDone) {
      ++ended;
    } else if (std::exchange(ended, 0) == 1) {
      alone.insert(index);
    }
  }
  return alone;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const CheckedOperations& checked = trace.ledger<CheckedOperations>();
  const std::span<const CheckedOperations::Found> all = checked.found();
  // Parts of a transfer are known by the last one. Its own comparison is the last of them.
  ScratchMap<std::uint32_t, std::uint32_t> last;  // operation, by call that built it
  for (const auto& found : all) last[checked.of(found).built] = found.operation;
  const ScratchSet<std::uint32_t> alone = compared_alone(trace);
  WrongBefore wrong_before;
  for (std::size_t i = 0; i < all.size();) {
    const CheckedOperations::Found& first = all[i];
    const bool same = trace.events()[first.event].kind == EventKind::MemoryChecked;
    std::size_t end = i + (same ? 1 : 0);
    const std::size_t begin = end;
    while (end < all.size() && all[end].operation == first.operation &&
           trace.events()[all[end].event].kind == EventKind::MemoryDiffers) {
      ++end;
    }
    i = end;
    const CheckedOperation& operation = checked.of(first);
    if (!page::scattered_transfer(operation) || page::converts(operation)) continue;
    const Differences differences = all.subspan(begin, end - begin);
    if (differences.empty()) {
      judgement.reached(first.event);
    } else if (!operation.disturbed &&
               takes_other_frames(
                   trace, operation,
                   alone.contains(first.event) && last[operation.built] == first.operation,
                   wrong_before, differences)) {
      page::fail_found(trace, differences.front(), operation, judgement,
                       "page k is the frame MdlOffset + k of the MDL");
    }
    for (const auto& found : differences) {
      const auto differs = at(trace, found);
      if (lies_in_its_allocation(differs, operation)) {
        wrong_before.emplace(differs.object, differs.offset);
      }
    }
  }
}

const Rule kRule{
    .id = "PAGE-007",
    .title = "MDL pages are used one by one",
    .evidence = Evidence::Memory,
    .rule =
        "System memory behind an MDL is scattered: page k of an operation is the frame MdlOffset + "
        "k of its "
        "array. A driver neither assumes that frames follow each other nor starts at the first.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # Transfer.MdlOffset, "
        "MapApertureSegment.MdlOffset",
    .note =
        "Judged here for Transfer; for MapApertureSegment by PAGE-014. That a transfer went wrong "
        "is "
        "PAGE-005. Here it is one that wrote system memory which it was not to, or a whole one "
        "that "
        "got its first page right and a later one wrong, or pages in another order. Which side of "
        "a "
        "part that comes in went wrong memory does not tell.",
    .applies = page::by_memory_segments,
    .check = check,
    .scenario = R"(
about: three pages out and in, with frames that do not follow each other
ops:
- create_allocation: {allocation: 0, pages: 3, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 4096}
- cpu_write: {allocation: 0, offset: 8192, value: 0x66778899}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)",
    .control = R"(
about: one page has no second frame
ops:
- create_allocation: {allocation: 0, pages: 1, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- evict: {allocation: 0}
- idle
)",
    .fault = {.about = "the first frame is taken and counted up",
              .seat = FaultSeat::Variant,
              .variant = 3,
              .also_fires = "NT-DmaOutsideMemory PAGE-005 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_007
