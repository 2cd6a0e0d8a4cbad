// Which hardware semaphores have the value that a packet waits for, as far as that can be known.
//
// A wait may hold a packet up for ever, and then nobody is to blame; not so one whose value is
// there. Counted are signals of packets that ran whole, and that nobody altered, for packets of the
// same process and GPU. Where any packet may have signalled less, or anything, nothing is known;
// nor behind a reset, or where objects or power may take a semaphore along.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>

#include "conformance/host/vidsch/queued_packet.h"

namespace wddm::host {

class Objects;

class Semaphores {
 public:
  explicit Semaphores(const Objects& objects) : objects_(objects) {}

  /// The packet is about to be submitted: from here on it may signal.
  void submitted(const Packet& packet);
  /// The driver has reported it as completed.
  void completed(const Packet& packet);
  /// What was signalled so far may be gone.
  void forget() { signalled_.clear(); }
  /// Whether each wait of the buffer finds its value.
  [[nodiscard]] bool let_pass(const RenderBuffer& buffer) const;

 private:
  struct Place {
    std::uint32_t process = 0, physical_adapter = 0, semaphore = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  [[nodiscard]] Place place_of(const RenderBuffer& buffer, const gpu::Command& command) const;

  const Objects& objects_;
  std::set<Place> signalled_;
  std::map<std::uint32_t, std::uint64_t> lowest_;  // of all values that were ever to be signalled
  bool any_value_ = false;                         // commands were altered
};

}  // namespace wddm::host
