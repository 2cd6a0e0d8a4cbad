// Which roots contexts have been told of, and which root their process has.
//
// A root that moves is told of by TableMoved before contexts are; one that comes in the place of
// another when the old one goes, which is after they are. Roots of a link lie at the same place on
// each GPU, and contexts are told of that of their own.
#pragma once

#include <cstdint>
#include <utility>

#include "conformance/rules/scratch.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::root {

/// Told of events in the order of the trace. Lives within one check.
class RootsTold {
 public:
  struct Root {
    std::uint32_t segment = 0;
    std::uint64_t place = 0;
    std::uint32_t entries = 0;
    friend bool operator==(const Root&, const Root&) = default;
  };
  /// What a context was told last.
  struct Told {
    std::uint32_t process = kNone;
    std::uint32_t gpu = 0;
    Root root{};
    std::uint32_t event = kNone;  ///< RootSet
  };

  explicit RootsTold(const Platform& platform) : root_level_(root_level_of(platform)) {}

  /// From here on the slot has another context, which knows nothing.
  void follow(const ev::ContextCreated& created) { told_.erase(created.context); }
  void follow(std::uint32_t index, const ev::RootSet& set) {
    const Root root{set.segment, set.place, set.entries};
    told_[set.context] = {set.process, set.physical_adapter, root, index};
    Present& present = present_[{set.process, set.physical_adapter}];
    if (present.since == kNone || present.gone || present.root != root) present = {root, index};
  }
  void follow(std::uint32_t index, const ev::TableMoved& moved) {
    if (moved.level != root_level_) return;
    for (auto& [whose, present] : present_) {
      if (whose.first != moved.process || present.root.place != moved.from) continue;
      present.since = index;
      present.gone = moved.gone != 0;
      if (!present.gone) present.root.place = moved.to;
    }
  }

  /// Null: nothing yet.
  [[nodiscard]] const Told* of(std::uint32_t context) const {
    const auto found = told_.find(context);
    return found == told_.end() ? nullptr : &found->second;
  }
  /// The event by which the root of its process has become another since then; kNone: it has not.
  /// A root that is back at a place where it lay before is another one all the same.
  [[nodiscard]] std::uint32_t replaced_since(const Told& told) const {
    const auto found = present_.find({told.process, told.gpu});
    if (found == present_.end() || found->second.since <= told.event) return kNone;
    return found->second.since;
  }

 private:
  struct Present {
    Root root{};
    std::uint32_t since = kNone;  // event
    bool gone = false;            // its memory was taken
  };

  std::uint32_t root_level_;
  ScratchMap<std::uint32_t, Told> told_;                                  // by context
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, Present> present_;  // by process and GPU
};

}  // namespace wddm::root
