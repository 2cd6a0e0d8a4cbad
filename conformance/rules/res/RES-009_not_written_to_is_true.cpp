// RES-009: a client says NotWrittenTo of what the GPU has not written.
#include "conformance/rules/res/client_history.h"

namespace wddm::res_009 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto& history = trace.ledger<res::ClientHistory>();
  res::judge_client(trace, judgement, history.evictions(), {gpuva::ClientFault::WrittenTo},
                    "NotWrittenTo of what no buffer has written since it was made resident",
                    "it was written");
}

const Rule kRule{
    .id = "RES-009",
    .title = "NotWrittenTo is truthful",
    .binds = Binds::Client,
    .rule =
        "NotWrittenTo is set in an Evict only if the GPU has not written the allocations since "
        "they "
        "were made resident: their content may be dropped.",
    .sources = "ns-d3dukmdt-d3dddi_evict_flags.md # NotWrittenTo",
    .note =
        "What is written says the allocation list of the client. The calls are those of the client "
        "that this host plays.",
    .applies = res::client_residency,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: what was written is evicted, and so is what was not
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 4}
- create_allocation: {allocation: 2, place: local, pages: 4}
- require: {allocation: 1, count: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- release: {allocation: 1}
- release: {allocation: 2}
)",
    .control = R"(
about: nothing was written
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 4}
- create_allocation: {allocation: 2, place: local, pages: 4}
- require: {allocation: 1, count: 2}
- release: {allocation: 1, count: 2}
)",
    .fault = {.about = "NotWrittenTo is said of everything",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::ClaimNotWritten}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_009
