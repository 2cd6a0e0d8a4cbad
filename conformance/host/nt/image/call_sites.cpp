#include "conformance/host/nt/image/call_sites.h"

#include <unwind.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/image/image_lines.h"

namespace wddm::nt {
namespace {

constexpr std::size_t kMostSites = 4;

// Of all drivers of this process. Most have none, or one that compilers turn into a jump.
std::vector<ElfRange> g_operators_new;

// A return address may stand behind a function's last byte.
bool is_operator_new(std::uintptr_t back_to) {
  return std::any_of(
      g_operators_new.begin(), g_operators_new.end(),
      [back_to](const ElfRange& range) { return back_to > range.start && back_to <= range.end; });
}

struct Walk {
  std::uintptr_t site;
  bool met = false;
  std::uintptr_t asker = 0;
};

_Unwind_Reason_Code take_frame(_Unwind_Context* frame, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const std::uintptr_t back_to = _Unwind_GetIP(frame);
  walk.met |= back_to == walk.site;
  if (!walk.met || is_operator_new(back_to)) return _URC_NO_REASON;
  walk.asker = back_to;
  return _URC_END_OF_STACK;
}

}  // namespace

void know_operators_new(std::uint64_t base, std::span<const ElfRange> operators_new) {
  for (const ElfRange& range : operators_new)
    g_operators_new.push_back({base + range.start, base + range.end});
}

Asker asker_at(const void* site) {
  const auto back_to = reinterpret_cast<std::uintptr_t>(site);
  Asker asker{site, innermost_call()};
  if (site == nullptr || !is_operator_new(back_to)) return asker;
  Walk walk{.site = back_to};
  _Unwind_Backtrace(take_frame, &walk);
  if (walk.asker != 0) asker.site = reinterpret_cast<const void*>(walk.asker);
  return asker;
}

std::string from_askers(std::span<const Asker> askers) {
  std::vector<Asker> each;
  for (const Asker& asker : askers) {
    const bool is_new = std::find(each.begin(), each.end(), asker) == each.end();
    if (asker.site != nullptr && is_new) each.push_back(asker);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(each.size(), kMostSites); ++i) {
    // The address behind the call may be another line's already.
    const void* const code = static_cast<const std::uint8_t*>(each[i].site) - 1;
    const std::string_view position = code_position(code);
    const std::string_view function = position.substr(0, position.find('+'));
    const std::string_view call = each[i].call;
    text.append(i == 0 ? ", from " : ", ").append(function);
    if (const std::string line = source_line(code); !line.empty()) text.append(" at ").append(line);
    if (!call.empty() && call != function) text.append(" in ").append(call);
  }
  return each.size() > kMostSites ? text + ", ..." : text;
}

}  // namespace wddm::nt
