// Carries out the ops of a scenario, one after the other, on the application thread.
//
// Every op is total: on an empty slot, in an occupied one, or before the adapter runs, it is a
// no-op that says why. Bring-up and tear-down are implicit where no op names them.
#pragma once

#include <span>

#include "conformance/host/boundary/anomaly.h"
#include "conformance/host/run/world.h"
#include "reference/trace/op.h"

namespace wddm::host {

class Interpreter {
 public:
  explicit Interpreter(World& world) : world_(world) {}

  /// Runs `configuration` and then `ops`, brings everything to rest and tears down.
  void run(std::span<const Op> configuration, std::span<const Op> ops);

 private:
  void carry_out(const Op& op);
  void choose(const Op& op);
  void modify(const Op& op);
  void spend_modifiers();
  void flush();
  void change_objects(const Op& op);
  void change_memory(const Op& op);
  void live(const Op& op);
  void skip(const Op& op, const char* why);
  bool running_or_skip(const Op& op);
  bool ensure_running();
  void destroy_allocation(std::uint32_t slot);
  void destroy_device(std::uint32_t device);
  void cycle(std::uint32_t count, bool add_too);
  void requery();
  void query_fence(std::uint32_t node);
  /// Lets the GPU advance until nothing is left to do; gives up when nothing moves.
  void idle();
  void advance(std::uint32_t units);
  void rest();
  /// What the allocations that still live have come to.
  void look_at_memory();
  /// Ends all work, destroys every object and takes the adapter down to `stage`.
  void tear_down(Adapter::Stage stage);

  World& world_;
  SeededSchedule schedule_;
  bool modified_ = false;      ///< for the next op only
  bool stuck_ = false;         ///< reset after a timeout and not restarted: no work until a start
  bool entered_once_ = false;  ///< implicit bring-up happens once; later starts must be named
};

/// Writes a configuration value to the registry that the driver reads.
void write_setting(const Op& op);

}  // namespace wddm::host
