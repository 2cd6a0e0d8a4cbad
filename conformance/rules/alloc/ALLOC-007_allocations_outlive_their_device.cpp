// ALLOC-007: allocations and resources do not depend on the device that created them.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/destroyed_allocations.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::alloc_007 {
namespace {

bool succeeded(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

// Follows which devices have an allocation open, and which first.
class Opened {
 public:
  void open(const ev::AllocationOpened& opened) {
    if (opened.group != kNone || !succeeded(opened.status)) return;
    all_.push_back({opened.allocation, opened.device});
  }
  void end_device(std::uint32_t device) {
    for (const One& one : all_) {
      if (one.device == device && first(one.allocation) == device) orphans_.insert(one.allocation);
    }
    std::erase_if(all_, [=](const One& one) { return one.device == device; });
  }
  void end(const DestroyedAllocations& gone) {
    std::erase_if(all_, [=](const One& one) { return gone.contains(one.allocation); });
    std::erase_if(orphans_, [=](std::uint32_t one) { return gone.contains(one); });
  }
  /// Its first device is gone, and another still has it.
  [[nodiscard]] bool outlives(std::uint32_t allocation) const {
    return orphans_.contains(allocation) && first(allocation) != kNone;
  }

 private:
  struct One {
    std::uint32_t allocation;
    std::uint32_t device;
  };
  [[nodiscard]] std::uint32_t first(std::uint32_t allocation) const {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [=](const One& one) { return one.allocation == allocation; });
    return found == all_.end() ? kNone : found->device;
  }

  ScratchVector<One> all_;
  ScratchSet<std::uint32_t> orphans_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Opened opened;
  DestroyedAllocations gone;  // by the last call that was entered
  for (const std::uint32_t index :
       trace.of_any<ev::AllocationOpened, ev::PagingBuilt, ev::DdiEntered, ev::DdiReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::AllocationOpened) {
      opened.open(Trace::as<ev::AllocationOpened>(event));
    } else if (event.kind == EventKind::PagingBuilt) {
      const auto built = trace.at<ev::PagingBuilt>(index);
      if (!opened.outlives(built.allocation)) continue;
      judgement.reached(index);
      const auto status = static_cast<NTSTATUS>(built.status);
      if (NT_SUCCESS(status) || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
          status == STATUS_GRAPHICS_ALLOCATION_BUSY) {
        continue;
      }
      judgement.fail(index,
                     "operation " + std::to_string(built.operation) +
                         " succeeds on an allocation that another device has open",
                     status_name(built.status));
    } else if (event.kind == EventKind::DdiEntered) {
      const auto entered = trace.at<ev::DdiEntered>(index);
      if (destroys_allocations(entered.ddi) && entered.object != kNone) {
        gone = destroyed_by(trace, index);
      }
    } else {
      const auto returned = Trace::as<ev::DdiReturned>(event);
      const auto ddi = static_cast<DdiId>(returned.ddi);
      if (ddi == DdiId::DestroyDevice) opened.end_device(returned.object);
      if (ddi != DdiId::DestroyAllocation) continue;
      if (opened.outlives(returned.object)) {
        judgement.reached(index);
        if (!succeeded(returned.status)) {
          judgement.fail(index, "DxgkDdiDestroyAllocation succeeds, whoever created the allocation",
                         status_name(returned.status));
        }
      }
      opened.end(gone.first == returned.object
                     ? gone
                     : DestroyedAllocations{returned.object, returned.object + 1});
    }
  }
}

NotApplicable sharing(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::OpenAllocation)) return reason;
  return needs(platform, DdiId::DestroyDevice);
}

// A driver whose allocations are those of the device that opens them first.
class EndsWithItsDevice final : public Interposer {
 public:
  NTSTATUS OpenAllocation(HANDLE device, const DXGKARG_OPENALLOCATION* open) override {
    const NTSTATUS status = Interposer::OpenAllocation(device, open);
    if (open->Flags.Create && NT_SUCCESS(status)) creator_ = device;
    return status;
  }
  NTSTATUS DestroyDevice(HANDLE device) override {
    gone_ |= device == creator_;
    return Interposer::DestroyDevice(device);
  }
  NTSTATUS DestroyAllocation(HANDLE adapter, const DXGKARG_DESTROYALLOCATION* destroy) override {
    const NTSTATUS status = Interposer::DestroyAllocation(adapter, destroy);
    return gone_ && destroy->Flags.DestroyResource ? STATUS_INVALID_HANDLE : status;
  }

 private:
  HANDLE creator_ = nullptr;
  bool gone_ = false;
};

const Rule kRule{
    .id = "ALLOC-007",
    .title = "Allocations and resources do not depend on the creating device",
    .rule =
        "What a driver keeps of allocations and resources belongs to the adapter. After "
        "DestroyDevice of the device that created it an allocation that another device has open "
        "keeps working, in Render, Patch, BuildPagingBuffer and DestroyAllocation.",
    .sources =
        "nc-d3dkmddi-dxgkddi_createallocation.md # Remarks\n"
        "nc-d3dkmddi-dxgkddi_openallocationinfo.md # Remarks",
    .note =
        "Allocations of a shared resource alone are opened again: Flags.Resource, and the client "
        "is told (WddmAllocationRequest::shared). A driver that looks at the freed device is found "
        "by the kernel, and one that renders wrongly by the clauses on memory.",
    .applies = sharing,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the creating device goes, and the other one, which finds no memory at first, renders, pages and destroys
ops:
- create_device: {device: 1}
- create_device: {device: 2}
- share
- create_allocation: {allocation: 0, pages: 2, place: local, device: 1}
- fail_pool: {kth: 1}
- open_allocation: {allocation: 0, device: 2}
- fail_pool: {kth: 2}
- open_allocation: {allocation: 0, device: 2}
- open_allocation: {allocation: 0, device: 2}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 2}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x31323334}
- render: {context: 2}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 4096, value: 0x41424344}
- idle
- destroy_device: {device: 1}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- render: {context: 2}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, size: 256, value: 0x51525354}
- idle
- destroy_allocation: {allocation: 0}
)",
    .control = R"(
about: both devices close it, the creating one last, and use it before; then it is opened once more, and of three the one in the middle closes it; at last a resource of three
ops:
- create_device: {device: 1}
- create_device: {device: 2}
- share
- create_allocation: {allocation: 0, pages: 2, place: local, device: 1}
- open_allocation: {allocation: 0, device: 2}
- make_resident: {allocation: 0}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 2}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, size: 256, value: 0x31323334}
- render: {context: 2}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 4096, size: 256, value: 0x41424344}
- idle
- destroy_device: {device: 2}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, size: 256, value: 0x51525354}
- idle
- create_device: {device: 2}
- open_allocation: {allocation: 0, device: 2}
- create_context: {context: 2, device: 2}
- render: {context: 2}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 4096, size: 256, value: 0x61626364}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 256, size: 256, value: 0x71727374}
- idle
- create_device: {device: 3}
- open_allocation: {allocation: 0, device: 3}
- create_context: {context: 3, device: 3}
- destroy_device: {device: 2}
- render: {context: 3}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 4352, size: 256, value: 0x12131415}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 512, size: 256, value: 0x21222324}
- idle
- evict: {allocation: 0}
- destroy_device: {device: 3}
- make_resident: {allocation: 0}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 768, size: 256, value: 0x35363738}
- idle
- evict: {allocation: 0}
- destroy_allocation: {allocation: 0}
# Of several in one resource each outlives the device too.
- share: {more: 2}
- create_device: {device: 4}
- create_device: {device: 5}
- create_context: {context: 4, device: 4}
- create_context: {context: 5, device: 5}
- create_allocation: {allocation: 4, place: local, device: 4}
- open_allocation: {allocation: 4, device: 5}
- render: {context: 4}
- bind: {slot: 0, allocation: 4}
- fill: {slot: 0, size: 256, value: 0x45464748}
- bind: {slot: 1, allocation: 6}
- copy: {slot: 1, source: 0, size: 256}
- idle
- destroy_device: {device: 4}
- evict: {allocation: 6}
- make_resident: {allocation: 6}
- render: {context: 5}
- bind: {slot: 0, allocation: 6}
- bind: {slot: 1, allocation: 5}
- copy: {slot: 1, source: 0, size: 256}
- bind: {slot: 0, allocation: 4}
- copy: {slot: 0, source: 1, offset: 256, size: 256}
- idle
- destroy_allocation: {allocation: 6}
- render: {context: 5}
- bind: {slot: 0, allocation: 5}
- fill: {slot: 0, size: 256, value: 0x55565758}
- idle
- destroy_allocation: {allocation: 4}
)",
    .fault = {.about = "an allocation whose creating device is gone cannot be destroyed any more",
              .interposer = [] { return std::unique_ptr<Interposer>(new EndsWithItsDevice); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_007
