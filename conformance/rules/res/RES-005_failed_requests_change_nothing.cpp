// RES-005: a MakeResident that fails changes nothing, and tells by how much it fails.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/gpuva/residency_request.h"

namespace wddm::res_005 {
namespace {

constexpr std::uint32_t kMakeResident = 0;

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      counts;                    // the last that was told
  std::uint32_t failed = kNone;  // ResidencyAsked, the latest
  for (const std::uint32_t index : trace.of_any<ev::AllocationCreated, ev::DeviceCreated,
                                                ev::ResidencyAsked, ev::ResidencyCounted>()) {
    if (trace.events()[index].kind == EventKind::DeviceCreated) {
      const auto created = trace.at<ev::DeviceCreated>(index);
      for (auto& [key, count] : counts) {
        if (key.first == created.device) count = 0;
      }
      continue;
    }
    if (trace.events()[index].kind == EventKind::AllocationCreated) {
      // Another one in the slot, which nobody requires yet.
      const auto created = trace.at<ev::AllocationCreated>(index);
      for (auto& [key, count] : counts) {
        if (key.second == created.allocation) count = 0;
      }
      continue;
    }
    if (trace.events()[index].kind == EventKind::ResidencyAsked) {
      const auto asked = trace.at<ev::ResidencyAsked>(index);
      const bool no_memory =
          asked.status == static_cast<std::uint32_t>(gpuva::ResidencyStatus::OutOfMemory);
      failed = asked.request == kMakeResident && no_memory ? index : kNone;
      if (failed == kNone) continue;
      judgement.reached(index);
      if (asked.bytes_to_trim == 0) {
        judgement.fail(index, "NumBytesToTrim says how much too much it is", "0");
      }
      continue;
    }
    const auto counted = trace.at<ev::ResidencyCounted>(index);
    std::uint32_t& before = counts[{counted.device, counted.allocation}];
    if (failed != kNone && counted.count != before) {
      judgement.fail(index, "no count changes",
                     "allocation " + std::to_string(counted.allocation) + " is required " +
                         std::to_string(counted.count) + " times, before " +
                         std::to_string(before) + " times",
                     {failed});
    }
    before = counted.count;
  }
}

const Rule kRule{
    .id = "RES-005",
    .title = "A failed MakeResident changes nothing",
    .binds = Binds::Os,
    .rule =
        "MakeResident that returns E_OUTOFMEMORY leaves the count of every allocation of its list "
        "as it was, and NumBytesToTrim says how far the request is over budget.",
    .sources =
        "nc-d3dumddi-pfnd3dddi_makeresidentcb.md # returns\n"
        "process-residency-budgets.md",
    .note =
        "D3DDDI_MAKERESIDENT.NumAllocations as an output suggests that a part may succeed; the "
        "page "
        "of the callback says all or nothing, and is followed.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: of three allocations the third is beyond the budget
ops:
- residency: {required_only: true}
- create_allocation: {allocation: 1, place: local, pages: 4}
- create_allocation: {allocation: 2, place: local, pages: 4}
- create_allocation: {allocation: 3, place: local, pages: 4}
- budget: {process: 0, pages: 10}
- require: {allocation: 1, count: 3}
)",
    .control = R"(
about: the budget is enough for all
ops:
- residency: {required_only: true}
- create_allocation: {allocation: 1, place: local, pages: 4}
- create_allocation: {allocation: 2, place: local, pages: 4}
- budget: {process: 0, pages: 10}
- require: {allocation: 1, count: 2}
- release: {allocation: 1, count: 2}
)",
    .fault = {.about = "a request that fails counts for the first of its list",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::FailedRequestCounts,
              .also_fires = "RES-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_005
