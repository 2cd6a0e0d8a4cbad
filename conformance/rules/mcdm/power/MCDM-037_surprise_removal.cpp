// MCDM-037: a driver whose device was pulled out leaves the hardware alone.

#include "conformance/host/interposer.h"
#include "conformance/rules/life/every_kind_of_work.h"
#include "conformance/rules/mcdm/undisturbed.h"
#include "reference/trace/names.h"

namespace wddm::mcdm_037 {
namespace {

const char* removal(std::uint32_t type) {
  return type == DxgkRemovalPnPNotify ? "DxgkRemovalPnPNotify" : "DxgkRemovalHibernation";
}

// What is left behind is LIFE-003 and LIFE-004: mappings and pool balance after every stop.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const bool may_refuse = !undisturbed(trace);
  std::uint32_t removed = kNone;
  for (const std::uint32_t index :
       trace.of_any<ev::SurpriseRemoved, ev::GoneDeviceTouched, ev::Running>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Running) {
      removed = kNone;
    } else if (event.kind == EventKind::SurpriseRemoved) {
      const auto told = Trace::as<ev::SurpriseRemoved>(event);
      const bool supported = told.type == DxgkRemovalPnPNotify ? platform.removable
                                                               : platform.removable_in_hibernation;
      if (!supported) continue;
      judgement.reached(index);
      if (told.status == 0) {
        removed = index;
      } else if (!may_refuse) {
        judgement.fail(
            index, std::string("STATUS_SUCCESS of NotifySurpriseRemoval for ") + removal(told.type),
            status_name(told.status));
      }
    } else if (removed != kNone) {
      const auto touched = Trace::as<ev::GoneDeviceTouched>(event);
      judgement.fail(index, "no access to a device that is gone",
                     std::string(touched.write != 0 ? "a write to" : "a read of") +
                         " a register of BAR " + std::to_string(touched.bar),
                     {removed});
      removed = kNone;  // one is enough to tell of
    }
  }
}

// A driver that knows nothing of it: it stops the device as any other.
class StopsWhatIsGone final : public Interposer {
 public:
  NTSTATUS NotifySurpriseRemoval(PVOID, DXGK_SURPRISE_REMOVAL_TYPE) override {
    return STATUS_SUCCESS;
  }
};

NotApplicable removable(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!platform.removable && !platform.removable_in_hibernation) {
    return "no support for surprise removal";
  }
  return needs(platform, DdiId::NotifySurpriseRemoval);
}

const Rule kRule{
    .id = "MCDM-037",
    .title = "After surprise removal the driver leaves the hardware alone",
    .rule =
        "NotifySurpriseRemoval returns STATUS_SUCCESS, with SupportSurpriseRemoval while the "
        "device works too. From its return on nothing of the driver touches a register: what is "
        "left is destroyed, stopped and removed as if there were no hardware.",
    .sources =
        "mcdm-implementation-guidelines.md # Surprise removal support\n"
        "nc-dispmprt-dxgkddi_notify_surprise_removal.md # return value, Remarks\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # SupportSurpriseRemoval, ...InHibernation",
    .note =
        "The page is of all drivers. Judged are registers. Video memory that a BAR shows stays "
        "readable here, and questions to "
        "configuration space are how a driver may find out. A call that is in the driver when the "
        "device goes may still find registers of all ones.",
    .applies = removable,
    .check = check,
    .played_in = {Configured::Managed},
    .scenario = R"(
about: the device goes while packets run on two nodes; a new one comes
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 0, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- render: {context: 0}
- spin: {units: 1000}
- render: {context: 1}
- spin: {units: 1000}
- advance: {units: 20}
- preempt: {node: 0}
- surprise_remove: {while_running: true}
- start
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
# Packets have ended, and an engine has answered a request, and nobody was told.
- create_context: {context: 1, node: 1}
- queue_depth: {packets: 2}
- render: {context: 0}
- spin: {units: 100}
- render: {context: 0}
- spin: {units: 3000}
- render: {context: 1}
- spin: {units: 100}
- advance: {units: 10}
- advance: {units: 10}
- hold_interrupts
- advance: {units: 1000}
- preempt: {node: 0}
- advance: {units: 40}
- surprise_remove: {while_running: true}
- start
- hold_interrupts: {on: false}
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
)" WDDM_DOES_EVERY_KIND_OF_WORK R"(
- surprise_remove
)",
    .control = R"(
about: the device goes in its sleep, before anything has been done; another goes in the middle of its paging
ops:
# Who does not read this updates page tables as it does.
- configure: {setting: PageTableUpdateMode, value: 2}
- surprise_remove
- start
- create_context: {context: 0}
- create_allocation: {allocation: 1, pages: 40, place: local}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x61626364}
- evict: {allocation: 1}
- idle
# The first of several buffers is at the engine, and the next has not been asked for: nothing of it is
# left for what comes to a new device (PT-013).
- await_paging
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- make_resident: {allocation: 1}
- surprise_remove: {while_running: true}
- start
- paging_buffer
- create_context: {context: 0}
- create_allocation: {allocation: 1, pages: 40, place: local}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x71727374}
- idle
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, size: 4096, value: 0x81828384}
- idle
)",
    .fault = {.about = "the driver forgets that it was told",
              .interposer = [] { return std::unique_ptr<Interposer>(new StopsWhatIsGone); },
              .also_fires = "CRASH"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_037
