// What a client does with residency, judged from what it did: one device of one client.
//
// Sources: pfnMakeResidentCb, pfnEvictCb, D3DDDI_MAKERESIDENT_FLAGS, D3DDDI_EVICT_FLAGS,
// D3DDDI_TRIMRESIDENCYSET_FLAGS, D3DDDIARG_TRIMRESIDENCYSET; windows-driver-docs "Device paging
// queues", "Offer and reclaim changes". Clauses RES-006..010. The rules:
//   1. What is submitted refers to what is required only, and not offered (RES-008); and what is
//      still on its way only behind a wait for its value, of the context or of the CPU (RES-006).
//   2. MustSucceed goes with CantTrimFurther, and this only with a request that follows a failure
//      (RES-007).
//   3. NotWrittenTo is said of what the GPU has not written since it was made resident (RES-009).
//   4. During a callback with PeriodicTrim just what was not referenced since the one before is
//      evicted; with RestartPeriodicTrim alone nothing is; with TrimToBudget so many bytes, unless
//      nothing is left whose last use has ended.
//      PeriodicTrim and RestartPeriodicTrim do not come together (RES-010).
//
// Readings: what was made resident and never used since is neither unused nor used for rule 4. For
// PeriodicTrim together with TrimToBudget, what is evicted above the unused is not too much. That
// a client trims between two attempts, and stops after the last, is not judged: in a trace a new
// request of the application looks the same. Buffers of all contexts of the device have their
// fences from one sequence, which the caller counts up from 1.
// Leaves out: what the system answers (device_residency.h).
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "reference/gpuva/residency_request.h"
#include "reference/types.h"

namespace wddm::gpuva {

/// The device has the allocation from here on.
struct ClientAllocation {
  AllocationId allocation{};
  std::uint64_t pages = 1;
};
/// MakeResident or Reclaim returned.
struct ClientMade {
  std::span<const AllocationId> allocations;
  bool cant_trim_further = false;
  bool must_succeed = false;
  ResidencyStatus status = ResidencyStatus::Ok;
  std::uint64_t fence_value = 0;
};
struct ClientReclaimed {
  std::span<const AllocationId> allocations;
  std::uint64_t fence_value = 0;
};
/// Evict or Offer succeeded.
struct ClientEvicted {
  std::span<const AllocationId> allocations;
  bool not_written_to = false;
};
struct ClientOffered {
  std::span<const AllocationId> allocations;
};
/// A wait for this value of the device paging fence was queued on a context.
struct ClientWaits {
  ContextId context{};
  std::uint64_t value = 0;
};
/// The CPU has seen this value.
struct ClientSaw {
  std::uint64_t value = 0;
};
/// A buffer that refers to these was submitted with this fence.
struct ClientSubmitted {
  ContextId context{};
  std::uint64_t fence = 0;
  std::span<const AllocationId> allocations;
};
/// All buffers up to this fence have ended.
struct ClientCompleted {
  std::uint64_t fence = 0;
};
struct GpuWrote {
  AllocationId allocation{};
};
/// pfnTrimResidencySet is called, and returns.
struct TrimBegins {
  bool periodic = false;
  bool restart_periodic = false;
  bool to_budget = false;
  std::uint64_t bytes = 0;  ///< NumBytesToTrim
};
struct TrimEnds {};
using ClientEvent = std::variant<ClientAllocation, ClientMade, ClientReclaimed, ClientEvicted,
                                 ClientOffered, ClientWaits, ClientSaw, ClientSubmitted,
                                 ClientCompleted, GpuWrote, TrimBegins, TrimEnds>;

enum class ClientFault : std::uint8_t {
  NotRequired,        ///< RES-001: refers to what was never made resident
  UsedAfterEvict,     ///< RES-008
  UsedWhileOffered,   ///< RES-008: not reclaimed yet
  NotWaited,          ///< RES-006
  MustSucceedAlone,   ///< RES-007
  FinalAttemptFirst,  ///< RES-007: CantTrimFurther, and nothing has failed
  WrittenTo,          ///< RES-009
  TrimFlagsTogether,  ///< RES-010; the system's
  KeptUnused,         ///< RES-010, PeriodicTrim
  TrimmedUsed,        ///< RES-010, PeriodicTrim
  TrimmedTooLittle,   ///< RES-010, TrimToBudget
  TrimmedOnRestart,   ///< RES-010, RestartPeriodicTrim
};
struct ClientVerdict {
  ClientFault what{};
  AllocationId allocation{};  ///< for those that concern one
  friend bool operator==(const ClientVerdict&, const ClientVerdict&) = default;
};

class ResidencyClient {
 public:
  /// Takes one event; gives what is wrong with it. Valid until the next call.
  [[nodiscard]] std::span<const ClientVerdict> judge(const ClientEvent& event);

 private:
  struct Known {
    std::uint64_t pages = 0;
    std::uint32_t count = 0;
    bool ever = false;  // required, at some time
    bool offered = false;
    bool written = false;  // since it was made resident
    bool used = false;     // since then
    bool evicted_in_trim = false;
    std::uint64_t on_its_way = 0;  // fence value to wait for
    std::uint64_t last_use = 0;
  };

  void on(const ClientAllocation& event);
  void on(const ClientMade& event);
  void on(const ClientReclaimed& event);
  void on(const ClientEvicted& event);
  void on(const ClientOffered& event);
  void on(const ClientWaits& event);
  void on(const ClientSaw& event);
  void on(const ClientSubmitted& event);
  void on(const ClientCompleted& event);
  void on(const GpuWrote& event);
  void on(const TrimBegins& event);
  void on(const TrimEnds& event);

  [[nodiscard]] Known& known(AllocationId id);
  [[nodiscard]] std::uint64_t waited(ContextId context) const;
  void fault(ClientFault what, AllocationId allocation = {});
  void judge_periodic();
  void judge_to_budget();

  std::vector<Known> known_;
  std::vector<std::uint64_t> waited_;  // by context
  std::uint64_t seen_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t last_periodic_ = 0;
  bool failed_ = false;  // the last MakeResident
  bool in_trim_ = false;
  TrimBegins trim_;
  std::uint64_t trimmed_pages_ = 0;
  std::vector<ClientVerdict> verdicts_;
};

}  // namespace wddm::gpuva
