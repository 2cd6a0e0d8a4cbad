// ALLOC-008: opened allocations have handles, and private data stay as they are.

#include <cstring>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

constexpr std::uint32_t kCreate = 1;  // DXGK_OPENALLOCATIONFLAGS

void check(const Trace& trace, const Platform&, Judgement& judgement) {
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
        "data of allocations change with Flags.Create alone, those of the resource never.",
    .sources =
        "nc-d3dkmddi-dxgkddi_openallocationinfo.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_openallocation.md # pPrivateDriverData\n"
        "ns-d3dkmddi-_dxgk_openallocationinfo.md # hDeviceSpecificAllocation",
    .applies = opening,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: an allocation, and a resource of three
ops:
- create_allocation: {allocation: 0}
- requery: {allocations: 3}
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
}  // namespace wddm
