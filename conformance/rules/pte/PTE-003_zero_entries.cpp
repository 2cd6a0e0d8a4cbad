// PTE-003: zero entries read as zero and swallow writes.

#include <utility>

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/va/space_history.h"
#include "conformance/rules/va/used_memory.h"
#include "conformance/sdk/device.h"

namespace wddm::pte_003 {
namespace {

using Written = ScratchMap<std::uint32_t, std::uint32_t>;  // by process: the first of them

// What the GPU makes of them, memory shows: a packet whose process has such addresses.
class Used final : public SpaceObserver {
 public:
  Used(const Trace& trace, const Written& written, Judgement& judgement)
      : written_(written), judgement_(judgement), used_(trace) {}
  void shown(const SpaceSign& sign) override {
    const std::uint32_t process = sign.packet.process;
    const auto written = written_.find(process);
    if (written == written_.end() || wrong_before_.contains(process)) return;
    if (sign.event < written->second) {
      if (sign.kind == SpaceSign::Kind::Memory) wrong_before_.insert(process);
      return;
    }
    const bool right = sign.kind == SpaceSign::Kind::Right && used_.any(sign.packet);
    if (right) judgement_.reached(sign.event);
    if (sign.kind != SpaceSign::Kind::Memory || told_) return;
    told_ = true;
    fail_by(sign, judgement_, "zeros read, and writes dropped, through zero entries",
            {written->second});
  }

 private:
  const Written& written_;
  Judgement& judgement_;
  UsedMemory used_;
  ScratchSet<std::uint32_t> wrong_before_;  // processes whose packets do wrong without such entries
  bool told_ = false;
};

// Where the page that such an entry names is no memory, the device's log tells of who looks for it.
void judge_accesses(const Trace& trace, const Written& written, Judgement& judgement) {
  if (written.empty()) return;
  ScratchMap<std::uint32_t, std::uint32_t> process_of;                      // by context
  ScratchMap<std::pair<EngineId, std::uint32_t>, std::uint32_t> submitted;  // process, by fence
  ScratchSet<std::uint32_t> wrong_before;  // processes whose packets do so without such entries
  in_order_of_calls<ev::RootSet, ev::DeviceLogged>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::RootSet) {
      const auto set = Trace::as<ev::RootSet>(event);
      process_of[set.context] = set.process;
    } else if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      const auto process = process_of.find(packet.context);
      const bool known = packet.paging == 0 && process != process_of.end();
      submitted[{engine_of(packet), packet.fence}] = known ? process->second : kNone;
    } else {
      const auto record = Trace::as<ev::DeviceLogged>(event);
      const auto packet = submitted.find({engine_of(record), record.tag});
      if (record.kind != WDDM_DEVICE_FAULT || packet == submitted.end()) return;
      if (record.address >= kPageSize) return;  // they name none, which is page 0
      const auto found = written.find(packet->second);
      if (found == written.end() || wrong_before.contains(packet->second)) return;
      if (index < found->second) {
        wrong_before.insert(packet->second);
        return;
      }
      judgement.reached(index);
      judgement.fail(index, "no access to the page that a zero entry names",
                     "one to address " + std::to_string(record.address), {found->second});
    }
  });
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Written written;
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    if (pt::writes(trace, one, pt::is_zero)) written.insert({one.update.process, one.event});
  });
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) { return pt::writes(trace, one, pt::is_zero); },
      [](const pt::CarriedOut&, const EntryDifference& differs) {
        return pt::is_zero(differs.expected);
      });
  Used used(trace, written, judgement);
  observe_spaces(trace, used);
  judge_accesses(trace, written, judgement);
}

NotApplicable zero_entries(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return platform.gpu_mmu_caps.zero_in_pte() ? nullptr : "no zero entries: ZeroInPteSupported is 0";
}

// A driver that takes the flag for nothing: what is written lands in page 0.
class PageZero final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    for (UINT i = 0; i < update.NumPageTableEntries; ++i) update.pPageTableEntries[i].Zero = 0;
    return true;
  }
};

const Rule kRule{
    .id = "PTE-003",
    .title = "Zero entries read as zero and swallow writes",
    .evidence = Evidence::Memory,
    .rule =
        "Through an entry with Valid and Zero set, of any level, reads give zeros, writes "
        "are dropped, and nothing faults or reaches the page that the entry names.",
    .sources =
        "ns-d3dukmdt-_dxgk_pte.md # Zero\n"
        "ns-d3dkmddi-_dxgk_gpummucaps.md # ZeroInPteSupported\n"
        "ns-d3dukmdt-_d3dddigpuvirtualaddress_protection_type.md # Zero",
    .note =
        "The text of Valid suggests that Zero alone keeps an invalid entry from faulting, "
        "that of Zero wants Valid set. Only both together are used. Which addresses the commands "
        "of a packet name no event says: packets are judged process by process, unless one of the "
        "process has done wrong before it had such entries.",
    .applies = zero_entries,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::SmallLeaves},
    .scenario = R"(
about: addresses that read as zero, fewer and more than a leaf table may have, and than some directories have; their page tables go and come back, and then there is memory
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 2, place: local}
- create_allocation: {allocation: 2, pages: 2, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x11223344}
- fill: {slot: 2, offset: 0, size: 8192, value: 0x55667788}
- idle
- map_address: {allocation: 1, at: next, protection: zero}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x99999999}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- create_allocation: {allocation: 3, pages: 96}
- map_address: {allocation: 3, at: next, protection: zero}
- render: {context: 1}
- bind: {slot: 3, allocation: 3}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 3, offset: 65536, size: 196608, value: 0x99999999}
- copy: {slot: 2, source: 3, offset: 4096, source_offset: 196608, size: 4096}
- idle
- reserve_address: {device: 0, zero: true, size: 0x1000000}
- idle
# Tables that come back have such entries among others. A second engine, if there is one, keeps what
# it has read while the first one pages.
- evict_tables: {device: 0}
- create_context: {context: 2, node: 1}
- create_context: {context: 2}
- make_resident: {allocation: 3}
- render: {context: 2}
- bind: {slot: 3, allocation: 3}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 3, offset: 0, size: 4096, value: 0x99999999}
- copy: {slot: 2, source: 3, offset: 4096, source_offset: 0, size: 4096}
- idle
# Where zeros were, memory is.
- map_address: {allocation: 3, at: same}
- map_address: {allocation: 1, at: same}
- render: {context: 2}
- bind: {slot: 3, allocation: 3}
- bind: {slot: 2, allocation: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 3, offset: 0, size: 4096, value: 0xaaaaaaaa}
- fill: {slot: 3, offset: 65536, size: 196608, value: 0xaaaaaaaa}
- fill: {slot: 1, offset: 0, size: 4096, value: 0xbbbbbbbb}
- copy: {slot: 2, source: 3, offset: 0, source_offset: 0, size: 4096}
- copy: {slot: 2, source: 1, offset: 4096, source_offset: 0, size: 4096}
- idle
)",
    .control = R"(
about: the same without a protection
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 2, place: local}
- map_address: {allocation: 1, at: next}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x99999999}
- idle
)",
    .fault = {.about = "Zero is left out of entries",
              .interposer = [] { return std::unique_ptr<Interposer>(new PageZero); },
              .also_fires = "NT-DmaOutsideMemory PT-004 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pte_003
