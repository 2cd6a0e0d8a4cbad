// TDR-003: between a reset of the adapter and its restart the driver gets along without the GPU.

#include "conformance/host/interposer.h"
#include "conformance/rules/engrst/resets.h"

namespace wddm::tdr_003 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CleanUpBuilt>()) {
    const auto built = trace.at<ev::CleanUpBuilt>(index);
    const bool transfer = built.operation == DXGK_OPERATION_TRANSFER;
    judgement.reached(index);
    if (!engrst::succeeded(built.status)) {
      judgement.fail(index,
                     transfer ? "a Transfer of size 0 succeeds" : "UnmapApertureSegment succeeds",
                     status_name(built.status));
    } else if (transfer && built.registers != 0) {
      judgement.fail(index, "no access to the GPU before RestartFromTimeout",
                     std::to_string(built.registers) + " accesses to registers");
    }
  }
}

// A driver that counts the pages of a Transfer from 1.
class CountsFromOne final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool empty =
        build->Operation == DXGK_OPERATION_TRANSFER && build->Transfer.TransferSize == 0;
    if (empty) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

NotApplicable cleaning_up(const Platform& platform) {
  if (const NotApplicable reason = engrst::adapter_resets(platform)) return reason;
  if (platform.has_virtual_addresses()) {
    return "GPU virtual addresses: the page speaks of Transfer and of apertures alone";
  }
  return needs(platform, DdiId::BuildPagingBuffer);
}

const Rule kRule{
    .id = "TDR-003",
    .title = "Clean-up between reset and restart leaves the GPU alone",
    .level = Level::Should,
    .rule =
        "Between ResetFromTimeout and RestartFromTimeout the driver is told which allocations are "
        "gone: by a Transfer of size 0 from a memory segment, which moves nothing, and by "
        "UnmapApertureSegment. It succeeds, and does not access the GPU unless it must.",
    .sources = "thread-synchronization-and-tdr.md # clean-up period",
    .note =
        "The page names Transfer.Size; the structure has Transfer.TransferSize. What stands in the "
        "buffer then is not submitted: contents are lost. Swizzling ranges are left out. "
        "UnmapApertureSegment may be carried out by registers at any time, and has no other way "
        "here: only a Transfer that moves nothing is held to touch none.",
    .unreached = "nothing was cleaned up behind a reset of the adapter",
    .applies = cleaning_up,
    .check = check,
    .scenario = R"(
about: the adapter is reset with allocations in a memory segment and in an aperture
ops:
- create_allocation: {allocation: 0, pages: 4, place: local}
- create_allocation: {allocation: 1, pages: 2, place: aperture}
- create_context: {context: 0}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
)",
    .control = R"(
about: the driver goes on behind it
ops:
- create_allocation: {allocation: 0, pages: 4, place: local}
- create_context: {context: 0}
- make_resident: {allocation: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "a Transfer of size 0 asks for more room",
              .interposer = [] { return std::unique_ptr<Interposer>(new CountsFromOne); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::tdr_003
