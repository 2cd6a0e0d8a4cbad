// Which packets of client processes the GPU may be working at, followed along a trace.
#pragma once

#include "conformance/rules/scratch.h"
#include "reference/trace/event.h"

namespace wddm {

/// Told of RootSet, Submitted and PacketEnded in the order of the trace. Lives within one check.
class RunningWork {
 public:
  struct Running {
    std::uint32_t context = kNone;
    std::uint32_t process = kNone;
    std::uint32_t submitted = kNone;  ///< event
    EngineId engine{};
  };

  void follow(const ev::RootSet& set) { process_of_[set.context] = set.process; }
  /// Paging counts as no process's.
  void follow(std::uint32_t index, const ev::Submitted& submitted) {
    if (submitted.paging != 0 || early_.erase(submitted.packet) != 0) return;
    const auto process = process_of_.find(submitted.context);
    running_[submitted.packet] = {submitted.context,
                                  process == process_of_.end() ? kNone : process->second, index,
                                  engine_of(submitted)};
  }
  /// A driver may report a packet while it takes it.
  void follow(const ev::PacketEnded& ended) {
    if (ended.paging == 0 && running_.erase(ended.packet) == 0) early_.insert(ended.packet);
  }

  /// By packet.
  [[nodiscard]] const ScratchMap<std::uint32_t, Running>& all() const { return running_; }
  /// One of the process; null if none is running.
  [[nodiscard]] const Running* of_process(std::uint32_t process) const {
    for (const auto& [packet, running] : running_) {
      if (running.process == process) return &running;
    }
    return nullptr;
  }

 private:
  ScratchMap<std::uint32_t, std::uint32_t> process_of_;  // by context
  ScratchMap<std::uint32_t, Running> running_;           // by packet
  ScratchSet<std::uint32_t> early_;                      // ended before they were submitted
};

}  // namespace wddm
