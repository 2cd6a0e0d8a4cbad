// ROOT-010: a root that was moved or replaced is not read at its old place any more.
//
// The old place is overwritten once every context knows the new one. Each context is judged until
// its first packet afterwards has left memory as it must be.

#include <map>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::root_010 {
namespace {

class Moves final : public SpaceObserver {
 public:
  Moves(const Platform& platform, Judgement& judgement)
      : judgement_(judgement), root_level_(root_level_of(platform)) {}

  void context_made(std::uint32_t, const ev::ContextCreated& created) override {
    contexts_.erase(created.context);
  }
  void root_set(std::uint32_t, const ev::RootSet& set) override {
    contexts_[set.context].process = set.process;
  }
  void table_moved(std::uint32_t index, const ev::TableMoved& moved) override {
    if (moved.level != root_level_ || moved.gone != 0) return;
    for (auto& [id, context] : contexts_) {
      if (context.process != moved.process) continue;
      context.moved = index;
      context.shown = false;
    }
  }
  void shown(const SpaceSign& sign) override {
    const auto found = contexts_.find(sign.packet.context);
    if (found == contexts_.end()) return;
    Context& context = found->second;
    context.worked = context.worked || sign.kind == SpaceSign::Kind::Right;
    if (context.moved == kNone) return;
    if (sign.packet.submitted < context.moved) return;
    const bool reads_it = sign.walked(AstrayWalk::FormerTable, root_level_);
    if (!reads_it && context.shown) return;
    judgement_.reached(sign.event);
    const bool wrong =
        reads_it || sign.faulted_at(root_level_) || sign.kind == SpaceSign::Kind::Memory;
    if (sign.kind == SpaceSign::Kind::Right || wrong) context.shown = true;
    if (!wrong) return;
    fail_by(sign, judgement_, "the packet finds its tables by the new place of the root",
            {context.moved, sign.packet.submitted});
  }
  // Of a device without a log: what was in order until the root moved is not any more. What lies at
  // the old place by now may look like commands that nobody understands.
  void said_to_fault(const SpaceSign& sign) override {
    const auto found = contexts_.find(sign.packet.context);
    if (found == contexts_.end() || found->second.moved == kNone) return;
    Context& context = found->second;
    if (context.shown || !context.worked || sign.packet.submitted < context.moved) return;
    context.shown = true;
    judgement_.fail(sign.event, "the packet finds its tables by the new place of the root",
                    "it is reported to fault", {context.moved, sign.packet.submitted});
  }

 private:
  struct Context {
    std::uint32_t process = kNone;
    std::uint32_t moved = kNone;  // event
    bool worked = false;          // a packet has left memory as it must be
    bool shown = false;
  };

  Judgement& judgement_;
  std::uint32_t root_level_;
  ScratchMap<std::uint32_t, Context> contexts_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Moves moves(platform, judgement);
  observe_spaces(trace, moves);
}

// A driver whose context image keeps the root that the context began with.
class KeepsFirstRoot final : public Interposer {
 public:
  VOID SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    const auto kept = roots_.emplace(set->hContext, *set).first;
    Interposer::SetRootPageTable(adapter, &kept->second);
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    roots_.erase(context);
    return Interposer::DestroyContext(context);
  }

 private:
  std::map<HANDLE, DXGKARG_SETROOTPAGETABLE> roots_;
};

const Rule kRule{
    .id = "ROOT-010",
    .title = "A relocated root is never read at its old address",
    .evidence = Evidence::Memory,
    .rule =
        "Once DxgkDdiSetRootPageTable has named a new Address for a context, nothing is fetched "
        "from its previous root: not by what a walk has cached, and not by a copy of the address "
        "in a context image.",
    .sources =
        "gpu-virtual-address.md # Moving a page table\n"
        "context-allocation.md # Updating the content of a context allocation\n"
        "nc-d3dkmddi-dxgkddi_setrootpagetable.md",
    .note =
        "Whether Windows flushes TLBs when only the root changes is not said; it is flushed here.",
    .unreached = kNoSpaceSeen,
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: two processes take turns, and the root of one moves between, and while its packet is stopped
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 0, value: 1}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- spin: {units: 400}
- add: {slot: 1, offset: 12, value: 1}
# What pages, and what maps the commands, comes first.
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 50}
- move_table: {allocation: 1, level: 5}
- advance: {units: 400}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 1}
- advance: {units: 200}
- idle
)",
    .control = R"(
about: a leaf moves; a root lies where it lay before, and where that of another process lay
ops:
# On a second engine, if there is one: paging is not what it forgets translations by.
- create_context: {context: 1, node: 1}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_table: {allocation: 1, level: 0}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
# What is flushed meanwhile is the process's, whatever root its translations were found by.
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- move_table: {allocation: 1, level: 5}
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- idle
- move_table: {allocation: 1, level: 5}
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 16, value: 1}
- idle
# A root of another process takes the place, with the same addresses below it.
- create_device: {device: 1, process: 1}
- move_table: {allocation: 1, level: 5}
- create_context: {context: 2, device: 1, node: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 12, value: 1}
- idle
)",
    .fault = {.about = "each context keeps its first root",
              .interposer = [] { return std::unique_ptr<Interposer>(new KeepsFirstRoot); },
              .also_fires = "FENCE-001 ROOT-005 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_010
