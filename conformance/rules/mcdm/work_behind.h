// Whether packets complete behind a change of the device as they did before it.
#pragma once

#include <string>

#include "conformance/rules/ended_by_reset.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::compute {

class WorkBehind {
 public:
  explicit WorkBehind(Judgement& judgement) : judgement_(judgement) {}

  /// The event of the last change; kNone: there was none.
  [[nodiscard]] std::uint32_t change() const { return change_; }
  void changed(std::uint32_t index) { change_ = index; }
  /// Only what is given from here on lies behind it.
  void forget_given() { given_.clear(); }
  void given(const ev::Submitted& packet) { given_.insert(packet.packet); }
  void stuck(std::uint32_t index, const ev::Stuck& stuck) {
    stuck_ = stuck.excused == 0 ? index : kNone;
  }
  /// Judges a packet that was given behind the change. One that ends where nothing moved any more,
  /// by the reset that follows, fails, and all begins anew: then it is false.
  [[nodiscard]] bool ended(std::uint32_t index, const ev::PacketEnded& packet,
                           const char* expected) {
    if (change_ == kNone) {
      worked_ |= packet.fate == static_cast<std::uint32_t>(PacketFate::Completed);
      return true;
    }
    if (!given_.contains(packet.packet)) return true;
    judgement_.reached(index);
    if (stuck_ == kNone || !worked_ || !ended_by_reset(packet)) return true;
    judgement_.fail(stuck_, expected,
                    "packet " + std::to_string(packet.packet) + " on node " +
                        std::to_string(packet.node) + " does not",
                    {change_});
    begin_anew();
    return false;
  }
  /// A reset or a start brings the device up in other ways.
  void begin_anew() {
    given_.clear();
    change_ = stuck_ = kNone;
    worked_ = false;
  }

 private:
  Judgement& judgement_;
  ScratchSet<std::uint32_t> given_;  // packets
  std::uint32_t change_ = kNone, stuck_ = kNone;
  bool worked_ = false;  // a packet has completed before
};

}  // namespace wddm::compute
