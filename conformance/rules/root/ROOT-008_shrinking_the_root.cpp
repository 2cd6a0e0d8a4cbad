// ROOT-008: a smaller root has the entries that are still needed at the same indices.
//
// A context is judged until its first packet with the smaller root: by memory, by walks of the
// root, and by faults at what it still covers and is mapped.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::root_008 {
namespace {

class Shrinkings final : public SpaceObserver {
 public:
  Shrinkings(const Platform& platform, Judgement& judgement)
      : judgement_(judgement), root_level_(root_level_of(platform)) {}

  void context_made(std::uint32_t, const ev::ContextCreated& created) override {
    contexts_.erase(created.context);
  }
  void root_set(std::uint32_t index, const ev::RootSet& set) override {
    Context& context = contexts_[set.context];
    context.shrunk = set.entries < context.entries ? index : kNone;
    context.entries = set.entries;
  }
  void shown(const SpaceSign& sign) override {
    const auto found = contexts_.find(sign.packet.context);
    if (found == contexts_.end() || found->second.shrunk == kNone) return;
    const std::uint32_t shrunk = found->second.shrunk;
    if (sign.packet.submitted < shrunk) return;
    if (sign.kind == SpaceSign::Kind::Walk && sign.walk.level != root_level_) return;
    judgement_.reached(sign.event);
    found->second.shrunk = kNone;
    if (!sign.wrong()) return;
    fail_by(sign, judgement_, "what is still mapped is found below the smaller root",
            {shrunk, sign.packet.submitted});
  }

 private:
  struct Context {
    std::uint32_t entries = 0;
    std::uint32_t shrunk = kNone;  // event
  };

  Judgement& judgement_;
  std::uint32_t root_level_;
  ScratchMap<std::uint32_t, Context> contexts_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Shrinkings shrinkings(platform, judgement);
  observe_spaces(trace, shrinkings);
}

// A driver that counts entries of the destination from 1.
class CountsFromOne final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& copy = build->CopyPageTableEntries;
    for (UINT i = 0; i < copy.NumRanges; ++i) ++copy.pRanges[i].DstStartPteIndex;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    for (UINT i = 0; i < copy.NumRanges; ++i) --copy.pRanges[i].DstStartPteIndex;
    return status;
  }
};

const Rule kRule{
    .id = "ROOT-008",
    .title = "Shrinking the root",
    .evidence = Evidence::Memory,
    .rule =
        "When a process needs less, a smaller root gets the entries that are still in use from the "
        "old one by CopyPageTableEntries, at the same indices, and DxgkDdiSetRootPageTable names "
        "the lower number. What is mapped below it translates as before.",
    .sources =
        "gpu-virtual-address.md # Growing and shrinking a root page table\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_copypagetableentries.md",
    .note =
        "No operation is called CopyRootPageTable any more; CopyPageTableEntries is the only copy. "
        "With CPU_VIRTUAL updates the entries are written anew. How long an entry is no copy says, "
        "so that roots with two pointers an entry do not shrink here.",
    .unreached =
        "no packet showed where addresses lead behind a root that became smaller: the first may "
        "have entries for all addresses, as one of a single page in system memory has; and where "
        "the GPU updates page tables no root becomes smaller whose entries are longer than others",
    .applies = [](const Platform& platform) -> NotApplicable {
      if (const NotApplicable reason = resizable_root(platform)) return reason;
      return virtual_rendering(platform);
    },
    .check = check,
    .played_in = {Configured::GpuVirtual},
    .scenario = R"(
# Update mode 2 puts the built-in driver's tables into a segment, where its root can grow.
about: the highest address is given back, and used once more all the same
ops:
- configure: {setting: PageTableUpdateMode, value: 2}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- map_address: {allocation: 1, at: top}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 2}
- free_address: {allocation: 2}
- map_address: {allocation: 2, at: top}
- render: {context: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 2, offset: 0, size: 4096, value: 0x22222222}
- idle
- free_address: {allocation: 2}
- render: {context: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 2, offset: 0, size: 4096, value: 0x33333333}
- idle
)",
    .control = R"(
about: what is given back lies below what the root covers at least
ops:
- configure: {setting: PageTableUpdateMode, value: 2}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- map_address: {allocation: 1, at: next}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "copied entries of a table come to lie one behind their place",
              .interposer = [] { return std::unique_ptr<Interposer>(new CountsFromOne); },
              .also_fires = "PT-017 ROOT-010 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_008
