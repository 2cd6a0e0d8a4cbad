// What the device's log knows of a packet, for the words of a verdict that rests on its marker: a
// word of memory that its last command counts up.
#pragma once

#include <string>

#include "conformance/sdk/device.h"
#include "reference/trace/trace.h"

namespace wddm {

/// Calls `visit(record)` for each record of a packet up to `index`.
template <class Named, class Visit>
void each_record_of(const Trace& trace, const Named& packet, std::uint32_t index, Visit&& visit) {
  for (const std::uint32_t at : trace.of<ev::DeviceLogged>()) {
    if (at > index) break;
    const auto record = trace.at<ev::DeviceLogged>(at);
    if (engine_of(record) == engine_of(packet) && record.tag == packet.fence) visit(record);
  }
}

/// Whether the latest record of a packet before `index` is its end: what is missing is the report.
template <class Named>
[[nodiscard]] bool device_came_to_its_end(const Trace& trace, const Named& packet,
                                          std::uint32_t index) {
  bool ended = false;
  each_record_of(trace, packet, index, [&](const ev::DeviceLogged& record) {
    ended = record.kind == WDDM_DEVICE_PACKET_END;
  });
  return ended;
}

/// "; ..." with the latest record of a packet before `index`, or nothing where there is no log.
template <class Named>
[[nodiscard]] std::string device_says(const Trace& trace, const Named& packet,
                                      std::uint32_t index) {
  const char* last = "";
  each_record_of(trace, packet, index, [&](const ev::DeviceLogged& record) {
    if (record.kind == WDDM_DEVICE_PACKET_BEGIN)
      last = "; the device has begun it and not ended it";
    if (record.kind == WDDM_DEVICE_PACKET_END) last = "; the device came to its end";
    if (record.kind == WDDM_DEVICE_PACKET_STOPPED) last = "; the device stopped it before its end";
    if (record.kind == WDDM_DEVICE_FAULT) last = "; it accessed what is no memory";
    if (record.kind == WDDM_DEVICE_PAGE_FAULT) last = "; an access of it found no translation";
  });
  return last;
}

}  // namespace wddm
