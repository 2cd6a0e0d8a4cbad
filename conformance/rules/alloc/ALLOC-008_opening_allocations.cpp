// ALLOC-008: opened allocations have handles, and private data stay as they are.

#include <string_view>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/destroyed_allocations.h"
#include "conformance/rules/freed_memory.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::alloc_008 {
namespace {

constexpr std::uint32_t kCreate = 1;  // DXGK_OPENALLOCATIONFLAGS

// Allocations that a device opens although it has them open: what closes one opening leaves the
// others, whether they have handles of their own or one that is counted. Who frees twice what was
// opened once has another trouble.
class OpenedAgain {
 public:
  explicit OpenedAgain(const Trace& trace) : trace_(trace) {}
  void opened(const ev::AllocationOpened& one) {
    if (one.group != kNone || !NT_SUCCESS(static_cast<NTSTATUS>(one.status))) return;
    if ((one.flags & kCreate) != 0) forget(one.allocation);
    if (!open_.insert({one.allocation, one.device}).second) again_.insert(one.allocation);
  }
  void entered(std::uint32_t index, const ev::DdiEntered& call) {
    if (destroys_allocations(call.ddi)) {
      const DestroyedAllocations gone = destroyed_by(trace_, index);
      for (std::uint32_t one = gone.first; one < gone.end; ++one) forget(one);
    }
    if (static_cast<DdiId>(call.ddi) != DdiId::CloseAllocation) return;
    closing_ = index;
    judged_ = !in_trouble_ && again_.contains(call.object);
  }
  void returned(std::uint32_t index, const ev::DdiReturned& call, Judgement& judgement) {
    const auto ddi = static_cast<DdiId>(call.ddi);
    if (ddi == DdiId::DestroyAllocation) forget(call.object);
    if (ddi == DdiId::DestroyDevice) {
      std::erase_if(open_, [&](const auto& one) { return one.second == call.object; });
    }
    if (ddi != DdiId::CloseAllocation) return;
    if (std::exchange(judged_, false)) {
      judgement.reached(index);
      if (!NT_SUCCESS(static_cast<NTSTATUS>(call.status))) {
        judgement.fail(index, kExpected, "CloseAllocation returned " + status_name(call.status));
      }
    }
    closing_ = kNone;
  }
  void found(std::uint32_t index, std::string_view what, Judgement& judgement) {
    if (closing_ == kNone) return;
    if (judged_) judgement.fail(index, kExpected, std::string(what), {closing_});
    in_trouble_ |= !judged_;
  }

 private:
  static constexpr const char* kExpected =
      "of an allocation that a device has opened more than once each opening is closed by itself";

  void forget(std::uint32_t allocation) {
    std::erase_if(open_, [=](const auto& one) { return one.first == allocation; });
    again_.erase(allocation);
  }

  const Trace& trace_;
  ScratchSet<std::pair<std::uint32_t, std::uint32_t>> open_;  // allocation and device
  ScratchSet<std::uint32_t> again_;                           // allocations
  std::uint32_t closing_ = kNone;                             // DdiEntered
  bool judged_ = false;                                       // that call
  bool in_trouble_ = false;
};

void check_openings(const Trace& trace, Judgement& judgement) {
  OpenedAgain again(trace);
  for (const std::uint32_t index :
       trace.of_any<ev::AllocationOpened, ev::DdiEntered, ev::DdiReturned, ev::Finding>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::AllocationOpened) {
      again.opened(trace.at<ev::AllocationOpened>(index));
    } else if (event.kind == EventKind::DdiEntered) {
      again.entered(index, trace.at<ev::DdiEntered>(index));
    } else if (event.kind == EventKind::DdiReturned) {
      again.returned(index, trace.at<ev::DdiReturned>(index), judgement);
    } else if (is_of_freed_memory(Trace::as<ev::Finding>(event))) {
      again.found(index, trace.blob_text(event), judgement);
    }
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_openings(trace, judgement);
  for (const std::uint32_t index : trace.of<ev::AllocationOpened>()) {
    const auto opened = trace.at<ev::AllocationOpened>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(opened.status))) continue;
    judgement.reached(index);
    if (opened.has_handle == 0) {
      judgement.fail(index, "hDeviceSpecificAllocation of every element", "NULL");
    }
    if (opened.resource_changed != 0) {
      judgement.fail(index, "private data of the resource as they are",
                     std::to_string(opened.resource_changed) + " bytes were written");
    }
    if ((opened.flags & kCreate) == 0 && opened.changed != 0) {
      judgement.fail(index, "private data of the allocation as they are, without Flags.Create",
                     std::to_string(opened.changed) + " bytes were written");
    }
  }
}

NotApplicable opening(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  return needs(platform, DdiId::OpenAllocation);
}

// A driver that keeps something for one allocation a call.
class OpensTheFirst final : public Interposer {
 public:
  NTSTATUS OpenAllocation(HANDLE device, const DXGKARG_OPENALLOCATION* open) override {
    DXGKARG_OPENALLOCATION first = *open;
    first.NumAllocations = 1;
    return Interposer::OpenAllocation(device, &first);
  }
  NTSTATUS CloseAllocation(HANDLE device, const DXGKARG_CLOSEALLOCATION* close) override {
    DXGKARG_CLOSEALLOCATION first = *close;
    first.NumAllocations = 1;
    return Interposer::CloseAllocation(device, &first);
  }
};

const Rule kRule{
    .id = "ALLOC-008",
    .title = "Opening allocations",
    .rule =
        "Where DxgkDdiOpenAllocation succeeds every element has an hDeviceSpecificAllocation. "
        "Private "
        "data of allocations change with Flags.Create alone, those of the resource never. Whoever "
        "has a shared resource open may open it once more: CloseAllocation ends one opening, and "
        "those that are left go on working.",
    .sources =
        "nc-d3dkmddi-dxgkddi_openallocationinfo.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_openallocation.md # pPrivateDriverData\n"
        "ns-d3dkmddi-_dxgk_openallocationinfo.md # hDeviceSpecificAllocation\n"
        "nc-d3dkmddi-dxgkddi_closeallocation.md # Remarks\n"
        "ns-d3dkmthk-_d3dkmt_openresource.md # hDevice",
    .note =
        "D3DKMTOpenResource takes any device, which user mode chooses. A driver may give each "
        "opening a handle, or count those that have one, or refuse the second. That what is left "
        "works shows in memory, and by what Render returns.",
    .applies = opening,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a device closes what it alone has opened, and opens others; an allocation, and a resource of three; then two devices that open again what they have open, and close what they do not need; at last they do so with all of a resource
ops:
# One more opening than allocations: its end is not that of the next allocation.
- create_device: {device: 1}
- create_device: {device: 3}
- share
- create_allocation: {allocation: 3, device: 1}
- open_allocation: {allocation: 3, device: 3}
- create_allocation: {allocation: 4, device: 1}
- create_allocation: {allocation: 5, device: 1}
- create_allocation: {allocation: 6, device: 1}
- destroy_device: {device: 3}
- create_device: {device: 3}
- open_allocation: {allocation: 4, device: 3}
- open_allocation: {allocation: 5, device: 3}
- open_allocation: {allocation: 6, device: 3}
- create_context: {context: 3, device: 3}
- render: {context: 3}
- bind: {slot: 0, allocation: 4}
- fill: {slot: 0, size: 256, value: 0x88888888}
- bind: {slot: 0, allocation: 5}
- fill: {slot: 0, size: 256, value: 0x99999999}
- idle
- destroy_device: {device: 1}
- destroy_device: {device: 3}
- share: {on: false}
- create_allocation: {allocation: 0}
- requery: {allocations: 3}
- create_device: {device: 1}
- create_device: {device: 2}
- share
- create_allocation: {allocation: 1, pages: 2, place: local, device: 1}
- open_allocation: {allocation: 1, device: 2}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 2}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, size: 256, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, offset: 4096, size: 256, value: 0x22222222}
- idle
- open_allocation: {allocation: 1, device: 2}
- render: {context: 2}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, offset: 4352, size: 256, value: 0x33333333}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, offset: 256, size: 256, value: 0x44444444}
- idle
- open_allocation: {allocation: 1, device: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, offset: 512, size: 256, value: 0x55555555}
- idle
- destroy_device: {device: 1}
- open_allocation: {allocation: 1, device: 2}
- render: {context: 2}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, offset: 4608, size: 256, value: 0x66666666}
- idle
- destroy_allocation: {allocation: 1}
- share: {more: 1}
- create_device: {device: 1}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 1, place: local, device: 1}
- open_allocation: {allocation: 2, device: 2}
- open_allocation: {allocation: 1, device: 2}
- render: {context: 2}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, size: 256, value: 0x77777777}
- bind: {slot: 1, allocation: 2}
- copy: {slot: 1, source: 0, offset: 256, size: 256}
- idle
- open_allocation: {allocation: 2, device: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 2}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 1, source: 0, offset: 512, source_offset: 256, size: 256}
- idle
)",
    .control = R"(
about: an allocation
ops:
- create_allocation: {allocation: 0}
)",
    .fault = {.about = "of several allocations the first alone is opened and closed",
              .interposer = [] { return std::unique_ptr<Interposer>(new OpensTheFirst); },
              .also_fires = "ALLOC-009"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_008
