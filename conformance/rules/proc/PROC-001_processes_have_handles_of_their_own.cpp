// PROC-001: CreateProcess gives every process a handle of its own.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::proc_001 {
namespace {

constexpr std::uint32_t kItsOwn = 1, kAnothers = 2;  // ProcessCreated::handle

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::ProcessCreated>()) {
    const auto created = trace.at<ev::ProcessCreated>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(created.status))) continue;
    if (created.handle == kItsOwn || created.handle == kAnothers) judgement.reached(index);
    if (created.handle != kAnothers) continue;
    judgement.fail(index, "an hKmdProcess that no other live process has",
                   "that of process " + std::to_string(created.same_as));
  }
}

// A driver that knows one process. The driver beneath is told of that one alone.
class KnowsOneProcess final : public Interposer {
 public:
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    if (processes_ == 0) {
      const NTSTATUS status = Interposer::CreateProcess(adapter, create);
      if (!NT_SUCCESS(status)) return status;
      only_ = create->hKmdProcess;
    }
    create->hKmdProcess = only_;
    ++processes_;
    return STATUS_SUCCESS;
  }
  NTSTATUS DestroyProcess(HANDLE adapter, HANDLE process) override {
    return --processes_ == 0 ? Interposer::DestroyProcess(adapter, process) : STATUS_SUCCESS;
  }

 private:
  HANDLE only_ = nullptr;
  std::uint32_t processes_ = 0;
};

NotApplicable making_processes(const Platform& platform) {
  if (const NotApplicable reason = virtual_addresses(platform)) return reason;
  return needs(platform, DdiId::CreateProcess);
}

const Rule kRule{
    .id = "PROC-001",
    .title = "CreateProcess returns a handle for this process alone",
    .rule =
        "On success hKmdProcess stands for this process alone until DestroyProcess: two processes "
        "that live at the same time, the system process among them, never have the same.",
    .sources =
        "nc-d3dkmddi-dxgkddi_createprocess.md\n"
        "ns-d3dkmddi-_dxgkarg_createprocess.md",
    .note =
        "No handle at all is not judged: a driver that never needs one may do without. What a "
        "call that fails leaves behind is found by the balance of pool at the end (LIFE-004).",
    .applies = making_processes,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::IoMmuAlone},
    .scenario = R"(
about: the system process and three others at a time
ops:
- create_device: {device: 1, process: 1}
- create_device: {device: 2, process: 2}
- destroy_device: {device: 1}
- create_device: {device: 3, process: 3}
)",
    .control = R"(
about: a handle may come again when its process has gone
ops:
- create_device: {device: 1, process: 1}
- destroy_device: {device: 1}
- create_device: {device: 1, process: 2}
)",
    .fault = {.about = "all processes have the handle of the first",
              .interposer = [] { return std::unique_ptr<Interposer>(new KnowsOneProcess); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::proc_001
