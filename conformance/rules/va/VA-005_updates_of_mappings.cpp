// VA-005: UpdateGpuVirtualAddress does what its operations say, and a copy reads before it writes.
//
// Judged are the entries of the destination once the request has been carried out: of copies
// against what the source had before, of unmapped pages against what their Protection says, of
// mapped ones that there are all or none, that they repeat with AllocationSizeInBytes and permit
// what their Protection says. None: their allocation is not resident. Where mapped pages lead,
// PTE-001 and PT-014 judge. An update between values of a fence is judged from when it begins on.
//
// Nothing is asked for any more in a space where a driver has refused an update; nor is it the
// host's doing if the adapter was reset, or memory for page tables is short.

#include <algorithm>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/evicted_tables.h"
#include "conformance/rules/va/page_entries.h"
#include "conformance/rules/va/requested_ranges.h"
#include "reference/gpuva/va_request.h"
#include "reference/trace/op.h"

namespace wddm::va_005 {
namespace {

constexpr std::uint64_t kPage = 4096;

bool same(const EntryRecord& one, const EntryRecord& other) {
  if (pt::is_valid(one) != pt::is_valid(other)) return false;
  if (!pt::is_valid(one)) return true;
  if (pt::is_zero(one) || pt::is_zero(other)) return pt::is_zero(one) == pt::is_zero(other);
  return one.address == other.address && pt::is_system(one) == pt::is_system(other);
}

// One request, from its answer to the end of what followed from it.
class Request {
 public:
  explicit Request(const GpuMmuCaps& caps) : caps_(caps) {}
  void begin(std::uint32_t index, const ev::AddressAnswered& asked,
             const va::PageEntries& entries) {
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
    map_ = kind == AddressUpdate::Map;
  }
  void drop() { event_ = kNone; }
  void drop(std::uint32_t process) {
    if (asked_.process == process) drop();
  }
  void end(const va::PageEntries& entries, Judgement& judgement) {
    if (event_ == kNone) return;
    if (map_) {
      end_map(entries, judgement);
      event_ = kNone;
      return;
    }
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
  // What pages are mapped where, others judge; and nothing is, while the allocation is not there.
  // Where it is there, all of them are.
  void end_map(const va::PageEntries& entries, Judgement& judgement) const {
    const std::uint64_t first = asked_.base / kPage;
    const std::uint64_t period = asked_.repeated / kPage;
    const std::uint64_t pages = asked_.size / kPage;
    std::uint64_t leading = 0;
    for (std::uint64_t i = 0; i < pages; ++i) {
      if (entries.is_large(asked_.process, first + i)) return;
      leading += pt::leads_somewhere(entries.at(asked_.process, first + i)) ? 1 : 0;
    }
    if (leading == 0) return;
    judgement.reached(event_);
    for (std::uint64_t i = 0; i < pages; ++i) {
      const EntryRecord seen = entries.at(asked_.process, first + i);
      if (!pt::leads_somewhere(seen)) {
        return judgement.fail(event_,
                              "page " + std::to_string(i) + " mapped, as others of the Map are",
                              pt::text_of(seen));
      }
      if (period != 0 && i >= period &&
          !same(entries.at(asked_.process, first + i - period), seen)) {
        return judgement.fail(event_,
                              "page " + std::to_string(i) + " as page " +
                                  std::to_string(i - period) + ": AllocationSizeInBytes repeats",
                              pt::text_of(seen));
      }
      const bool writes = (asked_.access & gpuva::kProtectWrite) != 0;
      const bool executes = (asked_.access & gpuva::kProtectExecute) != 0;
      const bool permits =
          (!caps_.read_only() || writes == ((seen.flags & entry_flag::kReadOnly) == 0)) &&
          (!caps_.no_execute() || executes == ((seen.flags & entry_flag::kNoExecute) == 0));
      if (permits) continue;
      return judgement.fail(event_,
                            "page " + std::to_string(i) + (writes ? " writable" : " read-only") +
                                (executes ? ", executable" : ", not executable"),
                            pt::text_of(seen));
    }
  }

  GpuMmuCaps caps_;
  bool map_ = false;
  std::uint32_t event_ = kNone;
  ev::AddressAnswered asked_{};
  ScratchVector<EntryRecord> wanted_;
};

constexpr std::uint32_t kAsked = 0, kBegins = 1, kDone = 2;  // TileUpdate

// Requests, and what becomes of them. An interlocked one is over when the host says so; that it was
// not carried out comes behind that.
class Requests {
 public:
  Requests(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace),
        judgement_(judgement),
        entries_(trace),
        evicted_(trace, platform),
        at_once_(platform.gpu_mmu_caps),
        interlocked_(platform.gpu_mmu_caps) {}

  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::OpSkipped) {
      at_once_.drop();  // there was no memory for its page tables
      const auto op = static_cast<OpKind>(trace_.at<ev::OpSkipped>(index).kind);
      if (over_ && op == OpKind::UpdateAddress) interlocked_.drop();
    }
    finish();
    if (kind == EventKind::AdapterReset) on_reset(index);
    if (kind == EventKind::ProcessCreated) on(trace_.at<ev::ProcessCreated>(index));
    if (kind == EventKind::TableMoved) on(trace_.at<ev::TableMoved>(index));
    if (kind == EventKind::TableUpdated) on(index, trace_.at<ev::TableUpdated>(index));
    if (kind == EventKind::EntriesCopied) entries_.follow_copy(index);
    if (kind == EventKind::TileUpdate) on(trace_.at<ev::TileUpdate>(index));
    if (kind == EventKind::AddressAnswered) on(index, trace_.at<ev::AddressAnswered>(index));
    if (kind == EventKind::OpStarted || kind == EventKind::Ended)
      at_once_.end(entries_, judgement_);
  }
  void finish() {
    if (over_) interlocked_.end(entries_, judgement_);
    over_ = false;
  }

 private:
  void on_reset(std::uint32_t index) {
    reset_ = index;
    at_once_.drop();
    interlocked_.drop();
  }
  void on(const ev::ProcessCreated& created) {
    entries_.begin(created.process);
    refused_.erase(created.process);
  }
  void on(const ev::TableMoved& moved) {
    evicted_.follow(moved);
    entries_.follow(moved);
  }
  void on(std::uint32_t index, const ev::TableUpdated& update) {
    evicted_.follow(update);
    entries_.follow(index);
    for (std::uint64_t i = 0; update.level == 0 && i < update.count; ++i) {
      overlaid_.erase({update.process, update.first_va / kPage + i});
    }
    if ((update.status & 0x80000000u) == 0) return;
    refused_.insert(update.process);
    at_once_.drop(update.process);
    interlocked_.drop(update.process);
  }
  void on(const ev::TileUpdate& update) {
    if (update.stage == kAsked) {
      at_once_.drop();
      asked_[update.update] = last_;
    } else if (update.stage == kBegins && asked_.contains(update.update)) {
      const std::uint32_t request = asked_[update.update];
      if (reset_ == kNone || request > reset_) begin(interlocked_, request);
    } else if (update.stage == kDone) {
      over_ = true;
    }
  }
  void on(std::uint32_t index, const ev::AddressAnswered& one) {
    if (one.process >= kPrivilegedSpaceNumber) return;  // the host's own
    at_once_.end(entries_, judgement_);
    if (va::is(one, AddressRequest::Map) && one.refused == 0) overlay(one);
    if (!va::is(one, AddressRequest::Update) || one.refused != 0) return;
    last_ = index;
    begin(at_once_, index);
  }
  void begin(Request& request, std::uint32_t index) {
    const auto one = trace_.at<ev::AddressAnswered>(index);
    const bool copies = static_cast<AddressUpdate>(one.protection) == AddressUpdate::Copy;
    const bool is_away = evicted_.of(one.process, one.base, one.size) ||
                         (copies && evicted_.of(one.process, one.offset, one.size));
    const bool is_known = !copies || !is_overlaid(one);
    const bool is_carried_out = !refused_.contains(one.process) && !is_away && is_known;
    if (is_carried_out) request.begin(index, one, entries_);
  }

  void overlay(const ev::AddressAnswered& one) {
    for (std::uint64_t page = one.address / kPage; page < (one.address + one.size) / kPage;
         ++page) {
      if (pt::is_valid(entries_.at(one.process, page))) overlaid_.insert({one.process, page});
    }
  }
  [[nodiscard]] bool is_overlaid(const ev::AddressAnswered& copy) const {
    for (std::uint64_t page = copy.offset / kPage; page < (copy.offset + copy.size) / kPage;
         ++page) {
      if (overlaid_.contains({copy.process, page})) return true;
    }
    return false;
  }

  const Trace& trace_;
  Judgement& judgement_;
  va::PageEntries entries_;
  va::EvictedTables evicted_;
  Request at_once_, interlocked_;
  ScratchMap<std::uint32_t, std::uint32_t> asked_;  // AddressAnswered, by TileUpdate
  // Pages that an allocation was mapped at whose entries are still those of another: no copy of
  // them is judged until they are written again.
  ScratchSet<std::pair<std::uint32_t, std::uint64_t>> overlaid_;
  ScratchSet<std::uint32_t> refused_;               // processes, by their drivers
  std::uint32_t last_ = kNone;
  std::uint32_t reset_ = kNone;  // AdapterReset, the latest
  bool over_ = false;            // the interlocked one
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const bool asked = std::ranges::any_of(trace.of<ev::AddressAnswered>(), [&](std::uint32_t index) {
    return va::is(trace.at<ev::AddressAnswered>(index), AddressRequest::Update);
  });
  if (!asked) return;  // following all entries is for nothing
  Requests requests(trace, platform, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::AddressAnswered, ev::TableUpdated, ev::EntriesCopied, ev::TileUpdate,
                    ev::TableMoved, ev::ProcessCreated, ev::AdapterReset, ev::OpStarted,
                    ev::OpSkipped, ev::Ended>()) {
    requests.read(index);
  }
  requests.finish();
}

const Rule kRule{
    .id = "VA-005",
    .title = "UpdateGpuVirtualAddress operations",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Operations are applied in their order to addresses of one reserved range. Unmap leaves "
        "invalid or zero entries, as Protection says. Copy gives the destination the mappings that "
        "the source had before, also where the two overlap. Map repeats AllocationSizeInBytes of "
        "the "
        "allocation in every page, and MapProtect permits what its Protection says.",
    .sources =
        "nc-d3dumddi-pfnd3dddi_updategpuvirtualaddresscb.md # remarks\n"
        "ns-d3dukmdt-_d3dddi_updategpuvirtualaddress_operation.md\n"
        "ne-d3dukmdt-_d3dddi_updategpuvirtualaddress_operation_type.md",
    .note =
        "That overlapping copies may be asked for is said, and not what comes of them: the old "
        "mappings of the source. The host gives each operation a call of its own. Without a fence "
        "it is other paging; with one it is the companion's, in the privileged space, which copies "
        "the entries of a source that the destination leaves alone. Of a link that writes the page "
        "tables of the context's GPU alone (VA-010).",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::Linked},
    .scenario = R"(
about: tiles are mapped, copied one place up, taken away and mapped again; then all by a companion
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
- create_context: {context: 1}
- tile_updates: {context: 1, fence: 1, repeated_pages: 2}
- update_address: {allocation: 1, kind: map, to: 0, from: 2, pages: 8}
- tile_updates: {context: 1, fence: 1, protection: read_only}
- update_address: {allocation: 1, kind: map, to: 8, from: 0, pages: 4}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: copy, to: 1, from: 0, pages: 3}
- update_address: {allocation: 1, kind: unmap, to: 0, pages: 1}
- update_address: {allocation: 1, kind: zero, to: 3, pages: 1}
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
}  // namespace wddm::va_005
