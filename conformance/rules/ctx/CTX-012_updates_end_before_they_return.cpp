// CTX-012: DxgkCbUpdateContextAllocation returns when the update has been carried out.

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::ctx_012 {
namespace {

// ContextAllocationWritten comes when the paging buffer has ended.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> carried_out;  // ContextAllocationWritten, by number
  for (const std::uint32_t index :
       trace.of_any<ev::ContextAllocationWritten, ev::ContextAllocationUpdated>()) {
    if (trace.events()[index].kind == EventKind::ContextAllocationWritten) {
      const auto written = trace.at<ev::ContextAllocationWritten>(index);
      if (written.operation != DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION) continue;
      carried_out.try_emplace(written.number, index);
      continue;
    }
    const auto updated = trace.at<ev::ContextAllocationUpdated>(index);
    const auto found = carried_out.find(updated.number);
    const std::uint32_t written = found == carried_out.end() ? kNone : found->second;
    if (written != kNone) carried_out.erase(found);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(updated.status))) continue;
    judgement.reached(index);
    if (written == kNone) {
      judgement.fail(index, "UpdateContextAllocation has been executed when the callback returns",
                     "it returns before that");
      continue;
    }
    const auto with = trace.at<ev::ContextAllocationWritten>(written);
    if (with.bytes == updated.bytes && with.passed == updated.given) continue;
    judgement.fail(index,
                   "the private data of the call, " + std::to_string(updated.bytes) +
                       " bytes, in UpdateContextAllocation",
                   std::to_string(with.bytes) + " bytes" +
                       (with.passed == updated.given ? "" : " of something else"),
                   {written});
  }
}

NotApplicable updating(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return needs(platform, DdiId::SetRootPageTable);
}

const Rule kRule{
    .id = "CTX-012",
    .title = "An update of a context allocation has been carried out when the callback returns",
    .binds = Binds::Os,
    .rule =
        "DxgkCbUpdateContextAllocation leads to UpdateContextAllocation with the same private "
        "data and size, and returns when what the driver builds for it has been executed.",
    .sources =
        "context-allocation.md # Updating the content of a context allocation\n"
        "nc-d3dkmddi-dxgkcb_updatecontextallocation.md # Remarks\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatecontextallocation.md",
    .note =
        "Our host carries each update out twice, to see who reads the private data too late; "
        "judged is the first.",
    .applies = updating,
    .check = check,
    .played_in = {Configured::ContextAllocations},
    .scenario = R"(
about: contexts of two processes, with work at once
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
)",
    .control = R"(
about: contexts that run nothing
ops:
- create_context: {context: 1}
)",
    .fault = {.about = "the callback returns once the update is asked for",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::ReturnBeforeUpdate}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_012
