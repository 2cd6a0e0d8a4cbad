// PROC-004: after power was gone the paging process's tables are written again, in full.

#include <map>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::proc_004 {
namespace {

// The event with which power came back for the first time; kNone: it never went.
std::uint32_t power_came_back(const Trace& trace) {
  bool gone = false;
  for (const std::uint32_t index : trace.of<ev::PowerChanged>()) {
    const auto changed = trace.at<ev::PowerChanged>(index);
    if (changed.state != PowerDeviceD0) {
      gone = true;
    } else if (gone) {
      return index;
    }
  }
  return kNone;
}

bool is_immediate_of_paging_process(const ev::TableUpdated& update) {
  return update.process == kSystemProcessNumber && update.has_buffer == 0 &&
         (update.flags & pt::kInitialUpdate) != 0;
}

// A transfer that does wrong with power on is no matter of the tables that come back.
bool worked_before(const Trace& trace, std::uint32_t back) {
  const auto& checked = trace.ledger<page::CheckedOperations>();
  for (const auto& found : checked.found()) {
    const page::CheckedOperation& operation = checked.of(found);
    const bool differs = trace.events()[found.event].kind == EventKind::MemoryDiffers;
    if (differs && operation.built < back &&
        operation.done.operation == DXGK_OPERATION_VIRTUAL_TRANSFER) {
      return false;
    }
  }
  return true;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const std::uint32_t back = power_came_back(trace);
  if (back == kNone) return;
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    if (index < back || !is_immediate_of_paging_process(update)) continue;
    if ((update.status & 0x80000000u) == 0) continue;
    judgement.reached(index);
    judgement.fail(index, "the tables of the paging process are written again",
                   status_name(update.status), {back});
  }
  pt::judge_entries(
      trace, judgement,
      [back](const pt::CarriedOut& one) {
        return one.built > back && is_immediate_of_paging_process(one.update);
      },
      [](const pt::CarriedOut&, const EntryDifference&) { return true; });
  if (!worked_before(trace, back)) return;
  page::judge_memory(trace, judgement, "paging works again by the tables of the paging process",
                     [back](const page::CheckedOperation& operation) {
                       return operation.built > back && !operation.disturbed &&
                              operation.done.operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
                     });
}

// A driver whose shadow of its tables says that nothing is to be done.
class TrustsItsShadow final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    if (update.UpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) return true;
    bool news = false;
    for (UINT i = 0; i < update.NumPageTableEntries; ++i) {
      const DXGK_PTE& entry = update.pPageTableEntries[i];
      const Entry now{entry.Flags, entry.PageAddress};
      const auto [known, is_new] =
          shadow_.try_emplace({update.PageTableAddress.CpuVirtual, update.StartIndex + i}, now);
      news = news || is_new || known->second != now;
      known->second = now;
    }
    return news;
  }
  using Entry = std::pair<ULONGLONG, ULONGLONG>;
  std::map<std::pair<PVOID, UINT>, Entry> shadow_;
};

const Rule kRule{
    .id = "PROC-004",
    .title = "The paging process's tables are written again after a loss of memory",
    .evidence = Evidence::Memory,
    .rule =
        "When power comes back after memory was lost, the same immediate updates of the paging "
        "process's tables come again, and are written in full, whatever the driver remembers of "
        "them. Paging works by them afterwards.",
    .sources =
        "system-paging-process.md\n"
        "examples.md # The paging process initialization",
    .note =
        "Tables in system memory outlive the loss; what lies in memory segments is overwritten "
        "while power is off. The process, its device and its contexts are kept: no page says that "
        "they are made anew. Without a decoder of entries only what paging does is judged.",
    .applies =
        [](const Platform& platform) {
          if (const NotApplicable reason = page_tables(platform)) return reason;
          return needs(platform, DdiId::SetPowerState);
        },
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K, Configured::InvalidCached},
    .scenario = R"(
about: contents leave, power goes and comes back, contents return, for both engines
ops:
- create_context: {context: 1}
- create_context: {context: 2, node: 1}
- create_allocation: {allocation: 1, place: local, pages: 20}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x11223344}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- power_cycle
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 12, value: 1}
- idle
- evict: {allocation: 1}
)",
    .control = R"(
about: power goes before anything was done; then after work, for sleep and for hibernation, with work of both engines behind each
ops:
- start
- power_cycle
- create_context: {context: 1}
- create_context: {context: 2, node: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- idle
# Each loss is one: what a driver did about the first is lost as well.
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11223344}
- idle
- power_cycle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- power_cycle: {hibernate: true}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- idle
- evict: {allocation: 1}
- idle
)",
    .fault = {.about = "updates that a shadow of the tables knows are left out",
              .interposer = [] { return std::unique_ptr<Interposer>(new TrustsItsShadow); },
              .also_fires = "MMU-019 PT-004 PT-010"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::proc_004
