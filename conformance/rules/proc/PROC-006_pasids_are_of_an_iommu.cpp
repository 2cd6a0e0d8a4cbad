// PROC-006: what is an IoMmu's is not asked for, and not reported, by a driver with a GPU MMU.
//
// Left out: drivers of the IoMmu model, whose accesses bear PASIDs. The host cannot run them.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

bool ran_out(NTSTATUS status) {
  return status == STATUS_NO_MEMORY || status == STATUS_INSUFFICIENT_RESOURCES;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::ProcessCreated>()) {
    const auto status = static_cast<NTSTATUS>(trace.at<ev::ProcessCreated>(index).status);
    if (ran_out(status)) continue;
    judgement.reached(index);
    if (NT_SUCCESS(status)) continue;
    judgement.fail(index, "a process without a PASID", "CreateProcess refuses NumPasid 0");
  }
  for (const std::uint32_t index : trace.of<ev::PageFaultReported>()) {
    judgement.reached(index);
    const auto report = trace.at<ev::PageFaultReported>(index);
    if ((report.flags & static_cast<std::uint32_t>(DXGK_PAGE_FAULT_IOMMU)) == 0) continue;
    judgement.fail(index, "DXGK_PAGE_FAULT_IOMMU is clear: the GPU's own MMU found the fault",
                   "it is set");
  }
}

NotApplicable gpu_mmu_and_processes(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return needs(platform, DdiId::CreateProcess);
}

// A driver that takes all of its hardware's faults for those of address translation on the bus.
class BlamesTheBus final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      altered.DmaPageFaulted.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(
          data->DmaPageFaulted.PageFaultFlags | DXGK_PAGE_FAULT_IOMMU);
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }
};

const Rule kRule{
    .id = "PROC-006",
    .title = "PASIDs and IOMMU faults are of the IoMmu model alone",
    .evidence = Evidence::Boundary,
    .rule =
        "A driver with a GPU MMU and no IoMmu accepts CreateProcess with NumPasid 0 and pPasid "
        "NULL, and reports page faults without DXGK_PAGE_FAULT_IOMMU.",
    .sources =
        "iommu-model.md\n"
        "ns-d3dkmddi-_dxgkarg_createprocess.md # NumPasid, pPasid\n"
        "ne-d3dkmdt-_dxgk_page_fault_flags.md # DXGK_PAGE_FAULT_IOMMU",
    .note =
        "NumPasid 0 is derived: there is a PASID only where an IOMMU knows the process. The other "
        "half of the clause, the PASIDs of drivers with IoMmuSupported, is not judged.",
    .applies = gpu_mmu_and_processes,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: a command writes to an address that leads nowhere
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
)",
    .control = R"(
about: two processes, and no fault
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- idle
)",
    .fault = {.about = "DXGK_PAGE_FAULT_IOMMU is always set",
              .interposer = [] { return std::unique_ptr<Interposer>(new BlamesTheBus); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
