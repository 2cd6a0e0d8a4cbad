// RES-004: MakeResident and Evict are counted.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/gpuva/residency_request.h"

namespace wddm {
namespace {

constexpr std::uint32_t kMakeResident = 0;

bool succeeded(std::uint32_t status) {
  const auto answer = static_cast<gpuva::ResidencyStatus>(status);
  return answer == gpuva::ResidencyStatus::Ok || answer == gpuva::ResidencyStatus::Pending;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counts;  // device, allocation
  // Others may lose what they require while they do not run (RES-012).
  std::uint32_t made_resident_for = kNone;
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
      made_resident_for = kNone;
      if (!succeeded(asked.status)) continue;
      if (asked.request == kMakeResident) made_resident_for = asked.device;
      for (const std::uint32_t id : trace.blob<std::uint32_t>(trace.events()[index])) {
        std::uint32_t& count = counts[{asked.device, id}];
        if (asked.request == kMakeResident) {
          ++count;
        } else if (count != 0) {
          --count;
        }
      }
    } else {
      const auto counted = trace.at<ev::ResidencyCounted>(index);
      const std::uint32_t count = counts[{counted.device, counted.allocation}];
      judgement.reached(index);
      if (counted.count != count) {
        judgement.fail(index,
                       "allocation " + std::to_string(counted.allocation) + " is required " +
                           std::to_string(count) + " times",
                       std::to_string(counted.count) + " times");
      } else if (count != 0 && counted.resident == 0 && counted.device == made_resident_for) {
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
}  // namespace wddm
