// VA-002: MapGpuVirtualAddress counts pages of 4 KB, and gives the address that was asked for.
//
// Judged are the answers, and the entries that become valid behind one: they are written from the
// lowest address on, and whatever comes again, or is taken back, is of something later. An entry
// that leads to an allocation where no request has given it addresses is of none at all.

#include <optional>
#include <utility>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/va/evicted_tables.h"
#include "conformance/rules/va/requested_ranges.h"

namespace wddm::va_002 {
namespace {

constexpr std::uint64_t kPage = 4096, kLargePage = 65536;
constexpr std::uint64_t kZero = 1u << 2;  // D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE::Zero

std::string text(std::uint64_t value) {
  return std::to_string(value / kPage) + " pages";
}

// Null, or what is wrong about the address.
const char* wrong_address(const ev::AddressAnswered& one) {
  const auto aligned = [](std::uint64_t value) { return value % kPage == 0; };
  if (!aligned(one.base)) return "STATUS_INVALID_PARAMETER for a BaseAddress inside a page";
  if (one.base != 0) return one.address == one.base ? nullptr : "BaseAddress itself";
  if (!aligned(one.minimum) || !aligned(one.maximum)) {
    return "STATUS_INVALID_PARAMETER for limits inside pages";
  }
  const bool high_enough = one.address >= one.minimum;
  const bool low_enough = one.maximum == 0 || one.address + one.size <= one.maximum;
  return high_enough && low_enough ? nullptr : "an address within the limits";
}

struct Range {
  std::uint64_t first, end;
};

// Addresses that requests have given to allocations, or to whatever is mapped there later. What was
// freed stays known: nothing is accused for it here.
class Given {
 public:
  void created(std::uint32_t allocation) {
    for (auto& [whose, ranges] : ranges_) {
      if (whose.second == allocation) ranges.clear();
    }
  }
  void answered(const ev::AddressAnswered& one) {
    if (one.refused != 0 || va::is(one, AddressRequest::Free)) return;
    const std::uint64_t first = va::is(one, AddressRequest::Update) ? one.base : one.address;
    const bool named = !va::is(one, AddressRequest::MapContextAllocation);
    ranges_[{one.process, named ? one.allocation : kNone}].push_back({first, first + one.size});
  }
  [[nodiscard]] bool has(std::uint32_t process, std::uint32_t allocation,
                         const Range& range) const {
    return has_one(process, allocation, range) || has_one(process, kNone, range);
  }

 private:
  [[nodiscard]] bool has_one(std::uint32_t process, std::uint32_t allocation,
                             const Range& range) const {
    const auto found = ranges_.find({process, allocation});
    if (found == ranges_.end()) return false;
    for (const Range& one : found->second) {
      if (range.first >= one.first && range.end <= one.end) return true;
    }
    return false;
  }
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, ScratchVector<Range>> ranges_;
};

// Whether the entry of an update leads somewhere, and the addresses that it is for.
struct Leaf {
  const ev::TableUpdated& update;
  std::span<const EntryRecord> entries;

  [[nodiscard]] std::uint64_t page() const {
    return (update.flags & pt::kUse64KBPages) != 0 ? kLargePage : kPage;
  }
  [[nodiscard]] std::uint32_t count() const { return entries.empty() ? 0 : update.count; }
  [[nodiscard]] const EntryRecord& entry(std::uint32_t i) const {
    return entries[entries.size() == 1 ? 0 : i];
  }
  [[nodiscard]] Range range(std::uint32_t i) const {
    const std::uint64_t first = update.first_va + i * page();
    return {first, first + page()};
  }
};

// Pages of an allocation where it has no addresses. A leaf table of another page size takes over
// what its neighbours say already.
void judge_addresses(const Trace& trace, std::uint32_t index, const Given& given,
                     Judgement& judgement) {
  const auto update = trace.at<ev::TableUpdated>(index);
  const bool of_client = update.process != kSystemProcessNumber && update.allocation != kNone;
  if (update.level != 0 || !of_client || (update.flags & pt::kInitialUpdate) != 0) return;
  const Leaf leaf{update, trace.blob<EntryRecord>(trace.events()[index])};
  std::uint64_t astray = 0;
  for (std::uint32_t i = 0; i < leaf.count(); ++i) {
    if (!pt::leads_somewhere(leaf.entry(i))) continue;
    if (!given.has(update.process, update.allocation, leaf.range(i))) astray += leaf.page();
  }
  if (astray == 0) return;
  judgement.fail(index, "entries where an address was given to the allocation, and no other",
                 text(astray) + " beside them, in " + pt::text_of(update));
}

struct Shortage {
  std::uint32_t event, last;
  std::uint64_t asked, inside;
  void tell(Judgement& judgement) const {
    judgement.fail(event, text(asked) + " mapped", text(inside) + " of them", {last});
  }
};

// Entries that became valid for one request. One that ends at the end of a table, with nothing of
// its process behind it, has found no memory for another.
class Entries {
 public:
  void begin(std::uint32_t index, const ev::AddressAnswered& one) {
    if (one.process != asked_.process) cut_.reset();
    event_ = index;
    asked_ = one;
    inside_ = next_ = 0;
    unclear_ = later_ = at_border_ = false;
  }
  void follow(const Trace& trace, std::uint32_t index, const ev::TableUpdated& update,
              Judgement& judgement) {
    // The other GPUs of a link are told the same.
    if (update.process != asked_.process || update.physical_adapter != 0) return;
    if (cut_) std::exchange(cut_, std::nullopt)->tell(judgement);
    if (event_ == kNone) return;
    // The next table begins empty, and may wait then too.
    at_border_ &= (update.flags & pt::kInitialUpdate) != 0;
    // What a driver refuses is the last that the host asks for.
    unclear_ |= (update.status & 0x80000000u) != 0;
    if (later_) return;
    const Leaf leaf{update, trace.blob<EntryRecord>(trace.events()[index])};
    bool begun = false;  // this update maps what was asked for
    for (std::uint32_t i = 0; i < leaf.count(); ++i) {
      const EntryRecord& entry = leaf.entry(i);
      if (!pt::is_valid(entry)) {
        later_ |=
            update.allocation == asked_.allocation && (update.flags & pt::kInitialUpdate) == 0;
        continue;
      }
      if (update.level != 0) {
        unclear_ |= pt::is_zero(entry) || (entry.flags & entry_flag::kLargePage) != 0;
        continue;
      }
      if (update.allocation != asked_.allocation) continue;
      if (was_zero(update, entry)) continue;
      const Range at = leaf.range(i);
      const bool within = at.first >= asked_.address && at.end <= asked_.address + asked_.size;
      if (!within && (update.flags & pt::kInitialUpdate) != 0) continue;
      later_ |= at.first < next_;
      if (later_) return;
      next_ = at.end;
      // Other updates beside it are of the allocation's other addresses.
      begun |= within;
      later_ |= !begun;
      if (later_) return;
      inside_ += within ? leaf.page() : 0;
      last_ = index;
      at_border_ = update.first + i + 1 == update.entries;
    }
  }
  /// At the end of a table the next one may wait for the GPU while the scenario goes on.
  [[nodiscard]] bool may_go_on() const {
    return event_ != kNone && at_border_ && !later_ && inside_ != asked_.size;
  }
  /// An op came to nothing, perhaps for want of memory for the next table.
  void skipped() { cut_.reset(); }
  /// Its tables may go while it is under way, and say what they are to when they return.
  void tables_go(const va::EvictedTables& evicted) {
    if (evicted.of(asked_.process, asked_.address, asked_.size)) drop();
  }
  /// The adapter is reset: what was under way comes to no end.
  void drop() {
    event_ = kNone;
    cut_.reset();
  }
  void end(Judgement& judgement) {
    if (event_ != kNone && !unclear_ && inside_ != 0) {
      judgement.reached(event_);
      const Shortage shortage{event_, last_, asked_.size, inside_};
      if (inside_ != asked_.size && at_border_) cut_ = shortage;
      if (inside_ != asked_.size && !at_border_) shortage.tell(judgement);
    }
    event_ = kNone;
  }

 private:
  // A table that takes the place of an entry that reads as zero begins with such.
  [[nodiscard]] bool was_zero(const ev::TableUpdated& update, const EntryRecord& entry) const {
    const bool begins = (update.flags & pt::kInitialUpdate) != 0;
    return begins && pt::is_zero(entry) && (asked_.protection & kZero) == 0;
  }

  std::uint32_t event_ = kNone;
  std::uint32_t last_ = kNone;
  ev::AddressAnswered asked_{};
  std::uint64_t inside_ = 0;  // bytes
  std::uint64_t next_ = 0;    // behind the last
  bool unclear_ = false;      // entries above the leaf say what pages are, or one was refused
  bool later_ = false;        // what comes now is of another request
  bool at_border_ = false;    // the last update that was seen fills a table to its end
  std::optional<Shortage> cut_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Given given;
  Entries entries;
  va::EvictedTables evicted(trace, platform);
  for (const std::uint32_t index :
       trace.of_any<ev::AllocationCreated, ev::AddressAnswered, ev::TableUpdated, ev::TableMoved,
                    ev::AdapterReset, ev::OpStarted, ev::OpSkipped, ev::Ended>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpSkipped) {
      entries.skipped();
      continue;
    }
    if (event.kind == EventKind::AdapterReset) {
      entries.drop();
      continue;
    }
    if (event.kind == EventKind::TableMoved) {
      evicted.follow(trace.at<ev::TableMoved>(index));
      entries.tables_go(evicted);
      continue;
    }
    if (event.kind == EventKind::AllocationCreated) {
      given.created(trace.at<ev::AllocationCreated>(index).allocation);
      continue;
    }
    if (event.kind == EventKind::TableUpdated) {
      evicted.follow(trace.at<ev::TableUpdated>(index));
      judge_addresses(trace, index, given, judgement);
      entries.follow(trace, index, trace.at<ev::TableUpdated>(index), judgement);
      continue;
    }
    if (event.kind == EventKind::OpStarted && entries.may_go_on()) continue;
    entries.end(judgement);
    if (event.kind != EventKind::AddressAnswered) continue;
    const auto one = trace.at<ev::AddressAnswered>(index);
    given.answered(one);
    const bool of_driver = va::is(one, AddressRequest::MapContextAllocation);
    if ((!of_driver && !va::is(one, AddressRequest::Map)) || one.refused != 0) continue;
    judgement.reached(index);
    if (const char* const wanted = wrong_address(one)) {
      judgement.fail(index, wanted, std::to_string(one.address));
    }
    // The entries of a context allocation are written when it has its memory.
    const bool at_once = !of_driver && one.allocation != kNone;
    if (at_once && !evicted.of(one.process, one.address, one.size)) entries.begin(index, one);
  }
}

const Rule kRule{
    .id = "VA-002",
    .title = "Granularity and address choice of MapGpuVirtualAddress",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "OffsetInPages and SizeInPages count pages of 4 KB, and as many entries become valid. With "
        "BaseAddress the mapping begins there and the limits do not count; without, it lies "
        "between "
        "MinimumAddress and MaximumAddress. Addresses inside a page are refused.",
    .sources =
        "gpu-virtual-address.md # introduction\n"
        "ns-d3dukmdt-d3dddi_mapgpuvirtualaddress.md\n"
        "gpummu-model.md",
    .note =
        "One page speaks of logical pages of 4 or 64 KB, another of a fixed 4 KB: numbers in "
        "requests are always of 4 KB.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pages64K},
    .scenario = R"(
about: pages of an allocation at an address, between limits, at an address outside of them
ops:
- create_allocation: {allocation: 1, pages: 48, place: local}
- make_resident: {allocation: 1}
- map_range: {allocation: 1, at: base, base: 0x2000000, pages: 3, page: 2}
- map_range: {allocation: 1, at: limits, base: 0x2100000, pages: 3}
- map_range: {allocation: 1, at: base_and_limits, base: 0x2200000, pages: 2, page: 1}
- map_range: {allocation: 1, at: base, base: 0x23fd000, pages: 3}
- map_range: {allocation: 1, at: base, base: 0x2300800, pages: 1}
- map_range: {allocation: 1, at: limits, base: 0x2400800, pages: 1}
- idle
)",
    .control = R"(
about: an allocation at the address that it gets anyway
ops:
- create_allocation: {allocation: 1, pages: 3, place: local}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "sizes are taken for pages of 64 KB",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::MapLargeUnits}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_002
