// What a driver touched when it died, in words that are the same on every run and machine.
#include <ucontext.h>

#include <algorithm>
#include <cstdio>

#include "conformance/host/adapter/plug_ins.h"
#include "conformance/host/execute.h"
#include "conformance/host/memory/guarded_names.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/memory/pool.h"

namespace wddm::host {
namespace {

constexpr greg_t kPageFault = 14;  // of x86
constexpr greg_t kWrites = 2, kFetches = 16;
// Nothing is ever mapped below it.
constexpr std::uintptr_t kNullEnd = 0x10000;

template <class... Values>
std::size_t put(std::span<char> text, const char* format, Values... values) {
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  return length < 0 ? 0 : std::min(static_cast<std::size_t>(length), text.size() - 1);
}

bool is_user_memory(std::uintptr_t address) {
  return address >= memory::kUserBase && address - memory::kUserBase < memory::kUserSize;
}

std::size_t place_text(const void* address, std::span<char> text) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (number == 0) return put(text, "%s", "at a null pointer");
  if (number < kNullEnd)
    return put(text, "%lld bytes behind a null pointer", static_cast<long long>(number));
  const nt::FindingKind kind = nt::fault_kind(address);
  if (kind == nt::FindingKind::StackOverflow)
    return put(text, "%s", "behind the end of the kernel stack");
  if (kind == nt::FindingKind::RegisterByPointer)
    return put(text, "%s", "of a register by a plain pointer");
  if (std::size_t length = memory::describe_guarded(address, text.data(), text.size()))
    return length;
  if (std::size_t length = nt::pool_describe(address, text.data(), text.size())) return length;
  if (is_user_memory(number))
    return put(text, "%s", "of user memory that cannot be accessed (any more)");
  if (is_of_driver(address)) return put(text, "%s", "of the driver's own code or constants");
  return put(text, "%s", "of memory that the driver was not given");
}

}  // namespace

std::size_t fault_text(const siginfo_t& info, const void* context, std::span<char> text) {
  if ((info.si_signo != SIGSEGV && info.si_signo != SIGBUS) || info.si_code <= 0 ||
      context == nullptr) {
    return 0;
  }
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  if (registers[REG_TRAPNO] != kPageFault) {
    return put(text, "%s", "an access by what is no address: never set, or freed?");
  }
  const greg_t error = registers[REG_ERR];
  const char* const access = (error & kFetches) != 0  ? "a jump "
                             : (error & kWrites) != 0 ? "a write "
                                                      : "a read ";
  const std::size_t used = put(text, "%s", access);
  return used + place_text(info.si_addr, text.subspan(used));
}

}  // namespace wddm::host
