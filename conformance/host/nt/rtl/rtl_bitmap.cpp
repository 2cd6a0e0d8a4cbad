// RTL_BITMAP.
//
// Sources: the Rtl*Bit* reference pages. Searches start at the hint and wrap; a hint beyond the end
// counts as 0. Bits beyond SizeOfBitMap in the last ULONG are neither read nor written.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "conformance/host/nt/core/service.h"
#include "conformance/sdk/ddi/nt/rtl.h"

namespace wddm::nt {
namespace {

constexpr ULONG kNotFound = 0xffffffff;

bool get(const RTL_BITMAP* map, ULONG bit) {
  return map->Buffer[bit / 32] >> (bit % 32) & 1;
}

void put(const RTL_BITMAP* map, ULONG bit, bool value) {
  const ULONG mask = 1u << (bit % 32);
  if (value)
    map->Buffer[bit / 32] |= mask;
  else
    map->Buffer[bit / 32] &= ~mask;
}

void put_run(const Service& service, const RTL_BITMAP* map, ULONG first, ULONG count, bool value) {
  if (first > map->SizeOfBitMap || count > map->SizeOfBitMap - first) {
    service.report(FindingKind::BadParameter, "bits beyond the end of the bitmap");
    return;
  }
  for (ULONG bit = first; bit < first + count; ++bit) put(map, bit, value);
}

// First bit from `from` on that has `value`, or the end.
ULONG next(const RTL_BITMAP* map, ULONG from, bool value) {
  while (from < map->SizeOfBitMap && get(map, from) != value) {
    const ULONG other = value ? 0 : 0xffffffff;
    from = from % 32 == 0 && map->Buffer[from / 32] == other ? from + 32 : from + 1;
  }
  return std::min(from, map->SizeOfBitMap);
}

ULONG find_between(const RTL_BITMAP* map, ULONG count, ULONG from, ULONG end, bool value) {
  while (from < end) {
    const ULONG start = next(map, from, value);
    const ULONG stop = next(map, start, !value);
    if (start < end && stop - start >= count) return start;
    from = stop;
  }
  return kNotFound;
}

ULONG find(const RTL_BITMAP* map, ULONG count, ULONG hint, bool value) {
  if (hint >= map->SizeOfBitMap) hint = 0;
  if (count == 0) return hint & ~7u;
  const ULONG found = find_between(map, count, hint, map->SizeOfBitMap, value);
  return found != kNotFound ? found : find_between(map, count, 0, hint, value);
}

ULONG find_and_put(const RTL_BITMAP* map, ULONG count, ULONG hint, bool value) {
  const ULONG found = find(map, count, hint, value);
  if (found != kNotFound)
    for (ULONG bit = found; bit < found + count; ++bit) put(map, bit, !value);
  return found;
}

ULONG count_of(const RTL_BITMAP* map, bool value) {
  ULONG count = 0;
  for (ULONG bit = 0; bit < map->SizeOfBitMap; ++bit) count += get(map, bit) == value;
  return count;
}

BOOLEAN are_all(const RTL_BITMAP* map, ULONG first, ULONG count, bool value) {
  if (count == 0 || first > map->SizeOfBitMap || count > map->SizeOfBitMap - first) return FALSE;
  return next(map, first, !value) >= first + count;
}

ULONG run_from(const RTL_BITMAP* map, ULONG from, PULONG start) {
  *start = next(map, std::min(from, map->SizeOfBitMap), false);
  return next(map, *start, true) - *start;
}

}  // namespace
}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

VOID RtlInitializeBitMap(PRTL_BITMAP Map, PULONG Buffer, ULONG Size) {
  NT_SERVICE(RtlInitializeBitMap);
  Map->SizeOfBitMap = Size;
  Map->Buffer = Buffer;
}

VOID RtlClearBit(PRTL_BITMAP Map, ULONG Bit) {
  NT_SERVICE(RtlClearBit);
  put_run(service, Map, Bit, 1, false);
}

VOID RtlSetBit(PRTL_BITMAP Map, ULONG Bit) {
  NT_SERVICE(RtlSetBit);
  put_run(service, Map, Bit, 1, true);
}

BOOLEAN RtlTestBit(PRTL_BITMAP Map, ULONG Bit) {
  NT_SERVICE(RtlTestBit);
  if (Bit < Map->SizeOfBitMap) return get(Map, Bit);
  service.report(FindingKind::BadParameter, "bits beyond the end of the bitmap");
  return FALSE;
}

VOID RtlClearAllBits(PRTL_BITMAP Map) {
  NT_SERVICE(RtlClearAllBits);
  put_run(service, Map, 0, Map->SizeOfBitMap, false);
}

VOID RtlSetAllBits(PRTL_BITMAP Map) {
  NT_SERVICE(RtlSetAllBits);
  put_run(service, Map, 0, Map->SizeOfBitMap, true);
}

VOID RtlClearBits(PRTL_BITMAP Map, ULONG Start, ULONG Count) {
  NT_SERVICE(RtlClearBits);
  put_run(service, Map, Start, Count, false);
}

VOID RtlSetBits(PRTL_BITMAP Map, ULONG Start, ULONG Count) {
  NT_SERVICE(RtlSetBits);
  put_run(service, Map, Start, Count, true);
}

ULONG RtlFindClearBits(PRTL_BITMAP Map, ULONG Count, ULONG Hint) {
  NT_SERVICE(RtlFindClearBits);
  return find(Map, Count, Hint, false);
}

ULONG RtlFindSetBits(PRTL_BITMAP Map, ULONG Count, ULONG Hint) {
  NT_SERVICE(RtlFindSetBits);
  return find(Map, Count, Hint, true);
}

ULONG RtlFindClearBitsAndSet(PRTL_BITMAP Map, ULONG Count, ULONG Hint) {
  NT_SERVICE(RtlFindClearBitsAndSet);
  return find_and_put(Map, Count, Hint, false);
}

ULONG RtlFindSetBitsAndClear(PRTL_BITMAP Map, ULONG Count, ULONG Hint) {
  NT_SERVICE(RtlFindSetBitsAndClear);
  return find_and_put(Map, Count, Hint, true);
}

ULONG RtlFindFirstRunClear(PRTL_BITMAP Map, PULONG Start) {
  NT_SERVICE(RtlFindFirstRunClear);
  return run_from(Map, 0, Start);
}

ULONG RtlFindNextForwardRunClear(PRTL_BITMAP Map, ULONG From, PULONG Start) {
  NT_SERVICE(RtlFindNextForwardRunClear);
  return run_from(Map, From, Start);
}

ULONG RtlFindLongestRunClear(PRTL_BITMAP Map, PULONG Start) {
  NT_SERVICE(RtlFindLongestRunClear);
  ULONG longest = 0;
  ULONG at = 0;
  *Start = 0;
  while (const ULONG length = run_from(Map, at, &at)) {
    if (length > longest) {
      longest = length;
      *Start = at;
    }
    at += length;
  }
  return longest;
}

ULONG RtlNumberOfClearBits(PRTL_BITMAP Map) {
  NT_SERVICE(RtlNumberOfClearBits);
  return count_of(Map, false);
}

ULONG RtlNumberOfSetBits(PRTL_BITMAP Map) {
  NT_SERVICE(RtlNumberOfSetBits);
  return count_of(Map, true);
}

BOOLEAN RtlAreBitsClear(PRTL_BITMAP Map, ULONG Start, ULONG Count) {
  NT_SERVICE(RtlAreBitsClear);
  return are_all(Map, Start, Count, false);
}

BOOLEAN RtlAreBitsSet(PRTL_BITMAP Map, ULONG Start, ULONG Count) {
  NT_SERVICE(RtlAreBitsSet);
  return are_all(Map, Start, Count, true);
}

CCHAR RtlFindLeastSignificantBit(ULONGLONG Set) {
  return Set == 0 ? static_cast<CCHAR>(-1) : static_cast<CCHAR>(std::countr_zero(Set));
}

CCHAR RtlFindMostSignificantBit(ULONGLONG Set) {
  return Set == 0 ? static_cast<CCHAR>(-1) : static_cast<CCHAR>(63 - std::countl_zero(Set));
}

}  // extern "C"
