// INTR-012: of all interrupts only vertical retrace can be switched.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "reference/trace/names.h"

namespace wddm::intr_012 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::InterruptControlled>()) {
    const auto controlled = trace.at<ev::InterruptControlled>(index);
    if (controlled.type == DXGK_INTERRUPT_CRTC_VSYNC) continue;
    judgement.reached(index);
    if (static_cast<NTSTATUS>(controlled.status) == STATUS_NOT_IMPLEMENTED) continue;
    judgement.fail(index,
                   std::string("STATUS_NOT_IMPLEMENTED of ControlInterrupt") +
                       (controlled.form == 2 ? "2" : "") + " for " +
                       interrupt_name(controlled.type),
                   status_name(controlled.status));
  }
}

// A driver that does not look at the type.
class SwitchesAnything final : public Interposer {
 public:
  NTSTATUS ControlInterrupt(HANDLE, DXGK_INTERRUPT_TYPE, BOOLEAN) override {
    return STATUS_SUCCESS;
  }
};

NotApplicable controlling(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  const bool either =
      platform.has(DdiId::ControlInterrupt) || platform.has(DdiId::ControlInterrupt2);
  return either ? nullptr : "the driver has no DxgkDdiControlInterrupt";
}

const Rule kRule{
    .id = "INTR-012",
    .title = "ControlInterrupt governs vertical retrace only",
    .rule =
        "ControlInterrupt and ControlInterrupt2 return STATUS_NOT_IMPLEMENTED for every type but "
        "DXGK_INTERRUPT_CRTC_VSYNC, whether it is to be enabled or disabled.",
    .sources =
        "nc-d3dkmddi-dxgkddi_controlinterrupt.md # return values, Remarks\n"
        "nc-d3dkmddi-dxgkddi_controlinterrupt2.md # return values",
    .note =
        "That every retrace is reported while it is enabled is no part of this judgement: displays "
        "are not played.",
    .applies = controlling,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: reports of packets are enabled and disabled; packets run after it
ops:
- requery
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
)",
    .control = R"(
about: enabled and disabled twice
ops:
- requery
- requery
)",
    .fault = {.about = "any type is switched",
              .interposer = [] { return std::unique_ptr<Interposer>(new SwitchesAnything); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_012
