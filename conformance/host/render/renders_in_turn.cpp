#include "conformance/host/render/renders_in_turn.h"

#include <algorithm>
#include <utility>

namespace wddm::host {
namespace {

// Hostile input goes alone, and so does what waits: it may wait for what comes behind it in turn.
bool goes_alone(const RenderRequest& request) {
  const auto& commands = request.stream->commands;
  return !request.hostile.empty() ||
         std::any_of(commands.begin(), commands.end(), [](const gpu::Command& command) {
           return command.kind == gpu::CommandKind::Wait;
         });
}

// What passes of two make of the same memory depends on where each of them ends.
bool share_memory(const UserInput& one, const UserInput& other) {
  return std::find_first_of(one.allocations.begin(), one.allocations.end(),
                            other.allocations.begin(),
                            other.allocations.end()) != one.allocations.end();
}

}  // namespace

RendersInTurn::Held::Held(const RenderRequest& asked, const UserInput& built)
    : op(asked.op),
      input(built),
      request{.ordinal = asked.ordinal,
              .context = asked.context,
              .op = op,
              .stream = asked.stream,
              .marker_offset = asked.marker_offset,
              .marker_is_ladder = asked.marker_is_ladder,
              .hostile = {},
              .private_data = asked.private_data,
              .null_rendering = asked.null_rendering} {}

void RendersInTurn::take(const RenderRequest& request, const UserInput& input, bool hold) {
  const bool alone = goes_alone(request);
  if (!alone && held_ != nullptr && device_of(held_->request) != device_of(request) &&
      !share_memory(held_->input, input)) {
    const std::unique_ptr<Held> first = std::exchange(held_, nullptr);
    return addressing_.prepare_in_turn({first->request, first->input}, {request, input}, vidmm_);
  }
  let_go();
  if (hold && !alone) {
    held_ = std::make_unique<Held>(request, input);
  } else {
    addressing_.prepare(request, input, vidmm_);
  }
}

void RendersInTurn::let_go() {
  const std::unique_ptr<Held> last = std::exchange(held_, nullptr);
  if (last != nullptr) addressing_.prepare(last->request, last->input, vidmm_);
}

}  // namespace wddm::host
