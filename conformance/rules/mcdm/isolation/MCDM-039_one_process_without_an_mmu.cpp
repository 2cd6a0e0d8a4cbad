// MCDM-039: a device without an MMU serves one process at a time.

#include "conformance/rules/mcdm/compute_only.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/op.h"

namespace wddm::mcdm_039 {
namespace {

std::string of_process(std::uint32_t process) {
  return "process " + std::to_string(process);
}

class Users {
 public:
  explicit Users(Judgement& judgement) : judgement_(judgement) {}

  void made(std::uint32_t index, const ev::DeviceCreated& device) {
    tried_ = true;
    if (device.process == kSystemProcessNumber) return;
    judgement_.reached(index);
    for (const auto& [number, other] : devices_) {
      if (other.process == device.process) continue;
      judgement_.fail(
          index,
          "no call for another process while " + of_process(other.process) + " uses the device",
          "CreateDevice for " + of_process(device.process), {other.event});
      break;
    }
    if (NT_SUCCESS(static_cast<NTSTATUS>(device.status)))
      devices_[device.device] = {device.process, index};
  }
  void ends(std::uint32_t device) { devices_.erase(device); }
  // An attempt that no call was made for: somebody must be using the device.
  void refused(std::uint32_t index) {
    if (tried_) return;
    judgement_.reached(index);
    if (!devices_.empty()) return;
    judgement_.fail(index, "CreateDevice for the next process once nobody uses the device",
                    "the attempt fails");
  }
  void begin_op() { tried_ = false; }
  void begin_adapter() { devices_.clear(); }

 private:
  struct Device {
    std::uint32_t process = kNone;
    std::uint32_t event = kNone;  // DeviceCreated
  };
  Judgement& judgement_;
  ScratchMap<std::uint32_t, Device> devices_;
  bool tried_ = false;  // this op has called the driver
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Users users(judgement);
  bool running = false;
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::OpSkipped, ev::DeviceCreated, ev::DdiEntered, ev::Running,
                    ev::AdapterReset, ev::Stuck, StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      users.begin_op();
    } else if (event.kind == EventKind::DeviceCreated) {
      users.made(index, Trace::as<ev::DeviceCreated>(event));
    } else if (event.kind == EventKind::DdiEntered) {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (entered.ddi == static_cast<std::uint32_t>(DdiId::DestroyDevice)) {
        users.ends(entered.object);
      }
    } else if (event.kind == EventKind::OpSkipped) {
      const auto skipped = Trace::as<ev::OpSkipped>(event);
      if (running && skipped.kind == static_cast<std::uint32_t>(OpKind::CreateDevice)) {
        users.refused(index);
      }
    } else {
      running = event.kind == EventKind::Running;
      if (event.kind == EventKind::Running) users.begin_adapter();
    }
  }
}

NotApplicable without_mmu(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  if (platform.has_virtual_addresses()) return "an MMU keeps processes apart";
  return needs(platform, DdiId::CreateDevice);
}

const Rule kRule{
    .id = "MCDM-039",
    .title = "A device without MMU is used by one process at a time",
    .binds = Binds::Os,
    .rule =
        "While a process has devices of an adapter that only computes and has neither a GPU MMU "
        "nor an IOMMU, no other process gets one, and the driver is not called for it; when the "
        "last of them is gone, the next process may.",
    .sources =
        "mcdm.md # introduction (prototype exception)\n"
        "mcdm-architecture.md # Address Space (Single Use)",
    .note =
        "One page calls single use what has one address space only, the other recognises it by "
        "that there is no MMU of either kind, which alone capabilities show. The system process "
        "is no user of the device. With what status an attempt fails is not said.",
    .applies = without_mmu,
    .check = check,
    .played_in = {Configured::ComputePhysical},
    .scenario = R"(
about: a second process tries while the first has a device, and again when that is gone
ops:
- create_context: {context: 0}
- create_device: {device: 1, process: 1}
- create_device: {device: 2}
- destroy_device: {device: 0}
- create_device: {device: 1, process: 1}
- destroy_device: {device: 2}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
)",
    .control = R"(
about: one process has two devices
ops:
- create_device: {device: 1}
- destroy_device: {device: 1}
)",
    .fault = {.about = "every process gets a device",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::ShareWithoutMmu}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_039
