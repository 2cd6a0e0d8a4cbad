// LIFE-002: callbacks use the saved interface and the Dxgkrnl DeviceHandle.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::life_002 {
namespace {

const char* what_it_was(std::uint32_t handle) {
  switch (handle) {
    case 2:
      return "the MiniportDeviceContext that AddDevice returned";
    case 3:
      return "the DeviceHandle of an earlier start";
    default:
      return "a handle that Dxgkrnl never gave";
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CallbackCalled>()) {
    const auto called = trace.at<ev::CallbackCalled>(index);
    judgement.reached(index);
    if (called.handle == 0) continue;
    judgement.fail(
        index, std::string("the DeviceHandle of this start in ") + callback_name(called.callback),
        what_it_was(called.handle));
  }
}

// A driver that keeps the handle of its first start.
class KeepsFirstHandle final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                       PULONG sources, PULONG children) override {
    if (first_ == nullptr) first_ = callbacks->DeviceHandle;
    return Interposer::StartDevice(context, info, callbacks, sources, children);
  }
  void NotifyInterrupt(HANDLE, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    Interposer::NotifyInterrupt(first_, data);
  }

 private:
  HANDLE first_ = nullptr;
};

const Rule kRule{
    .id = "LIFE-002",
    .title = "Callbacks use the saved interface and the Dxgkrnl DeviceHandle",
    .rule =
        "Each DxgkCb call with an adapter parameter passes the DeviceHandle of the "
        "DXGKRNL_INTERFACE of this start, never the MiniportDeviceContext of "
        "AddDevice and never the handle of an earlier start. The driver saves handle and functions "
        "while StartDevice runs.",
    .sources =
        "nc-dispmprt-dxgkddi_start_device.md # Remarks\n"
        "ns-dispmprt-_dxgkrnl_interface.md # DeviceHandle\n"
        "nc-d3dkmddi-dxgkcb_notify_interrupt.md # hAdapter",
    .note =
        "When StartDevice has returned, another handle stands in the structure that it was given: "
        "a driver that has kept its address calls with that one.",
    .applies = always,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a completion, a stop and a start, and a completion with the new handle
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
- cycle: {count: 1}
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
)",
    .control = R"(
about: one start
ops:
- start
)",
    .fault = {.about = "notifications carry the handle of the first start",
              .interposer = [] { return std::unique_ptr<Interposer>(new KeepsFirstHandle); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_002
