// MMU-012: an access through an invalid entry faults and has no effect, and no other faults.

#include "conformance/rules/mmu/entries_in_memory.h"
#include "conformance/rules/mmu/faults_completed.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/submit/silent_engines.h"
#include "conformance/rules/va/blamed_entry.h"

namespace wddm::mmu_012 {
namespace {

constexpr const char* kReported = "a page fault ends in DXGK_INTERRUPT_DMA_PAGE_FAULTED";
constexpr const char* kUnfounded =
    "no page fault is reported of a packet all of whose addresses have valid entries";

// What a walk along the trace knows of an engine.
struct Engine {
  ScratchMap<std::uint32_t, std::uint32_t> newest;  // submission by fence, counted
  ScratchMap<std::uint32_t, std::uint32_t> faults;  // AccessFaulted by fence, not reported yet
  ScratchSet<std::uint32_t> reported;               // fences: more of the same access may be logged
  std::uint32_t submissions = 0;

  [[nodiscard]] std::uint32_t position(std::uint32_t fence) const {
    const auto found = newest.find(fence);
    return found == newest.end() ? 0 : found->second;
  }
};

void overdue(Engine& engine, std::uint32_t event, const char* seen, Judgement& judgement) {
  for (const auto& [fence, fault] : engine.faults) {
    judgement.fail(event, kReported, seen, {fault});
  }
  engine.faults.clear();
}

void on_notified(Engine& engine, const ev::Notified& report, std::uint32_t index,
                 Judgement& judgement) {
  if (report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
    judgement.reached(index);
    // Without a fence it may be any of them.
    if (report.fence == 0) engine.faults.clear();
    engine.faults.erase(report.fence);
    engine.reported.insert(report.fence);
    return;
  }
  const bool preempted = report.type == DXGK_INTERRUPT_DMA_PREEMPTED;
  if (!preempted && report.type != DXGK_INTERRUPT_DMA_COMPLETED) return;
  const std::uint32_t last = engine.position(preempted ? report.last_completed : report.fence);
  for (auto fault = engine.faults.begin(); fault != engine.faults.end();) {
    const bool claimed = engine.position(fault->first) <= last;
    if (claimed) {
      judgement.fail(index, kReported,
                     "the packet with SubmissionFenceId " + std::to_string(fault->first) +
                         " is reported as completed",
                     {fault->second});
    }
    // One that was preempted may fault again.
    fault = claimed || preempted ? engine.faults.erase(fault) : std::next(fault);
  }
}

// By the device's own log.
void check_reports(const Trace& trace, Judgement& judgement) {
  ScratchMap<EngineId, Engine> engines;
  in_order_of_calls<ev::AccessFaulted, ev::Notified, ev::PacketEnded, ev::Stuck, ev::Ended>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          const auto submitted = trace.at<ev::Submitted>(index);
          Engine& engine = engines[engine_of(submitted)];
          engine.newest[submitted.fence] = ++engine.submissions;
          engine.faults.erase(submitted.fence);
          engine.reported.erase(submitted.fence);
        } else if (event.kind == EventKind::AccessFaulted) {
          const auto fault = trace.at<ev::AccessFaulted>(index);
          Engine& engine = engines[engine_of(fault)];
          if (fault.packet == kNone || engine.reported.contains(fault.fence)) return;
          engine.faults.insert({fault.fence, index});
        } else if (event.kind == EventKind::Notified) {
          const auto report = trace.at<ev::Notified>(index);
          on_notified(engines[engine_of(report)], report, index, judgement);
        } else if (event.kind == EventKind::PacketEnded) {
          const auto ended = trace.at<ev::PacketEnded>(index);
          engines[engine_of(ended)].faults.erase(ended.fence);  // a reset took it back
        } else {
          for (auto& [id, engine] : engines) {
            overdue(engine, index, "nothing is reported of it", judgement);
          }
        }
      });
}

// Who let the packet pass at the access that it was foretold to fault at.
std::string who_passed(const Trace& trace, std::uint32_t packet, std::uint32_t event) {
  std::uint32_t render = kNone, gpu = 0;
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.packet != packet || submitted.paging != 0) continue;
    render = submitted.render;
    gpu = engine_of(submitted).physical_adapter;
  }
  for (const std::uint32_t index : trace.of<ev::FaultForetold>()) {
    const auto fault = trace.at<ev::FaultForetold>(index);
    if (render == kNone || fault.render != render || index > event) continue;
    return mmu::EntriesInMemory(trace, fault.process, gpu, event).who_went_wrong(fault.address);
  }
  return {};
}

// By what the host knows of addresses: such a packet has a marker that it must not come to, and
// what it cannot reach stays as it was.
void check_effects(const Trace& trace, Judgement& judgement) {
  ScratchSet<std::uint32_t> faulting;  // packets
  for (const std::uint32_t index :
       trace.of_any<ev::AccessFaulted, ev::MarkerRead, ev::MemoryDiffers>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::AccessFaulted) {
      faulting.insert(trace.at<ev::AccessFaulted>(index).packet);
    } else if (event.kind == EventKind::MarkerRead) {
      const auto marker = trace.at<ev::MarkerRead>(index);
      if (marker.expected != 0 || marker.reason != static_cast<std::uint32_t>(MarkerReason::AtEnd))
        continue;
      faulting.insert(marker.packet);
      if (marker.runs == 0 && submit::memory_says_nothing(trace, marker.packet, index)) continue;
      judgement.reached(index);
      if (marker.runs == 0) continue;
      judgement.fail(index,
                     "a command at an address that is not mapped, or not for what it does there, "
                     "ends its packet",
                     "packet " + std::to_string(marker.packet) + " has run to its end" +
                         who_passed(trace, marker.packet, index));
    } else {
      const auto differs = trace.at<ev::MemoryDiffers>(index);
      if (differs.cause != static_cast<std::uint32_t>(MemoryCause::Render)) continue;
      if (!faulting.contains(differs.cause_object)) continue;
      va::fail_by_memory(trace, index, judgement, "an access that faults changes no memory",
                         who_passed(trace, differs.cause_object, index));
    }
  }
}

// Whether entries are known to say something else than they were to: then it is theirs what faults.
bool spoils_tables(const Trace& trace, std::uint32_t index) {
  const Event& event = trace.events()[index];
  if (event.kind == EventKind::TableCompared) {
    const auto compared = trace.at<ev::TableCompared>(index);
    return compared.wrong != 0 || compared.outside != 0;
  }
  if (event.kind == EventKind::EntriesCopied) {
    const auto copied = trace.at<ev::EntriesCopied>(index);
    return copied.unlike != 0 || copied.outside != 0;
  }
  return event.kind == EventKind::PagingDone && trace.at<ev::PagingDone>(index).gave_up != 0;
}

bool of_page_tables(const ev::PageFaultReported& said) {
  const bool by_iommu = (said.flags & static_cast<std::uint32_t>(DXGK_PAGE_FAULT_IOMMU)) != 0;
  return !by_iommu && said.device_specific == 0 && said.code == DXGK_GENERAL_ERROR_PAGE_FAULT;
}

// Page faults that are reported where every access has its entry: paging finds all that it names
// mapped, and a marker says which other packets do, but not of one that a reset took back. A device
// that has logged a fault of the engine has met one, whosever it is.
void check_false_faults(const Trace& trace, Judgement& judgement) {
  if (trace.of<ev::PageFaultReported>().empty()) return;
  ScratchSet<EngineId> logged;                        // AccessFaulted, not reported yet
  ScratchSet<std::uint32_t> paging;                   // packets
  ScratchMap<std::uint32_t, std::uint32_t> reported;  // PageFaultReported by packet
  bool spoilt = false;
  in_order_of_calls<ev::AccessFaulted, ev::PageFaultReported, ev::PacketEnded, ev::MarkerRead,
                    ev::TableCompared, ev::EntriesCopied, ev::PagingDone>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          const auto submitted = trace.at<ev::Submitted>(index);
          if (submitted.paging != 0) paging.insert(submitted.packet);
        } else if (event.kind == EventKind::AccessFaulted) {
          logged.insert(engine_of(trace.at<ev::AccessFaulted>(index)));
        } else if (event.kind == EventKind::PageFaultReported) {
          const auto said = trace.at<ev::PageFaultReported>(index);
          const bool met = logged.erase(engine_of(said)) != 0;
          if (met || spoilt || said.packet == kNone || !of_page_tables(said)) return;
          reported[said.packet] = index;
          if (!paging.contains(said.packet)) return;
          judgement.fail(index, kUnfounded,
                         "paging packet " + std::to_string(said.packet) + " is reported to fault");
        } else if (event.kind == EventKind::PacketEnded) {
          const auto ended = trace.at<ev::PacketEnded>(index);
          if (ended.fate == static_cast<std::uint32_t>(PacketFate::Lost))
            reported.erase(ended.packet);
        } else if (event.kind == EventKind::MarkerRead) {
          const auto marker = trace.at<ev::MarkerRead>(index);
          const auto found = reported.find(marker.packet);
          if (marker.reason != static_cast<std::uint32_t>(MarkerReason::AtEnd) ||
              marker.expected == 0 || marker.runs != 0 || found == reported.end()) {
            return;
          }
          judgement.fail(index, kUnfounded,
                         "packet " + std::to_string(marker.packet) + " is reported to fault",
                         {found->second});
        } else {
          spoilt = spoilt || spoils_tables(trace, index);
        }
      });
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_reports(trace, judgement);
  check_effects(trace, judgement);
  check_false_faults(trace, judgement);
}

const Rule kRule{
    .id = "MMU-012",
    .title = "An access through an invalid entry faults and has no effect",
    .evidence = Evidence::DeviceLog,
    .rule =
        "A read or write whose walk comes to an invalid entry changes no memory and gives no data "
        "to a destination. Its packet ends with a page fault notification: it is not reported as "
        "completed, by its own fence or by a later one. A packet all of whose accesses find valid "
        "entries is not reported to have faulted.",
    .sources =
        "ns-d3dukmdt-_dxgk_pte.md # Valid\n"
        "access-to-non-resident-allocation.md\n"
        "gpummu-model.md # access to an invalid range",
    .note =
        "A write to an address that is mapped for reading alone is taken for one that no entry "
        "permits. What the packet did before the access is not laid down and not judged, nor is a "
        "packet that left the engine by a preemption after the access: it may fault again. A fault "
        "that is reported for nothing is judged where no log tells of an access that faulted, and "
        "no page table is known to say something else than it was to: of paging packets, and of "
        "those with a marker that no reset took back.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: one process writes to an address that leads nowhere, another copies from one, others write where they may only read, and commands of one cannot be fetched
ops:
- create_context: {context: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, device: 1, place: local}
- create_allocation: {allocation: 3, device: 1, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- make_resident: {allocation: 3}
- fill_memory: {allocation: 1, pattern: 0x11111111}
- fill_memory: {allocation: 3, pattern: 0x33333333}
- free_address: {allocation: 2}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x55667788}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 3}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
# Entries that let reads pass and no writes: at an address of their own, and at one that was written
# to before.
- create_device: {device: 2, process: 2}
- create_device: {device: 3, process: 3}
- create_context: {context: 3, device: 2}
- create_context: {context: 4, device: 3}
- create_allocation: {allocation: 4, device: 2, place: local}
- create_allocation: {allocation: 5, device: 2, place: local}
- create_allocation: {allocation: 6, device: 3, place: local}
- make_resident: {allocation: 4}
- make_resident: {allocation: 5}
- make_resident: {allocation: 6}
- fill_memory: {allocation: 4, pattern: 0x44444444}
- map_address: {allocation: 4, at: next, protection: read_only}
- render: {context: 3}
- bind: {slot: 1, allocation: 4}
- bind: {slot: 2, allocation: 5}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- render: {context: 3}
- bind: {slot: 1, allocation: 4}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x55667788}
- idle
- render: {context: 4}
- bind: {slot: 1, allocation: 6}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x66666666}
- idle
- map_address: {allocation: 6, at: same, protection: read_only}
- render: {context: 4}
- bind: {slot: 1, allocation: 6}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x55667788}
- idle
# Commands that cannot be fetched are none: not those of the packet before either, which has faulted
# at an address that is mapped in the other process.
- create_device: {device: 4, process: 4}
- create_device: {device: 5, process: 5}
- create_context: {context: 5, device: 4, node: 1}
- create_context: {context: 6, device: 5, node: 1}
- create_allocation: {allocation: 7, device: 4, place: local}
- create_allocation: {allocation: 8, device: 5, place: local}
- make_resident: {allocation: 7}
- make_resident: {allocation: 8}
- render: {context: 5}
- bind: {slot: 1, allocation: 7}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x77777777}
- render: {context: 6}
- bind: {slot: 1, allocation: 8}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x99999999}
- idle
- fill_memory: {allocation: 8, pattern: 0x88888888}
- free_address: {allocation: 7}
- render: {context: 5}
- bind: {slot: 1, allocation: 7}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x55667788}
- idle
- render: {context: 6}
- spin: {units: 40}
- stray_commands
- idle
)",
    .control = R"(
about: an address that leads nowhere and is not used
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 1}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 2, offset: 0, size: 4096, value: 0x55667788}
- idle
)",
    .fault = {.about = "a packet that faults is reported as completed",
              .interposer =
                  [] { return std::unique_ptr<Interposer>(new mmu::CompletesWhatFaulted); },
              .also_fires = "FENCE-001 FENCE-002 RES-002"},
    .device_fault = {.about = "a packet whose write no entry permits runs on without it",
                     .seat = FaultSeat::Device,
                     .variant = 4,
                     .also_fires = "RES-002 SUBMIT-015 VA-007"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_012
