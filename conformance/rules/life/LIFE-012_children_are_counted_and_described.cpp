// LIFE-012: StartDevice says how many sources and children there are, and QueryChildRelations
// which.

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/rule.h"

namespace wddm::life_012 {
namespace {

bool succeeded(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

// What was left as it was is told as kNone.
void judge(std::uint32_t index, const ev::DeviceStarted& started, Judgement& judgement) {
  judgement.reached(index);
  if (started.sources == kNone) {
    judgement.fail(index, "NumberOfVideoPresentSources from StartDevice", "it is left as it was");
  }
  if (started.children == kNone) {
    judgement.fail(index, "NumberOfChildren from StartDevice", "it is left as it was");
  }
}

void judge(std::uint32_t index, const ev::ChildrenReported& reported, bool may_fail,
           Judgement& judgement) {
  const bool described = succeeded(reported.status);
  // Of no child there is nothing to say, and no page says with which status.
  if (!described && (reported.children == 0 || may_fail)) return;
  judgement.reached(index);
  const std::string all = std::to_string(reported.children) + " children";
  if (!described) {
    judgement.fail(index, "a description of each of " + all, status_name(reported.status));
  } else if (reported.described != reported.children) {
    judgement.fail(index, "a description of each of " + all,
                   std::to_string(reported.described) + " are described");
  }
  if (reported.last != 0 || reported.behind != 0) {
    judgement.fail(index, "the last element of ChildRelations stays zero, as does what follows",
                   "it was written");
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  bool may_fail = false;
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::DeviceStarted, ev::ChildrenReported>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      may_fail |= fails_on_purpose(Trace::as<ev::OpStarted>(event).kind);
    } else if (event.kind == EventKind::DeviceStarted) {
      const auto started = trace.at<ev::DeviceStarted>(index);
      if (succeeded(started.status)) judge(index, started, judgement);
    } else {
      judge(index, trace.at<ev::ChildrenReported>(index), may_fail, judgement);
    }
  }
}

// A driver that fills the whole array, whose last element is only its end.
class FillsThemAll final : public Interposer {
 public:
  NTSTATUS QueryChildRelations(PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                               ULONG bytes) override {
    const NTSTATUS status = Interposer::QueryChildRelations(context, children, bytes);
    for (ULONG i = 0; i < bytes / sizeof(*children); ++i) {
      children[i].ChildDeviceType = TypeOther;
      children[i].ChildUid = i + 1;
    }
    return status;
  }
};

NotApplicable starting(const Platform& platform) {
  return platform.started ? nullptr : "the driver did not start";
}

const Rule kRule{
    .id = "LIFE-012",
    .title = "Sources and children are counted, and children described",
    .rule =
        "A StartDevice that succeeds sets NumberOfVideoPresentSources and NumberOfChildren. "
        "QueryChildRelations, whose array has an element more than there are children, describes "
        "each of them and leaves the last element zero.",
    .sources =
        "nc-dispmprt-dxgkddi_start_device.md # NumberOfVideoPresentSources, NumberOfChildren, "
        "Remarks\n"
        "nc-dispmprt-dxgkddi_query_child_relations.md # ChildRelations, Remarks",
    .note =
        "Without children any status is accepted. What a description says of a child is its "
        "driver's business; of devices that only compute MCDM-029 says which children there may "
        "be.",
    .applies = starting,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Display},
    .scenario = R"(
about: children are asked for, and again at a later start
ops:
- requery
- cycle: {count: 1}
- requery
)",
    .control = R"(
about: the adapter starts
ops:
- start
)",
    .fault = {.about = "all elements of ChildRelations are filled",
              .interposer = [] { return std::unique_ptr<Interposer>(new FillsThemAll); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_012
