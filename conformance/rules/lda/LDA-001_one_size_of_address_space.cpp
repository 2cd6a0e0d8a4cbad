// LDA-001: all GPUs of a link have address spaces of one size.

#include "conformance/host/interposer.h"
#include "conformance/rules/lda/link.h"

namespace wddm::lda_001 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  std::uint32_t lead =
      kNone;  // the latest answer: of the same start, as others are asked behind it
  for (const std::uint32_t index : trace.of<ev::GpuMmuReported>()) {
    const auto said = trace.at<ev::GpuMmuReported>(index);
    if (!lda::succeeded(said.status) || said.physical_adapter >= platform.linked_adapters) continue;
    if (said.physical_adapter == 0) {
      lead = index;
      continue;
    }
    if (lead == kNone) continue;
    judgement.reached(index);
    const std::uint32_t bits = trace.at<ev::GpuMmuReported>(lead).address_bits;
    if (said.address_bits == bits) continue;
    judgement.fail(
        index, "VirtualAddressBitCount " + std::to_string(bits) + ", as for GPU 0 of the link",
        std::to_string(said.address_bits) + " for GPU " + std::to_string(said.physical_adapter),
        {lead});
  }
}

// A driver that tells the size that each GPU could have alone.
class TellsWhatEachCan final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_GPUMMUCAPS || !NT_SUCCESS(status)) return status;
    const auto* const asked = static_cast<const DXGK_QUERYGPUMMUCAPSIN*>(query->pInputData);
    auto* const said = static_cast<DXGK_GPUMMUCAPS*>(query->pOutputData);
    if (asked->PhysicalAdapterIndex != 0) said->VirtualAddressBitCount -= 8;
    return status;
  }
};

const Rule kRule{
    .id = "LDA-001",
    .title = "All GPUs of a link have address spaces of one size",
    .rule =
        "VirtualAddressBitCount of DXGK_GPUMMUCAPS is the same for every PhysicalAdapterIndex of a "
        "link: that of its smallest GPU. Everything else may differ from one GPU to the next.",
    .sources = "linked-display-adapter.md # GpuMmu support",
    .note =
        "That page lets each GPU have segments, format, layout and sizes of page tables of its "
        "own. Links whose GPUs differ in that are asked all questions and not run: no page says "
        "what a root that all of them have alike (gpu-virtual-address.md, LinkMirrored) is then. "
        "GPUs with unlike segments beside equal page tables are played (LDA-002).",
    .applies = lda::linked_gpu_mmu,
    .check = check,
    .played_in = {Configured::Linked, Configured::LinkedUnlike},
    .scenario = R"(
about: the GPUs of a link are asked again
ops:
- requery
)",
    .control = R"(
about: the link starts anew
ops:
- cycle: {count: 1, depth: add}
- start
)",
    .fault = {.about = "the other GPU of the link has 8 bits less",
              .interposer = [] { return std::unique_ptr<Interposer>(new TellsWhatEachCan); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_001
