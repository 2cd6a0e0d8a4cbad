// VA-005: UpdateGpuVirtualAddress does what its operations say, and a copy reads before it writes.
//
// Judged are the entries of the destination once the request has been carried out: of copies
// against what the source had before, of unmapped pages against what their Protection says. Where
// mapped pages lead, PTE-001 and PT-014 judge.

#include <array>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/requested_ranges.h"
#include "reference/trace/op.h"

namespace wddm {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kPagesOf64KB = 16;

bool same(const EntryRecord& one, const EntryRecord& other) {
  if (pt::is_valid(one) != pt::is_valid(other)) return false;
  if (!pt::is_valid(one)) return true;
  if (pt::is_zero(one) || pt::is_zero(other)) return pt::is_zero(one) == pt::is_zero(other);
  return one.address == other.address && pt::is_system(one) == pt::is_system(other);
}

// What the entries of each process say, page by page, by the updates of its tables.
class Entries {
 public:
  explicit Entries(const Trace& trace) : trace_(trace) {
    for (const std::uint32_t index : trace.of<ev::PageTableLevelReported>()) {
      const auto level = trace.at<ev::PageTableLevelReported>(index);
      if (level.level < index_bits_.size()) index_bits_[level.level] = level.index_bits;
    }
  }
  void follow(std::uint32_t index) {
    const auto update = trace_.at<ev::TableUpdated>(index);
    const auto records = trace_.blob<EntryRecord>(trace_.events()[index]);
    for (std::uint32_t i = 0; i < update.count && !records.empty(); ++i) {
      const EntryRecord& record = records[records.size() == 1 ? 0 : i];
      const std::uint64_t pages = pages_of(update);
      const std::uint64_t first = update.first_va / kPage + i * pages;
      if (update.level == 0) {
        set(update.process, first, pages, record);
      } else if (!pt::leads_somewhere(record)) {
        change(update.process, first, pages, record);
      }
    }
  }
  [[nodiscard]] EntryRecord at(std::uint32_t process, std::uint64_t page) const {
    const auto found = pages_.find({process, page});
    return found == pages_.end() ? EntryRecord{} : found->second;
  }

 private:
  [[nodiscard]] std::uint64_t pages_of(const ev::TableUpdated& update) const {
    if (update.level == 0) return (update.flags & pt::kUse64KBPages) != 0 ? kPagesOf64KB : 1;
    std::uint32_t bits = 0;
    for (std::uint32_t level = 0; level < update.level && level < index_bits_.size(); ++level) {
      bits += index_bits_[level];
    }
    return std::uint64_t{1} << (bits & 63);
  }
  void set(std::uint32_t process, std::uint64_t first, std::uint64_t pages,
           const EntryRecord& record) {
    for (std::uint64_t i = 0; i < pages; ++i) {
      EntryRecord& entry = pages_[{process, first + i}];
      entry = record;
      if (pt::leads_somewhere(record)) entry.address += i * kPage;
    }
  }
  // An entry above the leaf speaks for all below it.
  void change(std::uint32_t process, std::uint64_t first, std::uint64_t pages,
              const EntryRecord& record) {
    for (auto page = pages_.lower_bound({process, first});
         page != pages_.end() && page->first.first == process && page->first.second - first < pages;
         ++page) {
      page->second = record;
    }
  }

  const Trace& trace_;
  std::array<std::uint32_t, 6> index_bits_{};
  ScratchMap<std::pair<std::uint32_t, std::uint64_t>, EntryRecord> pages_;
};

// One request, from its answer to the end of what followed from it.
class Request {
 public:
  void begin(std::uint32_t index, const ev::AddressAnswered& asked, const Entries& entries) {
    event_ = index;
    asked_ = asked;
    wanted_.clear();
    const auto kind = static_cast<AddressUpdate>(asked.protection);
    for (std::uint64_t at = 0; at < asked.size; at += kPage) {
      EntryRecord wanted{};
      if (kind == AddressUpdate::Copy) {
        wanted = entries.at(asked.process, (asked.offset + at) / kPage);
      }
      if (kind == AddressUpdate::Zero) wanted.flags = entry_flag::kValid | entry_flag::kZero;
      wanted_.push_back(wanted);
    }
    // What a map leads to, others judge.
    if (kind == AddressUpdate::Map) event_ = kNone;
  }
  void end(const Entries& entries, Judgement& judgement) {
    if (event_ == kNone) return;
    judgement.reached(event_);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const EntryRecord seen = entries.at(asked_.process, asked_.base / kPage + i);
      if (same(wanted_[i], seen)) continue;
      judgement.fail(event_, "page " + std::to_string(i) + ": " + pt::text_of(wanted_[i]),
                     pt::text_of(seen));
      break;
    }
    event_ = kNone;
  }

 private:
  std::uint32_t event_ = kNone;
  ev::AddressAnswered asked_{};
  ScratchVector<EntryRecord> wanted_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Entries entries(trace);
  Request request;
  for (const std::uint32_t index :
       trace.of_any<ev::AddressAnswered, ev::TableUpdated, ev::OpStarted, ev::Ended>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::TableUpdated) {
      entries.follow(index);
      continue;
    }
    request.end(entries, judgement);
    if (event.kind != EventKind::AddressAnswered) continue;
    const auto one = trace.at<ev::AddressAnswered>(index);
    if (va::is(one, AddressRequest::Update) && one.refused == 0) {
      request.begin(index, one, entries);
    }
  }
}

const Rule kRule{
    .id = "VA-005",
    .title = "UpdateGpuVirtualAddress operations",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Operations are applied in their order to addresses of one reserved range. Unmap leaves "
        "invalid or zero entries, as Protection says. Copy gives the destination the mappings that "
        "the source had before, also where the two overlap.",
    .sources =
        "nc-d3dumddi-pfnd3dddi_updategpuvirtualaddresscb.md # remarks\n"
        "ns-d3dukmdt-_d3dddi_updategpuvirtualaddress_operation.md\n"
        "ne-d3dukmdt-_d3dddi_updategpuvirtualaddress_operation_type.md",
    .note =
        "That overlapping copies may be asked for is said, and not what comes of them: the old "
        "mappings of the source. The host gives each operation a call of its own, and no waits.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: tiles are mapped, copied one place up, taken away and mapped again
ops:
- create_allocation: {allocation: 1, pages: 8, place: local}
- make_resident: {allocation: 1}
- reserve_address: {device: 0, zero: true, base: 0x2000000, size: 0x10000}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 4}
- update_address: {allocation: 1, kind: copy, to: 1, from: 0, pages: 3}
- update_address: {allocation: 1, kind: unmap, to: 0, pages: 1}
- update_address: {allocation: 1, kind: zero, to: 3, pages: 1}
- update_address: {allocation: 1, kind: map, to: 8, from: 2, pages: 6}
- update_address: {allocation: 1, kind: copy, to: 6, from: 8, pages: 4}
- idle
)",
    .control = R"(
about: a copy beside its source
ops:
- create_allocation: {allocation: 1, pages: 4, place: local}
- make_resident: {allocation: 1}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 4}
- update_address: {allocation: 1, kind: copy, to: 8, from: 0, pages: 4}
- idle
)",
    .fault = {.about = "a copy reads what it has written",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::CopyEntryByEntry}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
