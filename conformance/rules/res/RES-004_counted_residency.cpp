// RES-004: MakeResident and Evict are counted.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/gpuva/residency_request.h"

namespace wddm::res_004 {
namespace {

constexpr std::uint32_t kMakeResident = 0;

bool succeeded(std::uint32_t status) {
  const auto answer = static_cast<gpuva::ResidencyStatus>(status);
  return answer == gpuva::ResidencyStatus::Ok || answer == gpuva::ResidencyStatus::Pending;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counts;  // device, allocation
  // What the last request has asked for and nobody has told of yet. It may be taken out later, when
  // another device runs (RES-012).
  std::uint32_t asked_by = kNone;
  ScratchSet<std::uint32_t> asked_for;
  for (const std::uint32_t index : trace.of_any<ev::AllocationCreated, ev::DeviceCreated,
                                                ev::ResidencyAsked, ev::ResidencyCounted>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::DeviceCreated) {
      const auto created = trace.at<ev::DeviceCreated>(index);
      for (auto& [key, count] : counts) {
        if (key.first == created.device) count = 0;
      }
    } else if (kind == EventKind::AllocationCreated) {
      const auto created = trace.at<ev::AllocationCreated>(index);
      for (auto& [key, count] : counts) {
        if (key.second == created.allocation) count = 0;
      }
    } else if (kind == EventKind::ResidencyAsked) {
      const auto asked = trace.at<ev::ResidencyAsked>(index);
      asked_by = asked.device;
      asked_for.clear();
      if (!succeeded(asked.status)) continue;
      for (const std::uint32_t id : trace.blob<std::uint32_t>(trace.events()[index])) {
        std::uint32_t& count = counts[{asked.device, id}];
        if (asked.request == kMakeResident) {
          ++count;
          asked_for.insert(id);
        } else if (count != 0) {
          --count;
        }
      }
    } else {
      const auto counted = trace.at<ev::ResidencyCounted>(index);
      const std::uint32_t count = counts[{counted.device, counted.allocation}];
      judgement.reached(index);
      const bool is_asked_for =
          counted.device == asked_by && asked_for.erase(counted.allocation) != 0;
      if (counted.count != count) {
        judgement.fail(index,
                       "allocation " + std::to_string(counted.allocation) + " is required " +
                           std::to_string(count) + " times",
                       std::to_string(counted.count) + " times");
      } else if (count != 0 && counted.resident == 0 && is_asked_for) {
        judgement.fail(index, "what is made resident is resident", "it was taken out");
      }
    }
  }
}

const Rule kRule{
    .id = "RES-004",
    .title = "MakeResident and Evict are reference counted",
    .binds = Binds::Os,
    .rule =
        "Each MakeResident that succeeds adds one to the count of each allocation of its list, "
        "each "
        "Evict takes one away. Only at zero does an allocation leave what its device requires.",
    .sources =
        "residency-overview.md # Overview\n"
        "nc-d3dumddi-pfnd3dddi_evictcb.md\n"
        "ns-d3dukmdt-d3dddi_makeresident.md",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: an allocation is required twice, evicted once, and used
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 4}
- require: {allocation: 1}
- require: {allocation: 1}
- release: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- release: {allocation: 1}
)",
    .control = R"(
about: two allocations, each required once
ops:
- residency: {required_only: true}
- create_allocation: {allocation: 1, place: local, pages: 4}
- create_allocation: {allocation: 2, place: local, pages: 4}
- require: {allocation: 1, count: 2}
- release: {allocation: 1, count: 2}
)",
    .fault = {.about = "one Evict takes all of the count away",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::OneEvictReleases}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_004
