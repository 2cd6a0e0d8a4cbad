// Packets that a report covers and that the device has not begun, by its log.
//
// Judged are packets with commands of user mode: what a paging operation comes to may be nothing
// that the GPU has to do. What a log leaves out altogether it says nothing of, so a record of some
// packet's begin must be there. Left out: who was in trouble, and may report what he gives up.
#pragma once

#include <algorithm>

#include "conformance/rules/device_tells.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/altered_packets.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/submit/null_rendering.h"
#include "conformance/sdk/device.h"
#include "reference/is_any_of.h"

namespace wddm::fence {

class NeverBegun {
 public:
  NeverBegun(const Trace& trace, std::uint32_t type) : trace_(trace), type_(type) {}

  /// Calls `found(report, submitted)` for each report of the type, by their events: the first of
  /// the packets that it covers which was not begun.
  template <class Found>
  void each(const Found& found) {
    if (!any_report() || !device_tells(trace_, WDDM_DEVICE_PACKET_BEGIN)) return;
    altered_ = submit::altered_packets(trace_);
    in_order_of_calls<ev::DeviceLogged, ev::Notified, ev::DdiEntered, ev::PageFaultReported,
                      ev::GoneDeviceTouched, ev::SurpriseRemoved>(trace_, [&](std::uint32_t index) {
      const Event& event = trace_.events()[index];
      if (event.kind == EventKind::DdiEntered) {
        entered(index);
      } else if (event.kind == EventKind::Submitted) {
        submitted(index);
      } else if (event.kind == EventKind::DeviceLogged) {
        logged(Trace::as<ev::DeviceLogged>(event));
      } else if (event.kind == EventKind::Notified) {
        const std::uint32_t packet = reported(Trace::as<ev::Notified>(event));
        if (packet != kNone) found(index, packet);
      } else {
        engines_.clear();
      }
    });
  }

 private:
  struct Packet {
    std::uint32_t submitted = kNone;  // its event
    std::uint32_t fence = 0;
    std::uint64_t start = 0, end = 0;  // of its commands
    bool begun = false;
  };

  [[nodiscard]] bool any_report() const {
    const auto reports = trace_.of<ev::Notified>();
    return std::any_of(reports.begin(), reports.end(), [&](std::uint32_t index) {
      return trace_.at<ev::Notified>(index).type == type_;
    });
  }

  void entered(std::uint32_t index) {
    const auto ddi = static_cast<DdiId>(trace_.at<ev::DdiEntered>(index).ddi);
    if (is_any_of(ddi, DdiId::SubmitCommand, DdiId::SubmitCommandVirtual)) {
      runs_nothing_ = submit::runs_nothing(trace_, index);
    } else if (is_any_of(ddi, DdiId::StopDevice, DdiId::ResetEngine, DdiId::ResetFromTimeout,
                         DdiId::NotifySurpriseRemoval)) {
      engines_.clear();
    }
  }
  void submitted(std::uint32_t index) {
    const auto packet = trace_.at<ev::Submitted>(index);
    const bool judged = packet.status == 0 && packet.paging == 0 && packet.start != packet.end &&
                        !runs_nothing_ && !altered_.contains(packet.packet);
    engines_[engine_of(packet)].push_back({.submitted = index,
                                           .fence = packet.fence,
                                           .start = packet.address + packet.start,
                                           .end = packet.address + packet.end,
                                           .begun = !judged});
  }
  // Hardware may be given several packets in one go, under the fence of the last. 0 may be a fence
  // that ends in zeros, of hardware that keeps the low end alone.
  void logged(const ev::DeviceLogged& record) {
    for (Packet& packet : engines_[engine_of(record)]) {
      packet.begun |= record.tag == packet.fence ||
                      (record.tag == 0 && (packet.fence & 0xff) == 0) ||
                      (record.address >= packet.start && record.address < packet.end);
    }
  }
  std::uint32_t reported(const ev::Notified& report) {
    auto& packets = engines_[engine_of(report)];
    const bool preempted = report.type == DXGK_INTERRUPT_DMA_PREEMPTED;
    const std::uint32_t fence = preempted ? report.last_completed : report.fence;
    const auto named = std::find_if(packets.begin(), packets.end(),
                                    [&](const Packet& packet) { return packet.fence == fence; });
    std::uint32_t first = kNone;
    if (named != packets.end()) {
      const auto unbegun = std::find_if(packets.begin(), named + 1,
                                        [](const Packet& packet) { return !packet.begun; });
      if (unbegun != named + 1) first = unbegun->submitted;
      packets.erase(packets.begin(), named + 1);
    }
    if (preempted) packets.clear();  // the rest has left the engine
    return report.type == type_ ? first : kNone;
  }

  const Trace& trace_;
  const std::uint32_t type_;
  ScratchSet<std::uint32_t> altered_;                    // packets
  ScratchMap<EngineId, ScratchVector<Packet>> engines_;  // the driver has them, oldest first
  bool runs_nothing_ = false;
};

}  // namespace wddm::fence
