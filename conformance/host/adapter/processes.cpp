#include "conformance/host/adapter/processes.h"

#include <iterator>

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

// Kind in the upper bits, number in the lower, as for the handles of objects.cpp.
constexpr std::uintptr_t kProcessHandles = 0x70000000;
constexpr std::uintptr_t kHandleStep = 0x40;

constexpr IdRange<ProcessId> kScenarioProcesses{0, kProcesses};
constexpr IdRange<ProcessId> kAllProcesses{0, kProcesses + 1};

// ProcessCreated::handle
constexpr std::uint32_t kNoHandle = 0, kItsOwn = 1, kAnothers = 2;

}  // namespace

HANDLE Processes::os_handle(ProcessId id) {
  return reinterpret_cast<HANDLE>(kProcessHandles + (id.value + 1) * kHandleStep);
}

std::optional<ProcessId> Processes::named_by(HANDLE os_handle) const {
  for (const ProcessId id : kAllProcesses) {
    if (processes_[id].live && Processes::os_handle(id) == os_handle) return id;
  }
  return std::nullopt;
}

void Processes::begin() {
  if (!adapter_.has_gpu_mmu()) return;
  create(kSystemProcess);
  create(kFirstProcess);
}

void Processes::end() {
  for (const ProcessId id : kScenarioProcesses) destroy(id);
  destroy(kSystemProcess);
}

bool Processes::create(ProcessId id) {
  Process& process = processes_[id];
  if (process.live || !may_call(DdiId::CreateProcess)) return false;
  static WCHAR name[] = u"scenario.exe";
  const bool system = id == kSystemProcess;
  DXGKARG_CREATEPROCESS create{};
  create.hDxgkProcess = os_handle(id);
  create.Flags.SystemProcess = system;
  if (!system) {
    create.pProcessName = name;
    create.ProcessNameLength = std::size(name) - 1;
  }
  const NTSTATUS status = call_ddi<DdiId::CreateProcess>(id, adapter_.miniport(), &create);
  report(id, status, create);
  if (!NT_SUCCESS(status)) return false;
  process = {.live = true, .driver = create.hKmdProcess};
  return true;
}

void Processes::report(ProcessId id, NTSTATUS status, const DXGKARG_CREATEPROCESS& made) const {
  ev::ProcessCreated seen{.process = id.value,
                          .status = static_cast<std::uint32_t>(status),
                          .flags = made.Flags.Value,
                          .handle = made.hKmdProcess == nullptr ? kNoHandle : kItsOwn,
                          .same_as = kNone};
  for (const ProcessId other : kAllProcesses) {
    if (seen.handle != kItsOwn || !processes_[other].live) continue;
    if (processes_[other].driver != made.hKmdProcess) continue;
    seen.handle = kAnothers;
    seen.same_as = other.value;
  }
  session().tap(seen);
}

void Processes::destroy(ProcessId id) {
  Process& process = processes_[id];
  if (!process.live) return;
  if (may_call(DdiId::DestroyProcess)) {
    call_ddi<DdiId::DestroyProcess>(id, adapter_.miniport(), process.driver);
  }
  process = {};
}

}  // namespace wddm::host
