#include "conformance/host/nt/memory/pool_block.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "conformance/host/nt/core/service.h"

namespace wddm::nt {
namespace pool {
namespace {

std::uint8_t* guard_end(const Record& record) {
  return record.pages ? record.start + record.pages * kPageSize : slot_end(record);
}

// The first byte that differs, or `end`. Comparing the range with itself shifted by one is fast,
// and says "all the same" for nearly every block.
const std::uint8_t* first_other(const std::uint8_t* from, const std::uint8_t* end,
                                std::uint8_t expected) {
  const auto bytes = static_cast<std::size_t>(end - from);
  if (bytes == 0 || (*from == expected && std::memcmp(from, from + 1, bytes - 1) == 0)) return end;
  return std::find_if(from, end, [&](std::uint8_t byte) { return byte != expected; });
}

}  // namespace

std::uint8_t* slot_end(const Record& record) {
  return record.start - kGuardBytes + kSlotBytes[record.slot_class];
}

void describe(const Record& record, char* text, std::size_t capacity) {
  std::snprintf(text, capacity, "block %llu, tag '%s', %llu bytes",
                static_cast<unsigned long long>(record.ordinal), TagText(record.tag).text,
                static_cast<unsigned long long>(record.bytes));
}

void report_block(FindingKind kind, const Record& record, const char* what, long long offset,
                  const CallSite& site) {
  char block[96];
  char detail[192];
  describe(record, block, sizeof block);
  std::snprintf(detail, sizeof detail, what, block, offset);
  report(kind, site.service, detail, site.code);
}

void check_guards(Record& record, const CallSite& site) {
  std::uint8_t* const end = record.start + record.bytes;
  const std::uint8_t* behind = first_other(end, guard_end(record), kGuard);
  if (behind != guard_end(record)) {
    report_block(FindingKind::PoolOverrun, record, "%s: written %lld bytes behind its end",
                 behind - end, site);
    std::memset(end, kGuard, static_cast<std::size_t>(guard_end(record) - end));
  }
  if (record.pages) return;
  const std::uint8_t* before = record.start - kGuardBytes;
  const std::uint8_t* hit = first_other(before, record.start, kGuard);
  if (hit != record.start) {
    report_block(FindingKind::PoolOverrun, record, "%s: written %lld bytes before its start",
                 record.start - hit, site);
    std::memset(record.start - kGuardBytes, kGuard, kGuardBytes);
  }
}

void check_resting(Record& record, const CallSite& site) {
  if (record.pages) return;  // inaccessible
  const std::uint8_t* end = record.start + record.bytes;
  const std::uint8_t* hit = first_other(record.start, end, kPoisonFreed);
  if (hit == end) return;
  const bool known = record.freed_in != nullptr && *record.freed_in != 0;
  const std::string what = std::string("%s: written at offset %lld after it was freed") +
                           (known ? std::string(" in ") + record.freed_in : std::string());
  report_block(FindingKind::PoolUseAfterFree, record, what.c_str(), hit - record.start, site);
  std::memset(record.start, kPoisonFreed, record.bytes);
}

}  // namespace pool

TagText::TagText(std::uint32_t tag) {
  for (int i = 0; i < 4; ++i) {
    const auto character = static_cast<unsigned char>(tag >> (8 * i));
    text[i] = character >= 0x20 && character < 0x7f ? static_cast<char>(character) : '.';
  }
  text[4] = 0;
}

}  // namespace wddm::nt
