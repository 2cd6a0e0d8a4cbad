// DESTROY-006: closing and destroying allocations releases all that the driver held for them.

#include <array>
#include <string_view>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/freed_memory.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/ddi.h"

namespace wddm::destroy_006 {
namespace {

bool succeeded(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

bool came_and_went(const ev::AllocationGroup& group) {
  return succeeded(group.status) && succeeded(group.open_status) && succeeded(group.close_status) &&
         succeeded(group.destroy_status);
}

bool leaves_something(const ev::AllocationGroup& group) {
  return group.left_blocks > 0 || group.left_bytes > 0;
}

bool is_destruction(std::uint32_t ddi) {
  return static_cast<DdiId>(ddi) == DdiId::DestroyAllocation;
}

// From there on pool changes for other reasons too.
bool disturbs(std::uint32_t kind) {
  return fails_on_purpose(kind) || static_cast<OpKind>(kind) == OpKind::Neighbour;
}

// Groups of one kind have the same standard type, number and size of allocations, and come and go
// the same way.
using Kind = std::array<std::uint64_t, 9>;

Kind kind_of(const ev::AllocationGroup& group) {
  return {group.standard, group.count,    group.asked,     group.calls,      group.left_early,
          group.parts,    group.reversed, group.elsewhere, group.pool_failed};
}

// A driver may keep what the first of a kind has made it set up: the second finds that there.
void check_pool(const Trace& trace, Judgement& judgement) {
  ScratchMap<Kind, std::uint32_t> latest;  // of each kind in this start
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::AllocationGroup, StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      if (disturbs(Trace::as<ev::OpStarted>(event).kind)) return;
    } else if (event.kind == EventKind::MappingBalance) {
      latest.clear();
    } else {
      const auto group = trace.at<ev::AllocationGroup>(index);
      if (!came_and_went(group)) continue;
      const auto [known, is_first] = latest.try_emplace(kind_of(group), index);
      const std::uint32_t earlier = std::exchange(known->second, index);
      if (is_first) continue;
      judgement.reached(index);
      if (!leaves_something(group)) continue;
      if (!leaves_something(trace.at<ev::AllocationGroup>(earlier))) continue;
      judgement.fail(index,
                     "nothing is left of " + std::to_string(group.count) +
                         " allocations that were closed and destroyed",
                     std::to_string(group.left_bytes) + " bytes of pool more than before, in " +
                         std::to_string(group.left_blocks) + " blocks, as the last time",
                     {earlier});
    }
  }
}

// All of them came in one call, are open, and went in one call with their resource.
bool was_whole(const ev::AllocationGroup& group) {
  return succeeded(group.status) && succeeded(group.open_status) && group.calls == 1 &&
         group.parts == 1 && group.described == group.count && group.opened == group.count;
}

// What went in parts a driver may have refused in between: no document says that it ever does.
void check_ends(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::AllocationGroup>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      if (fails_on_purpose(Trace::as<ev::OpStarted>(event).kind)) return;
      continue;
    }
    const auto group = trace.at<ev::AllocationGroup>(index);
    if (!was_whole(group) || group.pool_failed != 0) continue;
    judgement.reached(index);
    const bool closed = succeeded(group.close_status);
    if (closed && succeeded(group.destroy_status)) continue;
    judgement.fail(index,
                   std::string(closed ? "DestroyAllocation" : "CloseAllocation") +
                       " succeeds for all " + std::to_string(group.count) + " that it lists",
                   status_name(closed ? group.destroy_status : group.close_status));
  }
}

// A call without DestroyResource leaves the resource, and what of it is not listed, to later ones.
// Who frees twice where nothing was left has another trouble.
class InParts {
 public:
  void entered(std::uint32_t index, const ddi_arguments::DestroyAllocation& call) {
    DXGK_DESTROYALLOCATIONFLAGS flags{};
    flags.Value = call.flags;
    inside_ = index;
    keeps_resource_ = flags.DestroyResource == 0;
    of_resource_ = call.has_resource != 0;
  }
  void returned(std::uint32_t index, std::uint32_t status, Judgement& judgement) {
    if (inside_ == kNone) return;
    inside_ = kNone;
    if (!of_resource_) return;
    if (keeps_resource_) {
      if (succeeded(status)) kept_by_ = index;
      return;
    }
    if (kept_by_ != kNone) judgement.reached(index);
    kept_by_ = kNone;
  }
  void found(std::uint32_t index, std::string_view what, Judgement& judgement) {
    if (inside_ == kNone) return;
    in_trouble_ |= kept_by_ == kNone;
    if (in_trouble_ || !of_resource_) return;
    judgement.reached(index);
    judgement.fail(index,
                   "without DestroyResource only the listed allocations are released, and neither "
                   "the resource nor its others",
                   std::string(what), {kept_by_, inside_});
  }

 private:
  bool in_trouble_ = false;
  std::uint32_t inside_ = kNone;                       // DdiEntered of DestroyAllocation
  bool keeps_resource_ = false, of_resource_ = false;  // of that call
  std::uint32_t kept_by_ = kNone;                      // DdiReturned of the last that kept it
};

void check_parts(const Trace& trace, Judgement& judgement) {
  InParts parts;
  for (const std::uint32_t index : trace.of_any<ev::DdiEntered, ev::DdiReturned, ev::Finding>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      if (!is_destruction(trace.at<ev::DdiEntered>(index).ddi)) continue;
      const auto call = trace.blob<ddi_arguments::DestroyAllocation>(event);
      if (!call.empty()) parts.entered(index, call.front());
    } else if (event.kind == EventKind::DdiReturned) {
      const auto call = Trace::as<ev::DdiReturned>(event);
      if (is_destruction(call.ddi)) parts.returned(index, call.status, judgement);
    } else if (is_of_freed_memory(Trace::as<ev::Finding>(event))) {
      parts.found(index, trace.blob_text(event), judgement);
    }
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_ends(trace, judgement);
  check_pool(trace, judgement);
  check_parts(trace, judgement);
}

// A driver that waits for DestroyAllocation to free what OpenAllocation has made.
class ClosesNothing final : public Interposer {
 public:
  NTSTATUS CloseAllocation(HANDLE, const DXGKARG_CLOSEALLOCATION*) override {
    return STATUS_SUCCESS;
  }
};

NotApplicable destroying(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::CreateAllocation)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::OpenAllocation)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::CloseAllocation)) return reason;
  return needs(platform, DdiId::DestroyAllocation);
}

const Rule kRule{
    .id = "DESTROY-006",
    .title = "What is closed and destroyed is released",
    .rule =
        "CloseAllocation and DestroyAllocation release, before they return, what the driver has "
        "kept for each allocation that is listed, and with DestroyResource what it has kept for "
        "the resource: allocations that come and go leave no memory behind, whether in one call or "
        "in several. Without DestroyResource the resource stays, and what of it is not listed. "
        "CreateAllocation makes a resource once: a later call that has its hResource adds "
        "allocations to it. Each device that has opened them closes what is its own, in any order.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_destroyallocation.md # Remarks\n"
        "ns-d3dkmddi-_dxgk_destroyallocationflags.md # DestroyResource\n"
        "ns-d3dkmddi-_dxgkarg_createallocation.md # hResource\n"
        "nc-d3dkmddi-dxgkddi_destroyallocation.md # Remarks\n"
        "nc-d3dkmddi-dxgkddi_closeallocation.md # Remarks",
    .note =
        "Judged by pool, from the second of two like resources on: what the first makes a driver "
        "set up may stay. A driver may give a resource that grows another handle, or refuse to add "
        "to it, as no page says that its user-mode half ever does. What is released too early "
        "shows when it is released once more. That the calls succeed is judged where all of a "
        "resource came and went at once. A call "
        "that releases a resource of which nothing is left, and one without hResource for "
        "allocations of a resource, are not played: no document says that there are such.",
    .applies = destroying,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: like resources come and go, of one allocation and of several, at once and in parts, and standard ones; then such that another device has open as well
ops:
- requery: {allocations: 1}
- requery: {allocations: 1}
- requery: {allocations: 3}
- requery: {allocations: 3}
- requery: {allocations: 2, standard: 3}
- requery: {allocations: 2, standard: 3}
- create_device: {device: 1, process: 1}
- share
- requery: {allocations: 2}
- requery: {allocations: 2}
)",
    .control = R"(
about: resources of which no two are alike
ops:
- requery: {allocations: 1}
- requery: {allocations: 2}
- requery: {allocations: 3}
)",
    .fault = {.about = "CloseAllocation leaves what OpenAllocation has made",
              .interposer = [] { return std::unique_ptr<Interposer>(new ClosesNothing); },
              .also_fires = "NT-PoolLeak"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::destroy_006
