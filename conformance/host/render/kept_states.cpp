#include "conformance/host/render/kept_states.h"

#include <utility>

namespace wddm::host {

void KeptStates::offer(const ContextObject& context, UserInput& input) const {
  if (context.made == 0) return;
  const State& state = states_[input.context];
  if (state.made != context.made) {
    input.context_state = WDDM_CONTEXT_STATE_INITIAL;
    return;
  }
  // A stream without commands says nothing of how its buffer has ended.
  const bool ran_whole = state.stream != nullptr && !state.stream->commands.empty() &&
                         state.stream->done == state.stream->commands.size();
  if (!ran_whole || state.record.empty()) return;
  input.context_state = WDDM_CONTEXT_STATE_KEPT;
  input.state = state.record;
}

void KeptStates::built(const ContextObject& context, const UserInput& input, std::uint32_t render,
                       std::shared_ptr<const CommandStream> stream, bool honest) {
  State& state = states_[input.context];
  if (input.counts_on_state) {
    session().tap(ev::StateCountedOn{
        .render = render,
        .context = input.context.value,
        .state = input.context_state,
        .after = input.context_state == WDDM_CONTEXT_STATE_KEPT ? state.render : kNone});
  }
  state = {context.made, render, honest ? std::move(stream) : nullptr, input.state_left};
}

}  // namespace wddm::host
