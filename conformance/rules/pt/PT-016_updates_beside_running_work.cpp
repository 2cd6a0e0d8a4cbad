// PT-016: entries that are updated beside running work leave that work alone.
//
// Judged are packets that were on the GPU while an update of their own process was carried out, by
// memory and by faults at addresses that are mapped. That Windows keeps contexts off where the
// driver wants it is PT-022.

#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/va/running_work.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::pt_016 {
namespace {

// Which packets ran beside an update of their process: the event of the update by packet.
class BesideUpdates {
 public:
  explicit BesideUpdates(const Trace& trace) : trace_(trace) {
    pt::for_each_carried_out(trace, [this](const pt::CarriedOut& one) {
      if (one.compared.packet != kNone) {
        updates_[one.compared.packet].push_back({one.update.process, one.built});
      }
    });
    for (const std::uint32_t index :
         trace.of_any<ev::RootSet, ev::Submitted, ev::PacketEnded, ev::TableCompared>()) {
      read(index);
    }
  }
  [[nodiscard]] const std::uint32_t* update_beside(std::uint32_t packet) const {
    const auto found = beside_.find(packet);
    return found == beside_.end() ? nullptr : &found->second;
  }

 private:
  struct Update {
    std::uint32_t process = kNone;
    std::uint32_t built = kNone;  // event
  };

  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::RootSet) work_.follow(trace_.at<ev::RootSet>(index));
    if (kind == EventKind::PacketEnded) work_.follow(trace_.at<ev::PacketEnded>(index));
    if (kind == EventKind::Submitted) {
      const auto packet = trace_.at<ev::Submitted>(index);
      work_.follow(index, packet);
      engines_[packet.packet] = engine_of(packet);
      if (packet.paging != 0) begin_or_end(packet.packet);
    }
    if (kind != EventKind::TableCompared) return;
    const auto compared = trace_.at<ev::TableCompared>(index);
    if (compared.packet != kNone) return begin_or_end(compared.packet);
    // By the CPU, whatever runs.
    const auto built = trace_.of<ev::TableUpdated>();
    if (compared.update < built.size()) {
      note({compared.process, built[compared.update]}, nullptr);
    }
  }
  // What is on the same engine waits for the paging, or the paging for it.
  void begin_or_end(std::uint32_t packet) {
    const auto updates = updates_.find(packet);
    const auto engine = engines_.find(packet);
    if (updates == updates_.end() || engine == engines_.end()) return;
    for (const Update& update : updates->second) note(update, &engine->second);
  }
  void note(const Update& update, const EngineId* of_paging) {
    for (const auto& [packet, running] : work_.all()) {
      if (running.process != update.process) continue;
      if (of_paging == nullptr || running.engine != *of_paging) {
        beside_.emplace(packet, update.built);
      }
    }
  }

  const Trace& trace_;
  RunningWork work_;
  ScratchMap<std::uint32_t, ScratchVector<Update>> updates_;  // by their packet of paging
  ScratchMap<std::uint32_t, EngineId> engines_;               // by packet
  ScratchMap<std::uint32_t, std::uint32_t> beside_;           // by packet
};

class Neighbours final : public SpaceObserver {
 public:
  Neighbours(const Trace& trace, Judgement& judgement) : judgement_(judgement), beside_(trace) {}

  void ran_through(const SpaceSign&) override {}  // MMU-012
  void shown(const SpaceSign& sign) override {
    const std::uint32_t* const update = beside_.update_beside(sign.packet.packet);
    if (update == nullptr) return;
    const bool wrong =
        sign.kind == SpaceSign::Kind::Faulted || sign.kind == SpaceSign::Kind::Memory;
    if (!wrong && sign.kind != SpaceSign::Kind::Right) return;
    judgement_.reached(sign.event);
    if (!wrong) return;
    fail_by(sign, judgement_, "a packet does its work while other entries of its space are updated",
            {*update, sign.packet.submitted});
  }

 private:
  Judgement& judgement_;
  BesideUpdates beside_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Neighbours neighbours(trace, judgement);
  observe_spaces(trace, neighbours);
}

// A driver that writes a leaf table anew for each update: first nothing, and when the next call
// comes what was there.
class WritesWholeTables final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE ||
        build->UpdatePageTable.PageTableLevel != 0 || build->UpdatePageTable.Flags.Repeat) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    if (build->MultipassOffset != 0) return Interposer::BuildPagingBuffer(adapter, build);
    return update(adapter, build);
  }

 private:
  NTSTATUS update(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build);

  struct Run {
    D3DGPU_PHYSICAL_ADDRESS table{};
    HANDLE process = nullptr;
    UINT first = 0;
    std::vector<DXGK_PTE> entries;
  };
  std::vector<Run> known_;
};

NTSTATUS WritesWholeTables::update(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) {
  const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE asked = build->UpdatePageTable;
  const UINT room = build->DmaSize;
  const auto* const start = static_cast<const BYTE*>(build->pDmaBuffer);
  const auto send = [&](UINT first, std::vector<DXGK_PTE>& entries) {
    build->UpdatePageTable.StartIndex = first;
    build->UpdatePageTable.NumPageTableEntries = static_cast<UINT>(entries.size());
    build->UpdatePageTable.pPageTableEntries = entries.data();
    build->DmaSize = room - static_cast<UINT>(static_cast<const BYTE*>(build->pDmaBuffer) - start);
    build->MultipassOffset = 0;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->UpdatePageTable = asked;
    build->DmaSize = room;
    return status;
  };
  const auto& place = asked.PageTableAddress.GpuPhysical;
  const auto same_table = [&](const Run& run) {
    return run.process == asked.hProcess && run.table.SegmentId == place.SegmentId &&
           run.table.SegmentOffset == place.SegmentOffset && run.first != asked.StartIndex;
  };
  for (Run& run : known_) {
    if (!same_table(run)) continue;
    std::vector<DXGK_PTE> nothing(run.entries.size());
    static_cast<void>(send(run.first, nothing));
  }
  std::vector<DXGK_PTE> wanted(asked.pPageTableEntries,
                               asked.pPageTableEntries + asked.NumPageTableEntries);
  const NTSTATUS status = send(asked.StartIndex, wanted);
  for (Run& run : known_) {
    if (same_table(run)) static_cast<void>(send(run.first, run.entries));
  }
  std::erase_if(known_, [&](const Run& run) {
    return run.process == asked.hProcess && run.table.SegmentId == place.SegmentId &&
           run.table.SegmentOffset == place.SegmentOffset && run.first == asked.StartIndex;
  });
  known_.push_back({place, asked.hProcess, asked.StartIndex, std::move(wanted)});
  return status;
}

NotApplicable updates_beside_work(const Platform& platform) {
  if (const NotApplicable reason = virtual_rendering(platform)) return reason;
  if (platform.gpu_mmu_caps.updates_need_idle()) {
    return "PageTableUpdateRequireAddressSpaceIdle is 1";
  }
  return platform.nodes == 1 && platform.update_mode != update_mode::kCpuVirtual
             ? "one node: what updates page tables waits for all packets"
             : nullptr;
}

const Rule kRule{
    .id = "PT-016",
    .title = "Updates of a running address space leave other entries alone",
    .evidence = Evidence::Memory,
    .rule =
        "Where PageTableUpdateRequireAddressSpaceIdle is clear, entries of an address space are "
        "updated while its contexts run. Whatever the update does not name goes on leading where "
        "it did, at every moment: a table is not taken apart and put together again.",
    .sources = "ns-d3dkmddi-_dxgk_gpummucaps.md # PageTableUpdateRequireAddressSpaceIdle",
    .note =
        "The packet that runs reaches more pages than a TLB is likely to keep. Updates by the GPU "
        "are beside packets of other engines alone. What Windows owes drivers that set the "
        "capability is PT-022.",
    .unreached = kNoSpaceSeen,
    .applies = updates_beside_work,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K, Configured::Pairs},
    .scenario = R"(
about: addresses are mapped while a long packet on the other engine uses their neighbours
ops:
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 1, pages: 64, place: local}
- create_allocation: {allocation: 2, pages: 4, place: local}
- create_allocation: {allocation: 3, pages: 4, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- make_resident: {allocation: 3}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 262144, value: 0x11111111}
- fill: {slot: 1, offset: 0, size: 262144, value: 0x22222222}
- fill: {slot: 1, offset: 0, size: 262144, value: 0x33333333}
- fill: {slot: 1, offset: 0, size: 262144, value: 0x44444444}
- advance: {units: 20}
- map_address: {allocation: 2}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 262144, value: 0x55555555}
- fill: {slot: 1, offset: 0, size: 262144, value: 0x66666666}
- advance: {units: 20}
- map_address: {allocation: 3}
- idle
# Of a driver that pages on node 1.
- create_context: {context: 2, node: 0}
- create_allocation: {allocation: 4, pages: 4, place: local}
- make_resident: {allocation: 4}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 262144, value: 0x77777777}
- fill: {slot: 1, offset: 0, size: 262144, value: 0x88888888}
- advance: {units: 20}
- map_address: {allocation: 4}
- idle
# On hardware for which large fills are short, and of a driver whose paging takes the time before.
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x99999999}
- spin: {units: 3000}
- fill: {slot: 1, offset: 4096, size: 4096, value: 0xaaaaaaaa}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 40}
- map_address: {allocation: 2}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0xbbbbbbbb}
- spin: {units: 3000}
- fill: {slot: 1, offset: 4096, size: 4096, value: 0xcccccccc}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 40}
- map_address: {allocation: 3}
- idle
)",
    .control = R"(
about: addresses are mapped while nothing runs
ops:
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 1, pages: 64, place: local}
- create_allocation: {allocation: 2, pages: 4, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 262144, value: 0x11111111}
- idle
- map_address: {allocation: 2}
- idle
)",
    .fault = {.about = "a leaf table is emptied and written anew for each update",
              .interposer = [] { return std::unique_ptr<Interposer>(new WritesWholeTables); },
              .also_fires = "PT-008 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_016
