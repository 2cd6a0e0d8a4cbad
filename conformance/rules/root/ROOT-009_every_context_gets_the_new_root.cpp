// ROOT-009: when the root of a process is replaced, every one of its contexts runs with the new
// one.
//
// Judged are contexts of processes that have several: each until its first packet with the new root
// has left memory as it must be. That the calls come, one for each context, is Windows' part.

#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::root_009 {
namespace {

class Contexts final : public SpaceObserver {
 public:
  Contexts(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace),
        judgement_(judgement),
        root_level_(root_level_of(platform)),
        calls_(trace.of<ev::DdiEntered>()) {}

  void context_made(std::uint32_t, const ev::ContextCreated& created) override {
    contexts_.erase(created.context);
  }
  void root_set(std::uint32_t index, const ev::RootSet& set) override {
    forget_destroyed(index);
    Context& context = contexts_[set.context];
    const bool new_root =
        context.event != kNone && (context.place != set.place || context.segment != set.segment ||
                                   context.entries != set.entries);
    context.process = set.process;
    context.place = set.place;
    context.segment = set.segment;
    context.entries = set.entries;
    context.event = index;
    if (new_root) context.waiting = has_several(set.process);
  }
  void shown(const SpaceSign& sign) override {
    const auto found = contexts_.find(sign.packet.context);
    if (found == contexts_.end() || !found->second.waiting) return;
    Context& context = found->second;
    if (sign.packet.submitted < context.event) return;
    if (sign.kind == SpaceSign::Kind::Right) {
      judgement_.reached(sign.event);
      context.waiting = false;
    }
    const bool wrong = sign.kind == SpaceSign::Kind::Memory ||
                       sign.walked(AstrayWalk::FormerTable, root_level_) ||
                       sign.walked(AstrayWalk::NoTable, root_level_);
    if (!wrong) return;
    judgement_.reached(sign.event);
    context.waiting = false;
    fail_by(sign, judgement_, "the context runs with the new root, as others of its process do",
            {context.event, sign.packet.submitted});
  }

 private:
  struct Context {
    std::uint32_t process = kNone;
    std::uint64_t place = 0;
    std::uint32_t segment = 0;
    std::uint32_t entries = 0;
    std::uint32_t event = kNone;
    bool waiting = false;
  };
  // Those that were destroyed before this event are contexts of their process no more.
  void forget_destroyed(std::uint32_t before) {
    for (; call_ < calls_.size() && calls_[call_] < before; ++call_) {
      const auto call = trace_.at<ev::DdiEntered>(calls_[call_]);
      if (call.ddi != static_cast<std::uint32_t>(DdiId::DestroyContext)) continue;
      const auto found = contexts_.find(call.object);
      if (found != contexts_.end() && found->second.event < calls_[call_]) contexts_.erase(found);
    }
  }
  [[nodiscard]] bool has_several(std::uint32_t process) const {
    std::uint32_t count = 0;
    for (const auto& [id, context] : contexts_) count += context.process == process;
    return count > 1;
  }

  const Trace& trace_;
  Judgement& judgement_;
  std::uint32_t root_level_;
  std::span<const std::uint32_t> calls_;
  std::size_t call_ = 0;  // the first that has not been looked at
  ScratchMap<std::uint32_t, Context> contexts_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Contexts contexts(trace, platform, judgement);
  observe_spaces(trace, contexts);
}

// A driver that takes a new root for the first context of a process that it is told of, and thinks
// that the process has it. A context's first root is always taken.
class OncePerRoot final : public Interposer {
 public:
  VOID SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    const auto root = std::pair(set->Address.SegmentId, set->Address.SegmentOffset);
    const bool is_first = !contexts_.contains(set->hContext);
    contexts_[set->hContext] = root;
    const bool taken = last_ == root;
    last_ = root;
    if (is_first || !taken) Interposer::SetRootPageTable(adapter, set);
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    contexts_.erase(context);
    return Interposer::DestroyContext(context);
  }

 private:
  using Root = std::pair<UINT, UINT64>;
  std::map<HANDLE, Root> contexts_;
  Root last_{};
};

const Rule kRule{
    .id = "ROOT-009",
    .title = "After a change of the root every context of the process uses the new one",
    .evidence = Evidence::Memory,
    .rule =
        "When a root has grown, shrunk or moved, DxgkDdiSetRootPageTable is called for each "
        "context of the process, and each of them runs with the new root from then on: none goes "
        "on with the old one because another context of its process was told before.",
    .sources =
        "gpu-virtual-address.md # Growing and shrinking a root page table\n"
        "nc-d3dkmddi-dxgkddi_setrootpagetable.md",
    .note =
        "The page speaks of roots that change their size; contexts are told of a root that moves "
        "in the same way, which drivers of any number of levels meet.",
    .unreached = kNoSpaceSeen,
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::ContextAllocations},
    .scenario = R"(
about: all contexts of a process go on after its root has moved, has grown and has become smaller
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- idle
# A root that grows, where it can, is told to a context of another engine too, if there is one, and
# to one that has yet to run; so is one that shrinks.
- create_context: {context: 3, node: 1}
- create_context: {context: 3}
- render: {context: 3}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 12, value: 1}
- idle
- create_context: {context: 4, node: 1}
- create_context: {context: 4}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 2}
- map_address: {allocation: 2, at: top}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- render: {context: 2}
- bind: {slot: 2, allocation: 2}
- add: {slot: 2, offset: 16, value: 1}
- idle
- render: {context: 3}
- bind: {slot: 2, allocation: 2}
- add: {slot: 2, offset: 20, value: 1}
- idle
- render: {context: 4}
- bind: {slot: 2, allocation: 2}
- add: {slot: 2, offset: 24, value: 1}
- idle
- free_address: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 28, value: 1}
- render: {context: 3}
- bind: {slot: 2, allocation: 2}
- add: {slot: 2, offset: 32, value: 1}
- idle
- render: {context: 4}
- bind: {slot: 2, allocation: 2}
- add: {slot: 2, offset: 36, value: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 40, value: 1}
- idle
)",
    .control = R"(
about: a process with one context
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
)",
    .fault = {.about = "a new root is taken for the context that is told first",
              .interposer = [] { return std::unique_ptr<Interposer>(new OncePerRoot); },
              .also_fires = "FENCE-001 ROOT-005 ROOT-010 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_009
