// MCDM-043: a driver hears of a secure virtual machine once it is isolated, and else never.

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"

namespace wddm::mcdm_043 {
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

// Whether a DDI is called for a secure machine.
bool is_for_secure_machine(const Trace& trace, std::uint32_t index, DdiId ddi) {
  if (ddi == DdiId::SetVirtualMachineData) {
    return is_secure<ddi_arguments::SetVirtualMachineData>(trace, index, names_secure_machine);
  }
  return ddi == DdiId::QueryAdapterInfo &&
         is_secure<ddi_arguments::QueryAdapterInfo>(trace, index, asks_for_secure_machine);
}

class Machines {
 public:
  Machines(bool can_be_isolated, Judgement& judgement)
      : can_be_isolated_(can_be_isolated), judgement_(judgement) {}

  /// What a start leaves of earlier domains nobody knows.
  void starts() { begun_ = isolated_ = kNone; }
  void on(std::uint32_t index, const ev::ExclusiveAccess& access) {
    const bool granted = NT_SUCCESS(static_cast<NTSTATUS>(access.status));
    if (access.stage == 0) {
      begun_ = granted ? index : kNone;
    } else if (granted && begun_ != kNone) {
      isolated_ = index;
    }
  }
  void call(std::uint32_t index, DdiId ddi, bool secure) {
    // A question that is not for a machine is nothing to judge.
    if (!secure && (can_be_isolated_ || ddi != DdiId::SetVirtualMachineData)) return;
    judgement_.reached(index);
    if (!secure) return;
    const std::string name = std::string(ddi_info(ddi).name) + " with SecureVirtualMachine";
    if (!can_be_isolated_) {
      judgement_.fail(
          index, "no call for a secure virtual machine without IoMmuSecureModeSupported", name);
    } else if (isolated_ == kNone) {
      judgement_.fail(index,
                      "BeginExclusiveAccess and EndExclusiveAccess succeed before a secure virtual "
                      "machine begins",
                      name + " and no such pair since the start");
    }
  }
  void on(std::uint32_t index, const ev::SecureMachineWanted& wanted) {
    if (can_be_isolated_) return;
    judgement_.reached(index);
    if (wanted.refused != 0) return;
    judgement_.fail(index, "a secure virtual machine is refused without IoMmuSecureModeSupported",
                    "it has the device");
  }

 private:
  const bool can_be_isolated_;
  Judgement& judgement_;
  std::uint32_t begun_ = kNone, isolated_ = kNone;  // ExclusiveAccess
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Machines machines(platform.secure_mode, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::Running, ev::ExclusiveAccess, ev::DdiEntered, ev::SecureMachineWanted>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Running) {
      machines.starts();
    } else if (event.kind == EventKind::ExclusiveAccess) {
      machines.on(index, Trace::as<ev::ExclusiveAccess>(event));
    } else if (event.kind == EventKind::SecureMachineWanted) {
      machines.on(index, Trace::as<ev::SecureMachineWanted>(event));
    } else {
      const auto ddi = static_cast<DdiId>(Trace::as<ev::DdiEntered>(event).ddi);
      machines.call(index, ddi, is_for_secure_machine(trace, index, ddi));
    }
  }
}

// What a driver that can be isolated must have so that a machine can be begun.
NotApplicable told_of_machines(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!platform.started) return "the driver did not start";
  if (const NotApplicable reason = needs(platform, DdiId::SetVirtualMachineData)) return reason;
  if (!platform.secure_mode) return nullptr;
  if (const NotApplicable reason = virtual_addresses(platform)) return reason;
  for (const DdiId ddi :
       {DdiId::BeginExclusiveAccess, DdiId::EndExclusiveAccess, DdiId::CreateProcess}) {
    if (const NotApplicable reason = needs(platform, ddi)) return reason;
  }
  return nullptr;
}

const Rule kRule{
    .id = "MCDM-043",
    .title = "Without IOMMU isolation the device stays out of secure virtual machines",
    .binds = Binds::Os,
    .rule =
        "A secure virtual machine does not get a device whose driver does not report "
        "IoMmuSecureModeSupported: neither SetVirtualMachineData nor QueryAdapterInfo comes with "
        "the flag SecureVirtualMachine. With it BeginExclusiveAccess and EndExclusiveAccess "
        "succeed, since the adapter started, before the first such call.",
    .sources =
        "mcdm-implementation-guidelines.md # MemoryManagementCaps requirements\n"
        "gpu-paravirtualization.md # Secure VMs\n"
        "iommu-based-gpu-isolation.md # Overview, Domain assignment\n"
        "ns-d3dkmddi-_dxgkarg_setvirtualmachinedata.md # hKmdVmWorkerProcess\n"
        "ns-d3dkmddi-_dxgk_queryadapterinfoflags.md # SecureVirtualMachine",
    .note =
        "Isolation may come at any time between the start and the machine. A machine has a worker "
        "process here and ends at once: that it submits nothing, and that nothing is asked in its "
        "name, is left out. A driver without ParavirtualizationSupported serves no machine, secure "
        "or not. The machine that wddmcheck plays has an IOMMU, so that no driver is "
        "turned away for IoMmuSecureModeRequired.",
    .applies = told_of_machines,
    .check = check,
    .played_in = {Configured::ComputeOnly, Configured::Managed},
    .scenario = R"(
about: a secure virtual machine wants the device
ops:
- requery
- secure_machine
)",
    .control = R"(
about: once more after a start of its own, and then what any process does
ops:
- secure_machine
- cycle: {count: 1}
- requery
- secure_machine
- create_context: {context: 0}
- create_allocation: {allocation: 0, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "a secure machine gets the device, whether it can be isolated or not",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::SecureMachineUnasked}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_043
