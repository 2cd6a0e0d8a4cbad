// LIFE-007: drivers and Dxgkrnl give each other handles of devices and contexts.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::life_007 {
namespace {

constexpr std::uint32_t kNoHandle = 0, kAnothers = 2;  // ContextCreated::handle

void judge(std::uint32_t index, const char* what, std::uint32_t handle, std::uint32_t same_as,
           Judgement& judgement) {
  judgement.reached(index);
  if (handle != kNoHandle && handle != kAnothers) return;
  judgement.fail(index, std::string("a handle of its own for each ") + what,
                 handle == kNoHandle
                     ? "NULL"
                     : "that of " + std::string(what) + " " + std::to_string(same_as));
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::DeviceCreated>()) {
    const auto made = trace.at<ev::DeviceCreated>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(made.status))) continue;
    judge(index, "device", made.handle, made.same_as, judgement);
  }
  for (const std::uint32_t index : trace.of<ev::ContextCreated>()) {
    const auto made = trace.at<ev::ContextCreated>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(made.status))) continue;
    judge(index, "context", made.handle, made.same_as, judgement);
  }
  for (const std::uint32_t index : trace.of<ev::ContextAllocationMade>()) {
    const auto made = trace.at<ev::ContextAllocationMade>(index);
    judgement.reached(index);
    if (made.named == 0) continue;
    judgement.fail(index,
                   "what CreateDevice or CreateContext was given, in DxgkCbCreateContextAllocation",
                   made.named == 1 ? "no handle of Dxgkrnl" : "the driver's own handle");
  }
}

NotApplicable creating(const Platform& platform) {
  if (!platform.started) return "the driver did not start";
  return needs(platform, DdiId::CreateDevice);
}

// A driver with one object for all contexts of a device.
class OneForAll final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const bool system = create->Flags.SystemContext;
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (!NT_SUCCESS(status) || system) return status;
    if (first_ == nullptr) {
      first_ = create->hContext;
      return status;
    }
    static_cast<void>(Interposer::DestroyContext(create->hContext));
    create->hContext = first_;
    ++more_;
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    if (context != first_ || more_ == 0) return Interposer::DestroyContext(context);
    --more_;
    return STATUS_SUCCESS;
  }

 private:
  HANDLE first_ = nullptr;
  unsigned more_ = 0;
};

const Rule kRule{
    .id = "LIFE-007",
    .title = "Device and context handles are exchanged in both directions",
    .rule =
        "CreateDevice and CreateContext leave a handle of the driver that is not NULL and no other "
        "device's or context's. What hDevice and hContext held before is what the driver calls "
        "back "
        "with: DxgkCbCreateContextAllocation gets no other.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_createdevice.md # hDevice\n"
        "ns-d3dkmddi-_dxgkargcb_createcontextallocation.md # hDevice, hContext",
    .note =
        "DXGKARG_CREATECONTEXT.hContext is described as output only; what the callback wants can "
        "reach the driver in no other way. A driver that leaves Dxgkrnl's handle where it was has "
        "one of its own too. That a call ends what its handle names, and no other, shows by what "
        "is used afterwards.",
    .applies = creating,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::ContextAllocations},
    .scenario = R"(
about: two devices, three contexts; of three of a kind the second goes, and the others are used
ops:
- create_device: {device: 1}
- create_context: {context: 0}
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_allocation: {allocation: 2}
- destroy_context: {context: 1}
- destroy_allocation: {allocation: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 2}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0}
- idle
- create_device: {device: 2}
- create_context: {context: 3, device: 2}
- destroy_device: {device: 1}
- create_context: {context: 1}
- render: {context: 1}
- spin: {units: 5}
- render: {context: 3}
- spin: {units: 5}
- idle
)",
    .control = R"(
about: one context after the other
ops:
- create_context: {context: 0}
- destroy_context: {context: 0}
- create_context: {context: 1}
)",
    .fault = {.about = "all contexts have the handle of the first",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneForAll); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_007
