// MCDM-021: queries that every device which only computes answers.

#include "conformance/rules/mcdm/compute_only.h"
#include "reference/trace/op.h"

namespace wddm::mcdm_021 {
namespace {

constexpr std::uint32_t kSegment4 = 4;  // SegmentsReported::version

const char* required(std::uint32_t type) {
  if (type == DXGKQAITYPE_NUMPOWERCOMPONENTS) return "DXGKQAITYPE_NUMPOWERCOMPONENTS";
  if (type == DXGKQAITYPE_HISTORYBUFFERPRECISION) return "DXGKQAITYPE_HISTORYBUFFERPRECISION";
  return nullptr;
}

bool disturbed(const Trace& trace) {
  for (const std::uint32_t index : trace.of<ev::OpStarted>()) {
    if (static_cast<OpKind>(trace.at<ev::OpStarted>(index).kind) == OpKind::FailPool) return true;
  }
  return false;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (disturbed(trace)) return;
  for (const std::uint32_t index : trace.of<ev::InfoAnswered>()) {
    const auto answer = trace.at<ev::InfoAnswered>(index);
    const char* const name = required(answer.type);
    // A question that is wrong in itself may be refused.
    const auto how = static_cast<InfoQuestion>(answer.how);
    const bool whole = how == InfoQuestion::Plain || how == InfoQuestion::Again;
    if (name == nullptr || !whole) continue;
    judgement.reached(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(answer.status))) {
      judgement.fail(index, std::string("an answer to ") + name, status_name(answer.status));
    } else if (answer.unlike != 0) {
      judgement.fail(index, std::string("the same answer to ") + name + " each time",
                     "another one");
    }
  }
  for (const std::uint32_t index : trace.of<ev::SegmentsReported>()) {
    const auto reported = trace.at<ev::SegmentsReported>(index);
    // Who is asked by an older form has an older Version (MCDM-002).
    if (reported.call != 1 || reported.version != kSegment4) continue;
    judgement.reached(index);
    const bool answered = NT_SUCCESS(static_cast<NTSTATUS>(reported.status));
    if (answered && reported.count != 0) continue;
    judgement.fail(index, "a segment at least, by DXGKQAITYPE_QUERYSEGMENT4",
                   answered ? "none" : status_name(reported.status));
  }
}

// A driver without power management, which says nothing of it.
class NoPowerComponents final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type == DXGKQAITYPE_NUMPOWERCOMPONENTS) return STATUS_NOT_SUPPORTED;
    return Interposer::QueryAdapterInfo(adapter, query);
  }
};

const Rule kRule{
    .id = "MCDM-021",
    .title = "Required query types succeed",
    .rule =
        "DXGKQAITYPE_NUMPOWERCOMPONENTS, _HISTORYBUFFERPRECISION and _QUERYSEGMENT4 succeed, the "
        "last "
        "with a segment at least, and say the same when they are asked again.",
    .sources =
        "mcdm-implementation-guidelines.md # Query adapter info requirements\n"
        "ns-d3dkmddi-_dxgk_querysegmentout4.md # NbSegment",
    .note =
        "That there is a segment is derived, and that answers repeat. DXGKQAITYPE_DRIVERCAPS is "
        "how a device says that it only computes. Runs with pool that fails are left out.",
    .applies = compute::only,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: each query, twice
ops:
- requery
)",
    .control = R"(
about: the adapter starts
ops:
- start
)",
    .fault = {.about = "NUMPOWERCOMPONENTS is not supported, instead of 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new NoPowerComponents); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_021
