// PROC-005: DestroyProcess of a live process succeeds.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::DdiReturned>()) {
    const auto returned = trace.at<ev::DdiReturned>(index);
    if (returned.ddi != static_cast<std::uint32_t>(DdiId::DestroyProcess)) continue;
    judgement.reached(index);
    if (returned.status == static_cast<std::uint32_t>(STATUS_SUCCESS)) continue;
    judgement.fail(index, "STATUS_SUCCESS", "another status");
  }
}

// A driver that finds its process in use.
class StaysBusy final : public Interposer {
 public:
  NTSTATUS DestroyProcess(HANDLE adapter, HANDLE process) override {
    static_cast<void>(Interposer::DestroyProcess(adapter, process));
    return STATUS_DEVICE_BUSY;
  }
};

NotApplicable ending_processes(const Platform& platform) {
  if (const NotApplicable reason = gpu_mmu(platform)) return reason;
  return needs(platform, DdiId::DestroyProcess);
}

const Rule kRule{
    .id = "PROC-005",
    .title = "DestroyProcess ends a process whose devices are gone",
    .rule =
        "DestroyProcess returns STATUS_SUCCESS for a live handle once the devices of the process "
        "are gone.",
    .sources = "nc-d3dkmddi-dxgkddi_destroyprocess.md",
    .note =
        "That it gives back what CreateProcess took is seen in the balance of pool, which tells "
        "of the driver as a whole (LIFE-004); that nobody translates by the tables of a process "
        "that has gone, by the clauses of page tables.",
    .applies = ending_processes,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: a process with addresses and page tables of its own goes with the last of its devices
ops:
- create_device: {device: 1, process: 1}
- create_device: {device: 2, process: 1}
- create_context: {context: 0, device: 1}
- create_allocation: {allocation: 0, device: 1}
- make_resident: {allocation: 0}
- idle
- destroy_device: {device: 1}
- destroy_device: {device: 2}
)",
    .control = R"(
about: processes that did nothing
ops:
- create_device: {device: 1, process: 1}
- destroy_device: {device: 1}
)",
    .fault = {.about = "a process is said to be busy for ever",
              .interposer = [] { return std::unique_ptr<Interposer>(new StaysBusy); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
