// MCDM-029: a driver without displays has no source and no output of video.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_029 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::DeviceStarted>()) {
    const auto started = trace.at<ev::DeviceStarted>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(started.status))) continue;
    judgement.reached(index);
    if (started.sources == 0 || started.sources == kNone) continue;  // kNone: not said (LIFE-012)
    judgement.fail(index, "NumberOfVideoPresentSources 0", std::to_string(started.sources));
  }
  for (const std::uint32_t index : trace.of<ev::ChildrenReported>()) {
    const auto reported = trace.at<ev::ChildrenReported>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(reported.status))) continue;
    judgement.reached(index);
    if (reported.outputs != 0) {
      judgement.fail(index, "no child that is a video output or an integrated display",
                     std::to_string(reported.outputs));
    }
    if (reported.last != 0 || reported.behind != 0) {
      judgement.fail(index, "the last element of ChildRelations stays zero, as does what follows",
                     "it was written");
    }
  }
}

// What makes a driver one with displays: the functions of VidPNs.
NotApplicable without_displays(const Platform& platform) {
  if (!platform.started) return "the driver did not start";
  return platform.compute_only ? nullptr : "not a device that only computes: no ComputeOnly";
}

// A driver with an output that nobody can plug anything into.
class VirtualMonitor final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    const NTSTATUS status = Interposer::StartDevice(miniport, info, table, sources, children);
    *sources = 1;
    return status;
  }
};

const Rule kRule{
    .id = "MCDM-029",
    .title = "No video present sources and no video outputs exist",
    .rule =
        "StartDevice of a device that only computes says that there is no video present source, "
        "and "
        "QueryChildRelations describes no video output and no integrated display, in no more "
        "elements than there is room for but the last.",
    .sources =
        "mcdm.md # introduction (render-only device without display functionality)\n"
        "nc-dispmprt-dxgkddi_start_device.md # NumberOfVideoPresentSources, NumberOfChildren\n"
        "nc-dispmprt-dxgkddi_query_child_relations.md # ChildRelations\n"
        "ne-dispmprt-_dxgk_child_device_type.md # enumerators",
    .note =
        "Drivers that draw without displays do the same; nothing they report tells them from "
        "others. "
        "A QueryChildRelations that fails is accepted, as there is nothing to describe.",
    .applies = without_displays,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: the adapter starts, and its children are asked for
ops:
- requery
)",
    .control = R"(
about: it starts again
ops:
- cycle: {count: 1}
)",
    .fault = {.about = "there is one video present source",
              .interposer = [] { return std::unique_ptr<Interposer>(new VirtualMonitor); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_029
