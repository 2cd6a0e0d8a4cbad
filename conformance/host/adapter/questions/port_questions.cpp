#include "conformance/host/adapter/questions/port_questions.h"

#include "conformance/host/adapter/questions/info_question.h"

namespace wddm::host {
namespace {

// No child has it where StartDevice says that there is none.
constexpr ULONG kNoChild = 7;

void tell_port(DdiId ddi, NTSTATUS status, std::uint8_t irql, std::uint32_t changed = 0,
               std::uint32_t behind = 0) {
  session().tap(ev::PortCalled{.ddi = static_cast<std::uint32_t>(ddi),
                               .status = static_cast<std::uint32_t>(status),
                               .irql = irql,
                               .changed = changed,
                               .behind = behind});
}

void ask_child(const Adapter& adapter) {
  const nt::AssertionsAside aside;  // Dxgkrnl asks of children that there are
  if (may_call(DdiId::QueryChildStatus)) {
    const Output output(sizeof(DXGK_CHILD_STATUS), 0);
    auto* const child = reinterpret_cast<DXGK_CHILD_STATUS*>(output.data());
    child->Type = StatusConnection;
    child->ChildUid = kNoChild;
    const DXGK_CHILD_STATUS asked = *child;
    const NTSTATUS status = call_ddi<DdiId::QueryChildStatus>(kNone, adapter.miniport(), child,
                                                              static_cast<BOOLEAN>(TRUE));
    const bool same = std::memcmp(child, &asked, sizeof(asked)) == 0;
    tell_port(DdiId::QueryChildStatus, status, nt::kPassive, !same, output.behind());
  }
  if (may_call(DdiId::QueryDeviceDescriptor)) {
    constexpr std::size_t kBlock = 128;  // of an EDID
    const Output block(kBlock, kOtherBytes);
    DXGK_DEVICE_DESCRIPTOR descriptor{};
    descriptor.DescriptorLength = kBlock;
    descriptor.DescriptorBuffer = block.data();
    const NTSTATUS status =
        call_ddi<DdiId::QueryDeviceDescriptor>(kNone, adapter.miniport(), kNoChild, &descriptor);
    tell_port(DdiId::QueryDeviceDescriptor, status, nt::kPassive, block.changed(), block.behind());
  }
}

void set_stable_power(const Adapter& adapter) {
  if (!may_call(DdiId::SetStablePowerState)) return;
  for (const BOOL enabled : {TRUE, FALSE}) {
    const DXGKARG_SETSTABLEPOWERSTATE state{.Enabled = enabled};
    call_ddi<DdiId::SetStablePowerState>(kNone, adapter.miniport(), &state);
    tell_port(DdiId::SetStablePowerState, STATUS_SUCCESS, nt::kPassive);
  }
}

// There is no virtual machine: no process of one, and no flags. Who serves none hears of none.
void set_virtual_machine(const Adapter& adapter) {
  if (!may_call(DdiId::SetVirtualMachineData)) return;
  if (adapter.caps().MemoryManagementCaps.ParavirtualizationSupported == 0) return;
  GUID machine{};
  DXGKARG_SETVIRTUALMACHINEDATA data{};
  data.pVmGuid = &machine;
  const NTSTATUS status = call_ddi<DdiId::SetVirtualMachineData>(kNone, adapter.miniport(), &data);
  tell_port(DdiId::SetVirtualMachineData, status, nt::kPassive);
}

void tell_control(std::uint32_t type, std::uint32_t form, std::uint32_t state, NTSTATUS status) {
  session().tap(ev::InterruptControlled{
      .type = type, .form = form, .state = state, .status = static_cast<std::uint32_t>(status)});
}

// Kinds that no driver lets switch, and Dxgkrnl never names: on either side of retrace.
constexpr DXGK_INTERRUPT_TYPE kNeverSwitched[] = {
    DXGK_INTERRUPT_DMA_COMPLETED, DXGK_INTERRUPT_DMA_PREEMPTED, DXGK_INTERRUPT_DMA_FAULTED};

void control_interrupt2(const Adapter& adapter, DXGK_INTERRUPT_TYPE type) {
  for (const DXGK_INTERRUPT_STATE state : {DXGK_INTERRUPT_ENABLE, DXGK_INTERRUPT_DISABLE}) {
    DXGKARG_CONTROLINTERRUPT2 control{};
    control.InterruptType = type;
    control.InterruptState = state;
    tell_control(type, 2, state,
                 call_ddi<DdiId::ControlInterrupt2>(kNone, adapter.miniport(), control));
  }
}

// Where there is a newer form it is the one that is called.
void control_interrupt(const Adapter& adapter) {
  const nt::AssertionsAside aside;
  for (const DXGK_INTERRUPT_TYPE type : kNeverSwitched) {
    if (may_call(DdiId::ControlInterrupt2)) {
      control_interrupt2(adapter, type);
    } else if (may_call(DdiId::ControlInterrupt)) {
      for (const bool enable : {true, false}) {
        tell_control(type, 1, enable,
                     call_ddi<DdiId::ControlInterrupt>(kNone, adapter.miniport(), type,
                                                       static_cast<BOOLEAN>(enable)));
      }
    }
  }
}

void control_retrace(const Adapter& adapter, bool enable) {
  constexpr DXGK_INTERRUPT_TYPE kRetrace = DXGK_INTERRUPT_CRTC_VSYNC;
  if (may_call(DdiId::ControlInterrupt2)) {
    DXGKARG_CONTROLINTERRUPT2 control{};
    control.InterruptType = kRetrace;
    control.CrtcVsyncState = enable ? DXGK_VSYNC_ENABLE : DXGK_VSYNC_DISABLE_NO_PHASE;
    const auto state = static_cast<std::uint32_t>(control.CrtcVsyncState);
    tell_control(kRetrace, 2, state,
                 call_ddi<DdiId::ControlInterrupt2>(kNone, adapter.miniport(), control));
  } else if (may_call(DdiId::ControlInterrupt)) {
    tell_control(kRetrace, 1, enable,
                 call_ddi<DdiId::ControlInterrupt>(kNone, adapter.miniport(), kRetrace,
                                                   static_cast<BOOLEAN>(enable)));
  }
}

// From here on a driver with displays reports every retrace. Dxgkrnl stops them while nothing moves
// on the screen, and wants them again: what engines have to tell goes on meanwhile and after.
void enable_retrace(const Adapter& adapter) {
  control_retrace(adapter, false);
  control_retrace(adapter, true);
}

void reset_device_at(const Adapter& adapter, std::uint8_t irql) {
  call_ddi_at<DdiId::ResetDevice>(static_cast<Irql>(irql), kNone, adapter.miniport());
  tell_port(DdiId::ResetDevice, STATUS_SUCCESS, irql);
}

}  // namespace

void ask_port(const Adapter& adapter) {
  if (adapter.children() == 0) ask_child(adapter);
  set_stable_power(adapter);
  set_virtual_machine(adapter);
  control_interrupt(adapter);
  if (adapter.sources() != 0) enable_retrace(adapter);
}

void call_reset_device(const Adapter& adapter) {
  for (const std::uint8_t irql : {nt::kPassive, nt::kDispatch, nt::kHigh}) {
    reset_device_at(adapter, irql);
  }
}

}  // namespace wddm::host
