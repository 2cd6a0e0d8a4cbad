#include "conformance/harness/judge/bring_up.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/trace/ddi.h"
#include "reference/trace/names.h"

namespace wddm::harness {
namespace {

// NTSTATUS: the sign bit is set for errors.
bool failed(std::uint32_t status) {
  return (status & 0x80000000u) != 0;
}

constexpr std::uint32_t kRevisionMismatch = 0xC0000059;  // STATUS_REVISION_MISMATCH

std::string trouble_of_entry(const ev::EntryReturned& entry, Judged& judged) {
  if (entry.initialize_calls == 0) {
    return fmt::format("DriverEntry returned {} and never called DxgkInitialize",
                       status_name(entry.status));
  }
  if (failed(entry.initialize_status)) {
    judged.version_refused = entry.initialize_status == kRevisionMismatch;
    return fmt::format("DxgkInitialize refused interface version 0x{:x} ({})", entry.version,
                       status_name(entry.initialize_status));
  }
  return failed(entry.status) ? fmt::format("DriverEntry returned {}", status_name(entry.status))
                              : std::string{};
}

// Without a device nothing answers at the registers that StartDevice looks at.
const char* hint_at_device(std::uint32_t ddi, const Platform& platform) {
  const bool starts = ddi == static_cast<std::uint32_t>(DdiId::StartDevice);
  return starts && !platform.has_device ? "; no device plug-in (--device) stands for its hardware"
                                        : "";
}

std::string trouble_of_ddis(const Trace& trace, const Platform& platform) {
  std::string trouble = "bring-up did not come to its end";
  for (std::uint32_t ddi = 0; ddi < kDdis; ++ddi) {
    const DdiInfo& info = ddi_table()[ddi];
    if (info.presence != DdiPresence::Start) continue;
    const auto entered = trace.of<ev::DdiEntered>();
    const auto is_needed = [&](std::uint32_t index) {
      return trace.at<ev::DdiEntered>(index).ddi == ddi;
    };
    if (std::none_of(entered.begin(), entered.end(), is_needed)) {
      trouble = info.absence;
      break;
    }
  }
  for (const std::uint32_t index : trace.of<ev::DdiReturned>()) {
    const auto returned = trace.at<ev::DdiReturned>(index);
    if (failed(returned.status)) {
      trouble = fmt::format("{} returned {}{}", ddi_name(returned.ddi),
                            status_name(returned.status), hint_at_device(returned.ddi, platform));
    }
  }
  return trouble;
}

}  // namespace

void note_bring_up(const Trace& trace, Judged& judged) {
  if (judged.platform.started) return;
  const auto entries = trace.of<ev::EntryReturned>();
  if (entries.empty()) {
    judged.start_trouble = trace.of<ev::DdiEntered>().empty() ? "the driver was never called"
                                                              : "DriverEntry did not return";
    return;
  }
  if (!trace.of<ev::StartRefused>().empty()) {
    judged.start_trouble =
        "a device that only computes must reach all memory, and HighestAcceptableAddress is below "
        "its end";
    return;
  }
  judged.start_trouble = trouble_of_entry(trace.at<ev::EntryReturned>(entries.front()), judged);
  if (judged.start_trouble.empty()) judged.start_trouble = trouble_of_ddis(trace, judged.platform);
}

}  // namespace wddm::harness
