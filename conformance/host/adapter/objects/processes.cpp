#include "conformance/host/adapter/objects/processes.h"

#include <cstddef>
#include <iterator>

#include "conformance/host/adapter/objects/object_handles.h"
#include "conformance/host/adapter/prefilled_answer.h"
#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

// Kind in the upper bits, number in the lower, as for those of object_handles.h.
constexpr std::uintptr_t kProcessHandles = 0x70000000;

constexpr IdRange<ProcessId> kScenarioProcesses{0, kProcesses};
constexpr IdRange<ProcessId> kAllProcesses{0, kProcesses + 1};

// The highest of 20 bits, which no process gets.
constexpr ULONG kNoPasid = 0xFFFFF;

// At so many places processes get ranges that may lie anywhere.
constexpr std::uint32_t kPlaces = 4;

Processes* g_processes = nullptr;

}  // namespace

Processes& current_processes() {
  return *g_processes;
}

Processes::Processes(Adapter& adapter) : adapter_(adapter) {
  g_processes = this;
}

std::uint32_t Processes::count() const {
  std::uint32_t live = 0;
  for (const ProcessId id : kAllProcesses) live += processes_[id].live ? 1 : 0;
  return live;
}

HANDLE Processes::os_handle(ProcessId id) {
  return reinterpret_cast<HANDLE>(kProcessHandles + (id.value + 1) * kHandleStep);
}

std::optional<ProcessId> Processes::named_by(HANDLE os_handle) const {
  for (const ProcessId id : kAllProcesses) {
    if (processes_[id].live && Processes::os_handle(id) == os_handle) return id;
  }
  return std::nullopt;
}

std::uint32_t Processes::pasid(ProcessId id, std::uint32_t physical_adapter) const {
  const std::vector<ULONG>& all = processes_[owner_of(id)].pasids;
  // The array has a number for each GPU; of one without IoMmu nothing knows it.
  if (physical_adapter >= all.size() || !adapter_.has_io_mmu(physical_adapter)) return 0;
  return all[physical_adapter];
}

std::optional<ProcessId> Processes::with_pasid(std::uint32_t pasid,
                                               std::uint32_t physical_adapter) const {
  for (const ProcessId id : kAllProcesses) {
    if (pasid == 0 || !processes_[id].live) continue;
    if (this->pasid(id, physical_adapter) == pasid) return id;
  }
  return std::nullopt;
}

void Processes::begin() {
  if (!adapter_.has_virtual_addresses()) return;
  create(kSystemProcess);
  create(kFirstProcess);
}

void Processes::end() {
  for (const ProcessId id : kScenarioProcesses) destroy(id);
  destroy(kSystemProcess);
}

bool Processes::create(ProcessId id) {
  DXGK_CREATEPROCESSFLAGS flags{};
  flags.SystemProcess = id == kSystemProcess;
  return create(id, flags);
}

std::optional<ProcessId> Processes::create_machine_worker() {
  DXGK_CREATEPROCESSFLAGS flags{};
  flags.VirtualMachineWorkerProcess = 1;
  for (std::uint32_t number = kProcesses; number-- > 0;) {
    if (processes_[ProcessId{number}].live) continue;
    if (!create(ProcessId{number}, flags)) return std::nullopt;
    return ProcessId{number};
  }
  return std::nullopt;
}

bool Processes::create(ProcessId id, DXGK_CREATEPROCESSFLAGS flags) {
  Process& process = processes_[id];
  if (process.live || !may_call(DdiId::CreateProcess)) return false;
  static WCHAR name[] = u"scenario.exe";
  DXGKARG_CREATEPROCESS create{};
  create.hDxgkProcess = os_handle(id);
  create.Flags = flags;
  if (flags.SystemProcess == 0) {
    create.pProcessName = name;
    create.ProcessNameLength = std::size(name) - 1;
  }
  if (adapter_.has_io_mmu()) {
    process.pasids.clear();
    for (std::uint32_t gpu = 0; gpu < adapter_.physical_adapters(); ++gpu) {
      process.pasids.push_back(++last_pasid_);
    }
    pasids_ = process.pasids;
    create.NumPasid = static_cast<UINT>(pasids_.size());
    create.pPasid = pasids_.data();
  }
  PrefilledAnswer prefilled(WDDM_ANSWER(DXGKARG_CREATEPROCESS, create, hKmdProcess, hKmdProcess),
                            prefills_);
  creating_ = id;
  const NTSTATUS status = call_ddi<DdiId::CreateProcess>(id, adapter_.miniport(), &create);
  prefilled.read_if(NT_SUCCESS(status), DdiId::CreateProcess, id.value,
                    offsetof(DXGKARG_CREATEPROCESS, hKmdProcess));
  creating_.reset();
  // They are the driver's to read during the call alone.
  for (ULONG& pasid : pasids_) pasid = kNoPasid;
  report(id, status, create);
  if (!NT_SUCCESS(status)) {
    process = {};
    return false;
  }
  process.live = true;
  process.driver = create.hKmdProcess;
  return true;
}

// From the end of the space down, out of the way of what is handed out from its start on, but for
// some leaf tables' worth of addresses at the end: what lies behind the range is mapped like any
// other.
// What makes no sense is refused; what a driver may not ask for is judged by PROC-002.
NTSTATUS Processes::place(ProcessId id, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE& request) {
  const auto& report = adapter_.gpummu();
  if (!report || !report->geometry) return STATUS_NOT_SUPPORTED;
  const std::uint64_t space = report->geometry->space_bytes();
  const std::uint64_t unit = request.Alignment == 0 ? kPageSize : request.Alignment;
  const std::uint64_t size = request.SizeInBytes;
  if (size == 0 || size > space || size % kPageSize != 0) return STATUS_INVALID_PARAMETER;
  const auto is_free = [&](std::uint64_t first) {
    for (const gpummu::VaRange& range : processes_[id].reserved) {
      if (first < range.end() && range.first.value < first + size) return false;
    }
    return true;
  };
  std::uint64_t start = request.BaseAddress;
  if (start != 0) {
    if (start % kPageSize != 0 || start > space - size || !is_free(start)) {
      return STATUS_INVALID_PARAMETER;
    }
  } else {
    const std::uint64_t behind = report->geometry->entry_bytes(1);
    // Not at the same place in all processes: what is free in one may be taken in another.
    const std::uint64_t last = space - size, kept = behind * (1 + id.value % kPlaces);
    start = (last > kept ? last - kept : last) / unit * unit;
    while (start != 0 && !is_free(start)) start = start < unit ? 0 : start - unit;
    if (start == 0) return STATUS_NO_MEMORY;
  }
  processes_[id].reserved.push_back({{start}, size});
  request.StartVirtualAddress = start;
  return STATUS_SUCCESS;
}

NTSTATUS Processes::reserve(DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE& request) {
  std::optional<ProcessId> named = named_by(request.hDxgkProcess);
  if (!named && creating_ && os_handle(*creating_) == request.hDxgkProcess) named = creating_;
  const NTSTATUS status =
      named && named == creating_ ? place(*named, request) : STATUS_INVALID_PARAMETER;
  session().tap(ev::RangeReserved{.size = request.SizeInBytes,
                                  .base = request.BaseAddress,
                                  .start = NT_SUCCESS(status) ? request.StartVirtualAddress : 0,
                                  .process = named ? named->value : kNone,
                                  .creating = creating_ ? creating_->value : kNone,
                                  .alignment = request.Alignment,
                                  .status = static_cast<std::uint32_t>(status)});
  return status;
}

void Processes::report(ProcessId id, NTSTATUS status, const DXGKARG_CREATEPROCESS& made) const {
  const std::vector<ULONG>& pasids = processes_[id].pasids;
  ev::ProcessCreated seen{.process = id.value,
                          .status = static_cast<std::uint32_t>(status),
                          .flags = made.Flags.Value,
                          .handle = made.hKmdProcess == nullptr ? kNoHandle : kItsOwn,
                          .same_as = kNone,
                          .pasid = pasids.empty() ? 0 : pasids.front()};
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
