// VPAGE-006: with InvalidTlbEntriesNotCached an access finds what was mapped after one that found
// nothing; without, it does so because a flush came.
//
// Judged are packets of a process that were submitted after the update of an entry at an address
// that an earlier packet of the process found invalid, on the same GPU. What the IOMMU refuses says
// nothing of page tables.

#include <string>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/entries_in_memory.h"
#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/vpage/met_while_invalid.h"
#include "reference/trace/copied_entries.h"

namespace wddm::vpage_006 {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr const char* kFound = "an access finds the entry that was written after an earlier one";

class Accesses {
 public:
  Accesses(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace),
        judgement_(judgement),
        reported_(trace),
        root_level_(platform.page_table_levels - 1) {}

  // What was found or not in the space of an earlier process of that number.
  void read(std::uint32_t, const ev::ProcessCreated& created) {
    std::erase_if(addresses_, [&](const Address& one) { return one.process == created.process; });
  }
  // Tables that are away lead nowhere, and come back with what is mapped by then.
  void read(std::uint32_t, const ev::TableMoved& moved) {
    if (moved.gone == 0 || moved.level != root_level_) return;
    for (Address& one : addresses_) {
      if (one.process == moved.process) one.mapped = kNone;
    }
  }
  void read(std::uint32_t, const ev::RootSet& set) { process_of_[set.context] = set.process; }
  void read(std::uint32_t, const ev::NotAwaited& not_awaited) {
    hurried_.insert(not_awaited.render);
  }
  void read(std::uint32_t index, const ev::Submitted& submitted) {
    const auto process = process_of_.find(submitted.context);
    if (submitted.paging != 0 || process == process_of_.end()) return;
    packets_[submitted.packet] = {index, process->second, submitted.engine,
                                  hurried_.contains(submitted.render)};
  }
  void read(std::uint32_t, const ev::IommuFaulted& fault) { refused_.insert(fault.packet); }
  void read(std::uint32_t index, const ev::AccessFaulted& fault) {
    const auto packet = packets_.find(fault.packet);
    if (packet == packets_.end() || refused_.contains(fault.packet)) return;
    const std::uint64_t page = fault.address / kPage;
    for (Address& one : addresses_) {
      if (one.page != page || !has_met(one, packet->second)) continue;
      judgement_.reached(index);
      const mmu::EntriesInMemory tables(trace_, one.process, one.gpu, index);
      std::string seen = "a page fault at its address" + tables.who_went_wrong(fault.address);
      if (tables.on_the_way(fault.address) == mmu::Entries::Right) {
        seen += ", or its capabilities promise more than the hardware does";
      }
      judgement_.fail(index, kFound, std::move(seen),
                      {one.touched, one.mapped, packet->second.submitted});
      return;
    }
    addresses_.push_back({packet->second.process, packet->second.gpu, page, index, kNone});
  }
  void read(std::uint32_t index, const ev::TableUpdated& update) {
    // What the driver has refused is in no table.
    if ((update.status & 0x80000000u) != 0) return;
    const auto entries = trace_.blob<EntryRecord>(trace_.events()[index]);
    const bool large = (update.flags & pt::kUse64KBPages) != 0;
    const std::uint64_t pages = reported_.entry_bytes(update.level, large) / kPage;
    const std::uint64_t first = update.first_va / kPage;
    if (entries.empty() || pages == 0) return;
    for (Address& one : addresses_) {
      if (one.process != update.process || one.gpu != update.physical_adapter) continue;
      if (one.page < first) continue;
      const std::uint64_t entry = (one.page - first) / pages;
      if (entry >= update.count) continue;
      const EntryRecord& now = entries[entries.size() == 1 ? 0 : entry];
      if (update.level == 0 || ends_the_walk(update, now)) {
        one.mapped = permits_all(now) ? index : kNone;
      }
    }
  }
  // What they say then is not followed.
  void read(std::uint32_t index, const ev::EntriesCopied& copied) {
    for (const CopiedFrom& where : trace_.blob<CopiedFrom>(trace_.events()[index])) {
      for (Address& one : addresses_) {
        const bool same = one.process == copied.process && one.gpu == copied.physical_adapter;
        const std::uint64_t entry = one.page - where.first_va / kPage;
        if (same && copied.level == 0 && entry < copied.count) one.mapped = kNone;
      }
    }
  }
  void read(std::uint32_t index, const ev::MarkerRead& marker) {
    const auto packet = packets_.find(marker.packet);
    if (packet == packets_.end() || marker.expected == 0 || marker.runs != marker.expected) return;
    for (Address& one : addresses_) {
      if (!has_met(one, packet->second)) continue;
      judgement_.reached(index);
      one.mapped = kNone;
    }
  }

 private:
  struct Packet {
    std::uint32_t submitted = kNone;
    std::uint32_t process = kNone;
    std::uint32_t gpu = 0;
    bool hurried = false;  // its client has not waited for the update
  };
  struct Address {
    std::uint32_t process;
    std::uint32_t gpu;  // each of a link has tables of its own
    std::uint64_t page;
    std::uint32_t touched;  // AccessFaulted
    std::uint32_t mapped;   // TableUpdated; kNone: it leads nowhere, or was judged
  };
  static bool permits_all(const EntryRecord& entry) {
    constexpr std::uint32_t kSpecial = entry_flag::kReadOnly | entry_flag::kNoExecute;
    return pt::is_valid(entry) && (entry.flags & kSpecial) == 0;
  }
  // Whether an entry above the leaf speaks for all below it. A new table leads nowhere yet, but
  // nothing leads to it either.
  static bool ends_the_walk(const ev::TableUpdated& update, const EntryRecord& entry) {
    if ((entry.flags & entry_flag::kLargePage) != 0) return true;
    return (update.flags & pt::kInitialUpdate) == 0 && !pt::leads_somewhere(entry);
  }
  static bool has_met(const Address& address, const Packet& packet) {
    return !packet.hurried && address.process == packet.process && address.gpu == packet.gpu &&
           address.mapped != kNone && packet.submitted > address.mapped;
  }

  const Trace& trace_;
  Judgement& judgement_;
  const mmu::ReportedTables reported_;
  std::uint32_t root_level_;
  ScratchMap<std::uint32_t, std::uint32_t> process_of_;  // by context
  ScratchMap<std::uint32_t, Packet> packets_;
  ScratchVector<Address> addresses_;
  ScratchSet<std::uint32_t> hurried_;  // renders
  ScratchSet<std::uint32_t> refused_;  // packets, by the IOMMU
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Accesses accesses(trace, platform, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::ProcessCreated, ev::RootSet, ev::NotAwaited, ev::Submitted,
                    ev::IommuFaulted, ev::AccessFaulted, ev::TableUpdated, ev::TableMoved,
                    ev::EntriesCopied, ev::MarkerRead>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::ProcessCreated) {
      accesses.read(index, trace.at<ev::ProcessCreated>(index));
    }
    if (kind == EventKind::TableMoved) accesses.read(index, trace.at<ev::TableMoved>(index));
    if (kind == EventKind::NotAwaited) accesses.read(index, trace.at<ev::NotAwaited>(index));
    if (kind == EventKind::RootSet) accesses.read(index, trace.at<ev::RootSet>(index));
    if (kind == EventKind::Submitted) accesses.read(index, trace.at<ev::Submitted>(index));
    if (kind == EventKind::IommuFaulted) accesses.read(index, trace.at<ev::IommuFaulted>(index));
    if (kind == EventKind::AccessFaulted) accesses.read(index, trace.at<ev::AccessFaulted>(index));
    if (kind == EventKind::TableUpdated) accesses.read(index, trace.at<ev::TableUpdated>(index));
    if (kind == EventKind::EntriesCopied) accesses.read(index, trace.at<ev::EntriesCopied>(index));
    if (kind == EventKind::MarkerRead) accesses.read(index, trace.at<ev::MarkerRead>(index));
  }
}

// A driver whose caps say more than its GPU does.
class ClaimsNotToKeep final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_GPUMMUCAPS && NT_SUCCESS(status)) {
      static_cast<DXGK_GPUMMUCAPS*>(query->pOutputData)->InvalidTlbEntriesNotCached = 1;
    }
    return status;
  }
};

const Rule kRule{
    .id = "VPAGE-006",
    .title = "InvalidTlbEntriesNotCached means that negative translations are never kept",
    .evidence = Evidence::DeviceLog,
    .rule =
        "Once an entry that was invalid has been made valid, an access there succeeds, even if one "
        "before the update found nothing. With InvalidTlbEntriesNotCached no flush comes in "
        "between; without it Windows sends one for that change too.",
    .sources = "ns-d3dkmddi-_dxgk_gpummucaps.md # InvalidTlbEntriesNotCached",
    .note =
        "Accesses ahead of time, which no log tells of, are not seen: the earlier access is one "
        "that ended in a page fault.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::InvalidCached},
    .scenario = vpage::kMetWhileInvalid,
    .control = R"(
about: what is mapped was not accessed before
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- free_address: {allocation: 1}
- map_address: {allocation: 1, at: same}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
)",
    .fault = {.about = "the cap is set by a driver whose GPU keeps invalid entries",
              .interposer = [] { return std::unique_ptr<Interposer>(new ClaimsNotToKeep); },
              .also_fires = "MMU-015 VA-008"},
    .device_fault = {.about = "what was invalid stays so over every flush",
                     .seat = FaultSeat::Device,
                     .variant = 6,
                     .also_fires = "MMU-015 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::vpage_006
