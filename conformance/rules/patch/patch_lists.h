// What rules on patching share: the Render call behind a Patch, and fields by their place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "conformance/sdk/client.h"
#include "reference/trace/trace.h"

namespace wddm::patch {

/// ns-d3dkmddi-_dxgk_vidschcaps.md # NoDmaPatching: set where buffers hold virtual addresses of the
/// driver's own, which Patch need not write.
inline constexpr const char* kNoDmaPatching =
    "NoDmaPatching: buffers may hold virtual addresses, which nobody patches";

/// The RenderCalled or Rendered event of one pass, or kNone. Both come in the order of their calls.
template <class Called>
[[nodiscard]] inline std::uint32_t find_call(const Trace& trace, std::uint32_t render,
                                             std::uint32_t pass) {
  const std::span<const std::uint32_t> calls = trace.of<Called>();
  const auto found = std::partition_point(calls.begin(), calls.end(), [&](std::uint32_t index) {
    const auto call = trace.at<Called>(index);
    return call.render != render ? call.render < render : call.pass < pass;
  });
  if (found == calls.end()) return kNone;
  const auto call = trace.at<Called>(*found);
  return call.render == render && call.pass == pass ? *found : kNone;
}

/// The part of a patch-location list that one Patch call was given.
[[nodiscard]] inline std::span<const PatchRecord> submitted(std::span<const PatchRecord> list,
                                                            const ev::Patched& patched) {
  if (patched.first >= list.size()) return {};
  return list.subspan(patched.first,
                      std::min<std::size_t>(patched.count, list.size() - patched.first));
}

/// What the field at `offset` of the decoded range holds; `width` 0 if no address stands there. The
/// address is the whole one that the hardware makes of the field, however wide that is.
struct Field {
  std::uint64_t address = 0;
  std::uint32_t width = 0;
};
[[nodiscard]] inline Field field_at(std::span<const WddmDecoded> commands, std::uint32_t offset) {
  const auto behind =
      std::partition_point(commands.begin(), commands.end(),
                           [&](const WddmDecoded& command) { return command.offset <= offset; });
  if (behind == commands.begin()) return {};
  const WddmDecoded& command = *(behind - 1);
  for (std::uint32_t i = 0; i < std::min(command.address_count, 2u); ++i) {
    if (command.address_offset[i] == offset) {
      return {command.address[i], command.address_width[i]};
    }
  }
  return {};
}

/// Where the field of an element ought to lead: the place of its allocation plus AllocationOffset.
[[nodiscard]] inline std::uint64_t target_of(const PatchRecord& element,
                                             const AllocationRecord& entry) {
  return entry.address + element.allocation_offset;
}

[[nodiscard]] inline std::string number(std::uint64_t value) {
  return std::to_string(value);
}

}  // namespace wddm::patch
