// UpdateGpuVirtualAddress between values of monitored fences: what waits for which value, and what
// signals it.
//
// When an update may run, the oracle of each paging companion decides (gpuva/companion_queue.h).
// Updates, signals and waits are asked for on the thread of the application, and carried out by the
// VidMm worker in the order of their coming: what is waited for was always asked for before, so no
// wait is for ever. Work of other contexts may so wait longer than it must. A signal comes when all
// packets that its context had by then have ended, in whatever way.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/gpuva/companion_updates.h"
#include "conformance/host/vidmm/job_waits.h"
#include "reference/gpuva/companion_queue.h"

namespace wddm::host {

inline constexpr std::uint32_t kMonitoredFences = 16;

/// What the worker is to do, in its turn.
struct InterlockedJob {
  enum class What : std::uint8_t { Signal, Await, Update };
  What what = What::Signal;
  ContextId context{};
  gpuva::MonitoredFenceId fence{};
  std::uint64_t value = 0;  ///< to signal, to wait for; of an update FenceValue
  gpuva::UpdateId update{};
  bool do_not_wait = false;
  CompanionUpdates::Parts parts;
};

class TileUpdates {
 public:
  TileUpdates(const Adapter& adapter, Objects& objects, VirtualMemory& memory, VidSchWorker& vidsch,
              JobWaits& waits)
      : adapter_(adapter), objects_(objects), memory_(memory), vidsch_(vidsch), waits_(waits) {}

  /// The adapter runs: no fence has a value.
  void begin();

  // ---- On the thread of the application.
  [[nodiscard]] InterlockedJob ask_signal(ContextId context, std::uint32_t fence);
  [[nodiscard]] InterlockedJob ask_wait(ContextId context, std::uint32_t fence) const;
  /// Sets `refused` if it is; then there is nothing to be done. `displaced`: what the addresses led
  /// to.
  [[nodiscard]] InterlockedJob ask_update(AllocationId allocation, const TileRequest& request,
                                          const Choices::TileUpdates& how, const char** refused,
                                          std::vector<AllocationId>* displaced);
  /// Whether a caller must be held until updates have been done.
  [[nodiscard]] bool holds(ContextId context) const;
  void forget(ContextId context) { companions_.erase(context); }

  // ---- On the worker. Null, or why it was not done.
  const char* carry_out(const InterlockedJob& job);

 private:
  struct Companion {
    gpuva::CompanionQueue queue;
    std::set<gpuva::UpdateId> may_run;
    bool holds = false;
  };
  struct Signal {
    gpuva::MonitoredFenceId fence;
    std::uint64_t value;
    ContextId context;
    std::vector<PacketOrdinal> behind;
  };

  Companion& companion(ContextId context);
  void step(Companion& companion, const gpuva::CompanionInput& input, ContextId context);
  void reach(gpuva::MonitoredFenceId fence, std::uint64_t value, ContextId context);
  /// Signals whose packets have ended.
  void look_at_packets();
  const char* signal(const InterlockedJob& job);
  const char* await(const InterlockedJob& job);
  const char* update(const InterlockedJob& job);
  /// kNoContext where updates need no paging buffer, or there is no companion.
  [[nodiscard]] std::optional<std::uint32_t> gpu_of(ContextId context) const;
  [[nodiscard]] ContextId companion_for(const InterlockedJob& job, const char** why);

  const Adapter& adapter_;
  Objects& objects_;
  VirtualMemory& memory_;
  VidSchWorker& vidsch_;
  JobWaits& waits_;
  std::map<ContextId, Companion> companions_;
  std::array<std::uint64_t, kMonitoredFences> asked_{}, values_{};
  std::vector<Signal> signals_;
  std::uint32_t next_update_ = 0;
};

}  // namespace wddm::host
