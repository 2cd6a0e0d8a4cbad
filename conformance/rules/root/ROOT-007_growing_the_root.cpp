// ROOT-007: when a root has grown, old and new addresses lead to what is mapped there.
//
// A context is judged until its first packet after the growth: by memory, and by faults at
// addresses that only the larger root covers. Nothing was taken away there meanwhile.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::root_007 {
namespace {

class Growths final : public SpaceObserver {
 public:
  Growths(const Trace& trace, const Platform& platform, Judgement& judgement)
      : judgement_(judgement),
        root_level_(root_level_of(platform)),
        entry_bytes_(root_entry_bytes(trace)) {}

  void context_made(std::uint32_t, const ev::ContextCreated& created) override {
    contexts_.erase(created.context);
  }
  void root_set(std::uint32_t index, const ev::RootSet& set) override {
    Context& context = contexts_[set.context];
    const bool grows = context.entries != 0 && set.entries > context.entries;
    context.grown = grows ? index : kNone;
    context.entries_before = context.entries;
    context.entries = set.entries;
  }
  void shown(const SpaceSign& sign) override {
    const auto found = contexts_.find(sign.packet.context);
    if (found == contexts_.end() || found->second.grown == kNone) return;
    Context& context = found->second;
    if (sign.packet.submitted < context.grown || !judges(sign, context)) return;
    judgement_.reached(sign.event);
    const std::uint32_t grown = context.grown;
    context.grown = kNone;
    if (!sign.wrong()) return;
    fail_by(sign, judgement_, "all that is mapped is found below the larger root",
            {grown, sign.packet.submitted});
  }

 private:
  struct Context {
    std::uint32_t entries = 0;
    std::uint32_t entries_before = 0;
    std::uint32_t grown = kNone;  // event
  };
  [[nodiscard]] bool judges(const SpaceSign& sign, const Context& context) const {
    switch (sign.kind) {
      case SpaceSign::Kind::Right:
      case SpaceSign::Kind::Memory:
        return true;
      case SpaceSign::Kind::Walk:
        return sign.walk.level == root_level_ &&
               sign.walk.why != static_cast<std::uint32_t>(AstrayWalk::OtherIndex);
      case SpaceSign::Kind::Faulted: {
        if (entry_bytes_ == 0) return false;
        const std::uint64_t entry = sign.address / entry_bytes_;
        return entry >= context.entries_before && entry < context.entries;
      }
    }
    return false;
  }

  Judgement& judgement_;
  std::uint32_t root_level_;
  std::uint64_t entry_bytes_;
  ScratchMap<std::uint32_t, Context> contexts_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Growths growths(trace, platform, judgement);
  observe_spaces(trace, growths);
}

// A driver whose root has room for the entries of a page, whatever it was asked for.
class OnePageOfEntries final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    constexpr UINT kEntries = 512;
    auto& update = build->UpdatePageTable;
    const bool beyond = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                        update.PageTableLevel == 1 && update.StartIndex >= kEntries;
    return beyond ? STATUS_SUCCESS : Interposer::BuildPagingBuffer(adapter, build);
  }
};

const Rule kRule{
    .id = "ROOT-007",
    .title = "Growing the root",
    .evidence = Evidence::Memory,
    .rule =
        "When a process needs addresses beyond its root of two levels, a larger root is made and "
        "written with all entries of the old one at their places. Old addresses translate as "
        "before, new ones as they are mapped, whatever number of entries the driver reported at "
        "first.",
    .sources = "gpu-virtual-address.md # Growing and shrinking a root page table",
    .unreached =
        "no packet showed where addresses lead behind a root that grew: the first may have entries "
        "for all addresses, as one of a single page in system memory has",
    .applies = [](const Platform& platform) -> NotApplicable {
      if (const NotApplicable reason = resizable_root(platform)) return reason;
      return virtual_rendering(platform);
    },
    .check = check,
    .played_in = {Configured::GpuVirtual},
    .scenario = R"(
# Update mode 2 puts the built-in driver's tables into a segment, where its root can grow.
about: one page beyond what the root covers, while a packet of the process is stopped; then the root is made smaller, and large again, where it lies
ops:
- configure: {setting: PageTableUpdateMode, value: 2}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
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
- map_address: {allocation: 2, at: top}
- advance: {units: 400}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- add: {slot: 1, offset: 0, value: 1}
- idle
- evict_tables: {device: 0}
- free_address: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- evict_tables: {device: 0}
- map_address: {allocation: 2, at: top}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- add: {slot: 1, offset: 8, value: 1}
- idle
)",
    .control = R"(
about: an address that the root covers
ops:
- configure: {setting: PageTableUpdateMode, value: 2}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- map_address: {allocation: 1, at: next}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "updates behind the 512th entry of a root are left out",
              .interposer = [] { return std::unique_ptr<Interposer>(new OnePageOfEntries); },
              .also_fires = "PT-004 PTE-001 PTE-002 ROOT-005 ROOT-010 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_007
