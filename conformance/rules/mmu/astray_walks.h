// Walks of the device's log that went astray in one way.
#pragma once

#include "conformance/rules/mmu/entries_in_memory.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::mmu {

class AstrayWalks final : public SpaceObserver {
 public:
  AstrayWalks(const Trace& trace, AstrayWalk why, const char* expected, Judgement& judgement)
      : trace_(trace), why_(why), expected_(expected), judgement_(judgement) {}

  void shown(const SpaceSign& sign) override {
    if (sign.kind != SpaceSign::Kind::Walk || sign.walk.why != static_cast<std::uint32_t>(why_)) {
      return;
    }
    const EntriesInMemory tables(trace_, sign.walk.process, sign.packet.engine.physical_adapter,
                                 sign.event);
    judgement_.fail(sign.event, expected_, sign.seen() + tables.who_went_wrong(sign.walk.address),
                    {sign.packet.submitted});
  }

 private:
  const Trace& trace_;
  AstrayWalk why_;
  const char* expected_;
  Judgement& judgement_;
};

/// Reached wherever walks were held against the page tables; those of this kind fail.
inline void judge_walks(const Trace& trace, AstrayWalk why, const char* expected,
                        Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::WalksJudged>()) judgement.reached(index);
  AstrayWalks walks(trace, why, expected, judgement);
  observe_spaces(trace, walks);
}

}  // namespace wddm::mmu
