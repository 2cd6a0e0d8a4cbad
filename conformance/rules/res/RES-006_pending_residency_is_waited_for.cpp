// RES-006: a client waits for what is on its way before it uses it.
#include "conformance/rules/res/client_history.h"

namespace wddm::res_006 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto& history = trace.ledger<res::ClientHistory>();
  res::judge_client(trace, judgement, history.buffers(), {gpuva::ClientFault::NotWaited},
                    "a wait for PagingFenceValue ahead of the buffer",
                    "the buffer uses what is still on its way without one");
}

const Rule kRule{
    .id = "RES-006",
    .title = "Pending residency is waited for before use",
    .binds = Binds::Client,
    .rule =
        "After MakeResident was answered with E_PENDING no buffer that uses the allocations is "
        "submitted until a wait for PagingFenceValue has been queued on its context, or the CPU "
        "has "
        "seen the value. Value 0 means that there is nothing to wait for.",
    .sources =
        "nc-d3dumddi-pfnd3dddi_makeresidentcb.md # returns (E_PENDING)\n"
        "device-paging-queues.md\n"
        "offer-and-reclaim-changes.md",
    .note =
        "The calls are those of the client that this host plays; they are recorded, and judged by "
        "reference/gpuva/residency_client.h.",
    .applies = res::client_residency,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: a buffer behind a request that is pending
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
)",
    .control = R"(
about: what is used has been waited for
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
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "a client takes E_PENDING for success",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::UseWithoutWaiting}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_006
