// A thread of another process that is inside of the driver while an op runs.
//
// Windows promises drivers that no two threads in them belong to one process, so it has a device in
// a process of its own. What it does is of threading level zero: it may come beside everything but
// what the adapter as a whole goes through.
#pragma once

#include <cstdint>

#include "conformance/host/run/world.h"

namespace wddm::host {

/// Its device and the context that it makes and destroys: the last slots of scenarios.
inline constexpr DeviceId kNeighbourDevice{kSlots - 1};
inline constexpr ContextId kNeighbourContext{kSlots - 1};
inline constexpr ProcessId kNeighbourProcess{kProcesses - 1};

class Neighbour {
 public:
  explicit Neighbour(World& world) : world_(world) {}

  /// It comes with the next op, so many times.
  void invite(std::uint32_t rounds) { rounds_ = rounds; }
  /// The op is about to be carried out: whoever was invited begins.
  void enter();
  /// The op has ended.
  void leave();

 private:
  static void run(void* self);
  void visit();
  void ask_for_capabilities() const;

  World& world_;
  std::uint32_t rounds_ = 0;
};

}  // namespace wddm::host
