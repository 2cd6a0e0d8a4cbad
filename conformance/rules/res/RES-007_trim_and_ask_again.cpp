// RES-007: a client trims and asks again, before it says that it can do no more.
#include "conformance/rules/res/client_history.h"

namespace wddm::res_007 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto& history = trace.ledger<res::ClientHistory>();
  res::judge_client(
      trace, judgement, history.requests(),
      {gpuva::ClientFault::MustSucceedAlone, gpuva::ClientFault::FinalAttemptFirst},
      "a request without MustSucceed and CantTrimFurther first, and both together in the last one",
      "the first attempt is the final one");
}

const Rule kRule{
    .id = "RES-007",
    .title = "Trim and retry protocol on E_OUTOFMEMORY",
    .binds = Binds::Client,
    .rule =
        "Where MakeResident fails with E_OUTOFMEMORY the client evicts and asks again. Only when "
        "there is nothing left to evict does it set CantTrimFurther, and with it MustSucceed, "
        "which "
        "goes with nothing else.",
    .sources =
        "nc-d3dumddi-pfnd3dddi_makeresidentcb.md # returns (E_OUTOFMEMORY)\n"
        "ns-d3dukmdt-d3dddi_makeresident_flags.md",
    .note =
        "That the client evicts between two attempts is not judged: a new request of an "
        "application "
        "looks the same. The calls are those of the client that this host plays.",
    .applies = res::client_residency,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: a budget for one of two allocations
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 4}
- create_allocation: {allocation: 2, place: local, pages: 4}
- budget: {process: 0, pages: 5}
- require: {allocation: 1}
- require: {allocation: 2}
- budget: {process: 0, pages: 2}
- require: {allocation: 1}
)",
    .control = R"(
about: a budget for all
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 4}
- create_allocation: {allocation: 2, place: local, pages: 4}
- require: {allocation: 1}
- require: {allocation: 2}
)",
    .fault = {.about = "the first attempt is the final one",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::MustSucceedAtOnce}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_007
