// CAPS-017: no answer to a query is larger than the room that the driver is told of.

#include "conformance/host/interposer.h"
#include "conformance/rules/caps/query_names.h"
#include "conformance/rules/rule.h"

namespace wddm::caps_017 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::InfoAnswered>()) {
    const auto answer = trace.at<ev::InfoAnswered>(index);
    if (static_cast<InfoQuestion>(answer.how) != InfoQuestion::Short) continue;
    if (answer.type == DXGKQAITYPE_UMDRIVERPRIVATE) continue;  // user mode's size: CAPS-015
    judgement.reached(index);
    if (answer.behind == 0) continue;
    judgement.fail(index,
                   "at most OutputDataSize bytes, which are " + std::to_string(answer.output_bytes),
                   caps::query_name(answer.type) + ": " + std::to_string(answer.behind) +
                       " bytes behind them were written");
  }
}

// A driver that knows how large the structure is.
class KnowsTheStructure final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type != DXGKQAITYPE_DRIVERCAPS) return Interposer::QueryAdapterInfo(adapter, query);
    DXGKARG_QUERYADAPTERINFO whole = *query;
    whole.OutputDataSize = sizeof(DXGK_DRIVERCAPS);
    return Interposer::QueryAdapterInfo(adapter, &whole);
  }
};

const Rule kRule{
    .id = "CAPS-017",
    .title = "Answers to queries fit into their room",
    .level = Level::Should,
    .grade = Grade::UndocumentedReliance,
    .rule =
        "Whatever the type, QueryAdapterInfo writes nothing behind the OutputDataSize bytes that "
        "pOutputData leads to. Where the answer does not fit, it may fail or say less.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_queryadapterinfo.md # OutputDataSize\n"
        "nc-d3dkmddi-dxgkddi_queryadapterinfo.md # Return value",
    .note =
        "Dxgkrnl gives as much room as the structure takes in its own headers, and structures have "
        "grown from version to version: who writes its own without a look at the size counts on "
        "a Windows that is not older. With UMDRIVERPRIVATE, whose size is user mode's, it is "
        "CAPS-015. Asked is each type that the driver's interface and capabilities have Dxgkrnl "
        "ask, with a byte less and with half; nothing that the driver asserts counts there.",
    .applies = needs_caps,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Managed, Configured::Linked},
    .scenario = R"(
about: each type of query, with a byte less than its answer takes and with half of it
ops:
- prefill
- requery
)",
    .control = R"(
about: the same twice, in two starts
ops:
- prefill
- requery
- cycle: {count: 1}
- requery
)",
    .fault = {.about = "DXGK_DRIVERCAPS is written as a whole, whatever OutputDataSize says",
              .interposer = [] { return std::unique_ptr<Interposer>(new KnowsTheStructure); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_017
