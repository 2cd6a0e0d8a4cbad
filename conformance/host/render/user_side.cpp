#include "conformance/host/render/user_side.h"

#include <algorithm>
#include <cstring>

#include "conformance/host/boundary/session.h"
#include "conformance/host/memory/buffer_copies.h"
#include "conformance/sdk/client.h"

namespace wddm::host {
namespace {

bool is_command(const Op& op) {
  return op.a == static_cast<std::uint8_t>(Input::Command);
}

}  // namespace

UserSide::UserSide(const UserInput& input, std::span<const Op> hostile)
    : command_(memory::user_copy(input.command)), patches_(memory::user_copy(input.patches)) {
  command_at_ = command_.data();
  patches_at_ = patches_.data();
  for (const Op& op : hostile) apply(op);
}

void UserSide::begin_pass(std::uint32_t number) {
  for (const Op& op : revocations_) {
    if (op.kind != OpKind::Revoke || op.y != number) continue;
    (is_command(op) ? command_ : patches_).revoke();
    revoked_ |= 1u << op.a;
  }
}

void UserSide::report_revoked_accesses(std::uint32_t render, std::uint32_t pass) const {
  for (const Input input : {Input::Command, Input::PatchList}) {
    const memory::UserBuffer& target = input == Input::Command ? command_ : patches_;
    if (!target.take_revoked_access()) continue;
    session().tap(ev::RevokedAccessed{
        .render = render, .input = static_cast<std::uint32_t>(input), .pass = pass});
  }
}

const Op* UserSide::raced() const {
  return race_.kind == OpKind::Race && buffer(race_).changed() ? &race_ : nullptr;
}

const memory::UserBuffer& UserSide::buffer(const Op& op) const {
  return is_command(op) ? command_ : patches_;
}

// The last element of a buffer counts: it undoes what those before it have made of it.
void UserSide::apply(const Op& op) {
  memory::UserBuffer& target = is_command(op) ? command_ : patches_;
  std::uint8_t*& at = is_command(op) ? command_at_ : patches_at_;
  Op& revocation = revocations_[is_command(op) ? 0 : 1];
  if (op.kind == OpKind::Revoke && op.x < target.size()) {
    at = target.ready_to_revoke(op.x);
    revocation = op;
  } else if (op.kind == OpKind::Race && op.x % 4 == 0 && op.x + 4ull <= target.size()) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&op.z);
    at = target.change_after_first_read(op.x, {bytes, 4});
    revocation = {};
    race_ = op;
  }
}

}  // namespace wddm::host
