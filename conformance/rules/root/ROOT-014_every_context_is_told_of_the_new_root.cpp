// ROOT-014: behind a change of the root every context of the process is told of it before anything
// of that context is submitted again. Windows' half of ROOT-009.

#include "conformance/rules/root/roots_told.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::root_014 {
namespace {

// What was never told of any root is ROOT-013. A context that nothing has replaced its root for
// says nothing.
class ToldContexts {
 public:
  ToldContexts(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace), judgement_(judgement), roots_(platform) {}

  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::ContextCreated) {
      const auto created = trace_.at<ev::ContextCreated>(index);
      roots_.follow(created);
      first_.erase(created.context);
    }
    if (kind == EventKind::RootSet) {
      const auto set = trace_.at<ev::RootSet>(index);
      roots_.follow(index, set);
      first_.emplace(set.context, index);
    }
    if (kind == EventKind::TableMoved) roots_.follow(index, trace_.at<ev::TableMoved>(index));
    if (kind == EventKind::Submitted) submitted(index, trace_.at<ev::Submitted>(index));
  }

 private:
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    if (packet.paging != 0) return;
    const root::RootsTold::Told* const told = roots_.of(packet.context);
    if (told == nullptr) return;
    const std::uint32_t replaced = roots_.replaced_since(*told);
    const bool told_anew = first_.at(packet.context) != told->event;
    if (replaced != kNone || told_anew) judgement_.reached(index);
    if (replaced == kNone) return;
    judgement_.fail(index,
                    "SetRootPageTable for context " + std::to_string(packet.context) +
                        " since the root of process " + std::to_string(told->process) +
                        " has become another",
                    "packet " + std::to_string(packet.packet) +
                        " is submitted, and its context knows the root before",
                    {told->event, replaced});
  }

  const Trace& trace_;
  Judgement& judgement_;
  root::RootsTold roots_;
  ScratchMap<std::uint32_t, std::uint32_t> first_;  // RootSet, by context
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  ToldContexts contexts(trace, platform, judgement);
  in_order_of_calls<ev::ContextCreated, ev::RootSet, ev::TableMoved>(
      trace, [&](std::uint32_t index) { contexts.read(index); });
}

NotApplicable roots_are_set(const Platform& platform) {
  if (const NotApplicable reason = virtual_rendering(platform)) return reason;
  return needs(platform, DdiId::SetRootPageTable);
}

const Rule kRule{
    .id = "ROOT-014",
    .title = "Every context of a process is told of its new root before it runs again",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "When a root has grown, shrunk, moved or come back, Windows calls "
        "DxgkDdiSetRootPageTable with its Address and NumEntries for each context of the process, "
        "on each adapter, before anything of that context is submitted again.",
    .sources =
        "gpu-virtual-address.md # Growing and shrinking a root page table\n"
        "gpu-virtual-address.md # Moving a page table\n"
        "nc-d3dkmddi-dxgkddi_setrootpagetable.md",
    .note =
        "That the driver runs each context with the root that it was told of is ROOT-009. A root "
        "that comes back to a place where it lay before is told of like any other.",
    .applies = roots_are_set,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::ContextAllocations},
    .scenario = R"(
# Of what nobody is to run only the order of calls is seen: it is the same on any driver.
about: the root of a process moves, leaves memory and comes back; each of its contexts has a packet then, of which no command runs
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
- null_rendering
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x33333333}
- idle
- evict_tables: {device: 0}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x44444444}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x55555555}
- idle
)",
    .control = R"(
about: the root of another process moves
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2}
- create_context: {context: 3, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- make_resident: {allocation: 2}
- move_table: {allocation: 2, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)",
    .fault = {.about = "of the contexts of a process the first alone is told of a new root",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::TellOneContext}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_014
