// The command that an element of a render records.
#pragma once

#include "reference/gpu/command.h"
#include "reference/trace/op.h"

namespace wddm::host {

inline gpu::Command command_of(const Op& op) {
  if (op.kind == OpKind::Bind) return gpu::bind(op.a, AllocationId{op.b});
  if (op.kind == OpKind::Unbind) return gpu::unbind(op.a);
  if (op.kind == OpKind::Fill) return gpu::fill(std::uint16_t{op.a}, op.x, op.y, op.z);
  if (op.kind == OpKind::Copy) return gpu::copy(op.a, op.x, op.b, op.y, op.z);
  if (op.kind == OpKind::Add) return gpu::add(op.a, op.x, op.z);
  if (op.kind == OpKind::Signal) return gpu::signal(op.a, op.z);
  if (op.kind == OpKind::Wait) return gpu::wait(op.a, op.z);
  if (op.kind == OpKind::Spin) return gpu::spin(op.x);
  return {};
}

}  // namespace wddm::host
