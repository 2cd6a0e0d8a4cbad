// Which kinds of records the device's log has: a device may leave out some, for all engines or for
// one, and then says nothing by silence.
#pragma once

#include <algorithm>
#include <cstdint>

#include "conformance/rules/scratch.h"
#include "reference/trace/trace.h"

namespace wddm {

/// `kind`: WDDM_DEVICE_PACKET_BEGIN, for instance (sdk/device.h).
[[nodiscard]] inline bool device_tells(const Trace& trace, std::uint32_t kind) {
  const auto records = trace.of<ev::DeviceLogged>();
  return std::any_of(records.begin(), records.end(), [&](std::uint32_t index) {
    return trace.at<ev::DeviceLogged>(index).kind == kind;
  });
}

/// The engines that it tells such records of.
[[nodiscard]] inline ScratchSet<EngineId> engines_that_tell(const Trace& trace,
                                                            std::uint32_t kind) {
  ScratchSet<EngineId> engines;
  for (const std::uint32_t index : trace.of<ev::DeviceLogged>()) {
    const auto record = trace.at<ev::DeviceLogged>(index);
    if (record.kind == kind) engines.insert(engine_of(record));
  }
  return engines;
}

}  // namespace wddm
