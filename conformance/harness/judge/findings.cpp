#include "conformance/harness/judge/findings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

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

std::vector<Failure> findings_in(const Trace& trace, const Scenario& scenario) {
  std::vector<Failure> found;
  for (const std::uint32_t index : trace.of<ev::Finding>()) {
    const std::string id = finding_id(trace.at<ev::Finding>(index).kind);
    const auto same = std::find_if(found.begin(), found.end(),
                                   [&id](const Failure& failure) { return failure.id == id; });
    if (same != found.end()) {
      ++same->more;
      continue;
    }
    Failure failure = locate(trace, scenario, index, {});
    failure.id = id;
    const char* const about = about_finding(id);
    failure.expected = about ? about : "";
    failure.seen = printable(trace.blob_text(trace.events()[index]));
    found.push_back(std::move(failure));
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

}  // namespace wddm::harness
