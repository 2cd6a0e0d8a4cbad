// Faults: who may answer a SIGSEGV, SIGBUS or SIGTRAP of this process.
//
// One handler for all: first the watched user buffers of this folder, then the hook of the NT
// kernel (SEH frames, registers reached by pointer), then whatever was installed before.
#pragma once

#include <csignal>
#include <cstdint>
#include <span>

namespace wddm::memory {

/// Answers a fault that no user buffer watches for. True: handled, run on. It may leave by
/// siglongjmp; the signal mask is as it was. Async-signal-safe code only.
using FaultHook = bool (*)(int signal, siginfo_t* info, void* context);
/// Installs the hook, null for none; returns the one before. map() installs the signal handlers.
FaultHook set_fault_hook(FaultHook hook);
/// Signal handlers of this folder, on an alternate stack; for a thread that wants them before
/// map(). Does nothing if they are installed.
void install_fault_handlers();

namespace internal {

/// Right after the first instruction that read *byte, which must start a page, has run, the
/// bytes there become `replacement`. The page is inaccessible until then.
void watch_first_read(std::uint8_t* byte, std::span<const std::uint8_t> replacement);
void unwatch(std::uint8_t* byte);
[[nodiscard]] bool watch_fired(const std::uint8_t* byte);

/// Whether an access to user memory from `begin` up to `end` has faulted since forget_user_faults()
/// or the last call for it. Of very many faults only the first are known.
[[nodiscard]] bool take_user_fault(std::uint64_t begin, std::uint64_t end);
void forget_user_faults();

}  // namespace internal
}  // namespace wddm::memory
