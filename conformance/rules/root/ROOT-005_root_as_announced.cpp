// ROOT-005: a context runs with the root and the number of entries that SetRootPageTable named
// last.
//
// What a device reads at the level of roots tells which root it uses; a fault between the number of
// entries before and the present one, that the old number is still in force.

#include <set>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::root_005 {
namespace {

class Roots final : public SpaceObserver {
 public:
  Roots(const Trace& trace, const Platform& platform, Judgement& judgement)
      : judgement_(judgement),
        root_level_(root_level_of(platform)),
        entry_bytes_(platform.page_table_levels == 2 ? root_entry_bytes(trace) : 0) {}

  void context_made(std::uint32_t, const ev::ContextCreated& created) override {
    of_context_.erase(created.context);
  }
  void root_set(std::uint32_t index, const ev::RootSet& set) override {
    Root& root = of_context_[set.context];
    root.entries_before = root.event == kNone ? set.entries : root.entries;
    root.entries = set.entries;
    root.event = index;
    root.fresh = true;
  }
  void shown(const SpaceSign& sign) override {
    if (sign.packet.context == kNone && reads_another_root(sign)) {
      return fail_by(sign, judgement_, "paging runs with the root of the system process",
                     {sign.packet.submitted});
    }
    const auto found = of_context_.find(sign.packet.context);
    if (found == of_context_.end() || sign.packet.submitted < found->second.event) return;
    Root& root = found->second;
    if (sign.kind == SpaceSign::Kind::Right) {
      judgement_.reached(sign.event);
      root.fresh = false;
    }
    if (!is_of_the_root(sign, root)) return;
    fail_by(sign, judgement_, "the packet runs with the root that the context was given last",
            {root.event, sign.packet.submitted});
    root.fresh = false;
  }

 private:
  struct Root {
    std::uint32_t event = kNone;
    std::uint32_t entries = 0;
    std::uint32_t entries_before = 0;
    bool fresh = false;  // no packet has shown anything of it
  };

  [[nodiscard]] bool reads_another_root(const SpaceSign& sign) const {
    return sign.kind == SpaceSign::Kind::Walk && sign.walk.level == root_level_ &&
           sign.walk.why != static_cast<std::uint32_t>(AstrayWalk::OtherIndex);
  }
  [[nodiscard]] bool is_of_the_root(const SpaceSign& sign, const Root& root) const {
    switch (sign.kind) {
      case SpaceSign::Kind::Walk:
        return reads_another_root(sign);
      case SpaceSign::Kind::Faulted: {
        if (!root.fresh || entry_bytes_ == 0) return false;
        const std::uint64_t entry = sign.address / entry_bytes_;
        return entry >= root.entries_before && entry < root.entries;
      }
      case SpaceSign::Kind::Right:
      case SpaceSign::Kind::Memory:
        return false;
    }
    return false;
  }

  Judgement& judgement_;
  std::uint32_t root_level_;
  std::uint64_t entry_bytes_;
  ScratchMap<std::uint32_t, Root> of_context_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Roots roots(trace, platform, judgement);
  observe_spaces(trace, roots);
}

// A driver that has 32 bits for the offset of a root that comes in the place of another.
class ShortOffset final : public Interposer {
 public:
  VOID SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    DXGKARG_SETROOTPAGETABLE cut = *set;
    if (!had_one_.insert(set->hContext).second) {
      cut.Address.SegmentOffset = static_cast<std::uint32_t>(set->Address.SegmentOffset);
    }
    Interposer::SetRootPageTable(adapter, &cut);
  }

 private:
  std::set<HANDLE> had_one_;
};

const Rule kRule{
    .id = "ROOT-005",
    .title = "Driver takes root address and entry count from SetRootPageTable",
    .evidence = Evidence::DeviceLog,
    .rule =
        "From the return of DxgkDdiSetRootPageTable on every submission of that hContext runs with "
        "the root at Address, segment and all bits of the offset, and with NumEntries as the limit "
        "of its indices. Nothing else has to be called for that.",
    .sources =
        "gpu-virtual-address.md # introduction\n"
        "ns-d3dkmddi-_dxgkarg_setrootpagetable.md\n"
        "nc-d3dkmddi-dxgkddi_setrootpagetable.md",
    .note =
        "Which root is used is seen where the device logs its walks. Without that log only a limit "
        "that stays the old one is found, by the fault of an access between the two.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::HighMemory},
    .scenario = R"(
about: two contexts, whose root grows where it can grow, to the last page of the address space, and moves
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 16, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- map_address: {allocation: 1, at: top}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- fill: {slot: 1, offset: 61440, size: 4096, value: 0x22222222}
- idle
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
)",
    .control = R"(
about: the root stays where it is; then it grows and moves while no pool allocation succeeds
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- fail_pool: {kth: 1, every: true}
- map_address: {allocation: 1, at: top}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- fail_pool: {kth: 1, every: true}
- idle
- fail_pool: {kth: 1, every: true}
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- fail_pool: {kth: 1, every: true}
- evict_tables: {device: 0}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- fail_pool: {kth: 1, every: true}
- idle
- fail_pool: {kth: 1, every: true}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 12, value: 1}
- idle
)",
    .fault = {.about = "of a root that replaces another the upper half of the offset is lost",
              .interposer = [] { return std::unique_ptr<Interposer>(new ShortOffset); },
              .also_fires = "NT-DmaOutsideMemory ROOT-009 ROOT-010 SUBMIT-017 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_005
