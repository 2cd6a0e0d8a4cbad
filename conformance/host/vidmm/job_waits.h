// What a job of the VidMm worker waits for: packets of earlier jobs.
//
// After a reset of the adapter there is nothing left to wait for: the job is abandoned, and each
// wait returns at once. Who waited looks at abandoned() before going on.
//
// A job may pass packets that were preempted and are kept back. They stay so until it has ended.
#pragma once

#include <functional>

#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

class JobWaits {
 public:
  explicit JobWaits(VidSchWorker& vidsch) : vidsch_(vidsch) {}

  /// Whether a job may go on while that packet has been stopped.
  using MayPass = std::function<bool(const Packet&)>;
  void begin_job(MayPass may_pass = {});
  void end_job();
  [[nodiscard]] bool working() const { return working_; }
  void abandon() { abandoned_ = working_; }
  /// Whoever waits looks whether it still has to.
  void look_again() { vidsch_.retired_event().set(); }
  [[nodiscard]] bool abandoned() const { return abandoned_; }
  /// Whether the job has passed a packet of the process.
  [[nodiscard]] bool has_passed_work_of(const Objects& objects, ProcessId process) const;

  /// Packets that it has passed find the allocation where it lies now.
  void moved(AllocationId allocation, const Residency& residency) {
    vidsch_.stopped().moved(allocation, residency);
  }

  /// The end of all packets.
  void for_earlier_work();
  /// The end of all paging.
  void for_paging();
  /// The end of all paging and of all packets of the process.
  void for_work_of(const Objects& objects, ProcessId process);
  /// The end of queued paging of what the buffer lists.
  void for_paging_of(const RenderBuffer& buffer);
  /// The end of queued paging of the allocation.
  void for_paging_of(AllocationId allocation);
  /// The end of packets of other contexts that write what the buffer uses, or the other way round:
  /// what memory holds would be anyone's guess.
  void for_competitors_of(const RenderBuffer& buffer);
  /// Room for one more packet.
  void for_room();

 private:
  /// Whether a packet that `matters` is there that cannot be passed; those that can are held.
  template <class Matters>
  [[nodiscard]] bool is_held_up(Matters&& matters);

  VidSchWorker& vidsch_;
  MayPass may_pass_;
  bool working_ = false;
  bool holds_ = false;
  bool abandoned_ = false;
};

}  // namespace wddm::host
