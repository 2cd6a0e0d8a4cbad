// Packets of contexts whose allocations have moved, and the memory that these have left.
#pragma once

#include <string>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::vpage {

class ContextMoves {
 public:
  ContextMoves(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  /// In the order of the trace.
  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::ContextAllocationMoved) {
      moved(index, trace_.at<ev::ContextAllocationMoved>(index));
    } else if (kind == EventKind::FormerPlaceLooked) {
      looked(index, trace_.at<ev::FormerPlaceLooked>(index));
    } else if (kind == EventKind::ContextCreated) {
      contexts_.erase(trace_.at<ev::ContextCreated>(index).context);
    } else if (kind == EventKind::Submitted) {
      submitted(index, trace_.at<ev::Submitted>(index));
    } else if (kind == EventKind::PacketEnded) {
      ended(index, trace_.at<ev::PacketEnded>(index));
    } else if (trace_.at<ev::Stuck>(index).excused == 0) {
      stuck(index);
    }
  }

 private:
  struct Context {
    std::uint32_t moved = kNone;      // event
    std::uint32_t submitted = kNone;  // that of a packet since then
    std::uint32_t packet = kNone;
    bool completed = false;  // some packet was since then
  };

  struct Move {
    std::uint32_t event = kNone;
    std::uint32_t context = kNone;
    bool evicted = false;
    bool needed = false;  // by a packet, while it was evicted: VidMm was wrong (CTX-010)
  };

  // Of one that was evicted no packet speaks until it is back.
  void moved(std::uint32_t index, const ev::ContextAllocationMoved& moved) {
    const bool evicted = moved.evicted != 0;
    numbers_[moved.number] = {.event = index, .context = moved.context, .evicted = evicted};
    if (moved.context == kNone) return;
    contexts_.erase(moved.context);
    if (!evicted) contexts_[moved.context] = {.moved = index};
  }
  void looked(std::uint32_t index, const ev::FormerPlaceLooked& looked) {
    const auto number = numbers_.find(looked.number);
    if (number == numbers_.end() || number->second.needed) return;
    const auto context = contexts_.find(looked.context);
    const bool used =
        context == contexts_.end() ? !number->second.evicted : context->second.completed;
    if (used || looked.changed != 0) judgement_.reached(index);
    if (looked.changed == 0) return;
    judgement_.fail(index, "nothing is written where the context allocation lay before",
                    std::to_string(looked.changed) + " bytes changed from offset " +
                        std::to_string(looked.first) + " on",
                    {number->second.event});
  }
  void submitted(std::uint32_t index, const ev::Submitted& submitted) {
    if (submitted.paging != 0 || submitted.context == kNone) return;
    for (auto& [number, move] : numbers_) {
      move.needed |= move.evicted && move.context == submitted.context;
    }
    const auto found = contexts_.find(submitted.context);
    if (found == contexts_.end()) return;
    found->second.submitted = index;
    found->second.packet = submitted.packet;
  }
  void ended(std::uint32_t index, const ev::PacketEnded& ended) {
    for (auto& [number, context] : contexts_) {
      if (context.packet != ended.packet || context.submitted == kNone) continue;
      context.submitted = kNone;
      if (ended.fate != static_cast<std::uint32_t>(PacketFate::Completed)) continue;
      if (!context.completed) judgement_.reached(index);
      context.completed = true;
    }
  }
  // Later packets have shown that the move was heard of.
  void stuck(std::uint32_t index) {
    for (auto& [number, context] : contexts_) {
      if (context.submitted == kNone || context.completed) continue;
      judgement_.reached(index);
      judgement_.fail(index,
                      "the first packet after the context allocation has moved comes to its end",
                      "nothing brings it forward", {context.moved, context.submitted});
    }
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, Context> contexts_;
  ScratchMap<std::uint32_t, Move> numbers_;  // of allocations: the latest move
};

}  // namespace wddm::vpage
