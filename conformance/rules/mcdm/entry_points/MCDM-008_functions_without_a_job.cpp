// MCDM-008: functions that a device which only computes has no use for do no harm.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_008 {
namespace {

bool asks_of_a_child(std::uint32_t ddi) {
  return ddi == static_cast<std::uint32_t>(DdiId::QueryChildStatus) ||
         ddi == static_cast<std::uint32_t>(DdiId::QueryDeviceDescriptor);
}

class Calls {
 public:
  explicit Calls(Judgement& judgement) : judgement_(judgement) {}

  void on(std::uint32_t index, const ev::PortCalled& called) {
    judgement_.reached(index);
    const char* const name = ddi_name(called.ddi);
    if (called.behind != 0) {
      judgement_.fail(index, std::string(name) + " writes nothing behind its output",
                      std::to_string(called.behind) + " bytes");
    }
    if (!asks_of_a_child(called.ddi)) return;
    if (NT_SUCCESS(static_cast<NTSTATUS>(called.status))) {
      judgement_.fail(index, std::string("a failure of ") + name + ": there is no child",
                      status_name(called.status));
    } else if (called.changed != 0) {
      judgement_.fail(index, std::string(name) + " leaves its output as it is: there is no child",
                      "it is written");
    }
  }
  void on(std::uint32_t index, const ev::ChildrenReported& reported) {
    if (reported.children != 0) return;
    judgement_.reached(index);
    if (reported.last == 0) return;
    judgement_.fail(index, "QueryChildRelations leaves the one element zero: there is no child",
                    std::to_string(reported.last) + " bytes that are not");
  }

 private:
  Judgement& judgement_;
};

// Debug breaks, assertions, bug checks and services above their IRQL are verdicts of their own.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Calls calls(judgement);
  for (const std::uint32_t index : trace.of_any<ev::PortCalled, ev::ChildrenReported>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PortCalled) {
      calls.on(index, Trace::as<ev::PortCalled>(event));
    } else {
      calls.on(index, Trace::as<ev::ChildrenReported>(event));
    }
  }
}

// A driver that has taken its functions from one with outputs.
class KnowsEveryChild final : public Interposer {
 public:
  NTSTATUS QueryChildStatus(PVOID, PDXGK_CHILD_STATUS child, BOOLEAN) override {
    child->HotPlug.Connected = TRUE;
    return STATUS_SUCCESS;
  }
};

NotApplicable without_children(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  return platform.started ? nullptr : "the adapter does not start";
}

const Rule kRule{
    .id = "MCDM-008",
    .title = "Required functions without a job on the device are harmless",
    .rule =
        "On a device that only computes ResetDevice at any IRQL, SetStablePowerState, "
        "SetVirtualMachineData and the questions about children return without break, assertion or "
        "bug check. QueryChildRelations leaves its one element zero; QueryChildStatus and "
        "QueryDeviceDescriptor fail and write nothing.",
    .sources =
        "mcdm-implementation-guidelines.md # Minimum required support\n"
        "nc-dispmprt-dxgkddi_reset_device.md # Remarks\n"
        "nc-dispmprt-dxgkddi_query_child_relations.md # ChildRelations\n"
        "nc-dispmprt-dxgkddi_query_device_descriptor.md # return values, Remarks",
    .note =
        "That they are harmless is derived from that they must be there. SetVirtualMachineData is "
        "for drivers that serve virtual machines (ParavirtualizationSupported). What the GPU can "
        "do after "
        "ResetDevice no page says: the adapter is stopped after it. Pages that a driver's code "
        "lies "
        "in are always present here, so that pageable code is found by PAGED_CODE alone.",
    .applies = without_children,
    .check = check,
    .played_in = {Configured::ComputeOnly, Configured::Managed},
    .scenario = R"(
about: each function, then packets, and a reset at three levels before the adapter starts again
ops:
- create_context: {context: 0}
- requery
- render: {context: 0}
- spin: {units: 5}
- idle
- reset_device
- start
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
)",
    .control = R"(
about: a reset before anything has been done
ops:
- reset_device
)",
    .fault = {.about = "QueryChildStatus says of any child that it is connected",
              .interposer = [] { return std::unique_ptr<Interposer>(new KnowsEveryChild); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_008
