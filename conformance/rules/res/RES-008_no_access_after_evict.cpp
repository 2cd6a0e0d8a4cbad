// RES-008: a client uses nothing that it has evicted.
#include "conformance/rules/res/client_history.h"

namespace wddm::res_008 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto& history = trace.ledger<res::ClientHistory>();
  res::judge_client(trace, judgement, history.buffers(),
                    {gpuva::ClientFault::UsedAfterEvict, gpuva::ClientFault::UsedWhileOffered,
                     gpuva::ClientFault::NotRequired},
                    "allocations that the device requires", "the buffer uses one that was evicted");
}

const Rule kRule{.id = "RES-008",
                 .title = "No access after Evict is queued",
                 .binds = Binds::Client,
                 .rule =
                     "Once the Evict that brings the count of an allocation to zero was called, no "
                     "buffer of the "
                     "device uses it until a new MakeResident has taken effect.",
                 .sources =
                     "nc-d3dumddi-pfnd3dddi_evictcb.md # Remarks\n"
                     "nf-d3dkmthk-d3dkmtevict.md # Remarks",
                 .note =
                     "The calls are those of the client that this host plays; what it may not use, "
                     "it leaves out "
                     "of what it submits.",
                 .applies = res::client_residency,
                 .check = check,
                 .played_in = {Configured::GpuVirtual, Configured::FourLevels},
                 .scenario = R"(
about: an allocation is evicted between two buffers that use it
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 4}
- create_allocation: {allocation: 2, place: local, pages: 4}
- require: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- release: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
                 .control = R"(
about: it is made resident twice, and evicted once
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 4}
- create_allocation: {allocation: 2, place: local, pages: 4}
- require: {allocation: 1}
- require: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- release: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
                 .fault = {.about = "a buffer is submitted that uses what was evicted",
                           .seat = FaultSeat::Oracle,
                           .oracle = OracleFault::UseAfterEvict}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_008
