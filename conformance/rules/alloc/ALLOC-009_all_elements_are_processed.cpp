// ALLOC-009: every element of an array of allocations is created and opened.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::alloc_009 {
namespace {

bool succeeded(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

// One that comes in several calls comes no further than to the first that fails, which may be one
// in between.
bool broke_off(const ev::AllocationGroup& group) {
  if (!succeeded(group.status)) return true;
  return group.calls > 1 && !(succeeded(group.open_status) && succeeded(group.close_status) &&
                              succeeded(group.destroy_status));
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::AllocationGroup>()) {
    const auto group = trace.at<ev::AllocationGroup>(index);
    if (broke_off(group)) continue;
    judgement.reached(index);
    const std::string of = " of " + std::to_string(group.count);
    if (group.described != group.count) {
      judgement.fail(index, "CreateAllocation gives each of its elements an hAllocation of its own",
                     std::to_string(group.described) + of);
      continue;
    }
    if (succeeded(group.open_status) && group.opened != group.count) {
      judgement.fail(
          index,
          "OpenAllocation gives each of its elements an hDeviceSpecificAllocation of its "
          "own",
          std::to_string(group.opened) + of);
    }
  }
}

NotApplicable creating(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::CreateAllocation)) return reason;
  return needs(platform, DdiId::OpenAllocation);
}

// A driver that makes one allocation a call.
class CreatesTheFirst final : public Interposer {
 public:
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const UINT count = create->NumAllocations;
    create->NumAllocations = 1;
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    create->NumAllocations = count;
    return status;
  }
  NTSTATUS DestroyAllocation(HANDLE adapter, const DXGKARG_DESTROYALLOCATION* destroy) override {
    DXGKARG_DESTROYALLOCATION first = *destroy;
    first.NumAllocations = 1;
    return Interposer::DestroyAllocation(adapter, &first);
  }
};

const Rule kRule{
    .id = "ALLOC-009",
    .title = "All elements of array arguments are processed",
    .rule =
        "CreateAllocation and OpenAllocation handle every element from 0 to NumAllocations - 1: "
        "each "
        "has a handle of its own when they succeed, among all of its resource, whether they came "
        "in one call or in several.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_createallocation.md # NumAllocations, hResource\n"
        "ns-d3dkmddi-_dxgkarg_destroyallocation.md # NumAllocations\n"
        "ns-d3dkmddi-_dxgkarg_closeallocation.md # NumAllocations",
    .note =
        "What CloseAllocation and DestroyAllocation leave is a leak when the driver is unloaded. "
        "Public samples take for granted that there is one element.",
    .applies = creating,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a resource of three allocations; one after the other finds no memory when it is made or opened, and all do
ops:
- requery: {allocations: 3}
- fail_pool: {kth: 2}
- requery: {allocations: 3}
- fail_pool: {kth: 3}
- requery: {allocations: 3}
- fail_pool: {kth: 4}
- requery: {allocations: 3}
- fail_pool: {kth: 5}
- requery: {allocations: 3}
- fail_pool: {kth: 6}
- requery: {allocations: 3}
- fail_pool: {kth: 7}
- requery: {allocations: 3}
- fail_pool: {kth: 8}
- requery: {allocations: 3}
- unload
)",
    .control = R"(
about: a resource of one allocation
ops:
- requery: {allocations: 1}
)",
    .fault = {.about = "of several allocations the first alone is created and destroyed",
              .interposer = [] { return std::unique_ptr<Interposer>(new CreatesTheFirst); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_009
