// Which page a verdict about memory speaks of, by which entry of which page table it was to be
// reached, and what wrote that entry last: in words, and as events that led there.
//
// Nothing of it decides whether a clause holds. It reads the whole trace, so only the first
// failures ask for it (Judgement::is_worth_a_look()). It knows what entries were to be and not what
// the GPU read: where an update was lost, it is the last one all the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/rules/rule.h"
#include "reference/trace/trace.h"

namespace wddm::va {

/// The address space that was used.
struct UsedSpace {
  std::uint32_t process = kNone;
  std::uint32_t gpu = 0;        ///< of a link
  std::uint32_t event = kNone;  ///< what was built from here on was not used
};

struct Blame {
  /// "; it is in page 0x20000 of process 0, ...", to follow what was seen; empty: not known.
  std::string text;
  std::vector<std::uint32_t> events;
};

/// Of the first byte that differs. Where no allocation lies it is known by entries that led there.
[[nodiscard]] Blame blame_for(const Trace& trace, const ev::MemoryDiffers& differs,
                              const UsedSpace& used);
/// Of an address; `level`: of the table whose entry it was, kNone: of the one that leads to a page.
/// `what` of it is told of, "it is in" that page. Empty where no update of the entry is known.
[[nodiscard]] Blame blame_for(const Trace& trace, std::uint64_t address, std::uint32_t level,
                              const UsedSpace& used, const char* what = "it is in");

/// A clause does not hold: with what was seen go the words of the blame, and with `because` its
/// events, each once and the oldest first.
void fail_with(const Blame& blame, Judgement& judgement, std::uint32_t event, std::string expected,
               const std::string& seen, std::vector<std::uint32_t> because);
/// ... by a difference, MemoryDiffers at `event`, after a packet of a client; `more` follows it.
void fail_by_memory(const Trace& trace, std::uint32_t event, Judgement& judgement,
                    std::string expected, const std::string& more = {});

}  // namespace wddm::va
