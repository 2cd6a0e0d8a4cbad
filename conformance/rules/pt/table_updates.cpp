#include "conformance/rules/pt/table_updates.h"

#include "conformance/rules/hex_text.h"

namespace wddm::pt {

std::string process_text(std::uint32_t process) {
  return process == kSystemProcessNumber ? "the system process"
                                         : "process " + std::to_string(process);
}

std::string table_text(const ev::TableUpdated& update) {
  const std::string place = update.segment == 0 ? hex_text(update.place) + " of system memory"
                                                : hex_text(update.place) + " of segment " +
                                                      std::to_string(update.segment);
  return "level-" + std::to_string(update.level) + " table at " + place;
}

std::string text_of(const ev::TableUpdated& update) {
  const std::string last = std::to_string(update.first + update.count - 1);
  return "entries " + std::to_string(update.first) + " to " + last + " of the " +
         table_text(update) + ", " + process_text(update.process);
}

std::string text_of(const EntryRecord& entry) {
  using namespace entry_flag;
  if (!is_valid(entry)) return "invalid";
  if (is_zero(entry)) return "a zero entry";
  std::string text = (entry.flags & kLargePage) != 0 ? "a large page at " : "leads to ";
  text +=
      hex_text(entry.address) + (is_system(entry) ? " of system memory" : " as the GPU sees it");
  if ((entry.flags & kReadOnly) != 0) text += ", read-only";
  if ((entry.flags & kNoExecute) != 0) text += ", no-execute";
  if ((entry.flags & kCacheCoherent) != 0) text += ", cache coherent";
  if ((entry.flags & kLeaf64K) != 0) text += ", a table of 64 KB pages";
  if (entry.driver_protection != 0) {
    text += ", DriverProtection " + hex_text(entry.driver_protection);
  }
  if (entry.adapter != 0) text += ", physical adapter " + std::to_string(entry.adapter);
  return text;
}

bool follows_the_first(const Trace& trace, const CarriedOut& one, const EntryDifference& differs) {
  const auto entries = trace.blob<EntryRecord>(trace.events()[one.built]);
  if (entries.size() < 2 || differs.index <= one.update.first || !leads_somewhere(differs.seen)) {
    return false;
  }
  const std::uint64_t next =
      entries[0].address + (differs.index - one.update.first) * one.page_bytes();
  return differs.seen.address == next && differs.expected.address != next;
}

}  // namespace wddm::pt
