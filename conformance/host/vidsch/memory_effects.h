// What packets did to memory, in the order in which it took effect, and when memory can be compared
// with its prediction.
//
// Packets that end bring paging operations to effect, and commands up to the end of their portion.
// Addresses are looked up then: paging between two portions moves what the later one uses. Of a
// buffer that was not understood (command_places.h) all is predicted at the end of its translation.
// Memory is compared when nothing can be writing and no effect is outstanding: a difference then
// has one cause. Operations that the CPU did while they were built may have come in between: theirs
// is what differs where they were to write.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "conformance/host/vidmm/prediction/memory_comparison.h"
#include "conformance/host/vidsch/queued_packet.h"

namespace wddm::host {

class MemoryEffects {
 public:
  MemoryEffects(PredictedMemory& memory, MemoryComparison& comparison)
      : memory_(memory), comparison_(comparison) {}

  /// The adapter runs, and no packet was lost since it started.
  void begin();
  /// Packets were lost: what they did is not known until the next start.
  void packets_lost();
  /// The packet has ended. True if that ended a paging operation too.
  bool ended(Packet& packet);
  /// The packet is over, and how much of it has run nobody knows: a page fault ended it, or a
  /// reset.
  void broken_off(const Packet& packet);
  /// The packet is over, and nothing of it has run: the driver refused it.
  void never_ran(const Packet& packet);
  /// The CPU did the operation while it was built, and it has taken effect.
  void done_at_build(const MemoryBlame& blame);
  /// The pass will not run, and so not the rest of its translation; earlier packets have ended.
  void translation_dropped(const RenderBuffer& dropped);
  /// Whether a comparison is due once all is at rest.
  [[nodiscard]] bool due() const { return due_; }
  /// Compares, if that is due and can be told; `at_rest`: see PacketTable.
  void compare_if_due(bool at_rest);

 private:
  bool paging_ended(PagingBuffer& paging, PacketOrdinal packet);
  void portion_ended(const RenderWork& work);
  void anything_written(const RenderBuffer& buffer);

  PredictedMemory& memory_;
  MemoryComparison& comparison_;
  MemoryBlame blame_;
  std::vector<MemoryBlame> at_build_;  // since memory was compared
  bool due_ = false;
  bool known_ = false;
  std::set<std::uint32_t> unclear_;  // renders of which nobody knows how much has run
};

}  // namespace wddm::host
