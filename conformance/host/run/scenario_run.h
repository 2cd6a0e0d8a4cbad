// A scenario under way: what its ops share. Bring-up and tear-down where no op names them, rest and
// idleness, and what holds for one op only.
#pragma once

#include <initializer_list>

#include "conformance/host/boundary/anomaly.h"
#include "conformance/host/run/neighbour.h"
#include "conformance/host/run/power_of_adapter.h"
#include "conformance/host/run/world.h"
#include "reference/trace/ddi.h"
#include "reference/trace/op.h"

namespace wddm::host {

class ScenarioRun {
 public:
  explicit ScenarioRun(World& world) : world_(world), power_(world), neighbour_(world) {}

  [[nodiscard]] World& world() { return world_; }

  // -- life of the adapter
  /// Brings the adapter up unless it runs. False if it does not get there.
  bool ensure_running();
  /// Brings it up if nothing has yet. Implicit bring-up happens once; later starts must be named.
  void ensure_entered();
  [[nodiscard]] bool entered() const { return entered_once_; }
  /// Whether there is an adapter to work with; else the op is skipped, with the reason.
  [[nodiscard]] bool running_or_skip(const Op& op);
  /// Whether the driver has all of these entry points; else the op is skipped, with the reason.
  [[nodiscard]] bool has_or_skip(const Op& op, std::initializer_list<DdiId> needed);
  /// Ends all work, destroys every object and takes the adapter down to `stage`.
  void tear_down(Adapter::Stage stage, Adapter::Departure departure = Adapter::Departure::Watched);

  /// ... without a look at memory: what it holds nobody knows.
  void tear_down_unseen(Adapter::Stage stage, const char* why);
  /// Work could not go on, so that nothing is done until the next start, or in what is left of this
  /// op.
  [[nodiscard]] bool was_reset() const { return reset_ != nullptr; }
  /// Since the last start an engine could not be reset, so that the adapter was: all objects went
  /// with it.
  [[nodiscard]] bool lost_objects() const { return lost_objects_; }
  /// An op begins: if a page fault has had the adapter reset in an earlier one, all objects go now,
  /// and work may begin anew.
  void go_on_after_reset();
  [[nodiscard]] AdapterPower& power() { return power_; }
  /// The system stops: no op comes behind this one, and no end.
  void stop_system();
  [[nodiscard]] bool system_stopped() const { return system_stopped_; }

  /// Timeout detection gives up on an engine with work that does not answer a preemption within so
  /// many units of GPU time: it is reset, or the adapter. Null, or why nothing was.
  [[nodiscard]] const char* time_out(EngineId engine, bool adapter, std::uint32_t units,
                                     std::uint32_t late);

  // -- time
  /// Whether packets that were preempted wait while others go on.
  void keep_stopped(bool on);
  /// Lets the GPU advance until nothing is left to do; gives up when nothing moves.
  void idle();
  void advance(std::uint32_t units);
  /// Lets everything settle and a step of virtual time pass.
  void rest();
  /// Lets as much virtual time pass, and gives the GPU none.
  void stall(std::uint32_t milliseconds);

  // -- objects, with what VidMm and VidSch know of them
  void destroy_allocation(AllocationId id);
  /// A process comes with its first device. Null, or why there is none.
  [[nodiscard]] const char* create_device(DeviceId id, ProcessId process);
  /// A process goes with its last device.
  void destroy_device(DeviceId id);
  /// It is about to be destroyed.
  void forget_context(ContextId id);

  // -- the op at hand
  void skip(const Op& op, const char* why);
  /// What a modifier set holds for the next op.
  void modify() { modified_ = true; }
  [[nodiscard]] bool modified() const { return modified_; }
  void spend_modifiers();
  [[nodiscard]] SeededSchedule& schedule() { return schedule_; }
  [[nodiscard]] Neighbour& neighbour() { return neighbour_; }

 private:
  [[nodiscard]] bool serves_another(ProcessId process) const;
  void end_process_without_device(ProcessId id);
  /// What exists once the adapter runs, and the end of it and of all that scenarios made.
  void begin_world();
  void end_world();
  /// time_out(), with interrupts that are held back as they are.
  [[nodiscard]] const char* give_up(EngineId engine, bool adapter, std::uint32_t units,
                                    std::uint32_t late);
  /// All work is lost and every device in error. Who had them destroys them, and begins anew.
  void recover_adapter();
  /// ... the first half of it, and the second.
  void restart_adapter(ResetCause cause);
  void begin_anew();
  /// Work cannot go on: the driver gives it up. Nothing is done until the next start, and `why` is
  /// what ops are skipped with.
  enum class Restart : bool { No, Yes };
  void reset_adapter(Restart restart, const char* why);
  /// A page fault may ask for it.
  void reset_adapter_if_due();
  /// What the allocations that still live have come to.
  void look_at_memory();

  World& world_;
  AdapterPower power_;
  SeededSchedule schedule_;
  Neighbour neighbour_;
  bool modified_ = false;
  const char* reset_ = nullptr;  ///< why the adapter was reset: no work until a start
  bool goes_on_ = false;         ///< ... or until the next op
  bool entered_once_ = false;
  bool lost_objects_ = false;
  bool system_stopped_ = false;
};

}  // namespace wddm::host
