// What buffers leave in memory that count on the state of their context.
#pragma once

#include <cstdint>
#include <string>

#include "conformance/rules/differing_memory.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/split_memory.h"
#include "conformance/rules/submit/silent_engines.h"

namespace wddm::ctx {

[[nodiscard]] inline NotApplicable contexts_of_clients(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  return needs(platform, DdiId::CreateContext);
}

// Judged are those that ran whole, from one portion: what a cut does is SPLIT-005's and
// SPLIT-018's. Where memory has been wrong before, nobody knows whose fault this is.
class CountedStates {
 public:
  /// `state`: of StateCountedOn.
  CountedStates(const Trace& trace, std::uint32_t state, const char* expected, Judgement& judgement)
      : trace_(trace), expected_(expected), judgement_(judgement) {
    for (const std::uint32_t index : trace.of<ev::StateCountedOn>()) {
      const auto counted = trace.at<ev::StateCountedOn>(index);
      (counted.state == state ? renders_ : others_)[counted.render] = index;
    }
    if (renders_.empty()) return;
    for (const std::uint32_t index : trace.of<ev::Rendered>()) {
      const auto call = trace.at<ev::Rendered>(index);
      if (call.pass != 0) renders_.erase(call.render);
    }
    const auto buffers = split::submissions_of(trace);
    for (const auto& [render, buffer] : buffers) {
      if (buffer.portions != 1) renders_.erase(render);
    }
  }

  void judge() {
    if (renders_.empty()) return;
    for (const std::uint32_t index :
         trace_.of_any<ev::Submitted, ev::PacketEnded, ev::MemoryChecked, ev::MemoryDiffers>()) {
      const EventKind kind = trace_.events()[index].kind;
      if (kind == EventKind::Submitted) submitted(index);
      if (kind == EventKind::PacketEnded) ended(trace_.at<ev::PacketEnded>(index));
      if (kind == EventKind::MemoryChecked) checked(index);
      if (kind == EventKind::MemoryDiffers) differs(index);
    }
  }

 private:
  struct Packet {
    std::uint32_t counted = kNone;  // StateCountedOn
    std::uint32_t submitted = kNone;
    bool completed = false;
    bool judged = false;  // else it counts on a state of another kind
  };

  void submitted(std::uint32_t index) {
    const auto packet = trace_.at<ev::Submitted>(index);
    if (packet.paging != 0) return;
    const auto one = renders_.find(packet.render);
    const auto other = others_.find(packet.render);
    if (one != renders_.end()) packets_[packet.packet] = {one->second, index, false, true};
    if (other != others_.end()) packets_[packet.packet] = {other->second, index, false, false};
  }
  void ended(const ev::PacketEnded& ended) {
    const auto packet = packets_.find(ended.packet);
    if (packet == packets_.end() || ended.paging != 0) return;
    packet->second.completed = ended.fate == static_cast<std::uint32_t>(PacketFate::Completed);
  }
  // Null if the cause is none of a packet that counts on a state.
  const Packet* packet_of(std::uint32_t cause, std::uint32_t object) const {
    if (cause != static_cast<std::uint32_t>(MemoryCause::Render)) return nullptr;
    const auto packet = packets_.find(object);
    return packet == packets_.end() ? nullptr : &packet->second;
  }
  [[nodiscard]] bool says_something(const Packet& packet, std::uint32_t ordinal,
                                    std::uint32_t event) const {
    return packet.judged && packet.completed && !wrong_before_ &&
           !submit::memory_says_nothing(trace_, ordinal, event);
  }
  void checked(std::uint32_t index) {
    const auto checked = trace_.at<ev::MemoryChecked>(index);
    const Packet* const packet = packet_of(checked.cause, checked.object);
    if (packet != nullptr && says_something(*packet, checked.object, index)) {
      judgement_.reached(index);
    }
  }
  void differs(std::uint32_t index) {
    const auto differs = trace_.at<ev::MemoryDiffers>(index);
    const Packet* const packet = packet_of(differs.cause, differs.cause_object);
    wrong_before_ |= packet == nullptr;
    if (packet == nullptr || !says_something(*packet, differs.cause_object, index)) return;
    judgement_.fail(index, expected_, difference_text(differs),
                    {packet->counted, packet->submitted});
  }

  const Trace& trace_;
  const char* expected_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, std::uint32_t> renders_;  // StateCountedOn; of the kind that is judged
  ScratchMap<std::uint32_t, std::uint32_t> others_;
  ScratchMap<std::uint32_t, Packet> packets_;
  bool wrong_before_ = false;
};

}  // namespace wddm::ctx
