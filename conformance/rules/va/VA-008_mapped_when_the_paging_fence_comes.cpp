// VA-008: when the paging packet of a mapping is reported as completed, its entries are there.
//
// The host looks at a table when the packet of an update ends. An update that is not there by then
// and comes later shows itself when the table is looked at again: bytes beside those of the next
// update have changed. Or it shows itself by an access of the process that came meanwhile, at once
// after the fence: it faults, or finds what was mapped before. Who faults on what was mapped behind
// a fence that it waited for shows that entries are missing, however they came to be, or are not
// found; so does who faults on what the CPU has mapped. That nothing comes at all, and is not used,
// other clauses judge.
//
// A client that has not waited may find anything between nothing and all: of what is mapped there,
// or was before. An entry that is half written leads elsewhere, to memory of others.

#include <tuple>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::va_008 {
namespace {

struct Late {
  std::uint32_t event = kNone;  // TableCompared of an update that was not there
  std::uint32_t built = kNone;
};

bool of_packet(const pt::CarriedOut& one) {
  return one.read() && one.compared.packet != kNone && one.update.mode != update_mode::kCpuVirtual;
}

// Page tables of a link may lie at one place on each GPU.
using Table = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // GPU, segment, place
Table table_of(const ev::TableUpdated& update) {
  return {update.physical_adapter, update.segment, update.place};
}

// Nothing of it was there; a part that is there says that something else is wrong with it.
bool not_there(const pt::CarriedOut& one) {
  return one.compared.wrong == one.compared.decoded;
}

void check_tables(const Trace& trace, Judgement& judgement) {
  ScratchMap<Table, Late> waiting;
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    if (!of_packet(one)) return;
    judgement.reached(one.event);
    const Table table = table_of(one.update);
    const auto before = waiting.find(table);
    if (before != waiting.end()) {
      if (one.compared.outside != 0) {
        judgement.fail(before->second.event,
                       "the entries of an update when its packet is reported as completed",
                       "they came later", {before->second.built, one.event});
      }
      waiting.erase(before);
    }
    if (not_there(one)) waiting[table] = {one.event, one.built};
  });
}

// Updates that were not there when their packets were reported, until the table is looked at again.
struct Missing {
  std::uint32_t from = kNone, until = kNone;  // events
  std::uint32_t built = kNone;
  std::uint32_t process = kNone;
};

void find_missing(const Trace& trace, ScratchVector<Missing>& missing) {
  ScratchMap<Table, std::size_t> open;
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    if (!of_packet(one)) return;
    const Table table = table_of(one.update);
    const auto before = open.find(table);
    if (before != open.end()) {
      missing[before->second].until = one.event;
      open.erase(before);
    }
    if (!not_there(one)) return;
    open[table] = missing.size();
    missing.push_back({one.event, kNone, one.built, one.update.process});
  });
}

void judge_hurried(const SpaceSign& sign, Judgement& judgement) {
  judgement.reached(sign.event);
  if (sign.kind != SpaceSign::Kind::Memory) return;
  fail_by(sign, judgement,
          "who has not waited for the fence faults, or finds what is mapped or was before",
          {sign.packet.submitted});
}

// Who waited for its mappings faults on none of them. Where entries can be read, what was submitted
// behind the fence of an update that was not there may show that by memory too.
class Accesses final : public SpaceObserver {
 public:
  Accesses(const Trace& trace, const Platform& platform, Judgement& judgement)
      : judgement_(judgement) {
    if (platform.has_entry_decoder) find_missing(trace, missing_);
  }
  void shown(const SpaceSign& sign) override {
    if (sign.packet.context == kNone) return;
    if (sign.kind == SpaceSign::Kind::Right) judgement_.reached(sign.event);
    const bool faulted = sign.kind == SpaceSign::Kind::Faulted;
    if (!faulted && sign.kind != SpaceSign::Kind::Memory) return;
    if (const Missing* const missing = missing_before(sign.packet)) {
      judgement_.reached(sign.event);
      judgement_.fail(missing->from,
                      "the entries of an update when its packet is reported as completed",
                      "they were not there for what came next: " + sign.seen(),
                      {missing->built, sign.packet.submitted});
    } else if (faulted) {
      judgement_.reached(sign.event);
      fail_by(sign, judgement_, "addresses whose updates have been carried out",
              {sign.packet.submitted});
    }
  }
  void hurried(const SpaceSign& sign) override { judge_hurried(sign, judgement_); }

 private:
  [[nodiscard]] const Missing* missing_before(const SpacePacket& packet) const {
    for (const Missing& each : missing_) {
      if (each.process == packet.process && each.from <= packet.submitted &&
          each.until >= packet.submitted) {
        return &each;
      }
    }
    return nullptr;
  }

  Judgement& judgement_;
  ScratchVector<Missing> missing_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (platform.has_entry_decoder) check_tables(trace, judgement);
  Accesses accesses(trace, platform, judgement);
  observe_spaces(trace, accesses);
}

// A driver whose packets are done when they are fetched: each update comes with the next operation.
class OneBehind final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool update = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                        build->UpdatePageTable.UpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    if (held_) {
      const NTSTATUS status = write_held(adapter, build);
      if (status != STATUS_SUCCESS) return status;
    }
    if (!update || build->UpdatePageTable.PageTableLevel != 0) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const UINT count =
        build->UpdatePageTable.Flags.Repeat ? 1 : build->UpdatePageTable.NumPageTableEntries;
    entries_.assign(build->UpdatePageTable.pPageTableEntries,
                    build->UpdatePageTable.pPageTableEntries + count);
    kept_ = build->UpdatePageTable;
    kept_.pPageTableEntries = entries_.data();
    held_ = true;
    // Something for the GPU to fetch: the same once more as it was, of no entry.
    const auto asked = build->UpdatePageTable;
    build->UpdatePageTable.NumPageTableEntries = 0;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->UpdatePageTable = asked;
    return status;
  }

 private:
  NTSTATUS write_held(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) {
    DXGKARG_BUILDPAGINGBUFFER own = *build;
    own.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    own.UpdatePageTable = kept_;
    own.MultipassOffset = 0;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, &own);
    build->DmaSize -= static_cast<UINT>(static_cast<BYTE*>(own.pDmaBuffer) -
                                        static_cast<BYTE*>(build->pDmaBuffer));
    build->pDmaBuffer = own.pDmaBuffer;
    held_ = false;
    return status;
  }

  bool held_ = false;
  DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE kept_{};
  std::vector<DXGK_PTE> entries_;
};

const Rule kRule{
    .id = "VA-008",
    .title = "A mapping is usable once its paging fence is signalled",
    .evidence = Evidence::Memory,
    .rule =
        "A paging packet is reported as completed when its updates have been executed, not before: "
        "the paging fence of a request is signalled by that, and who has waited for it does not "
        "fault on what was mapped. What the CPU updates is usable when the updates have been made. "
        "Who has not waited may fault, and reaches nothing but what is or was mapped there.",
    .sources =
        "ns-d3dukmdt-d3dddi_mapgpuvirtualaddress.md # PagingFenceValue\n"
        "device-paging-queues.md",
    .note =
        "The host waits for the last paging packet of a request before it goes on, as a client "
        "does that waits for PagingFenceValue; behind an update of tiles the next draw is "
        "submitted at once when that packet is reported. Clients in a hurry do not wait: their "
        "buffers run beside the updates, and a page fault of theirs ends their device as any does. "
        "What such a buffer leaves in what it uses is not judged.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K, Configured::Pairs},
    .scenario = R"(
about: mappings come one behind the other, each used at once
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 3, place: local}
- create_allocation: {allocation: 2, pages: 3, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- map_address: {allocation: 1, at: next}
- map_address: {allocation: 2, at: next}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x11111111}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 12288}
- idle
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 3}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x22222222}
- signal_fence: {context: 1, fence: 1}
- update_address: {allocation: 2, kind: map, to: 0, from: 0, pages: 3}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x33333333}
- idle
# Clients that do not wait, each with a device of its own; and one that does, behind them.
- create_device: {device: 1}
- create_context: {context: 2, device: 1, node: 1}
- create_device: {device: 2}
- create_context: {context: 3, device: 2, node: 1}
- create_device: {device: 3}
- create_context: {context: 4, device: 3, node: 1}
- create_allocation: {allocation: 3, pages: 3, place: local}
- create_allocation: {allocation: 4, pages: 3, place: local}
- make_resident: {allocation: 3}
- hurry: {on: true}
- map_address: {allocation: 3, at: next}
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x44444444}
- idle
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 3}
- render: {context: 3}
- spin: {units: 40}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x55555555}
- idle
- make_resident: {allocation: 4}
- render: {context: 4}
- spin: {units: 400}
- bind: {slot: 1, allocation: 4}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x66666666}
- idle
- hurry: {on: false}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 3}
- bind: {slot: 3, allocation: 4}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x77777777}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 12288}
- copy: {slot: 3, source: 1, offset: 0, source_offset: 0, size: 12288}
- idle
)",
    .control = R"(
about: an allocation that is mapped before anything uses it
ops:
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "updates of leaf tables come one packet late",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneBehind); },
              .also_fires = "PGSZ-001 PT-004 PT-008 PT-017 PTE-001 PTE-002 PTE-006"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_008
