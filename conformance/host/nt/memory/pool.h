// The pool: blocks that drivers allocate by tag, guarded, poisoned and accounted.
//
// Records lie outside of the pool, so that a driver that overruns its block harms only what it can
// see. Blocks below a page share pages by size class, with guard bytes on both sides; larger ones
// start on a page and have an inaccessible page behind. A freed block is poisoned (a large one made
// inaccessible) and rests before it is reused. Internal to the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "conformance/host/nt/core/kernel.h"

namespace wddm::nt {

enum class PoolKind : std::uint8_t { NonPaged, NonPagedExecute, Paged };
enum class PoolFill : std::uint8_t { Zero, Poison };
/// Whose block. All are guarded alike.
enum class PoolOwner : std::uint8_t {
  Driver,   ///< counts as usage and leaks
  Service,  ///< made on the driver's behalf (IoAllocateMdl), judged and freed by who made it
  Host,     ///< Dxgkrnl's own, for which a part of the pool is kept free
};

/// What uninitialised and freed memory holds, so that its use is seen and repeatable.
inline constexpr std::uint8_t kPoisonAllocated = 0xa5;
inline constexpr std::uint8_t kPoisonFreed = 0xdd;

/// The service on whose behalf something is done, for findings.
struct CallSite {
  const char* service;
  const void* code;
};

struct PoolRequest {
  PoolKind kind;
  PoolFill fill;
  PoolOwner owner;
  std::uint32_t tag;
  std::uint64_t bytes;
};

void pool_boot();
/// No list of the driver is initialized.
void lookaside_boot();
/// Of lists that were not deleted.
void report_lookaside_leaks();
/// Nothing fails, and nothing was refused yet.
void allocation_failures_boot();
/// Whether fail_pool() wants the allocation that a service is about to make to fail; counts it.
/// pool_allocate() asks for blocks of the driver's, others ask for what they allocate for it.
[[nodiscard]] bool allocation_must_fail();
/// What a service made of an allocation of the driver's. One that is refused again and again asks
/// for ever; it is a hang as soon as that is clear, and not when the time is up.
void allocation_made(bool granted);
/// Null when the pool is exhausted or fail_pool() says so. Aligned to 16; from a page on to pages,
/// below it within one page. Paged pool above APC_LEVEL is a finding.
[[nodiscard]] void* pool_allocate(const PoolRequest& request, const CallSite& site);
/// `tag`: checked unless empty. A pointer that is no block's start is a finding, and ignored; and
/// so is, where the driver frees, a block that is not its own.
void pool_free(void* block, std::optional<std::uint32_t> tag, const CallSite& site,
               PoolOwner by = PoolOwner::Host);

/// The block around an address, freed ones that still rest included.
struct PoolBlock {
  const std::uint8_t* start;
  std::uint64_t bytes;
  std::uint32_t tag;
  PoolKind kind;
  bool freed;
};
[[nodiscard]] bool pool_find(const void* address, PoolBlock* block);
/// Pages of paged pool that hold the address, guard pages and freed large blocks aside.
struct PoolPages {
  std::uint8_t* start;
  std::uint64_t bytes;
};
[[nodiscard]] bool pool_paged_pages(const void* address, PoolPages* pages);
/// Reports overruns of all blocks and writes to all freed ones that rest. False if our own tables
/// contradict each other.
[[nodiscard]] bool pool_check();
/// One finding for each tag that still has blocks, in order of first use.
void report_pool_leaks();
/// As describe_address(), for the pool.
std::size_t pool_describe(const void* address, char* text, std::size_t capacity);

/// A tag as debuggers print it: four characters, first in memory first; others as dots.
struct TagText {
  explicit TagText(std::uint32_t tag);
  char text[5];
};

}  // namespace wddm::nt
