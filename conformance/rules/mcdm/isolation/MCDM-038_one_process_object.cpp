// MCDM-038: a process has one object of the driver's, which all its devices are made with.

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/names.h"

namespace wddm::mcdm_038 {
namespace {

struct Process {
  std::uint32_t created = kNone;  // ProcessCreated
  ScratchSet<std::uint32_t> devices;
};

std::string which(const ev::DeviceCreated& made) {
  return "device " + std::to_string(made.device) + " of process " + std::to_string(made.process);
}

class Processes {
 public:
  explicit Processes(Judgement& judgement) : judgement_(judgement) {}

  void on(std::uint32_t index, const ev::ProcessCreated& made) {
    if (!NT_SUCCESS(static_cast<NTSTATUS>(made.status))) return;
    judgement_.reached(index);
    Process& process = processes_[made.process];
    if (process.created != kNone) {
      judgement_.fail(index, "one CreateProcess for a process",
                      "a second for process " + std::to_string(made.process), {process.created});
    }
    process.created = index;
  }
  void on(std::uint32_t index, const ev::DeviceCreated& made) {
    if (!NT_SUCCESS(static_cast<NTSTATUS>(made.status))) return;
    judgement_.reached(index);
    Process& process = processes_[made.process];
    process.devices.insert(made.device);
    owners_[made.device] = made.process;
    if (process.created == kNone) {
      judgement_.fail(index, "CreateProcess before the first device of a process", which(made));
    } else if (made.named != made.process) {
      judgement_.fail(index, "hKmdProcess of the process that a device is for",
                      which(made) + (made.named == kNone ? ": none" : ": that of another"),
                      {process.created});
    }
  }
  void device_ends(std::uint32_t device) {
    const auto owner = owners_.find(device);
    if (owner == owners_.end()) return;
    processes_[owner->second].devices.erase(device);
    owners_.erase(owner);
  }
  void process_ends(std::uint32_t index, std::uint32_t number) {
    const auto found = processes_.find(number);
    judgement_.reached(index);
    if (found == processes_.end() || found->second.created == kNone) {
      return judgement_.fail(index, "one DestroyProcess for each CreateProcess",
                             "process " + std::to_string(number) + " is not there");
    }
    if (!found->second.devices.empty()) {
      judgement_.fail(index, "DestroyProcess after the last device of a process",
                      "process " + std::to_string(number) + " has device " +
                          std::to_string(*found->second.devices.begin()));
    }
    processes_.erase(found);
  }

 private:
  Judgement& judgement_;
  ScratchMap<std::uint32_t, Process> processes_;
  ScratchMap<std::uint32_t, std::uint32_t> owners_;  // of devices
};

// That all contexts of a process have its root is ROOT-009 and PROC-008.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Processes processes(judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::ProcessCreated, ev::DeviceCreated, ev::DdiEntered>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::ProcessCreated) {
      processes.on(index, Trace::as<ev::ProcessCreated>(event));
    } else if (event.kind == EventKind::DeviceCreated) {
      processes.on(index, Trace::as<ev::DeviceCreated>(event));
    } else {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (entered.ddi == static_cast<std::uint32_t>(DdiId::DestroyDevice)) {
        processes.device_ends(entered.object);
      } else if (entered.ddi == static_cast<std::uint32_t>(DdiId::DestroyProcess)) {
        processes.process_ends(index, entered.object);
      }
    }
  }
}

NotApplicable with_processes(const Platform& platform) {
  if (const NotApplicable reason = virtual_submission(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::DestroyProcess)) return reason;
  return needs(platform, DdiId::CreateProcess);
}

const Rule kRule{
    .id = "MCDM-038",
    .title = "Each host process has one process object and one address space",
    .binds = Binds::Os,
    .rule =
        "CreateProcess comes once for a process, before its first CreateDevice; all its devices "
        "are "
        "made with that hKmdProcess, and DestroyProcess comes once, when the last of them is gone.",
    .sources =
        "mcdm-architecture.md # Address Space\n"
        "ns-d3dkmddi-_dxgkarg_createprocess.md # fields\n"
        "mcdm-implementation-guidelines.md # GPU virtual addressing support",
    .note =
        "The text has one address space for each process, given by one root; the sequence of calls "
        "is derived. Which roots contexts have is judged elsewhere.",
    .applies = with_processes,
    .check = check,
    .played_in = kGpuVirtualConfigurations | ConfigurationSet{Configured::ComputeOnly},
    .scenario = R"(
about: two processes with two devices each go in another order than they came
ops:
- create_context: {context: 0}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- create_device: {device: 2}
- create_device: {device: 3, process: 1}
- create_context: {context: 2, device: 3}
- render: {context: 2}
- spin: {units: 5}
- idle
- destroy_device: {device: 1}
- render: {context: 2}
- spin: {units: 5}
- idle
- destroy_device: {device: 2}
- destroy_device: {device: 3}
- create_device: {device: 1, process: 1}
)",
    .control = R"(
about: one process with one device
ops:
- create_device: {device: 1, process: 1}
- destroy_device: {device: 1}
)",
    .fault = {.about = "devices are made without their process",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::DeviceNamesNoProcess,
              .also_fires = "FENCE-001 SUBMIT-017 VPAGE-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_038
