// Ops that make calls of the driver fail: what follows from that is the scenario's wish.
#pragma once

#include <cstdint>

#include "reference/trace/op.h"

namespace wddm {

/// `kind` of ev::OpStarted: pool allocations or callbacks fail in the next op, or the op itself
/// makes a call that a driver may refuse. Requery makes some of its own fail: an AllocationGroup
/// says which, pool_failed.
[[nodiscard]] inline bool fails_on_purpose(std::uint32_t kind) {
  const auto op = static_cast<OpKind>(kind);
  return op == OpKind::FailPool || op == OpKind::FailCallback || op == OpKind::HostileData;
}

/// Follows the ops of a trace: whether calls are made to fail in what goes on just then.
class MadeToFail {
 public:
  /// `kind` of ev::OpStarted.
  void begins(std::uint32_t kind) {
    const OpInfo* const info = op_info(static_cast<OpKind>(kind));
    if (info == nullptr || info->is(OpRole::Element)) return;
    if (fails_on_purpose(kind)) {
      now_ = true;
      its_op_ = info->is(OpRole::Do);
    } else if (its_op_) {
      now_ = its_op_ = false;
    } else if (!info->is(OpRole::Modify)) {
      its_op_ = info->is(OpRole::Do) || info->is(OpRole::Open);
    }
  }
  [[nodiscard]] bool now() const { return now_; }

 private:
  bool now_ = false;
  bool its_op_ = false;  // the op that they fail in has begun
};

}  // namespace wddm
