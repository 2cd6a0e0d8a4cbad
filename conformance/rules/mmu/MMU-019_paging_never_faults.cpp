// MMU-019: what VidMm pages never ends by a page fault.

#include "conformance/host/interposer.h"
#include "conformance/rules/hex_text.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/va/blamed_entry.h"

namespace wddm::mmu_019 {
namespace {

// A fault that is not about a page has an address or none, and no entry is to blame.
bool is_of_a_page(const ev::PageFaultReported& report) {
  return report.device_specific != 0 || report.code == DXGK_GENERAL_ERROR_PAGE_FAULT;
}

std::string words_of(const ev::PageFaultReported& report) {
  std::string text = "packet " + std::to_string(report.packet) + ", of paging, ";
  if (is_of_a_page(report))
    return text + "ends by a page fault at address " + hex_text(report.address);
  text += report.code == DXGK_GENERAL_ERROR_INVALID_INSTRUCTION
              ? "is reported with DXGK_GENERAL_ERROR_INVALID_INSTRUCTION"
              : "is reported with the general error code " + std::to_string(report.code);
  return text +
         (report.address == 0 ? ", and no address" : ", at address " + hex_text(report.address));
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> paging;  // packets: Submitted
  in_order_of_calls<ev::PageFaultReported, ev::PacketEnded>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      if (packet.paging != 0) paging[packet.packet] = index;
    } else if (event.kind == EventKind::PacketEnded) {
      if (paging.contains(Trace::as<ev::PacketEnded>(event).packet)) judgement.reached(index);
    } else {
      const auto report = trace.at<ev::PageFaultReported>(index);
      const auto found = paging.find(report.packet);
      if (found == paging.end()) return;
      const va::UsedSpace space{
          .process = kSystemProcessNumber, .gpu = report.engine, .event = found->second};
      const va::Blame blame = judgement.is_worth_a_look() && is_of_a_page(report)
                                  ? va::blame_for(trace, report.address, report.level, space)
                                  : va::Blame{};
      va::fail_with(blame, judgement, index,
                    "what is mapped for paging by the root that the context was given",
                    words_of(report), {found->second});
    }
  });
}

// A driver that fills 1 GB behind what it was told of.
class FillsElsewhere final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_VIRTUAL_FILL) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    constexpr UINT64 kElsewhere = UINT64{1} << 30;
    build->FillVirtual.DestinationVirtualAddress += kElsewhere;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->FillVirtual.DestinationVirtualAddress -= kElsewhere;
    return status;
  }
};

const Rule kRule{
    .id = "MMU-019",
    .title = "Paging never ends by a page fault",
    .rule =
        "Everything that a paging buffer accesses by GPU virtual addresses, the buffer itself too, "
        "is mapped in the paging process, by entries that Dxgkrnl had the driver write and below "
        "the root that the driver was given. No packet of paging is reported as faulted.",
    .sources =
        "bug-check-0x119---video-scheduler-internal-error.md # 0x5\n"
        "gpummu-model.md # paging process",
    .note =
        "Windows does not go on from such a fault. What the driver did wrong other clauses say "
        "where work ends that should have had an effect; of a driver whose first buffer faults "
        "none comes so far.",
    .unreached = "no packet of paging came to its end",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: an allocation comes and goes, and so do page tables
ops:
- create_context
- create_allocation: {allocation: 0, pages: 3, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x04030201}
- idle
- render
- bind: {slot: 1, allocation: 0}
- fill: {slot: 1, offset: 0, size: 64, value: 0x11111111}
- idle
- move: {allocation: 0}
- idle
- evict: {allocation: 0}
- idle
- evict_tables: {device: 0}
- render
- bind: {slot: 1, allocation: 0}
- add: {slot: 1, offset: 0, value: 1}
- idle
)",
    .control = R"(
about: one page is filled
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
)",
    .fault = {.about = "fills go to where nothing is mapped",
              .interposer = [] { return std::unique_ptr<Interposer>(new FillsElsewhere); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_019
