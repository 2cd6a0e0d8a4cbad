// BIND-007: once an instance of a renamed allocation is named, no older one is.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/rendered_lists.h"

namespace wddm::bind_007 {
namespace {

// What was renamed, and which instance of each allocation buffers have come to. Instance 0 is the
// allocation as it was created; one that comes again has another number from then on.
class Renamed {
 public:
  struct Instance {
    std::uint32_t original = kNone;
    std::uint32_t number = 0;
    std::uint32_t event = kNone;  // AllocationRenamed or InstanceReused
  };
  struct Newest {
    std::uint32_t number = 0;
    std::uint32_t event = kNone;  // AllocationRenamed or InstanceReused
    std::uint32_t render = 0;     // that came to it
  };
  using NewestOfAll = ScratchMap<std::uint32_t, Newest>;

  /// Something else is in the slot from here on.
  void created(std::uint32_t slot) {
    std::erase_if(instances_, [=](const auto& one) { return one.second.original == slot; });
    instances_.erase(slot);
    last_.erase(slot);
    newest.erase(slot);
  }
  /// By other memory, or by that of an older instance.
  void renamed(std::uint32_t original, std::uint32_t slot, std::uint32_t event) {
    instances_.try_emplace(original, Instance{original, 0, event});
    instances_[slot] = {original, ++last_[original], event};
  }
  [[nodiscard]] bool none() const { return instances_.empty(); }
  /// Null for what was never renamed.
  [[nodiscard]] const Instance* find(std::uint32_t slot) const {
    const auto found = instances_.find(slot);
    return found == instances_.end() ? nullptr : &found->second;
  }

  NewestOfAll newest;  // by original

 private:
  ScratchMap<std::uint32_t, Instance> instances_;
  ScratchMap<std::uint32_t, std::uint32_t> last_;  // numbers, by original
};

// VidMm rejects a list that goes back, and nothing that it names counts.
void judge(const split::RenderedList& list, Renamed& renamed, Judgement& judgement) {
  Renamed::NewestOfAll newest = renamed.newest;
  for (std::size_t i = 0; i < list.elements.size(); ++i) {
    if (!list.names_allocation(list.elements[i])) continue;
    const auto* const instance = renamed.find(list.allocation_of(list.elements[i]));
    if (instance == nullptr) continue;
    Renamed::Newest& known = newest[instance->original];
    if (instance->number == known.number) continue;
    judgement.reached(list.rendered);
    if (instance->number > known.number) {
      known = {instance->number, instance->event, list.render};
      continue;
    }
    return judgement.fail(
        list.rendered,
        "no instance of allocation " + split::number(instance->original) + " older than " +
            split::number(known.number) + ", which render " + split::number(known.render) +
            " has named before",
        "element " + split::number(i) + " names instance " + split::number(instance->number),
        {known.event});
  }
  renamed.newest = std::move(newest);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto changes =
      trace.of_any<ev::AllocationCreated, ev::AllocationRenamed, ev::InstanceReused>();
  auto change = changes.begin();
  Renamed renamed;
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    for (; change != changes.end() && *change < list.rendered; ++change) {
      const EventKind kind = trace.events()[*change].kind;
      if (kind == EventKind::AllocationRenamed) {
        const auto one = trace.at<ev::AllocationRenamed>(*change);
        renamed.renamed(one.original, one.allocation, *change);
      } else if (kind == EventKind::InstanceReused) {
        const auto one = trace.at<ev::InstanceReused>(*change);
        renamed.renamed(one.original, one.allocation, *change);
      } else {
        renamed.created(trace.at<ev::AllocationCreated>(*change).allocation);
      }
    }
    // What user mode has altered may name anything: VidMm sees to it that it does no harm.
    if (renamed.none() || trace.at<ev::Rendered>(list.rendered).hostile != 0) return;
    judge(list, renamed, judgement);
  });
}

// A driver that has its own idea of the order of what is one allocation to it.
class NamesTheLastFirst final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    const auto handle_of = [=](const D3DDDI_PATCHLOCATIONLIST& element) -> HANDLE {
      if (element.AllocationIndex >= render->AllocationListSize) return nullptr;
      return render->pAllocationList[element.AllocationIndex].hDeviceSpecificAllocation;
    };
    for (auto* one = first; one < render->pPatchLocationListOut; ++one) {
      for (auto* other = render->pPatchLocationListOut - 1; other > one; --other) {
        const bool is_same = handle_of(*one) != nullptr && handle_of(*one) == handle_of(*other);
        if (!is_same || one->AllocationIndex == other->AllocationIndex) continue;
        std::swap(one->AllocationIndex, other->AllocationIndex);
        return status;
      }
    }
    return status;
  }
};

NotApplicable renaming(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return platform.wddm2() ? "WDDM 2: user mode renames its allocations itself" : nullptr;
}

const Rule kRule{
    .id = "BIND-007",
    .title = "References to renamed instances are ordered",
    .rule =
        "A lock with Discard may give an allocation other memory, a newer instance. To the driver "
        "its instances are one allocation that lies in several places at once, in an entry of the "
        "allocation list each. Once an element names an instance, no later element of that buffer "
        "or of a later one names an older one. One that nothing uses any more may come again, and "
        "is the newest from then on.",
    .sources =
        "nc-d3dumddi-pfnd3dddi_lockcb.md # Remarks (instances)\n"
        "requesting-to-rename-an-allocation.md",
    .note =
        "User mode gives its commands in order: where it binds a newer instance it releases those "
        "that are older, and binds none of them again. The order is that of the list that Render "
        "writes. VidMm rejects a buffer that goes back, so that it never runs. Where an instance "
        "lies, which may change before it comes again, Patch says each time: PATCH-001.",
    .applies = renaming,
    .check = check,
    .scenario = R"(
about: a buffer that was recorded across a lock with Discard names the allocation of before and of after
ops:
- create_allocation: {allocation: 0, cpu_visible: true}
- create_context: {context: 0}
- rename_allocation: {allocation: 1, source: 0}
- cpu_write: {allocation: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, size: 64}
- idle
- rename_allocation: {allocation: 2, source: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 2}
- copy: {slot: 1, source: 1, source_offset: 2048, size: 64}
- idle
- reuse_instance: {allocation: 0}
- cpu_write: {allocation: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 0}
- copy: {slot: 1, source: 1, source_offset: 2048, size: 64}
- idle
)",
    .control = R"(
about: each buffer names one instance, and the next one a newer instance
ops:
- create_allocation: {allocation: 0, cpu_visible: true}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- rename_allocation: {allocation: 1, source: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "the first element of an allocation changes its entry with the last one",
              .interposer = [] { return std::unique_ptr<Interposer>(new NamesTheLastFirst); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::bind_007
