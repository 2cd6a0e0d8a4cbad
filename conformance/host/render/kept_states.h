// What clients know of the state of their contexts: the record that a build left, for the next one.
//
// It holds only where the last buffer of the context has run whole. Whether later ones will is not
// known when they are built, so nothing is told while one is under way. Left out: clients that lack
// commands which others stand for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/render/render_call.h"

namespace wddm::host {

class KeptStates {
 public:
  /// Puts into `input` what the client may count on.
  void offer(const ContextObject& context, UserInput& input) const;
  /// A buffer is about to be submitted. `honest`: user mode has altered nothing.
  void built(const ContextObject& context, const UserInput& input, std::uint32_t render,
             std::shared_ptr<const CommandStream> stream, bool honest);
  /// What is submitted next sets what it likes: Present.
  void forget(const ContextObject& context, ContextId id) {
    states_[id] = {.made = context.made, .render = 0, .stream = nullptr, .record = {}};
  }

 private:
  struct State {
    std::uint32_t made = 0;  // of which context of the slot
    std::uint32_t render = 0;
    std::shared_ptr<const CommandStream> stream;  // of the last buffer; null: nothing is known
    std::vector<std::uint8_t> record;
  };
  PerContext<State> states_;
};

}  // namespace wddm::host
