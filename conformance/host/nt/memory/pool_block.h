// One block of the pool, and what can be seen to be wrong with it. Internal to this folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/image/call_sites.h"
#include "conformance/host/nt/memory/pool.h"
#include "reference/types.h"

namespace wddm::nt::pool {

/// Before, and at least so many behind, a small block.
inline constexpr std::uint64_t kGuardBytes = 16;
inline constexpr std::uint8_t kGuard = 0xfd;
inline constexpr std::uint64_t kLargestSmall = kPageSize - 2 * kGuardBytes;
/// Bytes of a slot, guards included.
inline constexpr std::array<std::uint16_t, 16> kSlotBytes{
    48, 64, 80, 96, 128, 160, 192, 256, 320, 400, 512, 672, 1024, 1360, 2048, 4096};
inline constexpr std::size_t kClasses = kSlotBytes.size();

enum class State : std::uint8_t { Free, Live, Resting };

struct Record {
  std::uint8_t* start;  ///< as the driver sees it; small slots: fixed
  std::uint64_t bytes;
  std::uint64_t ordinal;  ///< counts allocations since boot
  Asker asker;
  const char* freed_in;  ///< call of the driver that a resting block was freed in; null: none
  std::uint32_t tag;
  std::uint32_t pages;  ///< large: pages without the guard; small: 0
  PoolKind kind;
  PoolOwner owner;
  State state;
  std::uint8_t slot_class;
};

/// One past the slot of a small block.
[[nodiscard]] std::uint8_t* slot_end(const Record& record);

/// "block 7, tag 'abcd', 24 bytes"
void describe(const Record& record, char* text, std::size_t capacity);
/// `what` is a format for the description and for `offset`.
void report_block(FindingKind kind, const Record& record, const char* what, long long offset,
                  const CallSite& site);
/// Reports once; the guard is whole again afterwards.
void check_guards(Record& record, const CallSite& site);
/// Of a freed block: whether somebody has written to it. Reports once.
void check_resting(Record& record, const CallSite& site);

}  // namespace wddm::nt::pool
