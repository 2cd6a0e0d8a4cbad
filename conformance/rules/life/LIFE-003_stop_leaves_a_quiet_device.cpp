// LIFE-003: StopDevice leaves a quiet, released device.

#include "conformance/host/interposer.h"
#include "conformance/rules/life/every_kind_of_work.h"
#include "conformance/rules/rule.h"

namespace wddm::life_003 {
namespace {

bool failed(std::uint32_t status) {
  return !NT_SUCCESS(static_cast<NTSTATUS>(status));
}

bool is_notification(std::uint32_t callback) {
  return callback == static_cast<std::uint32_t>(CallbackId::NotifyInterrupt) ||
         callback == static_cast<std::uint32_t>(CallbackId::NotifyDpc) ||
         callback == static_cast<std::uint32_t>(CallbackId::QueueDpc);
}

// The GPUs of a link start and stop one after the other, and share what is called back: the rest
// may notify until the last has stopped. What a StartDevice that failed leaves may be mapped anew:
// nobody says when its resources go.
void check_calls_behind_stop(const Trace& trace, Judgement& judgement) {
  std::uint32_t stopped = kNone;
  bool failed_to_start = false;
  std::uint32_t running = 0;  // GPUs
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::DdiReturned, ev::CallbackCalled>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (entered.ddi != static_cast<std::uint32_t>(DdiId::StartDevice)) continue;
      stopped = kNone;
      if (running++ == 0) failed_to_start = false;
    } else if (event.kind == EventKind::DdiReturned) {
      const auto returned = Trace::as<ev::DdiReturned>(event);
      const bool is_start = returned.ddi == static_cast<std::uint32_t>(DdiId::StartDevice);
      const bool is_stop = returned.ddi == static_cast<std::uint32_t>(DdiId::StopDevice);
      if (!is_stop && !(is_start && failed(returned.status))) continue;
      if (running > 0) --running;
      if (running == 0) stopped = index;
      failed_to_start |= is_start;
    } else if (stopped != kNone) {
      const auto called = Trace::as<ev::CallbackCalled>(event);
      if (called.callback == static_cast<std::uint32_t>(CallbackId::MapMemory)) {
        if (failed_to_start || failed(called.result)) continue;
        judgement.fail(index, "nothing is mapped between StopDevice and the next StartDevice",
                       callback_name(called.callback), {stopped});
        continue;
      }
      if (!is_notification(called.callback)) continue;
      judgement.fail(index, "no notification between StopDevice and the next StartDevice",
                     callback_name(called.callback), {stopped});
    }
  }
}

// What a StartDevice that fails had mapped by then: StopDevice is not called for it. Nothing says
// that it may not be RemoveDevice which lets go, but behind that nobody does. GPUs of a link share
// what is called back, so that it is the last one's.
void check_failed_starts(const Trace& trace, Judgement& judgement) {
  std::int64_t mapped = 0;
  std::uint32_t added = 0;  // GPUs
  std::uint32_t failed_start = kNone;
  for (const std::uint32_t index : trace.of_any<ev::DdiReturned, ev::CallbackCalled>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::CallbackCalled) {
      const auto called = Trace::as<ev::CallbackCalled>(event);
      const auto callback = static_cast<CallbackId>(called.callback);
      if (failed(called.result)) continue;
      if (callback == CallbackId::MapMemory) ++mapped;
      if (callback == CallbackId::UnmapMemory) --mapped;
      continue;
    }
    const auto returned = Trace::as<ev::DdiReturned>(event);
    const auto ddi = static_cast<DdiId>(returned.ddi);
    if (ddi == DdiId::AddDevice && !failed(returned.status)) ++added;
    if (ddi == DdiId::StartDevice && failed(returned.status)) failed_start = index;
    if (ddi != DdiId::RemoveDevice || added == 0 || --added != 0) continue;
    if (failed_start != kNone) {
      judgement.reached(index);
      if (mapped > 0) {
        judgement.fail(index, "nothing stays mapped of a StartDevice that failed",
                       std::to_string(mapped) + " mappings are left behind RemoveDevice",
                       {failed_start});
      }
    }
    mapped = 0;
    failed_start = kNone;
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::MappingBalance>()) {
    const auto balance = trace.at<ev::MappingBalance>(index);
    judgement.reached(index);
    if (balance.mapped == balance.unmapped) continue;
    judgement.fail(index, "a DxgkCbUnmapMemory for every DxgkCbMapMemory",
                   std::to_string(balance.mapped) + " mapped, " + std::to_string(balance.unmapped) +
                       " unmapped");
  }
  for (const std::uint32_t index : trace.of<ev::InterruptsAfterStop>()) {
    const auto interrupts = trace.at<ev::InterruptsAfterStop>(index);
    judgement.reached(index);
    if (interrupts.count == 0) continue;
    judgement.fail(index, "no interrupt in a second of device time after StopDevice",
                   std::to_string(interrupts.count) + " interrupts");
  }
  check_calls_behind_stop(trace, judgement);
  check_failed_starts(trace, judgement);
}

// A driver that forgets one mapping.
class KeepsMapping final : public Interposer {
 public:
  NTSTATUS UnmapMemory(HANDLE, PVOID) override { return STATUS_SUCCESS; }
};

const Rule kRule{.id = "LIFE-003",
                 .title = "StopDevice leaves a quiet, released device",
                 .rule =
                     "When DxgkDdiStopDevice returns, the adapter is reset and everything that "
                     "StartDevice acquired is released: every DxgkCbMapMemory is matched by "
                     "DxgkCbUnmapMemory and no interrupt is left enabled, so that no "
                     "DxgkCbNotifyInterrupt, NotifyDpc or QueueDpc follows until the next "
                     "StartDevice. What DxgkCbMapMemory maps are resources that the adapter has: "
                     "until then nothing is mapped either.",
                 .sources =
                     "nc-dispmprt-dxgkddi_stop_device.md\n"
                     "nc-dispmprt-dxgkddi_start_device.md # Remarks\n"
                     "nc-dispmprt-dxgkcb_map_memory.md",
                 .note =
                     "Who lets go of what a StartDevice had mapped before it failed, no document "
                     "says: it must have been let go when RemoveDevice returns. "
                     "DxgkCbSynchronizeExecution may be called behind StopDevice: by its page it "
                     "fails where no interrupt is connected.",
                 .applies = submitting,
                 .check = check,
                 .played_in = kBothAddressings | ConfigurationSet{Configured::Display},
                 .scenario = R"(
about: started, asked, which enables retraces, used, stopped, and watched for a second; then starts that fail at one allocation, mapping or question or another, and one that does not; then all kinds of work at each of three starts, behind no more than a stop, in another place, and behind RemoveDevice, which ends with no time up to the end of Unload
ops:
- requery
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
- stop
- fail_pool: {kth: 1}
- start
- stop
- fail_pool: {kth: 2}
- start
- stop
- fail_pool: {kth: 3}
- start
- stop
- fail_pool: {kth: 4}
- start
- stop
- fail_callback: {callback: MapMemory, kth: 1}
- start
- stop
- fail_callback: {callback: MapMemory, kth: 2}
- start
- stop
- fail_callback: {callback: MapMemory, kth: 3}
- start
- stop
- fail_callback: {callback: GetDeviceInformation}
- start
- remove
- start
- requery
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
- stop
- start
)" WDDM_DOES_EVERY_KIND_OF_WORK R"(
- rebalance
)" WDDM_DOES_EVERY_KIND_OF_WORK R"(
- remove
- start
)" WDDM_DOES_EVERY_KIND_OF_WORK R"(
- unload
)",
                 .control = R"(
about: stopped without having been used; then work behind starts that found nothing, and additions that found no memory
ops:
- start
- stop
# Then starts in which a callback fails each time, or one allocation of AddDevice or StartDevice or
# another, or all of them; and one that does not, and works.
- fail_callback: {callback: ReadDeviceSpace, every: true}
- start
- stop
- fail_callback: {callback: WriteDeviceSpace, every: true}
- start
- stop
- fail_callback: {callback: MapMemory, every: true}
- start
- stop
- fail_callback: {callback: GetDeviceInformation, every: true}
- start
- stop
- fail_pool: {kth: 1, every: true}
- start
- remove
- fail_pool: {kth: 1}
- start
- remove
- fail_pool: {kth: 2}
- start
- remove
- fail_pool: {kth: 3}
- start
- remove
- start
- create_device: {device: 40}
- create_context: {context: 40, device: 40}
- create_allocation: {allocation: 40, place: local, device: 40}
- render: {context: 40}
- bind: {slot: 0, allocation: 40}
- fill: {slot: 0, size: 4096, value: 0x81828384}
- idle
- stop
)",
                 .fault = {.about = "a mapping of StartDevice is never undone", .interposer = [] {
                             return std::unique_ptr<Interposer>(new KeepsMapping);
                           }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_003
