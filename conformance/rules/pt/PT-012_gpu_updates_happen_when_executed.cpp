// PT-012: updates in a paging buffer take effect when the GPU executes it.

#include <compare>

#include "conformance/host/interposer.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"

namespace wddm::pt_012 {
namespace {

// Updates for which no earlier one of the same table was on its way when they were built: what such
// a one writes meanwhile nobody can tell from what BuildPagingBuffer does.
class Alone {
 public:
  explicit Alone(const Trace& trace) {
    const auto built = trace.of<ev::TableUpdated>();
    for (const std::uint32_t index :
         trace.of_any<ev::DeviceStarted, ev::AdapterReset, ev::TableUpdated, ev::TableCompared>()) {
      const EventKind kind = trace.events()[index].kind;
      // What was on its way is lost, and so is the table; another one may lie there.
      if (kind == EventKind::DeviceStarted || kind == EventKind::AdapterReset) {
        on_their_way_.clear();
        continue;
      }
      if (kind == EventKind::TableUpdated) {
        const auto update = trace.at<ev::TableUpdated>(index);
        std::uint32_t& on_their_way = on_their_way_[at(update)];
        if (on_their_way == 0) alone_.insert(index);
        if ((update.status & 0x80000000u) == 0) ++on_their_way;
        continue;
      }
      const std::uint32_t update = trace.at<ev::TableCompared>(index).update;
      if (update >= built.size()) continue;
      std::uint32_t& on_their_way = on_their_way_[at(trace.at<ev::TableUpdated>(built[update]))];
      if (on_their_way != 0) --on_their_way;
    }
  }
  [[nodiscard]] bool has(std::uint32_t built) const { return alone_.contains(built); }

 private:
  struct Table {
    std::uint32_t adapter = 0, segment = 0;
    std::uint64_t place = 0;
    friend auto operator<=>(const Table&, const Table&) = default;
  };
  static Table at(const ev::TableUpdated& update) {
    return {update.physical_adapter, update.segment, update.place};
  }
  ScratchMap<Table, std::uint32_t> on_their_way_;
  ScratchSet<std::uint32_t> alone_;  // events
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const Alone alone(trace);
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    if (!one.read() || one.update.mode == update_mode::kCpuVirtual) return;
    if (!alone.has(one.built)) return;
    judgement.reached(one.built);
    if (one.update.changed == 0) return;
    judgement.fail(
        one.built,
        "the table as it was until the GPU executes the update of " + pt::text_of(one.update),
        std::to_string(one.update.changed) + " bytes are others when BuildPagingBuffer returns");
  });
}

NotApplicable gpu_modes(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  return platform.update_mode == update_mode::kCpuVirtual ? "all updates have the mode CPU_VIRTUAL"
                                                          : nullptr;
}

// A driver that has kept where it saw the leaf table of the system process at its start, and goes
// on writing there with the CPU.
class WritesAtOnce final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    auto& update = build->UpdatePageTable;
    if (build->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || update.PageTableLevel != 0) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    if (update.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
      process_ = update.hProcess;
      table_ = update.PageTableAddress.CpuVirtual;
    } else if (update.hProcess == process_ && table_ != nullptr) {
      const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE asked = update;
      update.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
      update.PageTableAddress.CpuVirtual = table_;
      const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
      update = asked;
      return status;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }

 private:
  HANDLE process_ = nullptr;
  PVOID table_ = nullptr;
};

const Rule kRule{
    .id = "PT-012",
    .title = "Updates in a paging buffer take effect when the GPU executes it",
    .evidence = Evidence::Memory,
    .rule =
        "In the modes GPU_VIRTUAL and GPU_PHYSICAL DxgkDdiBuildPagingBuffer only records an "
        "update. The table changes when the GPU executes the buffer: after all that was "
        "recorded before, before all that comes later.",
    .sources =
        "examples.md # Updating page table entries of a process\n"
        "ne-d3dkmddi-_dxgk_buildpagingbuffer_operation.md # DXGK_OPERATION_UPDATE_PAGE_TABLE\n"
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Remarks",
    .note =
        "Judged where no earlier update of the table is on its way, which a GPU that works "
        "meanwhile may carry out; copies and moves of tables are never on their way beside an "
        "update. That the GPU keeps the order is judged by memory (VPAGE-001, VPAGE-002).",
    .applies = gpu_modes,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K, Configured::Pairs,
                  Configured::GpuVirtualUpdates},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "updates of a paging buffer are written by the CPU at once",
              .interposer = [] { return std::unique_ptr<Interposer>(new WritesAtOnce); },
              .also_fires = "VPAGE-001 VPAGE-002 VPAGE-003 VPAGE-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_012
