// VPAGE-007: NotifyResidency comes once for each commit and once for each eviction, and only where
// the driver has asked for it.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/names.h"

#include <d3dkmddi.h>

namespace wddm::vpage_007 {
namespace {

constexpr std::uint32_t kAsked = 0x18000;  // ExplicitResidencyNotification and AccessedPhysically

struct Told {
  bool asked = false;
  bool resident = false;
  std::uint32_t notice = kNone;    // the latest
  std::uint32_t contents = kNone;  // the latest fill or transfer since then
};

void on_notice(Told& told, const ev::ResidencyNotified& notice, std::uint32_t index,
               Judgement& judgement) {
  judgement.reached(index);
  if (!told.asked) {
    judgement.fail(index, "no NotifyResidency: the driver has not asked for it", "one");
    return;
  }
  const bool resident = notice.resident != 0;
  if (resident == told.resident) {
    judgement.fail(index, "one NotifyResidency for each commit, and one for each eviction",
                   resident ? "a second one with Resident 1" : "one with Resident 0 for nothing",
                   {told.notice});
  }
  if (resident && told.contents == kNone) {
    judgement.fail(index, "Resident 1 behind what brings the content in", "nothing before it");
  }
  const bool nowhere = notice.segment == 0 && notice.offset == 0;
  if (resident == nowhere) {
    judgement.fail(index, resident ? "the new place as PhysicalAddress" : "segment 0 and offset 0",
                   "segment " + std::to_string(notice.segment));
  }
  told = {.asked = true, .resident = resident, .notice = index, .contents = kNone};
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, Told> all;  // by allocation
  for (const std::uint32_t index :
       trace.of_any<ev::AllocationCreated, ev::PagingBuilt, ev::ResidencyNotified>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::AllocationCreated) {
      const auto created = trace.at<ev::AllocationCreated>(index);
      all[created.allocation] = {.asked = (created.flags & kAsked) == kAsked};
    } else if (event.kind == EventKind::ResidencyNotified) {
      const auto notice = trace.at<ev::ResidencyNotified>(index);
      on_notice(all[notice.allocation], notice, index, judgement);
    } else {
      const auto built = trace.at<ev::PagingBuilt>(index);
      const bool transfer = built.operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
      if (!transfer && built.operation != DXGK_OPERATION_VIRTUAL_FILL) continue;
      Told& told = all[built.allocation];
      if (!told.asked) continue;
      told.contents = index;
      if (!transfer || !told.resident) continue;
      judgement.fail(index, "Resident 0 ahead of what saves the content", "the transfer before it",
                     {told.notice});
    }
  }
}

const Rule kRule{
    .id = "VPAGE-007",
    .title = "When NotifyResidency is issued",
    .binds = Binds::Os,
    .rule =
        "For an allocation with ExplicitResidencyNotification and AccessedPhysically one "
        "NotifyResidency with Resident 1 and the new place follows the operations that bring its "
        "content in, and one with Resident 0 and place (0, 0) comes ahead of those that save it. "
        "Other allocations have none.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_notifyresidency.md # remarks\n"
        "ns-d3dkmddi-_dxgk_allocationinfoflags_wddm2_0.md # ExplicitResidencyNotification",
    .note =
        "In the published declaration Resident and Reserved begin at the same bit; bit 0 alone is "
        "looked at. Aperture segments are left out: of what they show the driver is told by maps "
        "and unmaps, and the host tells of residency beside fills and transfers alone.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::Services, Configured::Linked},
    .scenario = R"(
about: an allocation larger than a part of a transfer comes, moves and goes
ops:
- configure: {setting: NotifyResidency, value: 1}
- transfer_chunk: {pages: 16}
- create_allocation: {allocation: 1, place: local, pages: 40}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x11223344}
- move: {allocation: 1}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
# In the memory of the other GPU of a link.
- create_allocation: {allocation: 2, place: local, pages: 2, physical_adapter: 1}
- make_resident: {allocation: 2}
- move: {allocation: 2}
- evict: {allocation: 2}
- make_resident: {allocation: 2}
)",
    .control = R"(
about: one whose driver does not want to know
ops:
- configure: {setting: NotifyResidency, value: 1}
- create_allocation: {allocation: 1, pages: 40}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
)",
    .fault = {.about = "every part of what is brought in is told of",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::NoticeOfEachPart}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::vpage_007
