// PT-020: hProcess says whose translations an update or a flush is about.
//
// Judged where several processes have the same addresses: the first packet of each behind a flush
// of such addresses that was built for one of them.

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/va/space_history.h"
#include "conformance/rules/va/used_memory.h"

namespace wddm::pt_020 {
namespace {

// Addresses that processes have pages at, by the updates of their leaf tables.
class MappedBy {
 public:
  explicit MappedBy(const Trace& trace) {
    const mmu::ReportedTables reported(trace);
    for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
      const auto update = trace.at<ev::TableUpdated>(index);
      const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
      if (update.level != 0 || entries.empty() || !pt::is_valid(entries[0])) continue;
      const bool large = (update.flags & pt::kUse64KBPages) != 0;
      const std::uint64_t bytes = update.count * reported.entry_bytes(0, large);
      ranges_.push_back({update.first_va, update.first_va + bytes, update.process, index});
    }
  }
  /// Pages there, of that process, before the flush.
  [[nodiscard]] bool has(std::uint32_t process, std::uint32_t index,
                         const ev::TlbFlushBuilt& flush) const {
    for (const Range& one : ranges_) {
      const bool meets = flush.end == 0 || (one.first < flush.end && flush.start < one.end);
      if (meets && one.process == process && one.event < index) return true;
    }
    return false;
  }

 private:
  struct Range {
    std::uint64_t first, end;
    std::uint32_t process, event;
  };
  ScratchVector<Range> ranges_;
};

class Processes final : public SpaceObserver {
 public:
  Processes(const Trace& trace, const Platform& platform, Judgement& judgement)
      : judgement_(judgement), used_(trace), root_level_(root_level_of(platform)), mapped_(trace) {}

  void root_set(std::uint32_t, const ev::RootSet& set) override {
    if (set.process != kSystemProcessNumber) flushed_.emplace(set.process, kNone);
  }
  void flushed(std::uint32_t index, const ev::TlbFlushBuilt& flush) override {
    const auto named = flushed_.find(flush.process);
    if (named == flushed_.end()) return;
    for (auto& [process, event] : flushed_) {
      if (process == flush.process || !mapped_.has(process, index, flush)) continue;
      event = named->second = index;
    }
  }
  void ran_through(const SpaceSign&) override {}  // MMU-012
  void shown(const SpaceSign& sign) override {
    const auto found = flushed_.find(sign.packet.process);
    if (found == flushed_.end() || wrong_before_.contains(sign.packet.process)) return;
    if (found->second == kNone) {
      if (sign.kind == SpaceSign::Kind::Memory) wrong_before_.insert(sign.packet.process);
      return;
    }
    if (sign.packet.submitted < found->second) return;
    const bool stale_pointer = sign.kind == SpaceSign::Kind::Walk &&
                               sign.walk.level != root_level_ &&
                               sign.walk.why == static_cast<std::uint32_t>(AstrayWalk::FormerTable);
    const bool wrong = stale_pointer || sign.kind == SpaceSign::Kind::Memory;
    const bool right = sign.kind == SpaceSign::Kind::Right && used_.any(sign.packet);
    if (!wrong && !right) return;
    judgement_.reached(sign.event);
    if (wrong) {
      fail_by(sign, judgement_,
              "an update or flush takes effect for the process of its hProcess, and for no other",
              {found->second, sign.packet.submitted});
    }
    found->second = kNone;
  }

 private:
  Judgement& judgement_;
  UsedMemory used_;
  std::uint32_t root_level_;
  MappedBy mapped_;
  ScratchSet<std::uint32_t> wrong_before_;  // processes whose packets do wrong without a flush
  ScratchMap<std::uint32_t, std::uint32_t> flushed_;  // by process: the flush that is to be shown
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Processes processes(trace, platform, judgement);
  observe_spaces(trace, processes);
}

// A driver that takes the process of the context in which paging buffers run.
class TakesItsOwn final : public Interposer {
 public:
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    const NTSTATUS status = Interposer::CreateProcess(adapter, create);
    if (create->Flags.SystemProcess != 0) system_ = create->hKmdProcess;
    return status;
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_FLUSH_TLB) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const HANDLE asked = build->FlushTlb.hProcess;
    build->FlushTlb.hProcess = system_;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->FlushTlb.hProcess = asked;
    return status;
  }

 private:
  HANDLE system_ = nullptr;
};

const Rule kRule{
    .id = "PT-020",
    .title = "hProcess names the address space that an update or flush belongs to",
    .evidence = Evidence::Memory,
    .rule =
        "hProcess of UpdatePageTable and FlushTlb is the handle that DxgkDdiCreateProcess returned "
        "for the process whose addresses change, whichever context executes the paging buffer. "
        "What the driver keeps of a process is used for that one alone: of the others every "
        "translation stays.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # hProcess\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_flushtlb.md # hProcess\n"
        "system-paging-process.md",
    .note =
        "What is in memory after the packet of a process stands for the translations that it used: "
        "which addresses its commands name no event says.",
    .unreached = kNoSpaceSeen,
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: two processes have the same addresses, of which those of one lead elsewhere then
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- move: {allocation: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 0, value: 1}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
)",
    .control = R"(
about: two processes, of which nothing leads elsewhere
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 0, value: 1}
- idle
)",
    .fault = {.about = "a flush is for the process whose context executes it",
              .interposer = [] { return std::unique_ptr<Interposer>(new TakesItsOwn); },
              .also_fires = "FENCE-001 SUBMIT-017 VPAGE-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_020
