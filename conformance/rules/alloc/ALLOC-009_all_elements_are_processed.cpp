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

// Those of scenarios that come together, each of which is used like any other.
class Together {
 public:
  Together(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void entered(std::uint32_t index, const ev::DdiEntered& call) {
    if (call.object == kNone) return;
    const Event& event = trace_.events()[index];
    if (static_cast<DdiId>(call.ddi) == DdiId::CreateAllocation) {
      const auto of = trace_.blob<ddi_arguments::CreateAllocation>(event);
      creates_several_ = !of.empty() && of.front().allocations > 1;
    } else if (static_cast<DdiId>(call.ddi) == DdiId::OpenAllocation) {
      const auto of = trace_.blob<ddi_arguments::OpenAllocation>(event);
      opens_several_ = !of.empty() && of.front().allocations > 1;
    }
  }
  void on(std::uint32_t index, const ev::AllocationCreated& created) {
    if (creates_several_) judge(index, created.has_handle, "hAllocation");
  }
  void on(std::uint32_t index, const ev::AllocationOpened& opened) {
    if (!opens_several_ || opened.group != kNone || !succeeded(opened.status)) return;
    judge(index, opened.has_handle, "hDeviceSpecificAllocation");
  }

 private:
  void judge(std::uint32_t index, std::uint32_t handle, const char* what) {
    constexpr std::uint32_t kOfAnother = 2;
    judgement_.reached(index);
    if (handle != kOfAnother) return;
    judgement_.fail(index, std::string("each element has an ") + what + " of its own",
                    "that of an earlier one of the same call");
  }

  const Trace& trace_;
  Judgement& judgement_;
  bool creates_several_ = false, opens_several_ = false;
};

void check_together(const Trace& trace, Judgement& judgement) {
  Together together(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::AllocationCreated, ev::AllocationOpened>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::DdiEntered) together.entered(index, trace.at<ev::DdiEntered>(index));
    if (kind == EventKind::AllocationCreated) {
      together.on(index, trace.at<ev::AllocationCreated>(index));
    }
    if (kind == EventKind::AllocationOpened) {
      together.on(index, trace.at<ev::AllocationOpened>(index));
    }
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_together(trace, judgement);
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
about: a resource of one allocation; then one of three that are rendered with, evicted, paged in and destroyed one by one, as any others
ops:
- requery: {allocations: 1}
- share: {on: false, more: 2}
- create_allocation: {allocation: 4, pages: 2, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 4}
- fill: {slot: 0, size: 256, value: 0x11111111}
- bind: {slot: 1, allocation: 5}
- fill: {slot: 1, size: 256, value: 0x22222222}
- bind: {slot: 0, allocation: 6}
- copy: {slot: 0, source: 1, offset: 4096, size: 256}
- idle
- evict: {allocation: 5}
- evict: {allocation: 4}
- make_resident: {allocation: 5}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 4}
- bind: {slot: 1, allocation: 6}
- copy: {slot: 0, source: 1, offset: 256, source_offset: 4096, size: 256}
- bind: {slot: 1, allocation: 5}
- copy: {slot: 0, source: 1, offset: 512, size: 256}
- idle
- destroy_allocation: {allocation: 5}
- evict: {allocation: 6}
- render: {context: 0}
- bind: {slot: 0, allocation: 6}
- fill: {slot: 0, size: 256, value: 0x33333333}
- idle
- destroy_allocation: {allocation: 4}
# What comes next in their slots has nothing to do with them.
- create_allocation: {allocation: 4, place: local}
- render: {context: 0}
- bind: {slot: 1, allocation: 6}
- fill: {slot: 1, size: 256, value: 0x44444444}
- idle
)",
    .fault = {.about = "of several allocations the first alone is created and destroyed",
              .interposer = [] { return std::unique_ptr<Interposer>(new CreatesTheFirst); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_009
