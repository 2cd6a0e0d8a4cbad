#include "conformance/host/gpuva/tables/table_update.h"

#include <bit>

#include "conformance/host/boundary/session.h"
#include "conformance/host/gpuva/tables/page_table_operations.h"

namespace wddm::host {
namespace {

std::uint32_t stray(WatchedTable& table) {
  return table.stray_bytes();
}

}  // namespace

std::uint32_t TableUpdate::flags() const {
  return std::bit_cast<std::uint32_t>(flags_of(update_));
}

void TableUpdate::building() {
  if (named_.mode == gpummu::PageTableUpdateMode::CpuVirtual) table_->written();
  alone_ = !table_->any_pending();
  if (alone_) table_->look();
  for (const auto& table : tables_) {
    if (table != table_ && !table->any_pending()) table->look();
  }
}

void TableUpdate::built(NTSTATUS status, bool has_buffer) {
  if (named_.mode == gpummu::PageTableUpdateMode::CpuVirtual) table_->written();
  std::vector<EntryRecord> records;
  for (const WantedEntry& wanted : wanted_) records.push_back(wanted.entry);
  ordinal_ = built_++;
  session().tap(ev::TableUpdated{.place = named_.place.offset,
                                 .first_va = update_.first_va.value,
                                 .process = named_.process.value,
                                 .segment = named_.place.segment.value,
                                 .level = update_.level,
                                 .first = update_.first,
                                 .count = update_.count,
                                 .flags = flags(),
                                 .mode = static_cast<std::uint32_t>(named_.mode),
                                 .status = static_cast<std::uint32_t>(status),
                                 .allocation = named_.allocation.value,
                                 .table_bytes = table_->size(),
                                 .changed = alone_ ? table_->changed_bytes() : 0,
                                 .has_buffer = has_buffer,
                                 .entries = table_->entries(),
                                 .entry_bytes = table_->entry_bytes(),
                                 .physical_adapter = update_.adapter.value,
                                 .elsewhere = elsewhere(&stray),
                                 .walked = named_.walked},
                records.data(), records.size() * sizeof(EntryRecord));
  if (!NT_SUCCESS(status)) return;
  table_->pending(ordinal_, entries());
  if (named_.mode == gpummu::PageTableUpdateMode::CpuVirtual) carried_out(kNoPacket);
}

void TableUpdate::carried_out(PacketOrdinal packet) {
  if (ordinal_ == kNone) return;
  const auto compared = table_->carried_out(ordinal_, entries(), wanted_, named_.allocation);
  session().tap(ev::TableCompared{.update = ordinal_,
                                  .packet = packet.value,
                                  .process = named_.process.value,
                                  .level = update_.level,
                                  .decoded = compared.decoded,
                                  .wrong = compared.wrong,
                                  .outside = compared.outside,
                                  .first_outside = compared.first_outside,
                                  .unequal = compared.unequal,
                                  .physical_adapter = update_.adapter.value,
                                  .elsewhere = elsewhere(&stray)},
                compared.differences.data(), compared.differences.size() * sizeof(EntryDifference));
  ordinal_ = kNone;
  // What is said is said once.
  for (const auto& table : tables_) {
    if (table != table_ && !table->any_pending()) table->look();
  }
}

}  // namespace wddm::host
