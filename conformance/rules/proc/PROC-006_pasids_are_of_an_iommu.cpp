// PROC-006: with an IoMmu, accesses of a process bear its PASID and faults of theirs say so;
// without one a driver asks for neither.

#include <algorithm>
#include <optional>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/out_of_memory.h"
#include "conformance/rules/proc/io_mmu_contexts.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::proc_006 {
namespace {

std::string text_of_process(std::uint32_t process) {
  return process == kNone ? "no process" : "process " + std::to_string(process);
}

void judge_requests(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::BusRequested>()) {
    const auto asked = trace.at<ev::BusRequested>(index);
    if (asked.packet == kNone) continue;  // nobody's work: what it is for is not known
    judgement.reached(index);
    if (asked.owner == asked.process) continue;
    judgement.fail(index,
                   "requests for work of " + text_of_process(asked.process) + " bear its PASID",
                   "that of " + text_of_process(asked.owner));
  }
}

bool says_iommu(std::uint32_t flags) {
  return (flags & static_cast<std::uint32_t>(DXGK_PAGE_FAULT_IOMMU)) != 0;
}

constexpr std::uint64_t kPageBytes = 4096;

// Who found the fault that a report is of: by its packet. Where a report or a fault is of no packet
// that is known, the IOMMU has not found it if it found none on the engine.
class Finders {
 public:
  explicit Finders(const Trace& trace) : trace_(trace) {}

  struct Finder {
    bool known = false;
    std::uint32_t fault = kNone;  ///< IommuFaulted; none: it was the GPU's own MMU
  };
  void follow(std::uint32_t index, const ev::IommuFaulted& fault) {
    if (fault.packet != kNone) of_packet_[fault.packet] = index;
    if (fault.packet == kNone) nobodys_.insert(engine_of(fault));
    found_.push_back(index);
    found_some_.insert(engine_of(fault));
  }
  [[nodiscard]] Finder of(const ev::PageFaultReported& report) const {
    if (report.packet == kNone) return {!found_some_.contains(engine_of(report))};
    const auto own = of_packet_.find(report.packet);
    if (own != of_packet_.end()) return {true, own->second};
    // The bus tells no packet: where several are outstanding it may be another's than was thought.
    const bool anothers = says_iommu(report.flags) && found_in_page_of(report);
    return {!anothers && !nobodys_.contains(engine_of(report))};
  }
  /// A request was refused there: in that page, or in a later one of those that it goes through.
  [[nodiscard]] bool found_in_page_of(const ev::PageFaultReported& report) const {
    return std::any_of(found_.begin(), found_.end(), [&](std::uint32_t index) {
      const auto fault = trace_.at<ev::IommuFaulted>(index);
      return engine_of(fault) == engine_of(report) &&
             report.address / kPageBytes >= fault.start / kPageBytes &&
             report.address / kPageBytes <= fault.address / kPageBytes;
    });
  }

 private:
  const Trace& trace_;
  ScratchMap<std::uint32_t, std::uint32_t> of_packet_;
  ScratchSet<EngineId> nobodys_;
  ScratchVector<std::uint32_t> found_;  // IommuFaulted
  ScratchSet<EngineId> found_some_;     // engines of these
};

// A code of the vendor's may stand for a cause that has no address.
bool names_an_access(const ev::PageFaultReported& report) {
  if (report.device_specific != 0) return report.address != 0;
  return report.code == DXGK_GENERAL_ERROR_PAGE_FAULT;
}

// Every fault is the IOMMU's where there is no other MMU; and where there is no device, the
// driver's own threads look up what an IOMMU would, unseen.
bool may_be_unseen(const Platform& platform) {
  return platform.io_mmu && (!platform.gpu_mmu || !platform.has_device);
}

void judge_reports(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Finders finders(trace);
  for (const std::uint32_t index : trace.of_any<ev::IommuFaulted, ev::PageFaultReported>()) {
    if (trace.events()[index].kind == EventKind::IommuFaulted) {
      finders.follow(index, trace.at<ev::IommuFaulted>(index));
      continue;
    }
    const auto report = trace.at<ev::PageFaultReported>(index);
    const auto [known, fault] = finders.of(report);
    const bool says = says_iommu(report.flags);
    if (!known || (says && fault == kNone && may_be_unseen(platform))) continue;
    if (platform.io_mmu) judgement.reached(index);
    if (says && fault == kNone) {
      judgement.fail(index, "DXGK_PAGE_FAULT_IOMMU is clear: the GPU's own MMU found the fault",
                     "it is set");
    } else if (!says && fault != kNone) {
      judgement.fail(index, "DXGK_PAGE_FAULT_IOMMU is set: the IOMMU found the fault",
                     "it is clear", {fault});
    } else if (says && names_an_access(report) && !finders.found_in_page_of(report)) {
      judgement.fail(index, "as FaultedVirtualAddress one of a request that the IOMMU refused",
                     "another page", {fault});
    }
  }
}

// Which GPUs of a link have an IoMmu, by what each says of itself.
class IoMmus {
 public:
  void said(const ev::PhysicalAdapterReported& report) {
    if (report.round != 0 || !NT_SUCCESS(static_cast<NTSTATUS>(report.status))) return;
    has_[report.physical_adapter] = (report.flags & kIoMmuSupported) != 0;
  }
  /// Nothing: it has said nothing.
  [[nodiscard]] std::optional<bool> has(std::uint32_t physical_adapter) const {
    const auto found = has_.find(physical_adapter);
    return found == has_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static constexpr std::uint32_t kIoMmuSupported = 1u << 0;  // of DXGK_PHYSICALADAPTERFLAGS
  ScratchMap<std::uint32_t, bool> has_;
};

// With an IOMMU alone DXGK_VIDMMCAPS speaks for all GPUs.
void judge_contexts(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (!platform.io_mmu || !platform.gpu_mmu) return;
  IoMmus io_mmus;
  for (const std::uint32_t index :
       trace.of_any<ev::PhysicalAdapterReported, ev::ContextCreated>()) {
    if (trace.events()[index].kind == EventKind::PhysicalAdapterReported) {
      io_mmus.said(trace.at<ev::PhysicalAdapterReported>(index));
      continue;
    }
    const auto created = trace.at<ev::ContextCreated>(index);
    if (!proc::was_made(created) || !proc::uses_io_mmu(created)) continue;
    const std::optional<bool> has = io_mmus.has(created.engine);
    if (!has) continue;
    judgement.reached(index);
    if (*has) continue;
    judgement.fail(index, "UseIoMmu of contexts of GPUs with IoMmuSupported alone",
                   "a context of GPU " + std::to_string(created.engine) + " has it");
  }
}

// Which contexts go by the IOMMU, by what their requests bear. Whose of several packets a request
// is of nobody can tell, so those of an engine speak for each other.
void judge_users(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (!platform.io_mmu || !platform.gpu_mmu) return;
  ScratchMap<std::uint32_t, std::uint32_t> made;  // ContextCreated, by context
  ScratchMap<std::uint32_t, std::uint32_t> of;    // ContextCreated, by packet
  ScratchSet<EngineId> users;                     // of the IOMMU
  in_order_of_calls<ev::ContextCreated, ev::BusRequested>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::ContextCreated) {
      const auto created = trace.at<ev::ContextCreated>(index);
      if (!proc::was_made(created)) return;
      made[created.context] = index;
      if (proc::uses_io_mmu(created)) users.insert(engine_of(created));
    } else if (event.kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      const auto context = made.find(submitted.context);
      if (submitted.paging == 0 && context != made.end()) of[submitted.packet] = context->second;
    } else {
      const auto asked = trace.at<ev::BusRequested>(index);
      const auto context = of.find(asked.packet);
      if (asked.packet == kNone || context == of.end() || users.contains(engine_of(asked))) return;
      judgement.reached(index);
      judgement.fail(index, "UseIoMmu of contexts whose work reaches memory through the IOMMU",
                     "requests with a PASID for a context without it", {context->second});
    }
  });
}

// Then the driver may give the whole process up.
bool is_refusal(const ev::CallbackCalled& called) {
  return static_cast<CallbackId>(called.callback) == CallbackId::ReserveGpuVirtualAddressRange &&
         !NT_SUCCESS(static_cast<NTSTATUS>(called.result));
}

// Processes and faults of a driver without an IOMMU tell by what is wrong alone: that nothing is
// says nothing of accesses through one.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  bool was_refused = false;
  for (const std::uint32_t index : trace.of_any<ev::ProcessCreated, ev::CallbackCalled>()) {
    if (trace.events()[index].kind == EventKind::CallbackCalled) {
      was_refused |= is_refusal(trace.at<ev::CallbackCalled>(index));
      continue;
    }
    const auto created = trace.at<ev::ProcessCreated>(index);
    const bool may_fail = std::exchange(was_refused, false) || is_out_of_memory(created.status);
    if (created.pasid != 0 || may_fail) continue;
    if (NT_SUCCESS(static_cast<NTSTATUS>(created.status))) continue;
    judgement.fail(index, "a process without a PASID", "CreateProcess refuses NumPasid 0");
  }
  judge_contexts(trace, platform, judgement);
  judge_users(trace, platform, judgement);
  judge_requests(trace, judgement);
  judge_reports(trace, platform, judgement);
}

NotApplicable making_processes(const Platform& platform) {
  if (const NotApplicable reason = virtual_submission(platform)) return reason;
  return needs(platform, DdiId::CreateProcess);
}

// A driver that keeps pPasid, and reads it when the process first has work.
class ReadsPasidsLate final : public Interposer {
 public:
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    DXGKARG_CREATEPROCESS late = *create;
    if (late.NumPasid != 0) late.pPasid = &later_;
    const NTSTATUS status = Interposer::CreateProcess(adapter, &late);
    create->hKmdProcess = late.hKmdProcess;
    return status;
  }
  NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* create) override {
    const ULONG given = create->Pasid;
    if (given != 0) create->Pasid = later_;
    const NTSTATUS status = Interposer::CreateDevice(adapter, create);
    create->Pasid = given;
    return status;
  }

 private:
  ULONG later_ = 0xABCDE;  // what lies there by then
};

const Rule kRule{
    .id = "PROC-006",
    .title = "Accesses through the IOMMU bear their process's PASID, and faults say whose they are",
    .evidence = Evidence::Boundary,
    .rule =
        "With IoMmuSupported a driver reads pPasid during CreateProcess, and what contexts that "
        "use the IOMMU access on a GPU bears the PASID of their process for that GPU. Page faults "
        "of such accesses are reported with DXGK_PAGE_FAULT_IOMMU and the address of a request "
        "that was refused, and those of the GPU's own MMU without. GPUs of a link may have the one "
        "model or both, each for itself: contexts of one without IoMmuSupported have no UseIoMmu, "
        "and none without UseIoMmu reaches memory through the IOMMU. Without IoMmu, CreateProcess "
        "with NumPasid 0 and pPasid NULL is accepted.",
    .sources =
        "iommu-model.md\n"
        "ns-d3dkmddi-_dxgkarg_createprocess.md # NumPasid, pPasid\n"
        "ns-d3dkmddi-_dxgkarg_createdevice.md # Pasid\n"
        "linked-display-adapter.md # IoMmu support\n"
        "ns-d3dkmddi-_dxgk_physicaladaptercaps.md # Flags\n"
        "ns-d3dkmddi-_dxgk_contextinfo_caps.md # UseIoMmu\n"
        "ne-d3dkmdt-_dxgk_page_fault_flags.md # DXGK_PAGE_FAULT_IOMMU",
    .note =
        "NumPasid 0 is derived: there is a PASID only where an IOMMU knows the process. One page "
        "has PASIDs come with the device, another with the process: both bear the same here. The "
        "array is overwritten when CreateProcess has returned. The page of DXGK_VIDMMCAPS allows "
        "one model only, an overview both at once: played is what says so of its physical adapter, "
        "whose contexts say UseIoMmu. GPUs of a link have PASIDs of their own, and CreateDevice "
        "names that of GPU 0. Each physical adapter says which models it supports, and pPasid has "
        "an element for each GPU all the same; where only some have an IoMmu the IOMMU knows the "
        "elements of those. Left out is a GPU with an IoMmu alone beside one with page tables: "
        "DXGK_VIDMMCAPS has one model for both, and no page says what such a GPU pages with, nor "
        "whether it is asked for DXGK_GPUMMUCAPS. With an IoMmu alone what pages has a PASID too, "
        "that of the system process: paging buffers lie at addresses of that process, and nothing "
        "else leads there. Of a request that goes through several pages the first may be reported "
        "as well as the one that was refused.",
    .unreached = "nothing of the driver's works through an IOMMU: IoMmuSupported, UseIoMmu",
    .applies = making_processes,
    .check = check,
    .played_in = {Configured::IoMmu, Configured::LinkedIoMmu, Configured::IoMmuAlone,
                  Configured::LinkedIoMmuAlone, Configured::LinkedUnlikeMmus},
    .scenario = R"(
about: two processes work through the IOMMU, one of them faults there by a write and a third by a read, and another context on the GPU's MMU
ops:
- create_device: {device: 1, process: 1}
- create_device: {device: 2, process: 2}
- create_context: {context: 1, node: 1}
- create_context: {context: 2, device: 1, node: 1}
- create_context: {context: 3, device: 2}
- create_allocation: {allocation: 1, place: aperture}
- create_allocation: {allocation: 2, place: aperture, device: 1}
- create_allocation: {allocation: 3, place: local, device: 2}
- make_resident: {allocation: 3}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- free_address: {allocation: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 64, value: 0x33333333}
- idle
- free_address: {allocation: 3}
- render: {context: 3}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
# What is not read is not written either.
- create_device: {device: 3, process: 3}
- create_context: {context: 5, device: 3, node: 1}
- create_allocation: {allocation: 4, place: aperture, device: 3}
- create_allocation: {allocation: 5, place: aperture, device: 3}
- render: {context: 5}
- bind: {slot: 1, allocation: 4}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x66666666}
- bind: {slot: 2, allocation: 5}
- fill: {slot: 2, offset: 0, size: 4096, value: 0x77777777}
- idle
- free_address: {allocation: 4}
- render: {context: 5}
- bind: {slot: 1, allocation: 4}
- bind: {slot: 2, allocation: 5}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 128, size: 64}
- idle
# The same process on the other GPU, if there is one.
- physical_adapter: {index: 1}
- create_context: {context: 4, node: 1}
- render: {context: 4}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 64, size: 64, value: 0x44444444}
- idle
)",
    .control = R"(
about: a context of the GPU's own MMU, and one of the IOMMU that runs nothing
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1, node: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x11111111}
- idle
)",
    .fault = {.about = "what pPasid leads to after CreateProcess has returned is used",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReadsPasidsLate); },
              .also_fires = "MMU-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::proc_006
