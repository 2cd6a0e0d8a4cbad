// Residency of WDDM 2.x as a state machine: who requires what, what is brought in and taken out for
// it, and which value of which paging fence says so.
//
// Sources: windows-driver-docs "Residency overview", "Process residency budgets", "Device paging
// queues", "Offer and reclaim changes", "Access to non-resident allocation"; pfnMakeResidentCb,
// pfnEvictCb, D3DDDI_MAKERESIDENT_FLAGS, D3DDDI_EVICT_FLAGS, pfnTrimResidencySet. Clauses RES-001,
// RES-003..005, RES-011, RES-012, VA-008; what binds the client (RES-006..010) is judged by
// residency_client.h, what binds the driver (RES-002) by fault_outcome.h. The rules:
//   1. Each device counts MakeResident and Evict for each allocation; what has a count is required.
//      Both take a whole list or nothing of it (RES-004, RES-005).
//   2. A device runs only while all it needs is resident, and none of that is taken while it runs
//      (RES-003). It needs what it requires, but for what is offered; what it evicts while it runs,
//      until what runs has ended; and what it offers, until what is submitted has ended.
//   3. A request that needs paging gets the next value of its device's fence. Operations of one
//      queue are done one after the other, and their values signalled in order; what is done
//      already gets 0.
//   4. What nobody needs any more is taken out at once, or, with EvictOnlyIfNecessary, when its
//      memory is needed.
//   5. Memory is taken from offered allocations first, then from those that nobody needs, the
//      longest unused first, then from devices that do not run: these are suspended until they
//      want to run and all of theirs fits again.
//   6. MakeResident fails if the process would exceed its budget, and always if what the device
//      requires would exceed all memory, for then it could never run. Both tell by how much.
//   7. A process above its budget is asked to trim, one device after the other.
//   8. Contents are saved unless they are lost anyway (offered), or equal what is saved already:
//      in each stretch of time since the page-in in which somebody required the allocation, an
//      Evict said NotWrittenTo.
//
// Readings, where the documents are silent or disagree:
//   a. NumAllocations as an output suggests partial success; the callback page says all or nothing.
//   b. CantTrimFurther lifts the budget, for it means that nothing is left to trim. The page of the
//      callback puts the device in error when that final attempt fails, the page of the flags only
//      with MustSucceed: the flags are followed. MustSucceed alone is refused.
//   c. An Evict of what has no count refuses the list. So do Offer of what is offered, and Reclaim
//      of what is not.
//      Evict waits for what runs, not for what is queued: the page of D3DKMTEvict lets the system
//      take the allocation at any time after it, and what is queued waits for the whole list of
//      the device, which may fit only without it. Offer waits for all that is submitted.
//   d. The documents tell nothing of memory too small for all devices together, except that none
//      runs without its list; hence rule 5. Who wanted to run first goes first.
//   e. Budgets count each allocation once for a process, offered ones too, and no page tables.
//   f. Offered allocations may be discarded, here always when their memory is taken.
// Cost: each input visits the devices, and those that lack memory all allocations. After the first
// of its kind, no input but Add and Share allocates memory unless lists are longer than ever.
// Leaves out: where in memory an allocation lies (vidmm/), segments and their groups, priorities,
// partial residency, PeriodicTrim (the host's choice; see residency_client.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/gpuva/residency_request.h"

namespace wddm::gpuva {

enum class Presence : std::uint8_t { Out, ComingIn, In };

class Residency {
 public:
  /// The memory that all processes share.
  explicit Residency(std::uint64_t capacity_pages) : capacity_(capacity_pages) {}

  /// Takes one input; gives what follows, in order. Valid until the next call.
  [[nodiscard]] std::span<const ResidencyDecision> step(const ResidencyInput& input);

  // ---- Questions.
  [[nodiscard]] std::uint32_t count(DeviceId device, AllocationId allocation) const;
  [[nodiscard]] Presence presence(AllocationId allocation) const;
  /// Whether the device needs the allocation to run (rule 2).
  [[nodiscard]] bool needs(DeviceId device, AllocationId allocation) const;
  /// Whether a buffer of the device may start now: all is there, and it is submitted, not
  /// suspended and not in error.
  [[nodiscard]] bool may_run(DeviceId device) const;
  [[nodiscard]] bool in_error(DeviceId device) const { return this->device(device).error; }
  [[nodiscard]] bool suspended(DeviceId device) const { return this->device(device).suspended; }
  /// The last value of the device paging fence that was signalled.
  [[nodiscard]] std::uint64_t signalled(DeviceId device) const {
    return this->device(device).signalled;
  }
  /// The value that the next request of the device is told that needs paging.
  [[nodiscard]] std::uint64_t next_value(DeviceId device) const {
    return this->device(device).next_value;
  }
  /// Whether PagingDone is due for the queue of the device.
  [[nodiscard]] bool in_flight(DeviceId device) const { return this->device(device).in_flight; }
  [[nodiscard]] std::uint64_t required_pages(ProcessId process) const;

  /// Checks every invariant; a breach is a HARNESS error.
  void validate() const;

 private:
  struct Use {
    DeviceId device{};
    std::uint32_t count = 0;
    std::uint64_t until = 0;  // needed while the device has ended fewer buffers
  };
  struct Allocation {
    bool exists = false;
    std::uint64_t pages = 0;
    Presence presence = Presence::Out;
    bool offered = false;
    bool lost = false;         // its contents, since it was offered
    bool saved = false;        // it has contents to be brought in
    bool dirty = false;        // they differ, from stretches of rule 8 that have ended
    bool not_written = false;  // said so in this stretch
    bool leaving = false;      // to be taken out at once when nobody needs it
    std::uint64_t last_needed = 0;
    std::vector<Use> uses;  // of each device that has it open
  };
  struct Operation {
    std::uint64_t value = 0;
    std::uint64_t age = 0;
    std::size_t listed = 0;  // allocations, the next of Device::listed
    bool tables = false;
  };
  struct Device {
    bool exists = false;
    bool error = false;
    bool suspended = false;
    bool ready = false;      // MayRun was decided, and it has not begun
    bool in_flight = false;  // an operation, or the return of what was taken
    ProcessId process{};
    std::uint64_t required_pages = 0;
    std::uint64_t submitted = 0;  // buffers, ever
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;
    std::uint64_t last_run = 0;
    std::uint64_t next_value = 1;
    std::uint64_t signalled = 0;
    std::uint64_t value_in_flight = 0;  // 0: none to signal
    std::vector<Operation> operations;  // that are not in flight
    std::vector<AllocationId> listed;   // by operations, in their order
    std::vector<AllocationId> coming;   // in flight
    [[nodiscard]] bool runs() const { return begun != ended; }
  };
  struct Process {
    bool exists = false;
    std::uint64_t budget_pages = 0;
    std::uint64_t required_pages = 0;
  };
  struct Victim {
    std::uint32_t rank = 0;
    std::uint64_t last_needed = 0;
    AllocationId allocation{};
  };

  void on(const MakeResident& input);
  void on(const Evict& input);
  void on(const Offer& input);
  void on(const Reclaim& input);
  void on(const QueueTableUpdate& input);
  void on(const SubmitBuffer& input);
  void on(const AddProcess& input);
  void on(const AddDevice& input);
  void on(const RemoveDevice& input);
  void on(const AddAllocation& input);
  void on(const ShareAllocation& input);
  void on(const RemoveAllocation& input);
  void on(const SetBudget& input);
  void on(const TrimReturned& input);
  void on(const FailDevice& input);
  void on(const WantToRun& input);
  void on(const BeginRun& input);
  void on(const EndRun& input);
  void on(const PagingDone& input);

  [[nodiscard]] Device& device(DeviceId id);
  [[nodiscard]] const Device& device(DeviceId id) const;
  [[nodiscard]] Allocation& allocation(AllocationId id) { return allocations_[id.value]; }
  [[nodiscard]] const Allocation& allocation(AllocationId id) const {
    return allocations_[id.value];
  }
  [[nodiscard]] Use* find_use(DeviceId device, AllocationId allocation);
  [[nodiscard]] bool refused(DeviceId device, std::span<const AllocationId> list);
  void answer(ResidencyStatus status, std::uint64_t fence_value = 0,
              std::uint64_t bytes_to_trim = 0);
  [[nodiscard]] bool set_offered(std::span<const AllocationId> list, bool offered);
  void fail(DeviceId id);

  // Counts (rule 1).
  [[nodiscard]] bool required_by(ProcessId process, const Allocation& of) const;
  [[nodiscard]] static bool required(const Allocation& of);
  void raise(DeviceId device, AllocationId allocation);
  void lower(DeviceId device, AllocationId allocation);
  [[nodiscard]] std::uint64_t over_budget(ProcessId process) const;
  void ask_to_trim(ProcessId process, std::uint32_t first_device);

  // Need (rule 2).
  [[nodiscard]] bool needs(const Use& use, const Allocation& of) const;
  [[nodiscard]] bool needed(const Allocation& of) const;

  // Queues (rule 3) and memory (rules 4, 5, 8); residency_memory.cpp.
  [[nodiscard]] std::uint64_t queue(DeviceId device, std::span<const AllocationId> list,
                                    bool tables);
  void settle();
  void recall_ready();
  void take_out_leaving();
  void serve_wanting();
  [[nodiscard]] bool serve_oldest();
  [[nodiscard]] bool serve(DeviceId device);
  enum class Missing : std::uint8_t { Nothing, Listed, OnItsWay };
  [[nodiscard]] Missing list_missing(DeviceId device, std::span<const AllocationId> of);
  [[nodiscard]] Missing list_missing(DeviceId device);
  [[nodiscard]] Missing note_missing(DeviceId device, AllocationId allocation, Missing before);
  [[nodiscard]] bool bring_in(DeviceId device, std::uint64_t value, std::size_t before);
  [[nodiscard]] bool make_room(std::uint64_t pages, DeviceId requester, std::size_t before);
  [[nodiscard]] bool gives_way(DeviceId device, DeviceId requester, std::size_t before) const;
  [[nodiscard]] std::uint64_t list_victims(DeviceId requester, std::size_t before);
  void take_out(AllocationId allocation);

  std::uint64_t capacity_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t now_ = 0;  // inputs
  std::vector<Process> processes_;
  std::vector<Device> devices_;
  std::vector<Allocation> allocations_;
  std::vector<AllocationId> leaving_;
  std::vector<DeviceId> wanting_;  // to run, in the order of asking
  std::vector<ResidencyDecision> decisions_;
  std::vector<AllocationId> list_;  // scratch, as the following
  std::vector<Victim> victims_;
  std::vector<DeviceId> suspending_;
};

}  // namespace wddm::gpuva
