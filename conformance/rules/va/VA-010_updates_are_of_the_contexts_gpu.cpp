// VA-010: of a link the page tables of the GPU of hContext lead where UpdateGpuVirtualAddress says.
//
// Judged are the entries of leaf tables of the process that get valid between the beginning of an
// update and its end: nothing else maps anything meanwhile.

#include <string>

#include "conformance/rules/lda/link.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"

namespace wddm::va_010 {
namespace {

constexpr std::uint32_t kBegins = 1, kDone = 2;  // TileUpdate

class Updates {
 public:
  Updates(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::ContextCreated) {
      const auto made = trace_.at<ev::ContextCreated>(index);
      contexts_[made.context].gpu = made.engine;
    }
    if (kind == EventKind::RootSet) {
      const auto set = trace_.at<ev::RootSet>(index);
      contexts_[set.context].process = set.process;
    }
    if (kind == EventKind::TileUpdate) {
      const auto update = trace_.at<ev::TileUpdate>(index);
      if (update.stage == kBegins) running_ = Running{index, update.context};
      if (update.stage == kDone) running_ = {};
    }
    if (kind == EventKind::TableUpdated) {
      const auto update = trace_.at<ev::TableUpdated>(index);
      const bool entries = update.level == 0 && (update.flags & pt::kInitialUpdate) == 0;
      if (entries && maps(index)) written(index, update.process, update.physical_adapter);
    }
    if (kind == EventKind::EntriesCopied) {
      const auto copied = trace_.at<ev::EntriesCopied>(index);
      if (copied.level == 0) written(index, copied.process, copied.physical_adapter);
    }
  }

 private:
  struct Context {
    std::uint32_t gpu = 0, process = kNone;
  };
  struct Running {
    std::uint32_t event = kNone, context = kNone;
  };

  [[nodiscard]] bool maps(std::uint32_t index) const {
    for (const EntryRecord& entry : trace_.blob<EntryRecord>(trace_.events()[index])) {
      if ((entry.flags & entry_flag::kValid) != 0) return true;
    }
    return false;
  }
  void written(std::uint32_t index, std::uint32_t process, std::uint32_t gpu) {
    const auto found = contexts_.find(running_.context);
    if (running_.event == kNone || found == contexts_.end()) return;
    if (found->second.process != process) return;
    judgement_.reached(index);
    if (gpu == found->second.gpu) return;
    judgement_.fail(index,
                    "page tables of GPU " + std::to_string(found->second.gpu) + ", which context " +
                        std::to_string(running_.context) + " is of",
                    "those of GPU " + std::to_string(gpu), {running_.event});
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, Context> contexts_;
  Running running_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Updates updates(trace, judgement);
  for (const std::uint32_t index : trace.of_any<ev::ContextCreated, ev::RootSet, ev::TileUpdate,
                                                ev::TableUpdated, ev::EntriesCopied>()) {
    updates.read(index);
  }
}

const Rule kRule{
    .id = "VA-010",
    .title = "UpdateGpuVirtualAddress modifies the page tables of the GPU of its context",
    .binds = Binds::Os,
    .rule =
        "In a link hContext of UpdateGpuVirtualAddress defines the GPU whose page tables are "
        "modified; its paging companion runs there. Page tables of other GPUs do not lead where "
        "the update says.",
    .sources = "ns-d3dumddi-_d3dddicb_updategpuvirtualaddress.md # hContext",
    .note =
        "What other GPUs had mapped at these addresses is taken out by other paging: the host has "
        "one GPU for each address of a tile. Updates without a context are on all GPUs.",
    .applies = lda::linked_page_tables,
    .check = check,
    .played_in = {Configured::Linked},
    .scenario = R"(
about: tiles are mapped by contexts of both GPUs of a link, at addresses of their own and then at those of the other
ops:
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 1}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- tile_updates: {context: 2, fence: 2}
- update_address: {allocation: 2, kind: map, to: 4, from: 0, pages: 1}
- await_fence: {context: 2, fence: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- move: {allocation: 2}
- update_address: {allocation: 2, kind: map, to: 0, from: 0, pages: 1}
- await_fence: {context: 2, fence: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x33333333}
- idle
)",
    .control = R"(
about: addresses that no tile has
ops:
- start
- physical_adapter: {index: 1}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "the page tables of GPU 0 are modified, whichever context asks",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::CompanionUpdatesOneGpu,
              .also_fires = "PT-017 VA-009"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_010
