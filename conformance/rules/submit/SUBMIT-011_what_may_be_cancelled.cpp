// SUBMIT-011: CancelCommand is called for packets of devices in error that no hardware has.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::submit_011 {
namespace {

constexpr std::uint8_t kPassiveLevel = 0;

struct Seen {
  ScratchSet<std::uint32_t> devices;              // in error
  ScratchSet<std::uint32_t> given;                // packets that were ever submitted
  ScratchMap<std::uint32_t, std::uint32_t> held;  // packets that the hardware has: Submitted
  ScratchMap<std::uint32_t, std::uint32_t> gone;  // packets that were cancelled: CommandCancelled
};

void judge(const Event& event, std::uint32_t index, const ev::CommandCancelled& cancelled,
           const Platform& platform, const Seen& seen, Judgement& judgement) {
  judgement.reached(index);
  const std::string packet = "packet " + std::to_string(cancelled.packet);
  const auto held = seen.held.find(cancelled.packet);
  if (!platform.scheduling.cancel_command_aware()) {
    judgement.fail(index, "no CancelCommand without CancelCommandAware", packet);
  } else if (event.irql != kPassiveLevel) {
    judgement.fail(index, "CancelCommand at PASSIVE_LEVEL", "IRQL " + std::to_string(event.irql));
  } else if (!seen.devices.contains(cancelled.device)) {
    judgement.fail(index, "CancelCommand for packets of a device in error",
                   packet + " of device " + std::to_string(cancelled.device));
  } else if (held != seen.held.end()) {
    judgement.fail(index, "CancelCommand for packets that are in no hardware queue",
                   packet + " was submitted and has not come back", {held->second});
  } else if (const auto before = seen.gone.find(cancelled.packet); before != seen.gone.end()) {
    judgement.fail(index, "CancelCommand once for a packet", packet + " again", {before->second});
  }
}

// A driver without the capability hears nothing of what is cancelled.
void ended(const ev::PacketEnded& packet, std::uint32_t index, const Platform& platform, Seen& seen,
           Judgement& judgement) {
  seen.held.erase(packet.packet);
  const bool cancelled = packet.fate == static_cast<std::uint32_t>(PacketFate::Lost) &&
                         !seen.given.contains(packet.packet);
  if (cancelled && !platform.scheduling.cancel_command_aware()) judgement.reached(index);
}

NotApplicable losing_packets(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return needs(platform, DdiId::CancelCommand);
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Seen seen;
  in_order_of_calls<ev::DeviceInError, ev::PacketEnded, ev::CommandCancelled, ev::DeviceCreated>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          const auto packet = trace.at<ev::Submitted>(index);
          seen.held[packet.packet] = index;
          seen.given.insert(packet.packet);
          const auto gone = seen.gone.find(packet.packet);
          if (gone == seen.gone.end()) return;
          judgement.fail(index, "a cancelled packet is not submitted any more",
                         "packet " + std::to_string(packet.packet), {gone->second});
        } else if (event.kind == EventKind::DeviceInError) {
          seen.devices.insert(Trace::as<ev::DeviceInError>(event).device);
        } else if (event.kind == EventKind::DeviceCreated) {
          seen.devices.erase(Trace::as<ev::DeviceCreated>(event).device);
        } else if (event.kind == EventKind::PacketEnded) {
          ended(Trace::as<ev::PacketEnded>(event), index, platform, seen, judgement);
        } else {
          const auto cancelled = trace.at<ev::CommandCancelled>(index);
          judge(event, index, cancelled, platform, seen, judgement);
          seen.gone[cancelled.packet] = index;
        }
      });
}

const Rule kRule{
    .id = "SUBMIT-011",
    .title = "CancelCommand is called only where allowed",
    .binds = Binds::Os,
    .rule =
        "CancelCommand is called at PASSIVE_LEVEL, only with CancelCommandAware, and only for "
        "packets of a device in error that are in no hardware queue: never submitted, or preempted "
        "and not submitted again. What is cancelled is never submitted.",
    .sources = "nc-d3dkmddi-dxgkddi_cancelcommand.md # description, Remarks",
    .applies = losing_packets,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a device comes into error on one node, and has packets on the hardware of the other and behind
ops:
- create_device: {device: 1}
- create_context: {context: 0, device: 1}
# On a driver with one node what this context does is skipped.
- create_context: {context: 1, device: 1, node: 1}
- render: {context: 0}
- render: {context: 1}
- idle
- render: {context: 1}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 300}
- render: {context: 0}
- spin: {units: 300}
- render: {context: 0}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
)",
    .control = R"(
about: the device in error has nothing that waits
ops:
- create_device: {device: 1}
- create_context: {context: 0, device: 1}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
)",
    .fault = {.about = "packets on the hardware are cancelled too",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::CancelWhatIsSubmitted}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::submit_011
