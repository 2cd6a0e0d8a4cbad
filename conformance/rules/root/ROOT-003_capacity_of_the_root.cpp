// ROOT-003: NumberOfPte comes back as what the returned size holds.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::root_003 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto answers = trace.of<ev::RootSizeReported>();
  for (const std::uint32_t index : answers) {
    const auto said = trace.at<ev::RootSizeReported>(index);
    judgement.reached(index);
    if (said.answered < said.asked) {
      judgement.fail(index,
                     "NumberOfPte of at least the " + std::to_string(said.asked) + " asked for",
                     std::to_string(said.answered));
      continue;
    }
    for (const std::uint32_t other : answers) {
      const auto more = trace.at<ev::RootSizeReported>(other);
      if (more.physical_adapter != said.physical_adapter) continue;
      const bool fits = more.asked >= said.asked && more.asked <= said.answered;
      if (fits && more.bytes > said.bytes) {
        judgement.fail(index,
                       "no more entries than " + std::to_string(said.bytes) + " bytes hold, as " +
                           std::to_string(more.asked) + " need " + std::to_string(more.bytes),
                       std::to_string(said.answered), {other});
        break;
      }
      // What fits is not known to be less than that.
      if (more.bytes != said.bytes || more.asked <= said.answered) continue;
      judgement.fail(index,
                     "all entries that " + std::to_string(said.bytes) +
                         " bytes hold, which is as many as " + std::to_string(more.asked),
                     std::to_string(said.answered), {other});
      break;
    }
  }
}

class LeftAsItWas final : public Interposer {
 public:
  SIZE_T GetRootPageTableSize(HANDLE adapter, DXGKARG_GETROOTPAGETABLESIZE* size) override {
    const UINT asked = size->NumberOfPte;
    const SIZE_T bytes = Interposer::GetRootPageTableSize(adapter, size);
    size->NumberOfPte = asked;
    return bytes;
  }
};

const Rule kRule{
    .id = "ROOT-003",
    .title = "NumberOfPte comes back as what the returned size holds",
    .evidence = Evidence::Boundary,
    .rule =
        "NumberOfPte is input and output: on return it is the number of entries that the "
        "returned size holds, at least the number asked for. As many again need the same "
        "size, and one more a larger one.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_getrootpagetablesize.md # NumberOfPte\n"
        "nc-d3dkmddi-dxgkddi_getrootpagetablesize.md",
    .note =
        "The text calls NumberOfPte a pointer; it is a UINT of an input and output "
        "structure.",
    .applies = resizable_root,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::Pages64K, Configured::PairedRoot},
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: twice
ops:
- cycle: {count: 2}
)",
    .fault = {.about = "NumberOfPte is left as it was",
              .interposer = [] { return std::unique_ptr<Interposer>(new LeftAsItWas); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_003
