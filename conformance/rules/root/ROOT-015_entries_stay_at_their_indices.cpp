// ROOT-015: a root of another size begins with what the one before had, each entry at its index.
// Windows' half of ROOT-007 and ROOT-008.

#include <algorithm>

#include "conformance/rules/root/root_contents.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::root_015 {
namespace {

using root::RootContents;

std::string text_of(std::uint32_t index, const RootContents::Entries& entries) {
  const auto found = entries.find(index);
  return "entry " + std::to_string(index) + ": " +
         pt::text_of(found == entries.end() ? EntryRecord{} : found->second);
}

class Resizes {
 public:
  Resizes(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace), judgement_(judgement), contents_(trace, root_level_of(platform)) {}

  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::TableUpdated) {
      contents_.follow(index, trace_.at<ev::TableUpdated>(index));
    } else if (kind == EventKind::EntriesCopied) {
      contents_.follow(index, trace_.at<ev::EntriesCopied>(index));
    } else if (kind == EventKind::TableMoved) {
      contents_.follow(trace_.at<ev::TableMoved>(index));
    } else if (kind == EventKind::ProcessCreated) {
      contents_.forget(trace_.at<ev::ProcessCreated>(index).process);
    } else if (kind == EventKind::DeviceStarted) {
      contents_.forget_all();
    } else {
      set(index, trace_.at<ev::RootSet>(index));
    }
  }

 private:
  void set(std::uint32_t index, const ev::RootSet& set) {
    const auto [before, now] = contents_.use({set.process, set.physical_adapter}, set.place);
    if (before == nullptr) return;
    judgement_.reached(index);
    for (const auto& [entry, record] : *before) {
      const auto found = now->find(entry);
      const bool kept = entry < set.entries && found != now->end() && found->second == record;
      if (kept) continue;
      return judgement_.fail(index, "below the new root, " + text_of(entry, *before),
                             text_of(entry, *now) + ", of " + std::to_string(set.entries));
    }
  }

  const Trace& trace_;
  Judgement& judgement_;
  RootContents contents_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Resizes resizes(trace, platform, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::TableUpdated, ev::EntriesCopied, ev::TableMoved, ev::ProcessCreated,
                    ev::DeviceStarted, ev::RootSet>()) {
    resizes.read(index);
  }
}

NotApplicable resizable(const Platform& platform) {
  if (const NotApplicable reason = resizable_root(platform)) return reason;
  return virtual_rendering(platform);
}

const Rule kRule{
    .id = "ROOT-015",
    .title = "A root of another size has the entries of the one before at their indices",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "When a root of two levels grows or shrinks, Windows has written or copied every entry "
        "that is in use to the same index of the new root before a context is told of it: what "
        "was mapped stays linked, and the old root goes only then.",
    .sources =
        "gpu-virtual-address.md # Growing and shrinking a root page table\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_copypagetableentries.md",
    .note =
        "That the driver carries these updates and copies out is ROOT-007 and ROOT-008. Looked at "
        "is what was asked for; of a pair of pointers no event tells the second.",
    .applies = resizable,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::PairedRoot},
    .scenario = R"(
# Update mode 2 puts the built-in driver's tables into a segment, where its root can grow. Of what
# nobody is to run only what is asked for is seen: it is the same on any driver.
about: the highest address is used, given back, and used once more, by packets of which no command runs
ops:
- configure: {setting: PageTableUpdateMode, value: 2}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- null_rendering
- map_address: {allocation: 1, at: top}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x33333333}
- idle
- map_address: {allocation: 1, at: top}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x44444444}
- idle
)",
    .control = R"(
about: a root that moves, and stays as large as it is
ops:
- configure: {setting: PageTableUpdateMode, value: 2}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- map_address: {allocation: 1, at: next}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
)",
    .fault = {.about = "a root that comes in the place of another begins empty",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::ResizedRootEmpty}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_015
