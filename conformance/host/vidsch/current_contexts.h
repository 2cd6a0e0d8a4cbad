// The context that each engine is in, by what it was given last: none after paging, and after a
// packet that leaves a context.
#pragma once

#include <map>
#include <utility>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/vidsch/queued_packet.h"

namespace wddm::host {

class CurrentContexts {
 public:
  void begin() { engines_.clear(); }
  /// The packet is about to be submitted. One that leaves a context learns which, or that it is
  /// paging.
  void submit(Packet& packet) {
    const Current now{packet.context(), packet.is_paging() && !packet.switches()};
    const Current before = std::exchange(engines_[packet.engine], now);
    if (!packet.switches()) return;
    PagingOperation& operation = *packet.paging()->buffer->operation;
    operation.leaves_paging =
        before.paging && !decisions().commits(OracleFault::SwitchWithoutPaging);
    operation.leaves = before.context;
  }
  /// It is about to be destroyed: another one may have its place later.
  void forget(ContextId context) {
    for (auto& [engine, current] : engines_) {
      if (current.context == context) current.context = kNoContext;
    }
  }
  /// kNoContext: paging, the null context, or nothing yet.
  [[nodiscard]] ContextId on(EngineId engine) const {
    const auto found = engines_.find(engine);
    return found == engines_.end() ? kNoContext : found->second.context;
  }
  /// Whether it was given anything.
  [[nodiscard]] bool has(EngineId engine) const { return engines_.contains(engine); }

 private:
  struct Current {
    ContextId context = kNoContext;
    bool paging = false;
  };
  std::map<EngineId, Current> engines_;
};

}  // namespace wddm::host
