// Which packet a record of the device's log is of.
//
// A record bears a tag: the SubmissionFenceId as the driver has programmed it, in as many bits as
// the hardware keeps. No document says how many those are. A device may say it (tag_bits); of one
// that does not it is learned from its tags and from what its engines were given: a tag that no
// packet in question has, but that is the low end of one's fence, is that packet, and a tag of more
// bits than a width has rules the width out. The trace bears fences, so no rule needs to ask.
//
// Left out: a packet whose fence ends in zeros, on a device that marks work of the driver's own by
// 0 and does not say how wide its tags are. It stays what the log calls it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "conformance/sdk/device.h"
#include "reference/types.h"

namespace wddm::host {

class LogTags {
 public:
  /// The packet is about to be given to the engine.
  void submitted(EngineId engine, FenceId fence) { given_[engine].push_back(fence.value); }

  /// The fence that a tag stands for, or the tag if it stands for none. `bits`: of the tags, as the
  /// device says, or 0; `outstanding(fence)`: whether the driver has not reported the packet yet.
  template <class Outstanding>
  [[nodiscard]] std::uint32_t read(EngineId engine, std::uint32_t tag, std::uint32_t bits,
                                   const Outstanding& outstanding) {
    if (bits >= kAllBits) return tag;
    if (bits != 0) {
      widths_ = {bits};
    } else {
      rule_out([&](std::uint32_t width) { return low(tag, width) != tag; });
    }
    if (own_work_ && tag == 0) return 0;
    const std::uint32_t* const fence = find(given_[engine], tag, outstanding);
    if (fence == nullptr) {
      // Whatever is not a packet and has 0 says that 0 is no packet from here on.
      own_work_ |= tag == 0 && bits == 0;
      return tag;
    }
    const std::uint32_t found = *fence;
    if (bits == 0) rule_out([&](std::uint32_t width) { return low(found, width) != tag; });
    return found;
  }

 private:
  static constexpr std::uint32_t kAllBits = 32;

  [[nodiscard]] static constexpr std::uint32_t low(std::uint32_t value, std::uint32_t width) {
    return width >= kAllBits ? value : value & ((1u << width) - 1);
  }

  /// If none is left the guess was wrong that took the others away: then tags are fences.
  template <class Is>
  void rule_out(const Is& is) {
    std::erase_if(widths_, is);
    if (widths_.empty()) widths_ = {kAllBits};
  }

  /// The latest that the tag may stand for; rather the one of this very number while the driver has
  /// it. Numbers begin anew where the scenario says so, and may be given again. 0 is more often no
  /// packet at all than one that has ended.
  template <class Outstanding>
  [[nodiscard]] const std::uint32_t* find(const std::vector<std::uint32_t>& given,
                                          std::uint32_t tag, const Outstanding& outstanding) const {
    const auto stands_for = [&](std::uint32_t fence) {
      return std::any_of(widths_.begin(), widths_.end(),
                         [&](std::uint32_t width) { return low(fence, width) == tag; });
    };
    const auto latest = std::find_if(given.rbegin(), given.rend(), stands_for);
    if (latest == given.rend()) return nullptr;
    if (*latest == tag) return &*latest;
    const auto same = std::find(latest, given.rend(), tag);
    if (same != given.rend() && outstanding(FenceId{tag})) return &*same;
    return tag != 0 || outstanding(FenceId{*latest}) ? &*latest : nullptr;
  }

  std::map<EngineId, std::vector<std::uint32_t>> given_;  // fences, the latest last
  std::vector<std::uint32_t> widths_{8, 16, 24, kAllBits};
  bool own_work_ = false;  // the device marks it by 0
};

/// The fence that a record of the running device names, by what its engine was given.
[[nodiscard]] std::uint32_t fence_of(const WddmDeviceEvent& record, std::uint32_t physical_adapter,
                                     std::uint32_t tag_bits);

}  // namespace wddm::host
