// From abstract commands to what user mode hands to Render.
//
// Commands are recorded until the op that ends the list; then the client builds what a user-mode
// driver would submit, hostile elements alter it, and the addressing takes it from there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/addressing/addressing.h"
#include "conformance/host/render/client_build.h"
#include "conformance/host/render/kept_states.h"
#include "conformance/host/render/pattern_places.h"
#include "conformance/host/render/privileged_commands.h"
#include "conformance/host/render/renders_in_turn.h"
#include "conformance/host/render/repertoire.h"
#include "conformance/host/vidmm/prediction/predicted_memory.h"
#include "reference/gpu/effect.h"
#include "reference/trace/op.h"

namespace wddm::host {

class VidMmWorker;

class RenderPath {
 public:
  RenderPath(Objects& objects, const Addressing& addressing, VidMmWorker& vidmm,
             PredictedMemory& memory, const Choices& choices)
      : objects_(objects),
        addressing_(addressing),
        vidmm_(vidmm),
        memory_(memory),
        choices_(choices),
        patterns_(objects, vidmm, memory),
        turns_(objects, addressing, vidmm) {}

  /// The adapter runs and device 0 exists: makes the marker allocation.
  void begin_adapter();
  /// A render op: the elements that follow belong to it.
  void begin(const Op& op);
  void element(const Op& op);
  /// Ends the open list: builds, calls Render, queues. False if none is open. Where passes of two
  /// renders are to alternate, that waits for the one that follows at once.
  bool flush(bool another_follows = false);
  [[nodiscard]] bool is_open() const { return open_; }
  /// Hostile commands may have written to the marker allocation: what it is to hold is written
  /// anew. While nothing runs.
  void renew_markers();
  /// The ordinal of a buffer that is made of no commands of the client. Whose state the context
  /// has then, no client knows.
  [[nodiscard]] std::uint32_t take_ordinal(ContextId context) {
    states_.forget(objects_.context(context), context);
    return renders_++;
  }

 private:
  void ask_for_repertoire();
  [[nodiscard]] bool has(const gpu::Command& command);
  /// Whether the client has a counterpart for the commands, in whatever room they take.
  [[nodiscard]] bool has_all(std::vector<gpu::Command> commands, UserInput& input);
  [[nodiscard]] bool marks() const;
  /// Commands of the open list name allocations by a list: another can stand for the marker's.
  [[nodiscard]] bool may_have_own_patterns() const;
  void fit_slots();
  [[nodiscard]] bool build(UserInput& input);
  void put_in_terms_of_client(std::uint32_t most_steps);
  [[nodiscard]] bool spends_time_by_others() const;
  void list_allocations(UserInput& input) const;
  /// What the client makes of the commands as they are, if it takes allocations to be larger.
  [[nodiscard]] bool encode(UserInput& input, BuildRoom room = BuildRoom::AsAsked,
                            std::uint64_t more_bytes = 0) const;
  /// Why the client builds nothing of the commands: "... : fill, copy", of those that it does not
  /// build by themselves either; or that they are too many at once.
  [[nodiscard]] std::string not_built(UserInput& input);
  void find_raced_words(const UserInput& input);
  /// Returns how many commands it is.
  std::uint32_t add_marker();
  void offer_state(std::uint32_t marker_commands, UserInput& input) const;
  void tamper(UserInput& input) const;

  Objects& objects_;
  const Addressing& addressing_;
  VidMmWorker& vidmm_;
  PredictedMemory& memory_;
  const Choices& choices_;

  bool open_ = false;
  Op op_;
  std::vector<Op> hostile_;
  bool stray_ = false;              // the element that leaves the commands without an address
  std::optional<Op> private_data_;  // the element that says how much of it is given
  std::vector<gpu::Command> commands_;
  std::vector<PrivilegedCommand> privileged_;  // behind them, in what is submitted
  std::uint32_t renders_ = 0;
  std::uint32_t marker_offset_ = kNone;
  bool asked_ = false;  // the client has told what it can
  Repertoire repertoire_;
  PatternPlaces patterns_;
  RendersInTurn turns_;
  KeptStates states_;
};

}  // namespace wddm::host
