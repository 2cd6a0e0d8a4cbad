// VPAGE-010: the address space of the paging process: nothing in its first page, above its leaves
// nothing that changes, and operations on what is mapped and flushed.

#include <d3dkmddi.h>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::vpage_010 {
namespace {

constexpr std::uint64_t kPage = 4096, kLargePage = 65536;

// Where the pages of the space lead, by the updates of its leaves, and which of those a GPU may
// still know otherwise. Of a link the tables of GPU 0 are followed: all GPUs get the same windows.
// Lives within one check.
class Mapped {
 public:
  void update(const Trace& trace, std::uint32_t index, const ev::TableUpdated& update) {
    if (update.level != 0 || update.physical_adapter != 0) return;
    const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
    if (entries.empty()) return;
    const bool large = (update.flags & pt::kUse64KBPages) != 0;
    const std::uint64_t pages = large ? kLargePage / kPage : 1;
    for (std::uint64_t i = 0; i < update.count * pages; ++i) {
      const std::size_t entry = entries.size() == 1 ? 0 : i / pages;
      if (entry >= entries.size()) return;
      set(update.first_va / kPage + i, entries[entry], i % pages, update.has_buffer != 0);
    }
  }
  void flush(const ev::TlbFlushBuilt& flush) {
    if (flush.physical_adapter != 0) return;
    for (auto& [page, state] : pages_) {
      if (flush.end == 0 || (page * kPage >= flush.start && page * kPage < flush.end)) {
        state.stale = false;
      }
    }
  }
  /// Null, or what is wrong with using the range.
  [[nodiscard]] const char* cannot_use(std::uint64_t first, std::uint64_t bytes) const {
    if (pages_.empty()) return nullptr;
    for (std::uint64_t page = first / kPage; page * kPage < first + bytes; ++page) {
      const auto found = pages_.find(page);
      if (found == pages_.end() || !found->second.valid) return "are not mapped";
      if (found->second.stale) return "were mapped anew and not flushed";
    }
    return nullptr;
  }

 private:
  struct State {
    bool valid = false, stale = false;
    std::uint64_t address = 0;
    std::uint32_t flags = 0;
  };
  // What is written without a buffer no GPU has read since it was taken.
  void set(std::uint64_t page, const EntryRecord& entry, std::uint64_t page_inside, bool read) {
    State& state = pages_[page];
    const std::uint64_t address = entry.address + page_inside * kPage;
    const bool valid = pt::is_valid(entry);
    const bool same = valid && address == state.address && entry.flags == state.flags;
    state.stale = read && (state.stale || (state.valid && !same));
    state = {valid, state.stale, address, entry.flags};
  }
  ScratchMap<std::uint64_t, State> pages_;  // by number; none: nothing is known of the space
};

class PagingProcess {
 public:
  PagingProcess(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void on(const ev::ProcessCreated& created) {
    if (created.process != kSystemProcessNumber) return;
    mapped_ = {};
    refused_ = false;
  }
  void on(const ev::GpuMmuReported& report) {
    space_ = std::uint64_t{1} << (report.address_bits & 63);
  }
  void on(std::uint32_t index, const ev::TableUpdated& update) {
    if (update.process != kSystemProcessNumber) return;
    mapped_.update(trace_, index, update);
    refused_ |= (update.status & 0x80000000u) != 0;
    judgement_.reached(index);
    if (maps_first_page(index, update)) {
      judgement_.fail(index, "the first 4 KB of the paging process are invalid",
                      "an update of " + pt::text_of(update) + " maps them");
    }
    // What is written at its start has no buffer.
    if (update.level == 0 || update.has_buffer == 0) return;
    judgement_.fail(index, "tables above the leaves stay as they were written at the start",
                    "an update of " + pt::text_of(update));
  }
  void on(const ev::TlbFlushBuilt& flush) {
    if (flush.process == kSystemProcessNumber) mapped_.flush(flush);
  }
  void on(std::uint32_t index, const ev::PagingBuilt& built) {
    const bool transfer = built.operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
    if (!transfer && built.operation != DXGK_OPERATION_VIRTUAL_FILL) return;
    const auto arguments = trace_.blob<PagingArguments>(trace_.events()[index]);
    if (arguments.empty()) return;
    const PagingArguments& range = arguments.front();
    judgement_.reached(index);
    judge(index, range.destination_address, range.size);
    if (transfer) judge(index, range.source_address, range.size);
  }

 private:
  [[nodiscard]] bool maps_first_page(std::uint32_t index, const ev::TableUpdated& update) const {
    if (update.first_va >= kPage) return false;
    const auto entries = trace_.blob<EntryRecord>(trace_.events()[index]);
    if (entries.empty() || !pt::is_valid(entries[0])) return false;
    return update.level == 0 || (entries[0].flags & entry_flag::kLargePage) != 0;
  }
  void judge(std::uint32_t index, std::uint64_t first, std::uint64_t bytes) {
    const auto text = [&] { return std::to_string(bytes) + " bytes at " + std::to_string(first); };
    if (first < kPage || first >= space_ || bytes > space_ - first) {
      return judgement_.fail(index, "addresses of the paging process, behind its first 4 KB",
                             text());
    }
    if (refused_) return;
    if (const char* const why = mapped_.cannot_use(first, bytes)) {
      judgement_.fail(index, "addresses that the leaves of the paging process lead from by then",
                      text() + " " + why);
    }
  }

  const Trace& trace_;
  Judgement& judgement_;
  std::uint64_t space_ = 0;
  Mapped mapped_;
  bool refused_ = false;  // an update, by the driver: no leaf is changed any more, nor flushed
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  PagingProcess process(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::ProcessCreated, ev::GpuMmuReported, ev::TableUpdated, ev::TlbFlushBuilt,
                    ev::PagingBuilt>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::ProcessCreated) {
      process.on(trace.at<ev::ProcessCreated>(index));
    } else if (kind == EventKind::GpuMmuReported) {
      process.on(trace.at<ev::GpuMmuReported>(index));
    } else if (kind == EventKind::TableUpdated) {
      process.on(index, trace.at<ev::TableUpdated>(index));
    } else if (kind == EventKind::TlbFlushBuilt) {
      process.on(trace.at<ev::TlbFlushBuilt>(index));
    } else {
      process.on(index, trace.at<ev::PagingBuilt>(index));
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
        "where the scratch area is smaller, and only such as lead somewhere by then: behind the "
        "updates of their leaves, and behind a flush where those led elsewhere before.",
    .sources =
        "system-paging-process.md\n"
        "allocation-notification.md # Paging process GPU VA space size",
    .note =
        "A figure has the first entry of the root lead to the scratch area; by the text it leads "
        "to the system's page table, and one page of it is invalid. A driver that has a mapping "
        "of its own in that page, or anywhere else in these tables, changes entries that no "
        "update names (PT-008).",
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
# Page by page, and from the middle of one page to the middle of another.
- transfer_chunk: {pages: 1}
- create_allocation: {allocation: 2, pages: 5, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x04030201}
- fill_memory: {allocation: 2, pattern: 0x14131211, offset: 4094, size: 8192}
- transfer_bytes: {allocation: 1, source: 2, offset: 8190, source_offset: 2, size: 12291}
- evict: {allocation: 2}
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
}  // namespace wddm::vpage_010
