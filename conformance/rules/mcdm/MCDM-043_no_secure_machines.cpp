// MCDM-043: a driver that cannot be isolated hears of no secure virtual machine.

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"

namespace wddm {
namespace {

bool names_secure_machine(const ddi_arguments::SetVirtualMachineData& call) {
  DXGK_VIRTUALMACHINEDATAFLAGS flags{};
  flags.Value = call.flags;
  return flags.SecureVirtualMachine != 0;
}

bool asks_for_secure_machine(const ddi_arguments::QueryAdapterInfo& call) {
  DXGK_QUERYADAPTERINFOFLAGS flags{};
  flags.Value = call.flags;
  return flags.SecureVirtualMachine != 0;
}

template <class Arguments, class IsSecure>
bool is_secure(const Trace& trace, std::uint32_t index, IsSecure&& secure) {
  const auto arguments = trace.blob<Arguments>(trace.events()[index]);
  return !arguments.empty() && secure(arguments.front());
}

// A question that is not for a machine is nothing to judge.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::DdiEntered>()) {
    const auto ddi = static_cast<DdiId>(trace.at<ev::DdiEntered>(index).ddi);
    bool secure = false;
    if (ddi == DdiId::SetVirtualMachineData) {
      judgement.reached(index);
      secure = is_secure<ddi_arguments::SetVirtualMachineData>(trace, index, names_secure_machine);
    } else if (ddi == DdiId::QueryAdapterInfo) {
      secure = is_secure<ddi_arguments::QueryAdapterInfo>(trace, index, asks_for_secure_machine);
    }
    if (!secure) continue;
    judgement.fail(index, "no call for a secure virtual machine without IoMmuSecureModeSupported",
                   std::string(ddi_info(ddi).name) + " with SecureVirtualMachine");
  }
}

NotApplicable not_isolated(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (platform.secure_mode) return "the device can be isolated: IoMmuSecureModeSupported";
  if (!platform.started) return "the driver did not start";
  return needs(platform, DdiId::SetVirtualMachineData);
}

const Rule kRule{
    .id = "MCDM-043",
    .title = "Without IOMMU isolation the device stays out of secure virtual machines",
    .binds = Binds::Os,
    .rule =
        "A driver that does not report IoMmuSecureModeSupported is told of no secure virtual "
        "machine: neither SetVirtualMachineData nor QueryAdapterInfo comes with the flag "
        "SecureVirtualMachine.",
    .sources =
        "mcdm-implementation-guidelines.md # MemoryManagementCaps requirements\n"
        "gpu-paravirtualization.md # Secure VMs\n"
        "iommu-based-gpu-isolation.md # Overview, Domain assignment\n"
        "ns-d3dkmddi-_dxgk_queryadapterinfoflags.md # SecureVirtualMachine",
    .note =
        "Of what the page says this is the driver's half: a machine that is not secure is told of "
        "here, and none is started. That a secure one cannot be created, and that isolation comes "
        "before its first work where the driver supports it, is not played.",
    .applies = not_isolated,
    .check = check,
    .played_in = {Configured::ComputeOnly},
    .scenario = R"(
about: the driver is told of a virtual machine
ops:
- requery
)",
    .control = R"(
about: told again, after a start of its own
ops:
- requery
- cycle: {count: 1}
- requery
)",
    .fault = {.about = "the machine that the driver is told of is a secure one",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::SecureMachineUnasked}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
