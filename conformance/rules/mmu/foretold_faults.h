// What a report of a page fault may say of its access, by what commands access and what their
// addresses led to when their buffer was mapped: where no log of the device tells.
//
// A packet may have several accesses that must fault, and any one of them may be reported. Until a
// buffer that must fault is over, nobody writes the entries of what it accesses; tables may come
// and go on the way to them all the same, so that their levels hold no longer then.
#pragma once

#include <cstdint>

#include "conformance/rules/scratch.h"
#include "reference/trace/trace.h"

namespace wddm::mmu {

class ForetoldFaults {
 public:
  explicit ForetoldFaults(const Trace& trace) : trace_(trace) {}

  void foretold(std::uint32_t index) { all_.push_back(index); }
  void submitted(const ev::Submitted& packet) {
    if (packet.paging == 0) renders_[packet.packet] = packet.render;
  }
  /// By the event an entry that leads to a table was written, or a table moved.
  void tables_changed(std::uint32_t index, std::uint32_t process) { changed_[process] = index; }
  /// Calls `take(index, fault)` for those of the packet; `fault.level` is kNone if it is not known.
  template <class Take>
  void each(std::uint32_t packet, Take&& take) const {
    const auto render = renders_.find(packet);
    if (render == renders_.end()) return;
    for (const std::uint32_t index : all_) {
      auto fault = trace_.at<ev::FaultForetold>(index);
      if (fault.render != render->second) continue;
      const auto changed = changed_.find(fault.process);
      if (changed != changed_.end() && changed->second > index) fault.level = kNone;
      take(index, fault);
    }
  }

 private:
  const Trace& trace_;
  ScratchVector<std::uint32_t> all_;                  // FaultForetold
  ScratchMap<std::uint32_t, std::uint32_t> changed_;  // by process: the latest event
  ScratchMap<std::uint32_t, std::uint32_t> renders_;  // by packet
};

}  // namespace wddm::mmu
