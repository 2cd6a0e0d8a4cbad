// PT-015: with ExplicitPageTableInvalidation every entry of a table is made invalid before its
// memory goes.

#include <algorithm>
#include <compare>

#include "conformance/rules/pt/copied_ranges.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"

namespace wddm::pt_015 {
namespace {

// Entries that are valid by what was asked for, table by table. Lives within one check.
class ValidEntries {
 public:
  void follow(const Trace& trace, std::uint32_t index, const ev::TableUpdated& update) {
    Table& table = tables_[{update.process, update.level, update.place}];
    table.updated = index;
    table.small = update.level == 0 && (update.flags & pt::kUse64KBPages) == 0;
    table.start = update.first_va - update.first * std::uint64_t{4096};
    const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
    for (std::uint32_t i = 0; i < update.count && !entries.empty(); ++i) {
      const EntryRecord& entry = entries[std::min<std::size_t>(i, entries.size() - 1)];
      if (pt::is_valid(entry)) {
        table.valid.insert(update.first + i);
      } else {
        table.valid.erase(update.first + i);
      }
    }
  }

  void follow(const ev::EntriesCopied& copied, const CopiedFrom& where) {
    if (copied.level != 0) return;
    const pt::CopiedTables tables = pt::tables_of(copied, where);
    const Table* const from = leaf(tables.source);
    Table* const to = leaf(tables.destination);
    if (from == nullptr || to == nullptr) return;
    for (std::uint32_t i = 0; i < copied.count; ++i) {
      if (from->valid.contains(copied.from_first + i)) {
        to->valid.insert(copied.to_first + i);
      } else {
        to->valid.erase(copied.to_first + i);
      }
    }
  }

  struct Table {
    ScratchSet<std::uint32_t> valid;
    std::uint32_t updated = kNone;  // event
    bool small = false;             // a leaf of 4 KB pages
    std::uint64_t start = 0;        // what its first entry stands for, of such a leaf
  };
  Table* of(const ev::TableMoved& moved) {
    const auto found = tables_.find({moved.process, moved.level, moved.from});
    return found == tables_.end() ? nullptr : &found->second;
  }
  /// A root that takes the place of another has been written by then.
  [[nodiscard]] bool is_replaced(const ev::TableMoved& moved) const {
    return moved.gone == 0 && tables_.contains({moved.process, moved.level, moved.to});
  }
  void moved(const ev::TableMoved& moved) {
    const bool relocated = moved.gone == 0 && !is_replaced(moved);
    const auto found = tables_.find({moved.process, moved.level, moved.from});
    if (found == tables_.end()) return;
    const Table table = std::move(found->second);
    tables_.erase(found);
    if (relocated) tables_[{moved.process, moved.level, moved.to}] = table;
  }
  /// What went with an adapter that was reset or stopped, nobody is told of.
  void forget_all() { tables_.clear(); }
  /// Nor of what an earlier process of this number had.
  void created(const ev::ProcessCreated& created) {
    const std::uint32_t privileged = kPrivilegedSpaceNumber + created.process;
    std::erase_if(tables_, [&](const auto& each) {
      return each.first.process == created.process || each.first.process == privileged;
    });
  }

 private:
  // Tables of other levels may lie in other segments, at the same offset there.
  struct At {
    std::uint32_t process = 0;
    std::uint32_t level = 0;
    std::uint64_t place = 0;
    friend auto operator<=>(const At&, const At&) = default;
  };
  [[nodiscard]] Table* leaf(const pt::CopiedTable& named) {
    for (auto& [at, table] : tables_) {
      const bool small = at.level == 0 && table.small;
      if (small && at.process == named.process && table.start == named.start) return &table;
    }
    return nullptr;
  }

  ScratchMap<At, Table> tables_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ValidEntries known;
  for (const std::uint32_t index :
       trace.of_any<ev::DeviceStarted, ev::AdapterReset, ev::ProcessCreated, ev::TableUpdated,
                    ev::EntriesCopied, ev::TableMoved>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::DeviceStarted || kind == EventKind::AdapterReset) {
      known.forget_all();
      continue;
    }
    if (kind == EventKind::ProcessCreated) {
      known.created(trace.at<ev::ProcessCreated>(index));
      continue;
    }
    if (kind == EventKind::TableUpdated) {
      known.follow(trace, index, trace.at<ev::TableUpdated>(index));
      continue;
    }
    if (kind == EventKind::EntriesCopied) {
      for (const CopiedFrom& where : trace.blob<CopiedFrom>(trace.events()[index])) {
        known.follow(trace.at<ev::EntriesCopied>(index), where);
      }
      continue;
    }
    const auto moved = trace.at<ev::TableMoved>(index);
    const ValidEntries::Table* const table = known.of(moved);
    const bool goes = moved.gone != 0 || known.is_replaced(moved);
    if (goes && table != nullptr) {
      judgement.reached(index);
      if (!table->valid.empty()) {
        judgement.fail(index, "a table whose entries have all been made invalid",
                       std::to_string(table->valid.size()) + " entries of a level-" +
                           std::to_string(moved.level) + " table are valid, the first is " +
                           std::to_string(*table->valid.begin()),
                       {table->updated});
      }
    }
    known.moved(moved);
  }
}

NotApplicable explicit_invalidation(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return platform.gpu_mmu_caps.explicit_invalidation() ? nullptr
                                                       : "ExplicitPageTableInvalidation is 0";
}

const Rule kRule{
    .id = "PT-015",
    .title = "With ExplicitPageTableInvalidation tables are emptied before they go",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Where ExplicitPageTableInvalidation is set, UpdatePageTable has made every entry of a "
        "page table invalid before the memory of the table goes. Where it is clear, a table may "
        "go with valid entries once nothing leads to it.",
    .sources = "ns-d3dkmddi-_dxgk_gpummucaps.md # ExplicitPageTableInvalidation",
    .note =
        "Entries that CopyPageTableEntries has brought into a root are not followed. A driver that "
        "leaves the capability clear, and waits for entries to be made invalid to give back what "
        "it keeps for them, keeps it for ever (LIFE-004).",
    .applies = explicit_invalidation,
    .check = check,
    .played_in = {Configured::GpuVirtualUpdates},
    .scenario = R"(
about: addresses with a leaf table of their own go, the tables leave and return, a process ends
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 1, pages: 8, place: local, device: 1}
- make_resident: {allocation: 1}
- map_address: {allocation: 1, at: top}
- free_address: {allocation: 1}
- map_address: {allocation: 1, at: bit, bit: 22}
- evict_tables: {device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- destroy_device: {device: 1}
- idle
)",
    .control = R"(
about: no table goes
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 8, place: local}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "tables go with the entries that they have",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::TablesFreedWithEntries}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_015
