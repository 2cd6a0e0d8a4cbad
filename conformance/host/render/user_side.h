// The two buffers of user mode that Render reads, with what hostile elements make of them: bytes
// that are no longer there, from the first pass on or from a later one, and a word that changes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "conformance/host/memory/memory.h"
#include "conformance/host/render/render_call.h"

namespace wddm::host {

class UserSide {
 public:
  UserSide(const UserInput& input, std::span<const Op> hostile);

  /// Render is about to be called, so many times after the first. User mode has taken away what it
  /// takes away by then; nothing moves.
  void begin_pass(std::uint32_t number);
  /// Bit n: bytes of Input n can no longer be accessed.
  [[nodiscard]] std::uint32_t revoked() const { return revoked_; }
  [[nodiscard]] const void* command() const { return command_at_; }
  [[nodiscard]] D3DDDI_PATCHLOCATIONLIST* patches() const {
    return reinterpret_cast<D3DDDI_PATCHLOCATIONLIST*>(patches_at_);
  }
  /// Records in which buffers the call has tried to access what was revoked.
  void report_revoked_accesses(std::uint32_t render, std::uint32_t pass) const;
  /// The armed change, if it has happened.
  [[nodiscard]] const Op* raced() const;

 private:
  [[nodiscard]] const memory::UserBuffer& buffer(const Op& op) const;
  void apply(const Op& op);

  memory::UserBuffer command_, patches_;
  std::uint8_t* command_at_;
  std::uint8_t* patches_at_;
  std::uint32_t revoked_ = 0;
  std::array<Op, 2> revocations_{};  // of each, and in which pass
  Op race_;
};

}  // namespace wddm::host
