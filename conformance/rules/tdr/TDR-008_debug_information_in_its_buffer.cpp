// TDR-008: CollectDbgInfo respects its buffer, and what is reserved of the extension.

#include <bugcodes.h>
#include <d3dkmddi.h>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "reference/is_any_of.h"

namespace wddm::tdr_008 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::DebugInfoCollected>()) {
    const auto call = trace.at<ev::DebugInfoCollected>(index);
    judgement.reached(index);
    if (call.outside != 0) {
      judgement.fail(index, "at most BufferSize bytes, " + std::to_string(call.given),
                     std::to_string(call.outside) + " bytes behind them are written");
    }
    if (call.beside_extension != 0) {
      judgement.fail(
          index, "nothing behind *pExtension is written",
          std::to_string(call.beside_extension) + " bytes behind DXGKARG_COLLECTDBGINFO_EXT are");
    }
    if (call.reserved != 0) {
      judgement.fail(index, "members of *pExtension that are for later use stay, or become 0",
                     std::to_string(call.reserved) + " of them have another value");
    }
    // What a driver answers that knows nothing of the reason is its own affair.
    const bool of_timeout =
        is_any_of(call.reason, VIDEO_TDR_TIMEOUT_DETECTED, VIDEO_ENGINE_TIMEOUT_DETECTED);
    if (of_timeout && !is_any_of(call.status, static_cast<std::uint32_t>(STATUS_SUCCESS),
                                 static_cast<std::uint32_t>(STATUS_NO_MEMORY),
                                 static_cast<std::uint32_t>(STATUS_UNSUCCESSFUL))) {
      judgement.fail(index, "STATUS_SUCCESS, STATUS_NO_MEMORY or STATUS_UNSUCCESSFUL",
                     status_name(call.status));
    }
  }
}

// A driver that copies its dump whatever there is room for.
class CopiesAll final : public Interposer {
 public:
  NTSTATUS CollectDbgInfo(HANDLE adapter, const DXGKARG_COLLECTDBGINFO* collect) override {
    DXGKARG_COLLECTDBGINFO larger = *collect;
    larger.BufferSize += 64;
    return Interposer::CollectDbgInfo(adapter, &larger);
  }
};

NotApplicable collects(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return needs(platform, DdiId::CollectDbgInfo);
}

const Rule kRule{
    .id = "TDR-008",
    .title = "CollectDbgInfo respects its buffer",
    .rule =
        "CollectDbgInfo writes at most BufferSize bytes to pBuffer and of *pExtension at most "
        "BucketingKey and CurrentDmaBufferOffset, at whatever IRQL it runs. Asked for a timeout it "
        "returns STATUS_SUCCESS, STATUS_NO_MEMORY or STATUS_UNSUCCESSFUL.",
    .sources =
        "nc-d3dkmddi-dxgkddi_collectdbginfo.md # return values, Remarks\n"
        "ns-d3dkmddi-_dxgkarg_collectdbginfo.md # BufferSize\n"
        "ns-d3dkmddi-_dxgkarg_collectdbginfo_ext.md # Members\n"
        "threading-and-synchronization-zero-level.md # DxgkDdiCollectDbgInfo",
    .note =
        "Asked for at PASSIVE_LEVEL, with reasons 0x141 and 0x117, and at HIGH_LEVEL with another, "
        "as where the system stops: what a driver calls there that it must not is found by the "
        "kernel (NT-IrqlTooHigh). The pages have the function pageable for the first two and at "
        "high IRQL for all else, which no function can be; that it says PAGED_CODE is left alone. "
        "What is for later use may be cleared with the rest.",
    .unreached = "no information was asked for behind a reset",
    .applies = collects,
    .check = check,
    .played_in = {Configured::Default, Configured::GpuVirtual},
    .scenario = R"(
about: an engine times out, and then the adapter; then the system stops
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- create_device: {device: 1}
- create_context: {context: 1, device: 1}
- render: {context: 1}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
- idle
# For a reason that is another driver's, at HIGH_LEVEL: nothing comes behind it.
- bug_check
)",
    .control = R"(
about: the adapter times out
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
- idle
)",
    .fault = {.about = "more than BufferSize bytes are written",
              .interposer = [] { return std::unique_ptr<Interposer>(new CopiesAll); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::tdr_008
