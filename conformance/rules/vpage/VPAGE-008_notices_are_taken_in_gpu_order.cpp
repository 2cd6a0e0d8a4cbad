// VPAGE-008: a driver takes note of NotifyResidency, and leaves the memory alone.

#include <algorithm>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/differing_memory.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/names.h"

namespace wddm::vpage_008 {
namespace {

bool brings_contents(std::uint32_t operation) {
  return operation == DXGK_OPERATION_VIRTUAL_TRANSFER || operation == DXGK_OPERATION_VIRTUAL_FILL;
}

// Allocations whose contents have come since they were asked for last. The notice behind that may
// have waited for a buffer, and then what changed meanwhile is theirs.
class Arrived {
 public:
  void follow(const ev::PagingBuilt& built) {
    if (brings_contents(built.operation)) allocations_.erase(built.allocation);
  }
  void follow(const ev::PagingDone& done) {
    const bool by_cpu = done.packet == kNone;  // while it was built, before any notice is
    if (brings_contents(done.operation) && !by_cpu) allocations_.insert(done.allocation);
  }
  // Contents that are on their way to stay come before a notice with Resident 1.
  bool before(const ev::ResidencyNotified& notice) {
    return allocations_.erase(notice.allocation) != 0 && notice.resident != 0;
  }

 private:
  ScratchSet<std::uint32_t> allocations_;
};

void judge(const ev::ResidencyNotified& notice, std::uint32_t index, bool others_wrote,
           Judgement& judgement) {
  const bool seen = notice.changed != kNone && (notice.changed == 0 || !others_wrote);
  if (seen) judgement.reached(index);
  if ((notice.status & 0x80000000u) != 0) {
    judgement.fail(index, "STATUS_SUCCESS", status_name(notice.status));
  }
  if (!seen || notice.changed == 0) return;
  judgement.fail(index, "the call that builds NotifyResidency changes no byte of the allocation",
                 std::to_string(notice.changed) + " bytes of allocation " +
                     std::to_string(notice.allocation) + " are others");
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Arrived arrived;
  for (const std::uint32_t index :
       trace.of_any<ev::PagingBuilt, ev::PagingDone, ev::ResidencyNotified, ev::MemoryDiffers>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::PagingBuilt) arrived.follow(trace.at<ev::PagingBuilt>(index));
    if (kind == EventKind::PagingDone) arrived.follow(trace.at<ev::PagingDone>(index));
    if (kind == EventKind::ResidencyNotified) {
      const auto notice = trace.at<ev::ResidencyNotified>(index);
      judge(notice, index, arrived.before(notice), judgement);
    }
    if (kind != EventKind::MemoryDiffers) continue;
    const auto differs = trace.at<ev::MemoryDiffers>(index);
    if (differs.operation != DXGK_OPERATION_NOTIFY_RESIDENCY) continue;
    judgement.fail(index, "NotifyResidency changes no memory", difference_text(differs));
  }
}

// A driver that writes a header into what has become resident, with the CPU.
class WritesHeader final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                       PULONG sources, PULONG children) override {
    callbacks_ = *callbacks;
    return Interposer::StartDevice(context, info, callbacks, sources, children);
  }
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_QUERYSEGMENT4 || !NT_SUCCESS(status)) return status;
    const auto& out = *static_cast<const DXGK_QUERYSEGMENTOUT4*>(query->pOutputData);
    if (out.pSegmentDescriptor == nullptr) return status;
    places_.clear();
    for (UINT i = 0; i < out.NbSegment; ++i) {
      const BYTE* const at = out.pSegmentDescriptor + i * out.SegmentDescriptorStride;
      places_.push_back(*reinterpret_cast<const DXGK_SEGMENTDESCRIPTOR4*>(at));
    }
    return status;
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY) write(build->NotifyResidency);
    return Interposer::BuildPagingBuffer(adapter, build);
  }

 private:
  void write(const DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY& notice) {
    const UINT segment = notice.PhysicalAddress.SegmentId;
    if (!notice.Resident || segment == 0 || segment > places_.size()) return;
    PHYSICAL_ADDRESS place = places_[segment - 1].CpuTranslatedAddress;
    place.QuadPart += static_cast<LONGLONG>(notice.PhysicalAddress.SegmentOffset);
    PVOID mapped = nullptr;
    if (!NT_SUCCESS(callbacks_.DxgkCbMapMemory(callbacks_.DeviceHandle, place, sizeof(ULONG), FALSE,
                                               FALSE, MmNonCached, &mapped))) {
      return;
    }
    *static_cast<ULONG*>(mapped) ^= 0x48454144;
    callbacks_.DxgkCbUnmapMemory(callbacks_.DeviceHandle, mapped);
  }

  DXGKRNL_INTERFACE callbacks_{};
  std::vector<DXGK_SEGMENTDESCRIPTOR4> places_;
};

const Rule kRule{
    .id = "VPAGE-008",
    .title = "A driver follows NotifyResidency, and leaves the memory alone",
    .evidence = Evidence::Memory,
    .rule =
        "The call that builds NotifyResidency does not write the allocation: operations before it "
        "may not have been executed yet. Nor does the operation itself change memory.",
    .sources = "ns-d3dkmddi-_dxgk_buildpagingbuffer_notifyresidency.md",
    .note =
        "That the driver reads the memory during the call cannot be seen, and what it uses the "
        "place for is known to itself alone: where that goes wrong, contents are wrong. What "
        "changes "
        "in a call is not judged where contents have arrived since they were asked for: the call "
        "may have waited for a buffer, and they came meanwhile.",
    .unreached =
        "no allocation of user mode came or went whose driver asks for notices of residency",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::Services, Configured::Linked},
    .scenario = R"(
about: an allocation comes, is used, goes, and comes to be elsewhere
ops:
- configure: {setting: NotifyResidency, value: 1}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 2}
- create_allocation: {allocation: 2, place: local, pages: 2}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x11111111}
- idle
- evict: {allocation: 1}
- make_resident: {allocation: 2}
- make_resident: {allocation: 1}
- idle
# In the memory of the other GPU of a link.
- physical_adapter: {index: 1}
- create_allocation: {allocation: 3, place: local, pages: 2, physical_adapter: 1}
- make_resident: {allocation: 3}
- create_context: {context: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x22222222}
- idle
- evict: {allocation: 3}
- make_resident: {allocation: 3}
- idle
)",
    .control = R"(
about: one whose driver does not want to know
ops:
- configure: {setting: NotifyResidency, value: 1}
- create_allocation: {allocation: 1, pages: 2}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
)",
    .fault = {.about = "a header is written into what has become resident",
              .interposer = [] { return std::unique_ptr<Interposer>(new WritesHeader); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::vpage_008
