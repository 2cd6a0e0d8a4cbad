#include "reference/gpummu/tests/small_host.h"

#include <algorithm>

namespace wddm::gpummu::testing {

SmallHost::SmallHost(const Geometry& geometry, std::uint32_t physical_adapters,
                     std::uint32_t root_entries, Owner owner)
    : space_(geometry, physical_adapters, owner),
      gpus_(static_cast<std::uint16_t>(physical_adapters)) {
  const bool forgets = geometry.caps().invalid_tlb_entries_not_cached;
  const Tlb::Invalid invalid = forgets ? Tlb::Invalid::NotCached : Tlb::Invalid::Cached;
  tlbs_.assign(gpus_, Tlb(invalid));
  ask(Open{{kPageSize, root_entries}});
  ask(AddContext{ContextId{0}});
}

std::vector<Decision> SmallHost::ask(const Input& input) {
  adding_context_ = std::holds_alternative<AddContext>(input);
  if (const auto* gone = std::get_if<RemoveContext>(&input)) roots_.erase(gone->context);
  const auto span = space_.step(input);
  const std::vector<Decision> decisions(span.begin(), span.end());
  for (const Decision& each : decisions) {
    std::visit([this](const auto& decision) { carry_out(decision); }, each);
  }
  expect_coherent("at the end of a step");
  for (const auto& [from, to] : old_places_) memory_.forget(from);
  old_places_.clear();
  return decisions;
}

void SmallHost::expect(bool condition, const std::string& what) {
  if (!condition) errors_ += what + "\n";
}

void SmallHost::expect_coherent(const std::string& when) {
  for (const Tlb& tlb : tlbs_) expect(tlb.is_coherent(), "VPAGE-004: TLB not flushed " + when);
}

PhysicalAddress SmallHost::place(TableId table, std::uint16_t gpu) const {
  PhysicalAddress place = places_.at(table);
  place.adapter = PhysicalAdapterIndex{gpu};
  return place;
}

void SmallHost::new_place(TableId table) {
  const CreateTable& created = created_.at(table);
  places_[table] = {next_place_, created.segment, {}};
  next_place_ += created.bytes;
}

TableMemory::View SmallHost::view(std::uint16_t gpu, const Root& root) const {
  return {memory_, place(root.table, gpu), root.entries};
}

Translation SmallHost::access(GpuVirtualAddress va, Access access, std::uint16_t gpu,
                              ContextId context) const {
  const Root& root = roots_.at(context);
  if (!places_.contains(root.table)) return walking::unspecified(0);
  return walk(space_.geometry(), view(gpu, root), va, access);
}

void SmallHost::carry_out(const ResumeContexts&) {
  expect(suspended_, "ResumeContexts without SuspendContexts");
  suspended_ = false;
  expect_coherent("before contexts resume");
}

void SmallHost::carry_out(const CreateTable& decision) {
  expect(!created_.contains(decision.table), "PT-002: a table was created twice");
  expect(decision.bytes != 0 && decision.bytes % kPageSize == 0, "PT-002: size of a table");
  created_[decision.table] = decision;
  new_place(decision.table);
}

/// Whether a GPU can have come by the table: a context's root leads there.
bool SmallHost::is_walked(const UpdateEntries& update) const {
  const Geometry& geometry = space_.geometry();
  for (const auto& [context, root] : roots_) {
    if (!places_.contains(root.table)) continue;
    const auto tables = view(update.adapter.value, root);
    const auto wanted = tables.below(pointer_entry(place(update.table)));
    auto table = tables.root();
    for (std::uint32_t level = geometry.root_level(); table != nullptr; --level) {
      if (level == update.level) return table == wanted;
      const std::uint32_t index = geometry.index(level, update.first_va);
      const Entry* entry = tables.read(table, level, PageTablePageSize::Page4K, index);
      if (level == 1 && geometry.dual_pte()) {
        const Entry* second = tables.read_64kb_pointer(table, index);
        return (entry != nullptr && entry->valid && tables.below(*entry) == wanted) ||
               (second != nullptr && second->valid && tables.below(*second) == wanted);
      }
      if (entry == nullptr || !is_pointer(*entry, level)) break;
      table = tables.below(*entry);
    }
  }
  return false;
}

void SmallHost::expect_ready(TableId table, std::uint16_t gpu) {
  expect(places_.contains(table), "PT-003: an entry leads to a table that is not in memory");
  expect(ready_.contains({table, gpu}), "PT-003: an entry leads to a table not initialized");
}

Entry SmallHost::in_memory(const UpdateEntries& update, const Written& written) {
  Entry entry = written.entry;
  if (is_pointer(entry, update.level)) {
    expect_ready(written.table, update.adapter.value);
    if (!places_.contains(written.table)) return {};
    entry = pointer_entry(place(written.table), entry.page_table_page_size);
    const bool is_64kb = created_.at(written.table).page_size == PageTablePageSize::Page64K;
    expect(is_64kb == (entry.page_table_page_size == PageTablePageSize::Page64K),
           "PGSZ-008: PageTablePageSize of an entry is not that of its leaf");
  }
  expect(!check_entry(space_.geometry(), gpus_, update.level, update.page_size, entry),
         "PTE: an entry that must not be written");
  return entry;
}

Entry SmallHost::second_in_memory(const UpdateEntries& update, const Written& written) {
  if (written.table_64kb == kNoTable) return {};
  expect(space_.geometry().dual_pte() && update.level == 1, "PGSZ-009: a second pointer");
  expect_ready(written.table_64kb, update.adapter.value);
  if (!places_.contains(written.table_64kb)) return {};
  return pointer_entry(place(written.table_64kb));
}

void SmallHost::remember(const UpdateEntries& update, std::uint32_t index, const Entry& now,
                         const Entry& second) {
  const Geometry& geometry = space_.geometry();
  const bool is_64kb = update.page_size == PageTablePageSize::Page64K;
  const std::uint64_t bytes = is_64kb ? kPageSize64K : geometry.entry_bytes(update.level);
  const VaRange range{{update.first_va.value + (index - update.first) * bytes}, bytes};
  const auto tables = view(update.adapter.value, roots_.begin()->second);
  const auto table = tables.below(pointer_entry(place(update.table)));
  const Entry* before = tables.read(table, update.level, update.page_size, index);
  if (before == nullptr) return;
  Tlb& tlb = tlbs_[update.adapter.value];
  const auto slot = is_64kb ? Tlb::Slot::Entry64K : Tlb::Slot::Entry4K;
  tlb.replace(range, update.level, slot, *before, now);
  if (update.level != 1) return;
  tlb.replace(range, 1, Tlb::Slot::Entry64K, *tables.read_64kb_pointer(table, index), second);
}

void SmallHost::carry_out(const UpdateEntries& decision) {
  const std::uint16_t gpu = decision.adapter.value;
  expect(places_.contains(decision.table), "PT-002: an update of a table that is not in memory");
  if (!places_.contains(decision.table)) return;
  const CreateTable& created = created_.at(decision.table);
  expect(decision.first + decision.count <= created.entries, "PT-008: an update past the table");
  expect(decision.level == created.level && decision.page_size == created.page_size,
         "an update in the format of another table");
  expect(decision.initial || ready_.contains({decision.table, gpu}),
         "PT-003: an update of a table that was not initialized");
  expect(decision.driver_protection == 0 || decision.level == 0, "PTE-008: not of level 0");
  std::vector<Entry> entries, second;
  for (const Written& written : space_.elements(decision)) {
    entries.push_back(in_memory(decision, written));
    second.push_back(second_in_memory(decision, written));
  }
  if (!roots_.empty() && is_walked(decision)) {
    for (std::uint32_t i = 0; i < decision.count; ++i) {
      const std::uint32_t element = decision.repeat ? 0 : i;
      remember(decision, decision.first + i, entries[element], second[element]);
    }
  }
  memory_.update({place(decision.table, gpu), decision.level, decision.page_size, decision.first,
                  decision.count, decision.repeat, entries, second});
  // All updates of a first initialization come in a row, the last one with the last entry.
  if (decision.initial && decision.first + decision.count == created.entries) {
    ready_.insert({decision.table, gpu});
  }
}

void SmallHost::carry_out(const CopyEntries& decision) {
  const std::uint16_t gpu = decision.adapter.value;
  expect_ready(decision.from, gpu);
  expect_ready(decision.to, gpu);
  memory_.copy(place(decision.from, gpu), decision.from_first, place(decision.to, gpu),
               decision.to_first, decision.count);
}

void SmallHost::carry_out(const SetRoot& decision) {
  expect(suspended_ || adding_context_, "ROOT-012: a root is set while contexts run");
  for (std::uint16_t gpu = 0; gpu < gpus_; ++gpu) expect_ready(decision.root, gpu);
  expect(decision.entries <= created_.at(decision.root).entries, "ROOT-006: NumEntries");
  roots_[decision.context] = {decision.root, decision.entries};
}

void SmallHost::carry_out(const FlushTlb& decision) {
  tlbs_[decision.adapter.value].flush(decision.range);
}

void SmallHost::carry_out(const RelocateTable& decision) {
  expect(suspended_, "PT-006: a table moves while contexts run");
  const PhysicalAddress old = place(decision.table);
  new_place(decision.table);
  for (std::uint16_t gpu = 0; gpu < gpus_; ++gpu) {
    PhysicalAddress from = old;
    from.adapter = PhysicalAdapterIndex{gpu};
    memory_.relocate(from, place(decision.table, gpu));
  }
}

/// Nothing in any table that is in memory leads there, and no TLB either.
void SmallHost::expect_unreachable(TableId table) {
  expect_coherent("before a table goes");
  for (const auto& [context, root] : roots_) {
    expect(root.table != table || suspended_, "ROOT-009: the root of a context goes");
  }
  for (std::uint16_t gpu = 0; gpu < gpus_; ++gpu) {
    for (const auto& [other, where] : places_) {
      const CreateTable& created = created_.at(other);
      if (created.level != created_.at(table).level + 1 || created.entries > 64) continue;
      for (std::uint32_t i = 0; i < created.entries; ++i) {
        const Entry* entry = memory_.entry(place(other, gpu), i);
        const bool leads = entry != nullptr && is_pointer(*entry, created.level) &&
                           entry->address == places_.at(table).offset;
        expect(!leads || !space_.tables().exists(other), "PT-007: an entry leads to what went");
      }
    }
  }
}

void SmallHost::carry_out(const ReleaseTable& decision) {
  expect(suspended_, "PT-006: a table is evicted while contexts run");
  expect_unreachable(decision.table);
  for (std::uint16_t gpu = 0; gpu < gpus_; ++gpu) {
    memory_.forget(place(decision.table, gpu));
    ready_.erase({decision.table, gpu});
  }
  places_.erase(decision.table);
}

void SmallHost::carry_out(const CommitTable& decision) {
  expect(!places_.contains(decision.table), "a table is committed twice");
  new_place(decision.table);
}

void SmallHost::carry_out(const DestroyTable& decision) {
  if (places_.contains(decision.table)) {
    expect_unreachable(decision.table);
    const bool invalidates = space_.geometry().caps().explicit_page_table_invalidation;
    for (std::uint16_t gpu = 0; gpu < gpus_; ++gpu) {
      const std::uint32_t entries = created_.at(decision.table).entries;
      for (std::uint32_t i = 0; invalidates && i < entries; ++i) {
        const Entry* entry = memory_.entry(place(decision.table, gpu), i);
        expect(entry != nullptr && !entry->valid, "PT-015: a table goes with a valid entry");
      }
      memory_.forget(place(decision.table, gpu));
      ready_.erase({decision.table, gpu});
    }
    places_.erase(decision.table);
  }
  expect(created_.erase(decision.table) == 1, "a table is destroyed twice");
}

// ---- FlatMap.

void FlatMap::map(const Map& input, std::uint16_t gpus) {
  for (std::uint16_t gpu = 0; gpu < gpus; ++gpu) {
    if ((input.adapters >> gpu & 1) == 0) continue;
    std::uint64_t page = input.range.first.value / kPageSize;
    for (const PageRun& run : input.pages) {
      for (std::uint64_t into = 0; into < run.bytes; into += kPageSize) {
        PhysicalAddress place = run.first;
        place.offset += into;
        pages_[{gpu, page++}] = {false, input.protection.read_only, place};
      }
    }
  }
}

void FlatMap::zero(const MapZero& input, std::uint16_t gpus) {
  for (std::uint16_t gpu = 0; gpu < gpus; ++gpu) {
    if ((input.adapters >> gpu & 1) == 0) continue;
    for (std::uint64_t va = input.range.first.value; va < input.range.end(); va += kPageSize) {
      pages_[{gpu, va / kPageSize}] = {true, false, {}};
    }
  }
}

void FlatMap::unmap(const Unmap& input, std::uint16_t gpus) {
  for (std::uint16_t gpu = 0; gpu < gpus; ++gpu) {
    if ((input.adapters >> gpu & 1) == 0) continue;
    for (std::uint64_t va = input.range.first.value; va < input.range.end(); va += kPageSize) {
      pages_.erase({gpu, va / kPageSize});
    }
  }
}

bool FlatMap::agrees(GpuVirtualAddress va, Access access, std::uint16_t gpu,
                     const Translation& got) const {
  const auto found = pages_.find({gpu, va.value / kPageSize});
  if (found == pages_.end()) return got.outcome == Outcome::Fault;
  const Page& page = found->second;
  if (page.zero) return got.outcome == Outcome::Zero;
  if (page.read_only && access == Access::Write) {
    return got.outcome == Outcome::Fault && got.fault == FaultReason::ReadOnly;
  }
  PhysicalAddress place = page.place;
  place.offset += va.value % kPageSize;
  return got.outcome == Outcome::Memory && got.place == place;
}

}  // namespace wddm::gpummu::testing
