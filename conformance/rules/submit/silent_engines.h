// Engines that have not been seen to run anything, and what is then not said of memory.
//
// A packet is reported as completed, and what its last command writes is not in memory: FENCE-002.
// Where no packet of the engine has shown any effect by then, nor the device's log tells of one,
// the engine runs nothing, and memory as it was before speaks neither for nor against what the
// commands would have met: tables, flushes, roots, portions. Once anything was seen to run there,
// what a later packet leaves is judged, whether it came to its last command or not.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reference/trace/trace.h"

namespace wddm::submit {

class SilentEngines {
 public:
  explicit SilentEngines(const Trace& trace);

  /// Something was seen to run on the engine by the event.
  [[nodiscard]] bool has_run(EngineId engine, std::uint32_t event) const;
  /// "; nothing was ever seen to run on node 1", or nothing.
  [[nodiscard]] std::string words_of(EngineId engine) const;
  /// The packet is of an engine that was seen to run nothing by the event, and should have.
  [[nodiscard]] bool is_of_silent(std::uint32_t packet, std::uint32_t event) const;

 private:
  struct Engine {
    EngineId id;
    std::uint32_t sign = kNone;  ///< event, the first: it runs
    std::uint32_t miss = kNone;  ///< MarkerRead, the first: a completed packet has not run
    [[nodiscard]] bool was_silent() const { return miss < sign; }
  };

  Engine& at(EngineId id);
  void runs(EngineId id, std::uint32_t event);
  void misses(EngineId id, std::uint32_t event);
  [[nodiscard]] const EngineId* engine_of_packet(std::uint32_t packet) const;

  std::vector<Engine> engines_;
  std::vector<std::pair<std::uint32_t, EngineId>> packets_;  ///< ascending; empty: none was silent
};

/// Whether memory after a packet says nothing of what its commands met.
[[nodiscard]] inline bool memory_says_nothing(const Trace& trace, std::uint32_t packet,
                                              std::uint32_t event) {
  return trace.ledger<SilentEngines>().is_of_silent(packet, event);
}

}  // namespace wddm::submit
