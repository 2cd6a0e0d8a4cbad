#include "conformance/harness/judge/obstacles.h"

#include <algorithm>
#include <iterator>

#include "conformance/harness/judge/collect.h"
#include "conformance/harness/judge/verdict.h"
#include "reference/trace/names.h"
#include "reference/trace/op.h"

namespace wddm::harness {
namespace {

constexpr std::size_t kMostObstacles = 8;
constexpr std::string_view kIsDone = "it is resident";  // of make_resident

// NTSTATUS: the sign bit is set for errors. A call that asks for another buffer goes on in it.
bool was_an_obstacle(std::uint32_t status) {
  constexpr std::uint32_t kInsufficientDmaBuffer = 0xC01E0001;
  return (status & 0x80000000u) != 0 && status != kInsufficientDmaBuffer;
}

// A slot is in use where the op before it that was to empty it was skipped.
constexpr std::string_view kWhatIsNotThere[] = {
    ": no such ",
    ": no so many ",
    ": there is no ",
    ": there are no GPU virtual addresses",
    ": the driver has no GPU virtual addresses",
    ": the driver has no DxgkDdi",
    ": the address space ends before",
    ": it has no address",
    ": nothing was mapped there",
    ": the context has no allocation that would be found at another place",
    ": no allocation is accessed physically",
    ": the slot is in use",
    ": without an MMU one process at a time has devices",
    ": nothing is outstanding on the node"};

constexpr Remedy kRemedies[] = {
    {"no client: ", "a client plug-in (--client)"},
    {"no decoder: ", "decode() in the client"},
    {"no decoder of entries: ", "decode_entry() in the client"},
    {kNoDeviceLog, "log() in the device (--device)"},
    {"no device: ", "a device plug-in (--device)"},
    {"with --config ModernStandby=1", "--config ModernStandby=1: a machine with Modern Standby"},
    {"the client knows nothing of GPU virtual addresses", "GPU virtual addresses in the client"},
    {"the client has no such allocation", "further allocations in the client's allocation_data()"},
    {"the client has no counterpart for these commands: ", "in the client's build(): "},
    {"the client has no counterpart for these commands", "more commands in the client's build()"},
};

// Memory of which the CPU sees nothing: what engines and paging write there nobody else can tell.
bool hides_memory(const Platform& platform) {
  return std::any_of(platform.segments.begin(), platform.segments.end(), [](const auto& segment) {
    return !segment.flags.aperture() && !segment.flags.cpu_visible();
  });
}

// Where the host looks at no memory, clauses that rest on it are left without anything in the way.
bool waits_for_memory(const ClauseResult& clause) {
  return clause.kind == ResultKind::NotApplicable && clause.rule != nullptr &&
         clause.rule->evidence == Evidence::Memory &&
         clause.reason == std::string("not reached: ") + kNoRunCameToIt;
}

template <DevicePart kPart>
bool device_lacks(const Platform& platform) {
  return (platform.device_lacks & static_cast<std::uint32_t>(kPart)) != 0;
}

constexpr Offer kOffers[] = {
    {device_lacks<DevicePart::MemoryRead>, "memory_read() in the device: memory that no BAR shows",
     hides_memory, waits_for_memory},
    {device_lacks<DevicePart::Scramble>,
     "scramble() in the device: what portions of a buffer rely on",
     [](const Platform& platform) { return platform.patch_list_model; }},
    {device_lacks<DevicePart::Power>,
     "power() in the device: what is lost in D3 and not programmed anew",
     [](const Platform& platform) { return platform.has(DdiId::SetPowerState); }},
    {device_lacks<DevicePart::TagBits>,
     "tag_bits of the device: which packet a record of its log is of",
     [](const Platform& platform) { return platform.has_device_log; }},
    {[](const Platform& platform) { return platform.has_client && !platform.has_escapes; },
     "escape_data() in the client: escapes behind the look at their headers",
     [](const Platform& platform) { return platform.has(DdiId::Escape); }},
};

void add_offers(std::span<const ClauseResult> results, const Platform& platform,
                std::vector<Reach>& all) {
  for (const Offer& offer : kOffers) {
    if (!offer.missing(platform) || !offer.helps(platform)) continue;
    Reach& one = all.emplace_back(Reach{offer.what, 0});
    if (offer.waits == nullptr) continue;
    one.clauses =
        static_cast<std::uint32_t>(std::count_if(results.begin(), results.end(), offer.waits));
  }
}

}  // namespace

std::vector<std::string> obstacles_in(const Trace& trace) {
  std::vector<std::string> found;
  std::string of_ddi;  // what failed last in the op at hand, and did not succeed afterwards
  std::uint32_t failed_ddi = kNone;
  std::string refused;               // the last that the driver was refused in the call at hand ...
  std::uint16_t refused_thread = 0;  // ... of this thread
  for (const Event& event : trace.events()) {
    if (found.size() == kMostObstacles) break;
    // What was refused of the questions of a bring-up stopped no op, where the adapter runs.
    if (event.kind == EventKind::OpStarted || event.kind == EventKind::Running) {
      of_ddi.clear();
    } else if (event.kind == EventKind::DdiEntered) {
      if (event.thread == refused_thread) refused.clear();
    } else if (event.kind == EventKind::CallbackCalled) {
      const auto called = Trace::as<ev::CallbackCalled>(event);
      if (!was_an_obstacle(called.result)) continue;
      refused_thread = event.thread;
      refused = std::string(", behind ") + status_name(called.result) + " of " +
                callback_name(called.callback);
    } else if (event.kind == EventKind::DdiReturned) {
      const auto returned = Trace::as<ev::DdiReturned>(event);
      if (was_an_obstacle(returned.status)) {
        of_ddi = std::string(ddi_name(returned.ddi)) + " returned " + status_name(returned.status);
        if (event.thread == refused_thread) of_ddi += refused;
        failed_ddi = returned.ddi;
      } else if (returned.ddi == failed_ddi) {
        of_ddi.clear();  // asked in another way, it did what the op needs
      }
    } else if (event.kind == EventKind::OpSkipped) {
      if (of_ddi.empty() && trace.blob_text(event) == kIsDone) continue;
      const OpInfo* const info = op_info(static_cast<OpKind>(Trace::as<ev::OpSkipped>(event).kind));
      std::string text = info != nullptr ? std::string(info->name) + ": " : std::string{};
      text += of_ddi.empty() ? printable(trace.blob_text(event)) : of_ddi;
      if (std::find(found.begin(), found.end(), text) == found.end())
        found.push_back(std::move(text));
    }
  }
  std::stable_partition(found.begin(), found.end(),
                        [](const std::string& text) { return !names_what_is_not_there(text); });
  return found;
}

bool names_what_is_not_there(std::string_view obstacle) {
  return std::any_of(std::begin(kWhatIsNotThere), std::end(kWhatIsNotThere),
                     [obstacle](std::string_view words) {
                       return obstacle.find(words) != std::string_view::npos;
                     });
}

std::span<const Remedy> remedies() {
  return kRemedies;
}

std::span<const Offer> offers() {
  return kOffers;
}

std::vector<Reach> what_reaches_more(std::span<const ClauseResult> results,
                                     const Platform& platform) {
  std::vector<Reach> all;
  for (const ClauseResult& clause : results) {
    if (clause.kind != ResultKind::NotApplicable) continue;
    for (const Remedy& remedy : kRemedies) {
      const std::size_t at = clause.reason.find(remedy.reason);
      if (at == std::string::npos) continue;
      std::string what = remedy.what;
      // What the client lacks stands at the end.
      if (what.ends_with(": "))
        what += clause.reason.substr(at + std::string(remedy.reason).size());
      const auto known = std::find_if(all.begin(), all.end(),
                                      [&what](const Reach& one) { return one.what == what; });
      ++(known != all.end() ? *known : all.emplace_back(Reach{what, 0})).clauses;
      break;
    }
  }
  add_offers(results, platform, all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Reach& a, const Reach& b) { return a.clauses > b.clauses; });
  return all;
}

}  // namespace wddm::harness
