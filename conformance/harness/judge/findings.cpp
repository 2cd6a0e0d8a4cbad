#include "conformance/harness/judge/findings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include "conformance/harness/judge/verdict.h"
#include "conformance/host/nt/core/kernel.h"

namespace wddm::harness {
namespace {

using nt::FindingKind;

struct About {
  FindingKind kind;
  const char* text;
};
constexpr std::array kAbout = {
    About{FindingKind::IrqlTooHigh, "A service is called at or below its documented highest IRQL."},
    About{FindingKind::IrqlTooLow, "A service is called at or above its documented lowest IRQL."},
    About{FindingKind::IrqlChanged, "A DDI, DPC or ISR returns at the IRQL it was called at."},
    About{FindingKind::LockHeldAtReturn, "A DDI, DPC or ISR returns with every lock released."},
    About{FindingKind::LockNotHeld, "Only the holder of a lock releases it."},
    About{FindingKind::LockRecursive, "A spin lock is not acquired by its own holder."},
    About{FindingKind::WaitAtDispatch, "Nothing waits at or above DISPATCH_LEVEL."},
    About{FindingKind::PagedCodeAtDispatch, "Paged code runs at or below APC_LEVEL."},
    About{FindingKind::PoolTagMismatch, "Pool is freed with the tag it was allocated with."},
    About{FindingKind::PoolDoubleFree, "A pool block is freed once."},
    About{FindingKind::PoolBadPointer, "Only what pool gave out is freed to pool."},
    About{FindingKind::PoolOverrun, "Nothing is written before or behind a pool block."},
    About{FindingKind::PoolUseAfterFree, "A freed pool block is not written any more."},
    About{FindingKind::PoolLeak, "No pool is left allocated after the driver's unload."},
    About{FindingKind::ThreadAliveAtUnload, "No thread of the driver lives past its unload."},
    About{FindingKind::ObjectLeak, "No handle, reference, MDL or mapping is left at unload."},
    About{FindingKind::ReferenceUnderflow, "A reference is released as often as it was taken."},
    About{FindingKind::BadHandle, "Only open handles of the right type are used."},
    About{FindingKind::BadParameter, "Services get arguments that their documentation allows."},
    About{FindingKind::Assertion, "The driver's own assertions hold."},
    About{FindingKind::Breakpoint, "The driver runs into no breakpoint of its own."},
    About{FindingKind::BugCheck, "The driver calls no bug check."},
    About{FindingKind::MissingImport, "The driver calls only functions that the host offers."},
    About{FindingKind::StackOverflow, "The driver stays within its kernel stack."},
    About{FindingKind::RegisterByPointer, "Registers are accessed by READ/WRITE_REGISTER_*."},
    About{FindingKind::DmaOutsideMemory, "The device accesses only memory it was given."},
    About{FindingKind::PagedPoolAtDispatch,
          "Paged pool is accessed at or below APC_LEVEL: above it may be out of memory."},
};

// A driver that scribbles may write a finding that nobody made.
constexpr const char* kUnknownFinding = "NT-Unknown";
constexpr const char* kAboutUnknown = "Only what the kernel found stands in a trace.";
constexpr const char* kAboutCrash = "The driver lives through every call.";

std::string normal(std::string_view id) {
  std::string result;
  for (const char c : id) {
    result += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

}  // namespace

std::string finding_id(std::uint32_t kind) {
  const auto known = std::any_of(kAbout.begin(), kAbout.end(), [kind](const About& about) {
    return static_cast<std::uint32_t>(about.kind) == kind;
  });
  return known ? std::string("NT-") + nt::name_of(static_cast<FindingKind>(kind)) : kUnknownFinding;
}

const char* about_finding(std::string_view id) {
  const std::string wanted = normal(id);
  if (normal(kCrashFinding) == wanted) return kAboutCrash;
  if (normal(kUnknownFinding) == wanted) return kAboutUnknown;
  for (const About& about : kAbout) {
    if (normal(finding_id(static_cast<std::uint32_t>(about.kind))) == wanted) return about.text;
  }
  return nullptr;
}

std::vector<std::string> all_finding_ids() {
  std::vector<std::string> ids;
  for (const About& about : kAbout)
    ids.push_back(finding_id(static_cast<std::uint32_t>(about.kind)));
  ids.emplace_back(kCrashFinding);
  ids.emplace_back(kUnknownFinding);
  return ids;
}

// Further places than the limits of results have room for are not told apart.
std::vector<Failure> findings_in(const Trace& trace, const Scenario& scenario) {
  std::vector<Failure> found;
  std::map<std::pair<std::string, std::string>, std::size_t> known;  // by kind and place
  std::map<std::string, std::size_t> places;                         // of a kind
  for (const std::uint32_t index : trace.of<ev::Finding>()) {
    Failure failure;
    failure.id = finding_id(trace.at<ev::Finding>(index).kind);
    failure.seen = printable(trace.blob_text(trace.events()[index]));
    const auto [at, fresh] = known.try_emplace({failure.id, site_of(failure)}, found.size());
    if (!fresh) {
      ++found[at->second].more;
      continue;
    }
    if (++places[failure.id] > kMostPlaces + 1) {
      known.erase(at);
      continue;
    }
    Failure explained = locate(trace, scenario, index, {});
    explained.id = std::move(failure.id);
    const char* const about = about_finding(explained.id);
    explained.expected = about ? about : "";
    explained.seen = std::move(failure.seen);
    found.push_back(std::move(explained));
  }
  return found;
}

Failure crash_of(const RunOutcome& run) {
  Failure failure = run.judged.broken_off;
  failure.id = kCrashFinding;
  failure.expected = kAboutCrash;
  failure.seen = run.outcome.about;
  return failure;
}

// "Device::open in DxgkDdiCreateDevice" of ", from Device::open at device.cpp:118 in
// DxgkDdiCreateDevice".
std::string asker_of(const Failure& finding) {
  constexpr std::string_view kFrom = ", from ";
  const std::size_t from = finding.seen.find(kFrom);
  if (from == std::string::npos) return {};
  const std::string all = finding.seen.substr(from + kFrom.size());
  const std::string first = all.substr(0, all.find(", "));
  const std::size_t in = first.rfind(" in ");
  const std::string call = in == std::string::npos ? "" : first.substr(in);
  return first.substr(0, std::min(first.find(" at "), in)) + call;
}

bool is_leak(const Failure& finding) {
  return finding.id == "NT-PoolLeak" || finding.id == "NT-ObjectLeak";
}

// "... (Adapter::start+0x46)" at its end.
std::string site_of(const Failure& finding) {
  if (!finding.id.starts_with("NT-")) return {};
  if (finding.id == kCrashFinding) return place_of_crash(finding.seen);
  if (is_leak(finding)) return asker_of(finding);
  const std::string& seen = finding.seen;
  if (seen.empty() || seen.back() != ')') return {};
  const std::size_t open = seen.rfind('(');
  if (open == std::string::npos) return {};
  return seen.substr(open + 1, seen.size() - open - 2);
}

std::string place_of(const Failure& finding) {
  if (!finding.id.starts_with("NT-")) return {};
  const std::string site = site_of(finding);
  return site.empty() ? "?" : site.substr(0, site.rfind("+0x"));
}

}  // namespace wddm::harness
