// CTX-011: the CPU's address of a context allocation is used where there is one.
//
// The host has no allocation to which the conditions apply: the address that it gives is one of
// memory that belongs to nothing.

#include <d3dkmddi.h>

#include <cstring>

#include "conformance/host/interposer.h"
#include "conformance/rules/ctx/made_context_allocations.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::ctx_011 {
namespace {

// DXGK_ALLOCATIONINFOFLAGS.
constexpr std::uint32_t kCpuVisible = 1u << 0, kProtected = 1u << 3;

bool apertures_alone(const Platform& platform, std::uint32_t set) {
  if (set == 0) return false;
  for (std::uint32_t i = 0; i < 32; ++i) {
    if ((set >> i & 1) == 0) continue;
    if (i >= platform.segments.size() || !platform.segments[i].flags.aperture()) return false;
  }
  return true;
}

bool has_address(const Platform& platform, const ev::ContextAllocationMade& made) {
  constexpr std::uint32_t kBoth = kCpuVisible | kProtected;
  return (made.flags & kBoth) == kBoth && apertures_alone(platform, made.set);
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> without;  // ContextAllocationMade, by number
  for (const std::uint32_t index :
       trace.of_any<ev::ContextAllocationMade, ev::ContextAllocationWritten>()) {
    if (trace.events()[index].kind == EventKind::ContextAllocationMade) {
      const auto made = trace.at<ev::ContextAllocationMade>(index);
      without.erase(made.number);
      if (!has_address(platform, made)) without[made.number] = index;
      continue;
    }
    const auto written = trace.at<ev::ContextAllocationWritten>(index);
    const auto made = without.find(written.number);
    if (written.operation != DXGK_OPERATION_INIT_CONTEXT_RESOURCE || made == without.end())
      continue;
    judgement.reached(index);
    if (written.astray == 0) continue;
    judgement.fail(index,
                   "Destination.VirtualAddress is left alone of what is not CpuVisible, Protected "
                   "and in aperture segments only",
                   std::to_string(written.astray) + " bytes are written there", {made->second});
  }
}

// A driver that writes where it is told to.
class WritesAtTheAddress final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool initializes = build->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
    if (initializes && build->InitContextResource.Destination.VirtualAddress != nullptr) {
      std::memset(build->InitContextResource.Destination.VirtualAddress, 0, 64);
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

const Rule kRule{
    .id = "CTX-011",
    .title = "The address of a context allocation is used only where it has one",
    .level = Level::Should,
    .grade = Grade::UndocumentedReliance,
    .evidence = Evidence::Memory,
    .rule =
        "InitContextResource.Destination.VirtualAddress is the allocation's only where the driver "
        "has created it with CpuVisible and Protected for aperture segments alone. Of all others "
        "the driver initializes the memory by the paging buffer.",
    .sources =
        "nc-d3dkmddi-dxgkcb_createcontextallocation.md # Virtual addresses for destination context "
        "allocations\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # "
        "InitContextResource.Destination.VirtualAddress",
    .note =
        "What stands there otherwise is not said. A driver that takes NULL for the sign that there "
        "is no address relies on that, hence should.",
    .unreached = "no context allocation without a CPU address was initialized",
    .applies = ctx::context_allocations,
    .check = check,
    .played_in = {Configured::ContextAllocations},
    .scenario = R"(
about: a context allocation each for two contexts
ops:
- create_context: {context: 0}
- create_context: {context: 1}
)",
    .control = R"(
about: the system contexts alone
ops:
- start
)",
    .fault = {.about = "the start of the initial state is written at VirtualAddress",
              .interposer = [] { return std::unique_ptr<Interposer>(new WritesAtTheAddress); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_011
