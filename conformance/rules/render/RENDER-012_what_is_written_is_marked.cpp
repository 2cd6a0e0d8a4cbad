// RENDER-012: WriteOperation is set of every allocation that commands write.

#include <span>
#include <string>
#include <utility>

#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"

namespace wddm::render_012 {
namespace {

// Whether any entry names it, and whether one of them has WriteOperation.
struct Listed {
  bool named = false, marked = false;
};

Listed find(std::span<const AllocationRecord> entries, std::uint32_t allocation) {
  Listed listed;
  for (const AllocationRecord& entry : entries) {
    if (entry.allocation != allocation) continue;
    listed.named = true;
    listed.marked |= entry.write != 0;
  }
  return listed;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t asked = kNone;  // CommandsWrite
  for (const std::uint32_t index : trace.of_any<ev::CommandsWrite, ev::RenderCalled>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::CommandsWrite) {
      asked = index;
      continue;
    }
    // Later passes have the same list.
    if (asked == kNone) continue;
    const bool same =
        trace.at<ev::CommandsWrite>(asked).render == Trace::as<ev::RenderCalled>(event).render;
    const Event& commands = trace.events()[std::exchange(asked, kNone)];
    if (!same) continue;
    const auto entries = trace.blob<AllocationRecord>(event);
    const auto written = trace.blob<std::uint32_t>(commands);
    if (!written.empty()) judgement.reached(index);
    for (const std::uint32_t allocation : written) {
      const Listed listed = find(entries, allocation);
      if (listed.marked) continue;
      judgement.fail(index,
                     "WriteOperation in the entry of allocation " + std::to_string(allocation) +
                         ", which a command writes",
                     listed.named ? "its entry says that it is read" : "no entry names it");
    }
  }
}

NotApplicable translated(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return render::translating(platform);
}

const Rule kRule{
    .id = "RENDER-012",
    .title = "WriteOperation is set for every written allocation",
    .binds = Binds::Client,
    .rule =
        "An allocation that any command of a buffer writes has WriteOperation set in its entry of "
        "the allocation list. Windows keeps the flag when it makes the driver's list of it, and "
        "orders work and drops content by it.",
    .sources =
        "ns-d3dukmdt-_d3dddi_allocationlist.md # WriteOperation\n"
        "ns-d3dkmddi-_dxgk_allocationlist.md # WriteOperation\n"
        "nc-d3dkmddi-dxgkddi_render.md # Remarks (conversion)\n"
        "ns-d3dkmddi-_dxgk_allocationinfoflags.md # PermanentSysMem",
    .note =
        "The list is that of the client plug-in; what it was asked to build says what its commands "
        "write, whatever the driver makes of them. Who marks more than is written is not accused, "
        "nor is who lists an allocation twice and marks one entry. Buffers that hostile user mode "
        "has altered are left out.",
    .applies = translated,
    .check = check,
    .played_in = kPatchListConfigurations | ConfigurationSet{Configured::PatchLists2},
    .scenario = R"(
about: one allocation is filled, another one is written by a copy alone
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 0}
- copy: {slot: 1, source: 0}
- idle
)",
    .control = R"(
about: of two allocations one is only read, and one that is bound is not used
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 1, source: 0}
- idle
)",
    .fault = {.about = "what copies alone write is listed as read",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::ForgetWhatCopiesWrite}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_012
