// Which functions of the driver were running when a process died.
#include <ucontext.h>
#include <unwind.h>

#include <cstring>

#include "conformance/host/execute.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/adapter/plug_ins.h"
#include "conformance/host/nt/image/image_lines.h"

namespace wddm::host {
namespace {

const void* pointer(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}

struct Walk {
  std::span<std::uintptr_t> frames;
  std::size_t count = 0;

  void take(std::uintptr_t address) {
    if (count < frames.size() && is_of_driver(pointer(address))) frames[count++] = address;
  }
};

_Unwind_Reason_Code take_frame(_Unwind_Context* frame, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  int at_instruction = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(frame, &at_instruction);
  // A return address may belong to the function behind a call that does not come back.
  walk.take(at_instruction != 0 ? address : address - 1);
  return walk.count < walk.frames.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// Code that is nowhere has no frame that an unwinder knows; what called it has just pushed where it
// would go on.
void take_caller_of_nowhere(const ucontext_t& context, Walk& walk) {
  const auto stack = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
  std::uintptr_t back = 0;
  std::memcpy(&back, pointer(stack), sizeof back);
  walk.take(back - 1);
}

}  // namespace

std::size_t driver_frames(const void* context, std::span<std::uintptr_t> frames) {
  Walk walk{.frames = frames};
  _Unwind_Backtrace(take_frame, &walk);
  if (walk.count == 0 && context != nullptr) {
    take_caller_of_nowhere(*static_cast<const ucontext_t*>(context), walk);
  }
  return walk.count;
}

std::string driver_function(std::uintptr_t address) {
  if (!is_of_driver(pointer(address))) return {};
  const std::string_view position = nt::code_position(pointer(address));
  return std::string(position.substr(0, position.find('+')));
}

std::string driver_line(std::uintptr_t address) {
  return is_of_driver(pointer(address)) ? nt::source_line(pointer(address)) : std::string{};
}

}  // namespace wddm::host
