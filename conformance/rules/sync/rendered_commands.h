// What the commands of packets can be about, by the ops that their buffers were made of.
#pragma once

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/is_any_of.h"
#include "reference/trace/op.h"

namespace wddm::sync {

struct Commands {
  bool waits = false, signals = false, works = false;
  bool accesses = false;  ///< memory: all that is none of the above
  bool counts = false;    ///< a word up, with another access behind it
};

[[nodiscard]] inline bool alters_commands(OpKind kind) {
  return is_any_of(kind, OpKind::TamperPatch, OpKind::TamperCommand, OpKind::TamperPrivate,
                   OpKind::Revoke, OpKind::Race, OpKind::StrayCommands, OpKind::Privileged);
}

/// The elements of a render come before the event of its buffer.
class Renders {
 public:
  void on(OpKind kind) {
    const bool presents = is_any_of(kind, OpKind::PresentFill, OpKind::PresentBlt);
    const bool begins = presents || is_any_of(kind, OpKind::Render, OpKind::EachNode);
    if (begins) now_ = {};
    now_.waits |= kind == OpKind::Wait;
    now_.signals |= kind == OpKind::Signal;
    now_.works |= is_any_of(kind, OpKind::Spin, OpKind::EachNode);
    const bool accesses = presents || is_any_of(kind, OpKind::Fill, OpKind::Copy, OpKind::Add);
    now_.counts |= accesses && added_;
    added_ = kind == OpKind::Add || (added_ && !begins);
    now_.accesses |= accesses;
  }
  void built(std::uint32_t render) { renders_[render] = now_; }
  /// Nothing is known of what paging does.
  [[nodiscard]] Commands of(const ev::Submitted& packet) const {
    const auto found = renders_.find(packet.render);
    return packet.paging != 0 || found == renders_.end() ? Commands{} : found->second;
  }

 private:
  Commands now_;
  bool added_ = false;
  ScratchMap<std::uint32_t, Commands> renders_;
};

}  // namespace wddm::sync
