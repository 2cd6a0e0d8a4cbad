// CAPS-015: a query of a type that a driver cannot know is refused.

#include "conformance/host/interposer.h"
#include "conformance/rules/caps/query_names.h"
#include "conformance/rules/rule.h"

namespace wddm::caps_015 {
namespace {

// Of Dxgkrnl's own types the room is large enough in any Windows: CAPS-017.
bool is_short_of_dxgkrnl(const ev::InfoAnswered& answer) {
  return static_cast<InfoQuestion>(answer.how) == InfoQuestion::Short &&
         answer.type != DXGKQAITYPE_UMDRIVERPRIVATE;
}

const char* wrong(const ev::InfoAnswered& answer) {
  if (answer.behind != 0) return "bytes behind the output were written";
  const auto how = static_cast<InfoQuestion>(answer.how);
  if (how != InfoQuestion::Unknown) return nullptr;
  if (NT_SUCCESS(static_cast<NTSTATUS>(answer.status))) return "it succeeds";
  return answer.changed == 0 ? nullptr : "it fails, and the output is written";
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::InfoAnswered>()) {
    const auto answer = trace.at<ev::InfoAnswered>(index);
    if (is_short_of_dxgkrnl(answer)) continue;
    judgement.reached(index);
    if (const char* const what = wrong(answer)) {
      judgement.fail(index,
                     "a failure for an unknown type, and in any case no byte outside the output",
                     caps::query_name(answer.type) + ": " + what);
    }
  }
}

// A driver that answers everything.
class KnowsAll final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    constexpr UINT kOfNoInterface = 0x7000;
    return static_cast<UINT>(query->Type) == kOfNoInterface ? STATUS_SUCCESS : status;
  }
};

const Rule kRule{.id = "CAPS-015",
                 .title = "Queries of unknown types are refused",
                 .level = Level::Should,
                 .rule =
                     "DxgkDdiQueryAdapterInfo fails for a type that it does not know, and leaves "
                     "the output alone. It does not write behind OutputDataSize either, which user "
                     "mode chooses for DXGKQAITYPE_UMDRIVERPRIVATE: as little as a byte.",
                 .sources =
                     "nc-d3dkmddi-dxgkddi_queryadapterinfo.md # Return value\n"
                     "ns-d3dkmddi-_dxgkarg_queryadapterinfo.md # OutputDataSize",
                 .note =
                     "Later versions of Windows ask what older drivers do not know, and take "
                     "success for an answer. "
                     "Which failure it is no page says.",
                 .applies = needs_caps,
                 .check = check,
                 .played_in = kBothAddressings,
                 .scenario = R"(
about: a type of no interface, and private data of one byte and of some more
ops:
- requery
)",
                 .control = R"(
about: asked twice
ops:
- requery
- requery
)",
                 .fault = {.about = "a type of no interface is answered with STATUS_SUCCESS",
                           .interposer = [] { return std::unique_ptr<Interposer>(new KnowsAll); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_015
