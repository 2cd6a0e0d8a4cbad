// PT-007: a page table that was moved is used at its new place only.
//
// Its old memory is overwritten when everything leads to the new one. What is written there
// afterwards, the driver wrote by an address that it remembered; what is read there, the GPU read
// by one. A process is judged until its first packet after a move has left memory as it must be.

#include <map>

#include "conformance/host/interposer.h"
#include "conformance/rules/preempt/tables_leave_while_stopped.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"
#include "conformance/rules/va/used_memory.h"

namespace wddm::pt_007 {
namespace {

constexpr std::uint64_t kTablePage = 4096;

class MovedTables final : public SpaceObserver {
 public:
  MovedTables(const Trace& trace, const Platform& platform, Judgement& judgement)
      : judgement_(judgement), used_(trace), root_level_(root_level_of(platform)) {}

  void table_moved(std::uint32_t index, const ev::TableMoved& moved) override {
    if (moved.level == root_level_ || moved.gone != 0) return;
    moves_[moved.from / kTablePage] = index;
    waiting_[moved.process] = {index, moved.level};
  }
  void ran_through(const SpaceSign&) override {}  // MMU-012
  void shown(const SpaceSign& sign) override {
    if (sign.kind == SpaceSign::Kind::Memory && is_update_of_old_place(sign)) return;
    const auto waiting = waiting_.find(sign.packet.process);
    if (waiting == waiting_.end() || sign.packet.submitted < waiting->second.event) return;
    const Move move = waiting->second;
    const bool reads_it = sign.walked(AstrayWalk::FormerTable, move.level);
    const bool wrong =
        reads_it || sign.faulted_at(move.level) || sign.kind == SpaceSign::Kind::Memory;
    const bool right = sign.kind == SpaceSign::Kind::Right && used_.any(sign.packet);
    if (!wrong && !right) return;
    judgement_.reached(sign.event);
    if (wrong) {
      fail_by(sign, judgement_, "walks go by the new place of the table",
              {move.event, sign.packet.submitted});
    }
    waiting_.erase(waiting);
  }

 private:
  struct Move {
    std::uint32_t event = kNone;
    std::uint32_t level = 0;
  };

  bool is_update_of_old_place(const SpaceSign& sign) {
    const ev::MemoryDiffers& differs = sign.memory;
    if (differs.cause != static_cast<std::uint32_t>(MemoryCause::Paging) ||
        differs.operation != DXGK_OPERATION_UPDATE_PAGE_TABLE ||
        differs.where != static_cast<std::uint32_t>(MemoryPlace::FreeSegmentPage)) {
      return false;
    }
    const auto move = moves_.find(differs.offset / kTablePage);
    if (move == moves_.end()) return false;
    judgement_.reached(sign.event);
    judgement_.fail(sign.event, "updates go where the operation says that the table is",
                    "an UpdatePageTable wrote to the table's old place: " + sign.seen(),
                    {move->second, sign.packet.submitted});
    return true;
  }

  Judgement& judgement_;
  UsedMemory used_;
  std::uint32_t root_level_;
  ScratchMap<std::uint64_t, std::uint32_t> moves_;  // by the page of the old place: event
  ScratchMap<std::uint32_t, Move> waiting_;         // by process
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  MovedTables tables(trace, platform, judgement);
  observe_spaces(trace, tables);
}

// A driver that remembers where a table was when it was made, by process, level and address.
class RemembersTables final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& update = build->UpdatePageTable;
    const DXGK_PAGETABLEUPDATEADDRESS told = update.PageTableAddress;
    const Key key{update.hProcess, update.PageTableLevel,
                  update.FirstPteVirtualAddress >> (12 + 9 * (update.PageTableLevel + 1))};
    if (update.Flags.InitialUpdate) {
      tables_[key] = told;
    } else if (const auto known = tables_.find(key); known != tables_.end()) {
      update.PageTableAddress = known->second;
    }
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    update.PageTableAddress = told;
    return status;
  }

 private:
  struct Key {
    HANDLE process;
    UINT level;
    UINT64 number;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, DXGK_PAGETABLEUPDATEADDRESS> tables_;
};

const Rule kRule{
    .id = "PT-007",
    .title = "A moved table is used only at its new place",
    .evidence = Evidence::Memory,
    .rule =
        "When a page table has moved, its parent is updated and the TLB flushed. From then on "
        "walks read the new copy alone, and later updates go where their PageTableAddress says, "
        "not to an address that the driver remembers for process, level and virtual address.",
    .sources = "gpu-virtual-address.md # Moving a page table",
    .unreached = kNoSpaceSeen,
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::GpuVirtual, Configured::Pages64K,
                  Configured::Pairs, Configured::InvalidCached, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: a leaf moves, then entries of it are written anew; all tables leave and return while a packet is stopped, on two nodes
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_table: {allocation: 1, level: 0}
- move_table: {allocation: 1, level: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- make_resident: {allocation: 2}
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 16, value: 1}
- spin: {units: 400}
- add: {slot: 1, offset: 20, value: 1}
# What pages, and what maps the commands, comes first.
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 50}
- move_table: {allocation: 1, level: 0}
- advance: {units: 400}
- idle
)" WDDM_TABLES_LEAVE_WHILE_STOPPED(1, 0, 1, 24, 28) R"(
# Paging is not what this engine forgets translations by. On a driver with one node it is skipped.
- create_context: {context: 2, node: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 32, value: 1}
- idle
)" WDDM_TABLES_LEAVE_WHILE_STOPPED(2, 1, 1, 36, 40),
    .control = R"(
about: the tables stay where they are
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)",
    .fault = {.about = "updates of a table go to where it was when it was made",
              .interposer = [] { return std::unique_ptr<Interposer>(new RemembersTables); },
              .also_fires = "FENCE-001 PT-011 PTE-002 SUBMIT-017 VPAGE-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_007
