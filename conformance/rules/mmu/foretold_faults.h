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

  void foretold(std::uint32_t index) { all_.push_back({index, true}); }
  void submitted(const ev::Submitted& packet) {
    if (packet.paging == 0) renders_[packet.packet] = packet.render;
  }
  /// An entry that leads to a table was written, or a table moved.
  void tables_changed(std::uint32_t process) {
    for (One& one : all_) {
      if (trace_.at<ev::FaultForetold>(one.index).process == process) one.level_holds = false;
    }
  }
  /// Calls `take(index, fault)` for those of the packet; `fault.level` is kNone if it is not known.
  template <class Take>
  void each(std::uint32_t packet, Take&& take) const {
    const auto render = renders_.find(packet);
    if (render == renders_.end()) return;
    for (const One& one : all_) {
      auto fault = trace_.at<ev::FaultForetold>(one.index);
      if (fault.render != render->second) continue;
      if (!one.level_holds) fault.level = kNone;
      take(one.index, fault);
    }
  }

 private:
  struct One {
    std::uint32_t index = kNone;
    bool level_holds = true;
  };

  const Trace& trace_;
  ScratchVector<One> all_;
  ScratchMap<std::uint32_t, std::uint32_t> renders_;  // by packet
};

}  // namespace wddm::mmu
