// MCDM-036: SetPowerState never fails, and with D0 the device works again.

#include "conformance/host/interposer.h"
#include "conformance/rules/ended_by_reset.h"
#include "conformance/rules/life/every_kind_of_work.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "reference/trace/names.h"

namespace wddm::mcdm_036 {
namespace {

constexpr std::uint32_t kWorkWasStuck = 2;  // AdapterReset::cause

class Power {
 public:
  explicit Power(Judgement& judgement) : judgement_(judgement) {}

  void on(std::uint32_t index, const ev::PowerChanged& changed) {
    forgetful_ |= changed.forgetful != 0;
    if (forgetful_) judgement_.reached(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(changed.status))) {
      judgement_.fail(index, "a status of SetPowerState that NT_SUCCESS takes",
                      status_name(changed.status));
    }
    gone_ |= changed.state != PowerDeviceD0;
    back_ = gone_ && changed.state == PowerDeviceD0 ? index : kNone;
    given_.clear();
  }
  void on(const ev::Submitted& packet) {
    if (back_ != kNone) given_.insert(packet.packet);
  }
  void on(std::uint32_t index, const ev::Stuck& stuck) {
    stuck_ = stuck.excused == 0 ? index : kNone;
  }
  void on(std::uint32_t index, const ev::PacketEnded& packet) {
    if (!given_.contains(packet.packet)) return;
    if (forgetful_) judgement_.reached(index);
    if (stuck_ == kNone || !ended_by_reset(packet)) return;
    judgement_.fail(stuck_, "packets that are submitted when power is back complete",
                    "packet " + std::to_string(packet.packet) + " on node " +
                        std::to_string(packet.node) + " does not",
                    {back_});
    begin_anew();
  }
  /// The reset of work that is stuck comes before what is lost by it.
  void on(const ev::AdapterReset& reset) {
    if (reset.cause != kWorkWasStuck) begin_anew();
  }
  /// A reset or a start brings the device up in other ways.
  void begin_anew() {
    gone_ = forgetful_ = false;
    back_ = stuck_ = kNone;
    given_.clear();
  }

 private:
  Judgement& judgement_;
  bool gone_ = false;
  bool forgetful_ = false;           // the device keeps no registers without power
  std::uint32_t back_ = kNone;       // PowerChanged, after it was gone
  std::uint32_t stuck_ = kNone;      // Stuck
  ScratchSet<std::uint32_t> given_;  // packets since
};

// That their results are right is judged by the clauses of what they do.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Power power(judgement);
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::PowerChanged, ev::PacketEnded, ev::Stuck, ev::AdapterReset, StopReturned>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::PowerChanged) {
          power.on(index, Trace::as<ev::PowerChanged>(event));
        } else if (event.kind == EventKind::Submitted) {
          power.on(trace.at<ev::Submitted>(index));
        } else if (event.kind == EventKind::Stuck) {
          power.on(index, Trace::as<ev::Stuck>(event));
        } else if (event.kind == EventKind::AdapterReset) {
          power.on(Trace::as<ev::AdapterReset>(event));
        } else if (event.kind == EventKind::PacketEnded) {
          power.on(index, Trace::as<ev::PacketEnded>(event));
        } else {
          power.begin_anew();
        }
      });
}

// A driver that takes hibernation for something that it may refuse.
class RefusesToSleep final : public Interposer {
 public:
  NTSTATUS SetPowerState(PVOID context, ULONG device, DEVICE_POWER_STATE state,
                         POWER_ACTION action) override {
    static_cast<void>(Interposer::SetPowerState(context, device, state, action));
    return state == PowerDeviceD0 ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
  }
};

NotApplicable with_power(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  return needs(platform, DdiId::SetPowerState);
}

const Rule kRule{
    .id = "MCDM-036",
    .title = "SetPowerState never fails, and D0 brings the device back",
    .rule =
        "SetPowerState returns what NT_SUCCESS takes in every state. After D1, D2 or D3, for sleep "
        "or hibernation, and D0 packets on every node run again, and are reported: with D0 "
        "ActionType says nothing.",
    .sources =
        "nc-dispmprt-dxgkddi_set_power_state.md # return value, Remarks\n"
        "mcdm-implementation-guidelines.md # Minimum required support",
    .note =
        "The page is of all drivers; the adapter's own power is judged, not that of children. What "
        "memory held is lost meanwhile: PROC-004. Where the device keeps its registers in D3 (it "
        "has no power() in device.h), that all works in D0 says nothing: what is wrong is told, "
        "and the clause is not reached. What D1 and D2 take from a device is its own matter: the "
        "host leaves it all it has. After PowerActionShutdown nothing is called.",
    .unreached =
        "SetPowerState did not fail, and what works in D0 says nothing where the device keeps its "
        "registers in D3: it has no power()",
    .applies = with_power,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::ComputeOnly, Configured::Linked},
    .scenario = R"(
about: power goes and comes back twice, with packets on two nodes and paging in between, and once more for each node, and for each other state and reason; all kinds of work come behind sleep and hibernation
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 0, place: local}
- render: {context: 0}
- spin: {units: 5}
- idle
- power_cycle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 1}
- spin: {units: 5}
- make_resident: {allocation: 0}
- idle
- power_cycle
- render: {context: 0}
- spin: {units: 5}
- idle
- power_cycle
- each_node
- power_cycle: {above: 1}
- each_node
- power_cycle: {hibernate: true}
- each_node: {preempt: true, units: 100}
- power_cycle: {above: 2}
- each_node
# A context is the last that its engine was in, and counts on what it has set before (CTX-015).
- create_allocation: {allocation: 1}
- render: {context: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x11111111}
- fill: {slot: 1, offset: 64, size: 64, value: 0x22222222}
- idle
- power_cycle
- keep_state
- render: {context: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 128, size: 64, value: 0x11111111}
- fill: {slot: 1, offset: 192, size: 64, value: 0x22222222}
- idle
- keep_state: {on: false}
# Each was reset before, and has had nothing since.
- each_node: {time_out: true, units: 400}
- power_cycle
- each_node
# Of a link the other GPU as well.
- physical_adapter: {index: 1}
- power_cycle
- each_node
- power_cycle: {above: 2}
- each_node
- physical_adapter: {index: 0}
- power_cycle
)" WDDM_DOES_EVERY_KIND_OF_WORK R"(
- physical_adapter: {index: 1}
- power_cycle: {hibernate: true}
)" WDDM_DOES_EVERY_KIND_OF_WORK,
    .control = R"(
about: power goes before anything has been done; then, for sleep and hibernation, while no pool allocation succeeds
ops:
- start
- power_cycle
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
- fail_pool: {kth: 1, every: true}
- power_cycle
- render: {context: 0}
- spin: {units: 5}
- idle
- fail_pool: {kth: 1, every: true}
- power_cycle: {hibernate: true}
- each_node
)",
    .fault = {.about = "SetPowerState fails for D3",
              .interposer = [] { return std::unique_ptr<Interposer>(new RefusesToSleep); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_036
