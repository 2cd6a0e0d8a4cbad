// MCDM-041: between BeginExclusiveAccess and EndExclusiveAccess the device leaves memory alone.

#include "conformance/rules/life/every_kind_of_work.h"
#include "conformance/rules/mcdm/compute_only.h"
#include "conformance/rules/mcdm/undisturbed.h"
#include "conformance/rules/mcdm/work_behind.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::mcdm_041 {
namespace {

class Access {
 public:
  Access(bool undisturbed, Judgement& judgement)
      : undisturbed_(undisturbed), judgement_(judgement), work_(judgement) {}

  void on(std::uint32_t index, const ev::ExclusiveAccess& access) {
    judgement_.reached(index);
    const char* const name = access.stage == 0 ? "BeginExclusiveAccess" : "EndExclusiveAccess";
    if (access.status != 0 && undisturbed_) {
      judgement_.fail(index, std::string("STATUS_SUCCESS of ") + name, status_name(access.status));
    }
    if (access.stage == 0) {
      begun_ = index;
      return;
    }
    if (access.reads + access.writes != 0) {
      judgement_.fail(
          index, "no access of the device to system memory in between",
          std::to_string(access.reads) + " reads and " + std::to_string(access.writes) + " writes",
          {begun_});
    }
    work_.changed(index);
    work_.forget_given();
  }
  void on(const ev::Submitted& packet) {
    if (work_.change() != kNone) work_.given(packet);
  }
  void on(std::uint32_t index, const ev::Stuck& stuck) { work_.stuck(index, stuck); }
  void on(std::uint32_t index, const ev::PacketEnded& packet) {
    if (!work_.ended(index, packet, "packets complete after EndExclusiveAccess as before")) {
      begun_ = kNone;
    }
  }
  /// A reset or a start brings the device up in other ways.
  void begin_anew() {
    begun_ = kNone;
    work_.begin_anew();
  }

 private:
  const bool undisturbed_;
  Judgement& judgement_;
  std::uint32_t begun_ = kNone;  // ExclusiveAccess
  compute::WorkBehind work_;     // behind EndExclusiveAccess
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Access access(undisturbed(trace), judgement);
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::ExclusiveAccess, ev::PacketEnded, ev::Stuck, ev::AdapterReset,
                    StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::ExclusiveAccess) {
      access.on(index, Trace::as<ev::ExclusiveAccess>(event));
    } else if (event.kind == EventKind::Submitted) {
      access.on(trace.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::PacketEnded) {
      access.on(index, Trace::as<ev::PacketEnded>(event));
    } else if (event.kind == EventKind::Stuck) {
      access.on(index, Trace::as<ev::Stuck>(event));
    } else {
      access.begin_anew();
    }
  });
}

// A driver that refuses as long as it has contexts, which may always run.
class RefusesAccess final : public Interposer {
 public:
  NTSTATUS BeginExclusiveAccess(HANDLE, DXGKARG_BEGINEXCLUSIVEACCESS*) override {
    return STATUS_DEVICE_BUSY;
  }
};

NotApplicable isolated(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  if (!platform.secure_mode) return "no IoMmuSecureModeSupported";
  if (const NotApplicable reason = needs(platform, DdiId::BeginExclusiveAccess)) return reason;
  return needs(platform, DdiId::EndExclusiveAccess);
}

const Rule kRule{
    .id = "MCDM-041",
    .title = "The device is silent during exclusive access",
    .rule =
        "BeginExclusiveAccess and EndExclusiveAccess succeed. Between the return of the first and "
        "the call of the second the device neither reads nor writes system memory; after it "
        "packets run and are reported as before.",
    .sources =
        "mcdm-implementation-guidelines.md # IoMmu isolation support\n"
        "nc-d3dkmddi-dxgkddi_beginexclusiveaccess.md # Remarks\n"
        "nc-d3dkmddi-dxgkddi_endexclusiveaccess.md\n"
        "iommu-based-gpu-isolation.md # Exclusive access",
    .note =
        "Of all devices that can be isolated, and not only of those that compute alone. Nothing is "
        "called in between and all work has ended before, as Dxgkrnl guarantees. Interrupts may be "
        "kept back.",
    .applies = isolated,
    .check = check,
    .played_in = {Configured::Managed},
    .scenario = R"(
about: a second of exclusive access between packets of two nodes, and all kinds of work behind it
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 0, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 1}
- spin: {units: 5}
- idle
- exclusive_access
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x7}
- render: {context: 1}
- spin: {units: 5}
- idle
)" WDDM_DOES_EVERY_KIND_OF_WORK,
    .control = R"(
about: exclusive access before anything has been done
ops:
- exclusive_access: {milliseconds: 20}
)",
    .fault = {.about = "BeginExclusiveAccess is refused",
              .interposer = [] { return std::unique_ptr<Interposer>(new RefusesAccess); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_041
