// What packets showed of their address spaces, and what had become of those before: what the
// clauses of roots, moved tables and address spaces judge by.
//
// A packet whose client has not waited for a paging fence may fault, and shows nothing by that, nor
// by what it should have written; see SpaceObserver::hurried.
//
// A packet shows something by memory that was compared after it, by entries that the GPU read in
// its name, or by a fault at an address that is mapped. Left out: faults of packets with input that
// user mode has altered, which mean nothing; those have no mark at their end. Memory after packets
// that are to run nothing (SUBMIT-005), and after those that the device says it has stopped before
// their end, whatever was reported of them; memory on an engine that was never seen to run anything
// (submit/silent_engines.h); and all that comes behind a paging packet that was stopped and counts
// as completed (PREEMPT-006).
#pragma once

#include <initializer_list>
#include <string>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/platform.h"
#include "reference/trace/trace.h"

namespace wddm {

/// A packet as it was submitted. Of paging `context` and `process` are kNone.
struct SpacePacket {
  std::uint32_t submitted = kNone;  ///< event, the latest: it may have been preempted before
  std::uint32_t packet = kNone;
  std::uint32_t context = kNone;
  std::uint32_t process = kNone;
  EngineId engine;
  std::uint64_t address = 0;  ///< of its commands
  bool hurried = false;       ///< its client has not waited for paging of what it uses
};

/// One thing that it showed.
struct SpaceSign {
  enum class Kind : std::uint8_t {
    Right,    ///< memory is as it must be
    Memory,   ///< memory differs from that
    Walk,     ///< the GPU read an entry where its address space has none
    Faulted,  ///< it found no translation of an address that is mapped
  };
  Kind kind = Kind::Right;
  std::uint32_t event = kNone;
  SpacePacket packet;
  ev::MemoryDiffers memory{};    ///< of Memory
  ev::WalkAstray walk{};         ///< of Walk
  std::uint64_t address = 0;     ///< of Faulted
  std::uint32_t level = kNone;   ///< of Faulted
  const Trace* trace = nullptr;  ///< where more about it is found

  [[nodiscard]] bool wrong() const { return kind != Kind::Right; }
  /// In words, for a report.
  [[nodiscard]] std::string seen() const;
  /// An entry of a table of this level led the access nowhere.
  [[nodiscard]] bool faulted_at(std::uint32_t level_of_table) const {
    return kind == Kind::Faulted && level == level_of_table;
  }
  /// The walk read an entry of this kind of place, of a table of `level`.
  [[nodiscard]] bool walked(AstrayWalk why, std::uint32_t level_of_table) const {
    return kind == Kind::Walk && walk.why == static_cast<std::uint32_t>(why) &&
           walk.level == level_of_table;
  }
};

/// Told in the order of the trace. What a check keeps is its own.
class SpaceObserver {
 public:
  /// From here on the slot has another context.
  virtual void context_made(std::uint32_t, const ev::ContextCreated&) {}
  virtual void root_set(std::uint32_t, const ev::RootSet&) {}
  virtual void table_moved(std::uint32_t, const ev::TableMoved&) {}
  virtual void flushed(std::uint32_t, const ev::TlbFlushBuilt&) {}
  /// `before`: the packet that was submitted to the engine before it; none: `submitted` is kNone.
  virtual void submitted(const SpacePacket& packet, const SpacePacket& before);
  virtual void paged(std::uint32_t, const ev::PagingDone&) {}
  virtual void shown(const SpaceSign& sign) = 0;
  /// Memory after a packet that was to end by a fault and has run through. It may have used what
  /// was mapped before, or the driver made an entry that permits too much (MMU-012): only who knows
  /// which says more.
  virtual void ran_through(const SpaceSign& sign) { shown(sign); }
  /// Faulted, by the driver's word alone: of a packet that was to run to its end, and of which no
  /// log tells. Whatever it ran into, by whatever name, is not what its client wrote.
  virtual void said_to_fault(const SpaceSign&) {}
  /// What a packet showed whose client has not waited: Right, Memory or Faulted, which it may be.
  virtual void hurried(const SpaceSign&) {}

 protected:
  ~SpaceObserver() = default;
};

void observe_spaces(const Trace& trace, SpaceObserver& observer);

/// The clause does not hold by what a packet has shown. Behind the sign's own words it says which
/// page that was, by which entry it was to be reached and what wrote that last, and names these
/// events beside `because`.
void fail_by(const SpaceSign& sign, Judgement& judgement, std::string expected,
             std::initializer_list<std::uint32_t> because = {});

/// For Rule::unreached of who looks at what packets show.
inline constexpr const char* kNoSpaceSeen =
    "no packet showed where its addresses lead, by memory that it changed or by the device's log";

/// The level of roots.
[[nodiscard]] inline std::uint32_t root_level_of(const Platform& platform) {
  return platform.page_table_levels == 0 ? 0 : platform.page_table_levels - 1;
}
/// Bytes of address space that an entry of a root of two levels covers; 0: not known.
[[nodiscard]] std::uint64_t root_entry_bytes(const Trace& trace);

}  // namespace wddm
