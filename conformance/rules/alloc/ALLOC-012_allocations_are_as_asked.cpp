// ALLOC-012: an allocation has the size that user mode asked for, and is visible where it must be.

#include "conformance/rules/alloc/altered_allocations.h"
#include "conformance/rules/rule.h"
#include "reference/types.h"

namespace wddm::alloc_012 {
namespace {

// DXGK_ALLOCATIONINFOFLAGS, and those of WDDM 2.0; the second is theirs alone.
constexpr std::uint32_t kCpuVisible = 1u << 0, kCpuVisibleOnDemand = 1u << 18;

// Of the client's, in one call: each has private data of its own, of which it is described.
void check_groups(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::AllocationGroup>()) {
    const auto group = trace.at<ev::AllocationGroup>(index);
    if (group.standard != 0 || group.pool_failed != 0 || group.asked == 0) continue;
    if (!NT_SUCCESS(static_cast<NTSTATUS>(group.status))) continue;
    if (group.described != group.count) continue;  // ALLOC-009
    judgement.reached(index);
    if (group.size >= group.asked) continue;
    judgement.fail(index,
                   "each of several allocations of a Size for what its own private data ask for, " +
                       std::to_string(group.asked) + " bytes",
                   std::to_string(group.size));
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  check_groups(trace, judgement);
  const std::uint32_t visible = kCpuVisible | (platform.wddm2() ? kCpuVisibleOnDemand : 0);
  for (const std::uint32_t index : trace.of<ev::AllocationCreated>()) {
    const auto created = trace.at<ev::AllocationCreated>(index);
    if (created.asked_pages == 0) continue;  // nobody's in particular
    judgement.reached(index);
    const std::uint64_t asked = created.asked_pages * kPageSize;
    if (created.size < asked) {
      judgement.fail(index, "a Size of at least the " + std::to_string(asked) + " bytes asked for",
                     std::to_string(created.size));
    }
    if (created.asked_cpu_visible != 0 && (created.flags & visible) == 0) {
      judgement.fail(index, "CpuVisible: user mode is to lock the allocation", "it is not set");
    }
  }
}

NotApplicable with_client(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  return platform.has_client ? nullptr : "no client: allocations are as the driver chooses";
}

// A driver that never lets the CPU see what lies in its memory.
void hide_it(DXGK_ALLOCATIONINFO& info) {
  info.Flags.CpuVisible = 0;
  info.Flags.Cached = 0;  // by the CPU
}

const Rule kRule{
    .id = "ALLOC-012",
    .title = "Allocations are described as they were asked for",
    .level = Level::Should,
    .rule =
        "Size is what the allocation requires: at least what the driver's own user-mode half asked "
        "for in its private data, of several in one call each in its own. CpuVisible, or from WDDM "
        "2.0 on CpuVisibleOnDemand, is set where that half is to lock it.",
    .sources =
        "ns-d3dkmddi-_dxgk_allocationinfo.md # pPrivateDriverData, Size\n"
        "ns-d3dkmddi-_dxgk_allocationinfoflags.md # CpuVisible\n"
        "ns-d3dkmddi-_dxgk_allocationinfoflags_wddm2_0.md # CpuVisibleOnDemand",
    .note =
        "What the private data say is between the two halves; what was asked for the client says, "
        "by "
        "its contract. More may be given, and more be visible. A driver may refuse a resource "
        "whose allocations are not alike.",
    .applies = with_client,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: allocations of several sizes, two of them for the CPU; then three in one call, of which the last is larger
ops:
- create_allocation: {allocation: 0, pages: 3}
- create_allocation: {allocation: 1, pages: 1, cpu_visible: true}
- create_allocation: {allocation: 2, pages: 2, place: aperture, cpu_visible: true}
- create_allocation: {allocation: 3, pages: 5, place: local}
- requery: {allocations: 3}
)",
    .control = R"(
about: the smallest
ops:
- create_allocation: {allocation: 0, pages: 1}
)",
    .fault = {.about = "CpuVisible is never set", .interposer = alters_allocations<hide_it>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_012
