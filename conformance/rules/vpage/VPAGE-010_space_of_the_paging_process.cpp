// VPAGE-010: the address space of the paging process: nothing in its first page, and above its
// leaves nothing that changes.

#include <d3dkmddi.h>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

constexpr std::uint64_t kPage = 4096;

bool maps_first_page(const Trace& trace, std::uint32_t index, const ev::TableUpdated& update) {
  if (update.level != 0 || update.first_va >= kPage) return false;
  const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
  return !entries.empty() && pt::is_valid(entries[0]);
}

void on_update(const Trace& trace, std::uint32_t index, Judgement& judgement) {
  const auto update = trace.at<ev::TableUpdated>(index);
  if (update.process != kSystemProcessNumber) return;
  judgement.reached(index);
  if (maps_first_page(trace, index, update)) {
    judgement.fail(index, "the first 4 KB of the paging process are invalid",
                   "an update of " + pt::text_of(update) + " maps them");
  }
  // What is written at its start has no buffer.
  if (update.level == 0 || update.has_buffer == 0) return;
  judgement.fail(index, "tables above the leaves stay as they were written at the start",
                 "an update of " + pt::text_of(update));
}

void on_operation(const Trace& trace, std::uint32_t index, std::uint64_t space,
                  Judgement& judgement) {
  const auto built = trace.at<ev::PagingBuilt>(index);
  const bool transfer = built.operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
  if (!transfer && built.operation != DXGK_OPERATION_VIRTUAL_FILL) return;
  const auto arguments = trace.blob<PagingArguments>(trace.events()[index]);
  if (arguments.empty()) return;
  const PagingArguments& range = arguments.front();
  judgement.reached(index);
  const auto inside = [&](std::uint64_t first) {
    return first >= kPage && first < space && range.size <= space - first;
  };
  if (inside(range.destination_address) && (!transfer || inside(range.source_address))) return;
  judgement.fail(index, "addresses of the paging process, behind its first 4 KB",
                 std::to_string(range.size) + " bytes at " +
                     std::to_string(range.destination_address) +
                     (transfer ? ", from " + std::to_string(range.source_address) : ""));
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint64_t space = 0;
  for (const std::uint32_t index :
       trace.of_any<ev::GpuMmuReported, ev::TableUpdated, ev::PagingBuilt>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::GpuMmuReported) {
      space = std::uint64_t{1} << (trace.at<ev::GpuMmuReported>(index).address_bits & 63);
    } else if (event.kind == EventKind::TableUpdated) {
      on_update(trace, index, judgement);
    } else {
      on_operation(trace, index, space, judgement);
    }
  }
}

const Rule kRule{
    .id = "VPAGE-010",
    .title = "Address space of the paging process",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "The first 4 KB of the paging process lead nowhere. Its page tables, and what leads to the "
        "leaves of the scratch area, are written once, when it starts; only the leaves change, "
        "operation by operation. Virtual paging uses addresses of that space alone, part by part "
        "where the scratch area is smaller.",
    .sources =
        "system-paging-process.md\n"
        "allocation-notification.md # Paging process GPU VA space size",
    .note =
        "A figure has the first entry of the root lead to the scratch area; by the text it leads "
        "to the system's page table, and one page of it is invalid. What a driver writes there "
        "besides, PT-008 finds.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: an allocation that is larger than the scratch area comes, goes and comes back
ops:
- create_allocation: {allocation: 1, pages: 40, place: local}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
)",
    .control = R"(
about: the paging process alone
ops:
- start
)",
    .fault = {.about = "a window of the scratch area begins at 0",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PagingAtZero}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
