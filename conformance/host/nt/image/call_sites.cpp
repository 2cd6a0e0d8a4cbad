#include "conformance/host/nt/image/call_sites.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/image/image_lines.h"

namespace wddm::nt {
namespace {

constexpr std::size_t kMostSites = 4;

}  // namespace

std::string from_sites(std::span<const void* const> sites) {
  std::vector<const void*> each;
  for (const void* const site : sites) {
    const bool is_new = std::find(each.begin(), each.end(), site) == each.end();
    if (site != nullptr && is_new) each.push_back(site);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(each.size(), kMostSites); ++i) {
    // The address behind the call may be another line's already.
    const void* const call = static_cast<const std::uint8_t*>(each[i]) - 1;
    const std::string_view position = code_position(call);
    text.append(i == 0 ? ", from " : ", ").append(position.substr(0, position.find('+')));
    if (const std::string line = source_line(call); !line.empty()) text.append(" at ").append(line);
  }
  return each.size() > kMostSites ? text + ", ..." : text;
}

}  // namespace wddm::nt
