// MMU-013: content of the page fault notification.

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/faults_behind_losses.h"
#include "conformance/rules/mmu/foretold_faults.h"
#include "conformance/rules/mmu/mirrored_levels.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::mmu_013 {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint32_t kKnownFlags = 0xff;

bool has(const ev::PageFaultReported& report, DXGK_PAGE_FAULT_FLAGS flag) {
  return (report.flags & static_cast<std::uint32_t>(flag)) != 0;
}

bool is_page_fault(const ev::PageFaultReported& report) {
  return report.device_specific == 0 && report.code == DXGK_GENERAL_ERROR_PAGE_FAULT;
}

// A vendor may have a code of its own for what the general one says as well.
bool may_be_page_fault(const ev::PageFaultReported& report) {
  return report.device_specific != 0 || report.code == DXGK_GENERAL_ERROR_PAGE_FAULT;
}

constexpr const char* kRightCode =
    "DXGK_GENERAL_ERROR_PAGE_FAULT, or a device-specific code, as FaultErrorCode";

class Report {
 public:
  Report(const Trace& trace, std::uint32_t index, std::uint32_t levels, Judgement& judgement)
      : said_(trace.at<ev::PageFaultReported>(index)),
        index_(index),
        levels_(levels),
        judgement_(judgement) {}

  // What is wrong whatever happened.
  void check_alone(bool logged) const {
    if ((said_.flags & ~kKnownFlags) != 0) {
      wrong("flags of DXGK_PAGE_FAULT_FLAGS", "PageFaultFlags " + std::to_string(said_.flags));
    }
    const auto handle = static_cast<FaultHandle>(said_.handle);
    if (handle == FaultHandle::Unknown) {
      wrong("the hDxgkProcess of a process as FaultedProcessHandle, or NULL",
            "a handle that Dxgkrnl gave to no process");
    }
    if (handle == FaultHandle::OfOther && said_.packet != kNone) {
      wrong("the process that submitted the packet as FaultedProcessHandle", "another process");
    }
    if (said_.pipeline > DXGK_RENDER_PIPELINE_STAGE_OUTPUT_MERGER) {
      wrong("a stage of DXGK_RENDER_PIPELINE_STAGE",
            "FaultedPipelineStage " + std::to_string(said_.pipeline));
    }
    if (!is_page_fault(said_)) return;
    // Page 0 may be what was accessed: the device's log tells.
    if (said_.address == 0 && !logged) {
      wrong("an address: D3DGPU_NULL is for other causes", "DXGK_GENERAL_ERROR_PAGE_FAULT without");
    } else if (!by_iommu() && said_.level >= levels_) {
      wrong("a PageTableLevel that there is", "level " + std::to_string(said_.level));
    }
  }

  // By the device's own log of the access.
  void check_against(const ev::AccessFaulted& access, std::uint32_t logged) const {
    if (!may_be_page_fault(said_)) {
      wrong(kRightCode, "another general code", logged);
      return;
    }
    if (!same_page(access)) {
      wrong("the address of the access as FaultedVirtualAddress", "another page", logged);
    }
    if (!same_level(access)) {
      wrong("the level whose entry stopped the walk, " + std::to_string(access.level),
            "PageTableLevel " + std::to_string(said_.level), logged);
    }
    if (same_kind(access)) return;
    wrong("DXGK_PAGE_FAULT_WRITE exactly for writes",
          access.write != 0 ? "clear for a write" : "set for an access that reads or fetches",
          logged);
  }
  [[nodiscard]] bool fits(const ev::AccessFaulted& access) const {
    return may_be_page_fault(said_) && same_page(access) && same_level(access) && same_kind(access);
  }

  void wrong(std::string expected, std::string seen, std::uint32_t logged = kNone) const {
    if (logged == kNone) return judgement_.fail(index_, std::move(expected), std::move(seen));
    judgement_.fail(index_, std::move(expected), std::move(seen), {logged});
  }

 private:
  [[nodiscard]] bool same_page(const ev::AccessFaulted& access) const {
    return unnamed() || said_.address / kPageBytes == access.address / kPageBytes;
  }
  // A code of the vendor's may stand for a cause that has no address.
  [[nodiscard]] bool unnamed() const { return said_.device_specific != 0 && said_.address == 0; }
  // The tables of the IOMMU are none of the driver's: how many levels they have, and at which one a
  // walk ended, it is not told.
  [[nodiscard]] bool by_iommu() const { return has(said_, DXGK_PAGE_FAULT_IOMMU); }
  // One that is counted from the root is MMU-001. It is the general code whose page asks for one.
  [[nodiscard]] bool same_level(const ev::AccessFaulted& access) const {
    return by_iommu() || said_.device_specific != 0 || said_.level == access.level ||
           mmu::is_mirrored(said_.level, access.level, levels_);
  }
  [[nodiscard]] bool same_kind(const ev::AccessFaulted& access) const {
    return unnamed() || has(said_, DXGK_PAGE_FAULT_WRITE) == (access.write != 0);
  }

  ev::PageFaultReported said_;
  std::uint32_t index_;
  std::uint32_t levels_;
  Judgement& judgement_;
};

// Those of the packet that a report speaks of: of all on the engine where it names none.
bool concerns(const ev::PageFaultReported& said, const ev::AccessFaulted& access) {
  if (engine_of(said) != engine_of(access)) return false;
  return has(said, DXGK_PAGE_FAULT_FENCE_INVALID) || said.fence == access.fence;
}

// A packet may have several accesses that fault: a report is about any one of them. True if it is
// what the log says of one, with the same level.
bool check_against_log(const Trace& trace, const Report& report, const ev::PageFaultReported& said,
                       ScratchVector<std::uint32_t>& accesses) {
  std::uint32_t first = kNone, elsewhere = kNone;
  bool found = false, agrees = false;
  for (const std::uint32_t index : accesses) {
    const auto access = trace.at<ev::AccessFaulted>(index);
    if (concerns(said, access)) {
      if (first == kNone) first = index;
      found = found || report.fits(access);
      agrees = agrees || (report.fits(access) && said.level == access.level);
    } else if (said.packet == kNone && said.fence != 0 && said.fence == access.fence) {
      elsewhere = index;
    }
  }
  if (first == kNone && elsewhere != kNone) {
    report.wrong("the node and engine that the packet ran on", "another", elsewhere);
  }
  if (first != kNone && !found) report.check_against(trace.at<ev::AccessFaulted>(first), first);
  std::erase_if(accesses, [&](std::uint32_t index) {
    return index == elsewhere || concerns(said, trace.at<ev::AccessFaulted>(index));
  });
  return agrees;
}

// Which parts of a report fit an access that must fault. The tables of the IOMMU are none of the
// driver's. One that is counted from the root is wrong here: nothing is logged for MMU-001.
struct Fit {
  Fit(const ev::PageFaultReported& said, const ev::FaultForetold& fault)
      : page(is_page_fault(said) &&
             said.address / kPageBytes - fault.address / kPageBytes < fault.bytes / kPageBytes),
        level(has(said, DXGK_PAGE_FAULT_IOMMU) || fault.level == kNone ||
              said.level == fault.level),
        access(fault.access == static_cast<std::uint32_t>(ForetoldAccess::Either) ||
               has(said, DXGK_PAGE_FAULT_WRITE) ==
                   (fault.access == static_cast<std::uint32_t>(ForetoldAccess::Write))) {}

  bool page, level, access;
};

// Where no device tells of the access: the report must be about one that must fault. Where a log
// agrees with it, both may have the level from the same walk that went wrong.
void check_against_foretold(const Report& report, const ev::PageFaultReported& said,
                            const mmu::ForetoldFaults& faults, bool logged) {
  // Nobody here knows what a vendor's own code says: it may be of something else in the packet.
  if (said.device_specific != 0) return;
  std::uint32_t first = kNone, in_page = kNone;
  ev::FaultForetold nearest{};
  bool found = false, right_level = false;
  faults.each(said.packet, [&](std::uint32_t index, const ev::FaultForetold& fault) {
    if (first == kNone) first = index;
    const Fit fit(said, fault);
    if (!fit.page) return;
    found = found || (fit.level && fit.access);
    if (in_page == kNone || (fit.level && !right_level)) {
      in_page = index;
      nearest = fault;
    }
    right_level = right_level || fit.level;
  });
  if (first == kNone || found) return;
  if (logged && (in_page == kNone || right_level)) return;
  if (!is_page_fault(said)) {
    report.wrong(kRightCode, "another general code", first);
  } else if (in_page == kNone) {
    report.wrong(
        "as FaultedVirtualAddress an address that its commands access and no entry permits",
        "another page", first);
  } else if (!right_level) {
    report.wrong("the level whose entry stops the walk, " + std::to_string(nearest.level),
                 "PageTableLevel " + std::to_string(said.level), in_page);
  } else {
    report.wrong("DXGK_PAGE_FAULT_WRITE exactly for writes",
                 has(said, DXGK_PAGE_FAULT_WRITE) ? "set where commands only read or are fetched"
                                                  : "clear where commands only write",
                 in_page);
  }
}

// `agreed`: reports that the device's log agrees with.
void check_foretold(const Trace& trace, const Platform& platform,
                    const ScratchSet<std::uint32_t>& agreed, Judgement& judgement) {
  if (trace.of<ev::FaultForetold>().empty()) return;
  mmu::ForetoldFaults faults(trace);
  in_order_of_calls<ev::FaultForetold, ev::TableUpdated, ev::TableMoved, ev::PageFaultReported>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::FaultForetold) {
          faults.foretold(index);
        } else if (event.kind == EventKind::Submitted) {
          faults.submitted(trace.at<ev::Submitted>(index));
        } else if (event.kind == EventKind::TableUpdated) {
          const auto updated = trace.at<ev::TableUpdated>(index);
          if (updated.level != 0) faults.tables_changed(index, updated.process);
        } else if (event.kind == EventKind::TableMoved) {
          faults.tables_changed(index, trace.at<ev::TableMoved>(index).process);
        } else if (!platform.has_device_log || agreed.contains(index)) {
          const Report report(trace, index, platform.page_table_levels, judgement);
          check_against_foretold(report, trace.at<ev::PageFaultReported>(index), faults,
                                 platform.has_device_log);
        }
      });
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  ScratchVector<std::uint32_t> accesses;  // AccessFaulted that no report was made of yet
  ScratchSet<std::uint32_t> agreed;
  for (const std::uint32_t index :
       trace.of_any<ev::AccessFaulted, ev::PageFaultReported, ev::Submitted>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::AccessFaulted) {
      if (trace.at<ev::AccessFaulted>(index).packet != kNone) accesses.push_back(index);
    } else if (event.kind == EventKind::Submitted) {
      // What faulted under this fence before was taken back.
      const auto submitted = trace.at<ev::Submitted>(index);
      std::erase_if(accesses, [&](std::uint32_t at) {
        const auto access = trace.at<ev::AccessFaulted>(at);
        return engine_of(access) == engine_of(submitted) && access.fence == submitted.fence &&
               access.packet != submitted.packet;
      });
    } else {
      judgement.reached(index);
      const Report report(trace, index, platform.page_table_levels, judgement);
      report.check_alone(!accesses.empty());
      const auto said = trace.at<ev::PageFaultReported>(index);
      if (check_against_log(trace, report, said, accesses)) agreed.insert(index);
    }
  }
  check_foretold(trace, platform, agreed, judgement);
}

// A driver that does not tell writes from reads.
class ForgetsWrite final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      altered.DmaPageFaulted.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(
          data->DmaPageFaulted.PageFaultFlags & ~DXGK_PAGE_FAULT_WRITE);
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }
};

const Rule kRule{
    .id = "MMU-013",
    .title = "Content of the page fault notification",
    .evidence = Evidence::DeviceLog,
    .rule =
        "DmaPageFaulted names the node and engine that ran the packet, as FaultedVirtualAddress "
        "the address of the access (D3DGPU_NULL only where another cause is given), as "
        "PageTableLevel the level whose entry stopped the walk, and has DXGK_PAGE_FAULT_WRITE for "
        "writes and no other access: a fetch of commands is none. FaultErrorCode is "
        "DXGK_GENERAL_ERROR_PAGE_FAULT or a code of the vendor's own, no other general one. "
        "FaultedProcessHandle is the hDxgkProcess of the packet's process, or NULL.",
    .sources =
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPageFaulted\n"
        "ne-d3dkmdt-_dxgk_page_fault_flags.md\n"
        "ns-d3dkmdt-_dxgk_fault_error_code.md\n"
        "nc-d3dkmddi-dxgkcb_notify_interrupt.md # remarks",
    .note =
        "How exact an address is to be no text says: one in the same page of 4 KB passes. Address, "
        "level and access are judged by the device's log, and a level counted from the root there "
        "is MMU-001. Without a log they are judged by what the commands of the packet access and "
        "no entry permits: any such access may be reported. So is the level that a report and the "
        "log agree on, as both have it from one walk. With DXGK_PAGE_FAULT_IOMMU, which "
        "PROC-006 judges, any level passes: it is one of tables that the driver does not have. "
        "That "
        "IsDeviceSpecificCode must be clear where a general code would fit no page says: then page "
        "and access are judged, by a device's log, where an address is given, and no level. "
        "Whether bind table entry and primitive are the right ones nobody can tell; the DPC is "
        "INTR-004, the fence MMU-014.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: one process writes to an address that leads nowhere, another copies from one, a third writes on another node, commands of a fourth that only write cannot be fetched, and two engines fault at a time; and one writes high above, where no table is; then on two nodes behind resets, losses of power and starts
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
- free_address: {allocation: 1}
- free_address: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 64, size: 64, value: 0x55667788}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 3}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 128, size: 64}
- idle
- create_device: {device: 2, process: 2}
- create_context: {context: 3, device: 2, node: 1}
- create_allocation: {allocation: 4, device: 2, place: local}
- make_resident: {allocation: 4}
- free_address: {allocation: 4}
- render: {context: 3}
- bind: {slot: 1, allocation: 4}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
- create_device: {device: 3, process: 3}
- create_context: {context: 4, device: 3}
- create_allocation: {allocation: 5, device: 3, place: local}
- render: {context: 4}
- stray_commands
- bind: {slot: 1, allocation: 5}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
# Both tell of it at once: one in the middle of a command, at the last page of its allocation.
- create_device: {device: 4, process: 4}
- create_device: {device: 5, process: 5}
- create_context: {context: 5, device: 4}
- create_context: {context: 6, device: 5, node: 1}
- create_allocation: {allocation: 6, device: 4, pages: 3, place: local}
- create_allocation: {allocation: 7, device: 5, place: local}
- make_resident: {allocation: 6}
- make_resident: {allocation: 7}
- free_address: {allocation: 6, page: 2, pages: 1}
- free_address: {allocation: 7}
- render: {context: 6}
- spin: {units: 600}
- bind: {slot: 1, allocation: 7}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- render: {context: 5}
- spin: {units: 400}
- bind: {slot: 1, allocation: 6}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x55667788}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- advance: {units: 40}
- hold_interrupts
- advance: {units: 2000}
- hold_interrupts: {on: false}
- idle
# An address of more than 32 bits, where the space has such: its page tables have gone with it.
- create_device: {device: 6, process: 6}
- create_context: {context: 7, device: 6}
- create_allocation: {allocation: 8, device: 6, place: local}
- make_resident: {allocation: 8}
- free_address: {allocation: 8}
- map_address: {allocation: 8, at: bit, bit: 40}
- free_address: {allocation: 8}
- render: {context: 7}
- bind: {slot: 1, allocation: 8}
- fill: {slot: 1, offset: 128, size: 64, value: 0x55667788}
- idle
)" WDDM_FAULTS_BEHIND_LOSSES,
    .control = R"(
about: a read that faults has no write in its report
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 1}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 64}
- idle
)",
    .fault = {.about = "DXGK_PAGE_FAULT_WRITE is never set",
              .interposer = [] { return std::unique_ptr<Interposer>(new ForgetsWrite); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_013
