#include "conformance/harness/judge/capability_record.h"

#include <d3dkmddi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/text_file.h"
#include "reference/digest.h"

namespace wddm::harness {
namespace {

constexpr std::string_view kHead = "# driver: ";
constexpr std::string_view kDigest = ", record ";
constexpr std::string_view kLine = "#   ";
constexpr std::size_t kMostLines = 256;
constexpr std::size_t kLongest = 200;

std::string line(std::string_view key, std::string_view value) {
  return fmt::format("{:<22} {}", key, value);
}
const char* yes_no(bool value) {
  return value ? "yes" : "no";
}

std::string names_of_flags(const SegmentFlags& flags) {
  std::string names;
  const auto add = [&names](bool on, const char* name) {
    if (on) names += std::string(names.empty() ? "" : ", ") + name;
  };
  add(flags.aperture(), "aperture");
  add(flags.agp(), "AGP");
  add(flags.cpu_visible(), "CPU visible");
  add(flags.use_banking(), "banks");
  add(flags.cache_coherent(), "cache coherent");
  add(flags.pitch_alignment(), "pitch alignment");
  DXGK_SEGMENTFLAGS newer{};
  newer.Value = flags.value;
  add(newer.PopulatedFromSystemMemory, "populated from system memory");
  add(newer.PreservedDuringStandby, "preserved during standby");
  add(newer.PreservedDuringHibernate, "preserved during hibernation");
  add(newer.PartiallyPreservedDuringHibernate, "partially preserved during hibernation");
  add(newer.DirectFlip, "direct flip");
  add(newer.Use64KBPages, "64 KB pages");
  add(newer.ReservedSysMem, "reserved system memory");
  add(newer.SupportsCpuHostAperture, "CPU host aperture");
  add(newer.SupportsCachedCpuHostAperture, "cached CPU host aperture");
  add(newer.ApplicationTarget, "application target");
  add(newer.VprSupported, "VPR");
  add(newer.VprPreservedDuringStandby, "VPR preserved during standby");
  add(newer.EncryptedPagingSupported, "encrypted paging");
  add(newer.LocalBudgetGroup, "local budget");
  add(newer.NonLocalBudgetGroup, "non-local budget");
  return names.empty() ? "no flags" : names;
}

std::string page_tables_of(const Platform& platform) {
  constexpr const char* kModes[] = {"CPU_VIRTUAL", "GPU_VIRTUAL", "GPU_PHYSICAL"};
  const GpuMmuCaps& caps = platform.gpu_mmu_caps;
  std::string text = fmt::format(
      "{} levels, updates {}", platform.page_table_levels,
      platform.update_mode < std::size(kModes) ? kModes[platform.update_mode] : "unknown");
  if (platform.leaf_64kb_bytes != 0) {
    text += fmt::format(", leaf tables of 64 KB pages with {} bytes", platform.leaf_64kb_bytes);
  }
  const auto add = [&text](bool on, const char* name) {
    if (on) text += std::string(", ") + name;
  };
  add(caps.dual_pte(), "pairs");
  add(caps.large_pages(), "large pages");
  add(caps.zero_in_pte(), "zero entries");
  add(caps.read_only(), "read-only");
  add(caps.no_execute(), "no-execute");
  add(caps.cache_coherent(), "cache coherent");
  add(caps.explicit_invalidation(), "explicit invalidation");
  add(caps.updates_need_idle(), "updates need idle");
  add(caps.invalid_not_cached(), "invalid entries not cached");
  return text;
}

// Folded: short enough to be read aloud, and no secret.
std::string digest_of(const std::vector<std::string>& lines) {
  const std::string text = fmt::format("{}", fmt::join(lines, "\n"));
  const std::uint64_t whole =
      wddm::digest({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return fmt::format("{:08x}", static_cast<std::uint32_t>(whole ^ whole >> 32));
}

// A line of a file that anybody may have written.
std::string tame(std::string_view text) {
  return printable(trimmed(text.substr(0, kLongest)));
}

}  // namespace

std::vector<std::string> capability_lines(const Platform& platform) {
  std::vector<std::string> lines{
      line("interface version", fmt::format("0x{:x}", platform.interface_version)),
      line("WDDM version", fmt::format("{} (1200 is 1.2)", platform.wddm_version)),
      line("nodes", fmt::format("{}", platform.nodes)),
      line("slots", fmt::format("{}", platform.slots)),
      line("PreemptionAware", yes_no(platform.scheduling.preemption_aware())),
      line("MultiEngineAware", yes_no(platform.scheduling.multi_engine_aware())),
      line("NoDmaPatching", yes_no(platform.scheduling.no_dma_patching())),
      line("CancelCommandAware", yes_no(platform.scheduling.cancel_command_aware())),
      line("patch lists", yes_no(platform.patch_list_model)),
      line("virtual addressing", yes_no(platform.virtual_addressing)),
      line("device", platform.has_device
                         ? fmt::format("yes, {} log{}", platform.has_device_log ? "with a" : "no",
                                       platform.has_scramble ? ", scrambles" : "")
                         : "none"),
      line("client",
           platform.has_client
               ? fmt::format("yes, {} decoder{}{}", platform.has_decoder ? "with a" : "no",
                             platform.has_entry_decoder ? ", reads page tables" : "",
                             platform.has_escapes ? ", knows escapes" : "")
               : "none")};
  if (platform.gpu_mmu) lines.push_back(line("page tables", page_tables_of(platform)));
  if (platform.io_mmu) lines.push_back(line("IOMMU", yes_no(true)));
  if (platform.linked_adapters != 0) {
    lines.push_back(line("linked adapters", std::to_string(platform.linked_adapters)));
  }
  if (platform.sources != 0) {
    lines.push_back(line("video present sources", std::to_string(platform.sources)));
  }
  if (platform.map_aperture2) lines.push_back(line("MapApertureSegment2", yes_no(true)));
  if (platform.compute_only) lines.push_back(line("compute only", yes_no(true)));
  if (platform.graphics_preemption != 0) {
    lines.push_back(line("graphics preemption", fmt::format("{}", platform.graphics_preemption)));
  }
  if (platform.compute_preemption != 0) {
    lines.push_back(line("compute preemption", fmt::format("{}", platform.compute_preemption)));
  }
  if (platform.has_package) lines.push_back(line("INF", yes_no(true)));
  if (platform.runtime_power) lines.push_back(line("runtime power", yes_no(true)));
  if (platform.removable) lines.push_back(line("surprise removal", yes_no(true)));
  if (platform.removable_in_hibernation) {
    lines.push_back(line("surprise removal in hibernation", yes_no(true)));
  }
  if (platform.secure_mode) lines.push_back(line("secure mode", yes_no(true)));
  for (std::size_t i = 0; i < platform.segments.size(); ++i) {
    const PlatformSegment& segment = platform.segments[i];
    lines.push_back(line(
        fmt::format("segment {}", i + 1),
        fmt::format("{} KiB at 0x{:x}, commit limit {} KiB, {}", segment.size / 1024, segment.base,
                    segment.commit_limit / 1024, names_of_flags(segment.flags))));
  }
  return lines;
}

CapabilityRecord record_of(const Platform& platform, const std::string& driver_file) {
  CapabilityRecord record;
  record.driver = tame(std::string_view(driver_file).substr(driver_file.rfind('/') + 1));
  record.lines = capability_lines(platform);
  record.digest = digest_of(record.lines);
  return record;
}

std::string print_record(const CapabilityRecord& record) {
  std::string text = fmt::format("{}{}{}{}\n", kHead, record.driver, kDigest, record.digest);
  for (const std::string& one : record.lines) text += fmt::format("{}{}\n", kLine, one);
  return text;
}

std::optional<CapabilityRecord> read_record(std::string_view text) {
  std::optional<CapabilityRecord> record;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (record) {
      if (!one.starts_with(kLine) || record->lines.size() >= kMostLines) break;
      record->lines.push_back(tame(one.substr(kLine.size())));
      continue;
    }
    const std::size_t digest = one.rfind(kDigest);
    if (!one.starts_with(kHead) || digest == one.npos || digest < kHead.size()) continue;
    record.emplace();
    record->driver = tame(one.substr(kHead.size(), digest - kHead.size()));
    record->digest = tame(one.substr(digest + kDigest.size()));
  }
  return record;
}

std::string difference(const CapabilityRecord& found_on, const CapabilityRecord& here) {
  // By their lines if they are at hand: earlier versions had other digests for the same.
  const bool same =
      found_on.lines.empty() ? found_on.digest == here.digest : found_on.lines == here.lines;
  if (same && found_on.driver == here.driver) return {};
  std::string text = fmt::format("Found on {} (record {}); this is {} (record {})", found_on.driver,
                                 found_on.digest, here.driver, here.digest);
  if (same) return text + ", with the same capabilities";
  const auto [theirs, ours] = std::mismatch(found_on.lines.begin(), found_on.lines.end(),
                                            here.lines.begin(), here.lines.end());
  const auto squeezed = [](std::string line) {
    const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
    line.erase(std::unique(line.begin(), line.end(), both_blank), line.end());
    return line;
  };
  return text + fmt::format(", which differs first in: {}, here {}",
                            theirs == found_on.lines.end() ? "nothing more" : squeezed(*theirs),
                            ours == here.lines.end() ? "nothing more" : squeezed(*ours));
}

}  // namespace wddm::harness
