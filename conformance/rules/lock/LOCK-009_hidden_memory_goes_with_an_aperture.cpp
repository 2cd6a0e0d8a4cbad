// LOCK-009: what the CPU is to reach, and may lie where the CPU sees nothing, may lie in an
// aperture too.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/seg/segments_of_gpu.h"

namespace wddm::lock_009 {
namespace {

// DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.
constexpr std::uint32_t kCpuVisible = 1u << 0, kCpuVisibleOnDemand = 1u << 18;

bool is_hidden(const PlatformSegment& segment) {
  const SegmentFlags& flags = segment.flags;
  return !flags.aperture() && !flags.agp() && !flags.cpu_visible();
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const seg::SegmentsOfGpus segments(trace, platform);
  for (const std::uint32_t index : trace.of<ev::AllocationCreated>()) {
    const auto created = trace.at<ev::AllocationCreated>(index);
    if ((created.flags & (kCpuVisible | kCpuVisibleOnDemand)) == 0) continue;
    const std::uint32_t gpu = seg::gpu_of(created, platform);
    if (segments.unseen(gpu) == 0) continue;
    judgement.reached(index);
    if ((created.write_set & segments.unseen(gpu)) == 0) continue;
    if ((created.write_set & segments.apertures(gpu)) != 0) continue;
    judgement.fail(index,
                   "an aperture segment in SupportedWriteSegmentSet, for an allocation that the "
                   "CPU is to reach and that may lie in memory which it does not see",
                   "memory segments alone");
  }
}

// A driver that puts what the CPU is to reach where there is most room.
class HidesIt final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_QUERYSEGMENT4 || !NT_SUCCESS(status)) return status;
    const auto& out = *static_cast<const DXGK_QUERYSEGMENTOUT4*>(query->pOutputData);
    for (UINT i = 0; out.pSegmentDescriptor != nullptr && i < out.NbSegment; ++i) {
      const auto& segment = *reinterpret_cast<const DXGK_SEGMENTDESCRIPTOR4*>(
          out.pSegmentDescriptor + i * out.SegmentDescriptorStride);
      if (!segment.Flags.Aperture && !segment.Flags.CpuVisible) hidden_ = i + 1;
    }
    return status;
  }
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    for (UINT i = 0; hidden_ != 0 && NT_SUCCESS(status) && i < create->NumAllocations; ++i) {
      DXGK_ALLOCATIONINFO& info = create->pAllocationInfo[i];
      if (!info.FlagsWddm2.CpuVisible || info.FlagsWddm2.Cached) continue;
      info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = 1u << (hidden_ - 1);
      info.PreferredSegment.Value = 0;
      info.PreferredSegment.SegmentId0 = hidden_;
    }
    return status;
  }

 private:
  UINT hidden_ = 0;
};

NotApplicable with_hidden_memory(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (!platform.wddm2()) return "older than WDDM 2.0: there is no Lock2";
  return std::any_of(platform.segments.begin(), platform.segments.end(), is_hidden)
             ? nullptr
             : "the CPU sees all memory: every segment is CpuVisible";
}

const Rule kRule{
    .id = "LOCK-009",
    .title = "CPU-accessible allocations in hidden memory also support an aperture",
    .rule =
        "An allocation with CpuVisible or CpuVisibleOnDemand whose supported segments include a "
        "memory segment that is not CpuVisible, be there a CPU host aperture or none, also "
        "supports an aperture segment: VidMm can then always find it a CPU address.",
    .sources = "allocation-usage-tracking.md # Lock2",
    .note =
        "Judged is every allocation that the CPU is to reach, of drivers with such a segment: one "
        "that keeps to memory which the CPU sees does what is asked for too.",
    .applies = with_hidden_memory,
    .check = check,
    .played_in = {Configured::HighMemory, Configured::Services},
    .scenario = R"(
about: allocations that the CPU is to reach, wherever they would like to live
ops:
- create_allocation: {allocation: 0, place: local, cpu_visible: true}
- create_allocation: {allocation: 1, place: aperture, cpu_visible: true}
- create_allocation: {allocation: 2, cpu_visible: true}
)",
    .control = R"(
about: allocations that the CPU need not reach
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1}
)",
    .fault = {.about = "what the CPU is to reach lies where it sees nothing, and nowhere else",
              .interposer = [] { return std::unique_ptr<Interposer>(new HidesIt); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lock_009
