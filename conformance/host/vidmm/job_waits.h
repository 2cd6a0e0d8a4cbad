// What a job of the VidMm worker waits for: packets of earlier jobs.
//
// After a reset of the adapter there is nothing left to wait for: the job is abandoned, and each
// wait returns at once. Who waited looks at abandoned() before going on.
#pragma once

#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

class JobWaits {
 public:
  explicit JobWaits(VidSchWorker& vidsch) : vidsch_(vidsch) {}

  void begin_job();
  void end_job() { working_ = false; }
  [[nodiscard]] bool working() const { return working_; }
  void abandon() { abandoned_ = working_; }
  [[nodiscard]] bool abandoned() const { return abandoned_; }

  /// The end of all packets.
  void for_earlier_work();
  /// The end of all paging.
  void for_paging();
  /// The end of all paging and of all packets of the process.
  void for_work_of(const Objects& objects, ProcessId process);
  /// The end of queued paging of what the buffer lists.
  void for_paging_of(const RenderBuffer& buffer);
  /// The end of packets of other contexts that write what the buffer uses, or the other way round:
  /// what memory holds would be anyone's guess.
  void for_competitors_of(const RenderBuffer& buffer);
  /// Room for one more packet.
  void for_room();

 private:
  VidSchWorker& vidsch_;
  bool working_ = false;
  bool abandoned_ = false;
};

}  // namespace wddm::host
