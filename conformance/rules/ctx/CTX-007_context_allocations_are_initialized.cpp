// CTX-007: InitContextResource fills the context allocation.
//
// The host fills the memory with a pattern before. That the operation succeeds, and writes nothing
// beside the allocation, is VPAGE-009.

#include <algorithm>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/ctx/made_context_allocations.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::ctx_007 {
namespace {

bool initializes(std::uint32_t operation) {
  return operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
}

// Sizes of context allocations of which any was written. Of several that a context has one may need
// no content; those of one size are taken for those of one use.
ScratchSet<std::uint64_t> sizes_with_content(const Trace& trace) {
  ScratchSet<std::uint64_t> sizes;
  for (const std::uint32_t index : trace.of<ev::ContextAllocationWritten>()) {
    const auto written = trace.at<ev::ContextAllocationWritten>(index);
    if (!initializes(written.operation) || written.changed == kNone) continue;
    if (written.changed != 0) sizes.insert(written.size);
  }
  return sizes;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const ScratchSet<std::uint64_t> sizes = sizes_with_content(trace);
  bool lost = false;  // a paging packet, since an initialization was built
  for (const std::uint32_t index :
       trace.of_any<ev::PagingBuilt, ev::PacketEnded, ev::ContextAllocationWritten>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PagingBuilt) {
      if (initializes(trace.at<ev::PagingBuilt>(index).operation)) lost = false;
      continue;
    }
    if (event.kind == EventKind::PacketEnded) {
      const auto ended = Trace::as<ev::PacketEnded>(event);
      lost |= ended.paging != 0 && ended.fate != static_cast<std::uint32_t>(PacketFate::Completed);
      continue;
    }
    const auto written = trace.at<ev::ContextAllocationWritten>(index);
    if (!initializes(written.operation) || lost) continue;
    // Memory that the CPU does not see says nothing.
    const bool unseen = written.changed == kNone;
    if (unseen || !NT_SUCCESS(static_cast<NTSTATUS>(written.status))) continue;
    if (!sizes.empty() && !sizes.contains(written.size)) continue;
    judgement.reached(index);
    if (written.changed != 0) continue;
    judgement.fail(index, "the context allocation holds the initial state of its context",
                   "none of its " + std::to_string(written.size) + " bytes is written");
  }
}

// A driver with nothing to do.
class EmitsNothing final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_INIT_CONTEXT_RESOURCE) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto* const buffer = static_cast<UCHAR*>(build->pDmaBuffer);
    const std::vector<UCHAR> before(buffer, buffer + build->DmaSize);
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    std::copy(before.begin(), before.end(), buffer);
    if (NT_SUCCESS(status)) build->pDmaBuffer = buffer;
    return status;
  }
};

const Rule kRule{
    .id = "CTX-007",
    .title = "InitContextResource fills the context allocation",
    .level = Level::Should,
    .evidence = Evidence::Memory,
    .rule =
        "What BuildPagingBuffer makes of InitContextResource brings the context allocation to the "
        "initial state of its context, whatever the memory held: the first switch to the context "
        "loads what stands there.",
    .sources =
        "gpu-preemption.md # Driver implementation steps (7)\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # InitContextResource",
    .note =
        "What the initial state is only the driver knows: judged is whether anything is written, "
        "by the GPU or, where it has the address, by the CPU. Of allocations of several sizes some "
        "may need no content, and what a reset has lost is not there. No page says that something "
        "must be, hence should.",
    .unreached = "no context allocation was initialized where the CPU sees it",
    .applies = ctx::context_allocations,
    .check = check,
    .played_in = {Configured::ContextAllocations, Configured::ContextApertures,
                  Configured::ContextsInThird},
    .scenario = R"(
about: a context allocation each for two contexts, which run nothing
ops:
- create_context: {context: 0}
- create_context: {context: 1}
)",
    .control = R"(
about: the system contexts alone
ops:
- start
)",
    .fault = {.about = "InitContextResource succeeds, and puts nothing into the paging buffer",
              .interposer = [] { return std::unique_ptr<Interposer>(new EmitsNothing); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_007
