// DxgkCbUpdateContextAllocation: paging that the driver waits for, so another thread carries it
// out.
//
// In SetRootPageTable the VidMm worker itself is in the driver, and a thread for this alone does
// it. From anywhere else it is a job of the VidMm worker, behind the paging that is queued: there
// the allocation may still have to get its memory, and its process page tables. A driver may ask
// where nothing of this can go on before it returns (in the middle of a submission, say): so long
// as kPatience it is waited for, and then the update is refused.
//
// An update is built and run twice (context_operations.h).
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <utility>

#include "conformance/host/gpuva/contexts/context_allocation.h"
#include "conformance/host/gpuva/contexts/context_operations.h"
#include "conformance/host/nt/sync/dpc.h"

namespace wddm::host {

class ContextUpdates {
 public:
  ContextUpdates(const AddressSpaces& spaces, ContextOperations& operations)
      : spaces_(spaces), operations_(operations) {}

  /// Makes a job for the VidMm worker, which takes what is asked for; false where it takes none.
  void use(std::function<bool()> enqueue) { enqueue_ = std::move(enqueue); }

  /// In the middle of the driver, whose private data are sound: its answer to the operation, or why
  /// there is none.
  NTSTATUS update(ContextAllocation& allocation, const DXGKARGCB_UPDATECONTEXTALLOCATION& asked);
  /// Whether a thread is inside of the driver until an update has been carried out.
  [[nodiscard]] bool awaited() const;
  /// No job begins any more: what waits for one does so no longer.
  void give_up();

  // ---- Jobs of the VidMm worker.
  /// What is next; null: nobody waits any more. Whoever asked for it may go away until it is
  /// carried out or refused.
  [[nodiscard]] ContextAllocation* take();
  /// Of what was taken, which has its memory.
  void carry_out();
  /// What was taken cannot be carried out.
  void refuse(NTSTATUS status);

 private:
  enum class Stage : std::uint8_t { Queued, InWork, Answered, Left };
  struct Request {
    Request(ContextAllocation& allocation, const DXGKARGCB_UPDATECONTEXTALLOCATION& asked);

    ContextAllocation& of;
    ContextOperations::Bytes data;
    Stage stage = Stage::Queued;
    NTSTATUS result = STATUS_SUCCESS;
    nt::HostEvent done{true};
  };

  [[nodiscard]] NTSTATUS have_own_thread_do_it(ContextAllocation& allocation,
                                               const DXGKARGCB_UPDATECONTEXTALLOCATION& asked);
  [[nodiscard]] NTSTATUS have_worker_do_it(ContextAllocation& allocation,
                                           const DXGKARGCB_UPDATECONTEXTALLOCATION& asked);
  static void thread(void* context);
  void work();
  [[nodiscard]] NTSTATUS execute(const Request& request);
  void finish(NTSTATUS status);  // what was taken
  static void answer(Request& request, NTSTATUS status);

  const AddressSpaces& spaces_;
  ContextOperations& operations_;
  std::function<bool()> enqueue_;
  std::list<Request> requests_;      // of the worker, in the order of their coming
  Request* taken_ = nullptr;         // one of them
  Request* own_ = nullptr;           // in SetRootPageTable
  std::uint32_t executing_ = kNone;  // the thread that is in execute()
  bool started_ = false;
  nt::HostEvent asked_{true};
};

}  // namespace wddm::host
