// Paged pool while the IRQL is raised: nobody could bring a page in then, so each that was used is
// taken away, as Driver Verifier's forced IRQL checking does, and an access by the driver is a
// finding. Below DISPATCH_LEVEL, and for the host itself, pages come back as they are touched.
//
// Costs what was touched since the IRQL was last raised; nothing for a driver without paged pool.
// Internal to the kernel.
#pragma once

#include <cstdint>

namespace wddm::nt {

void paged_pool_boot();
/// Whole pages of paged pool that can be accessed from now on.
void paged_pool_opened(std::uint8_t* start, std::uint64_t bytes);
/// The same pages, which are paged pool no more.
void paged_pool_gone(const std::uint8_t* start);
/// Locked into memory, for an MDL: not taken away before they are unlocked as often. Other memory
/// is passed over.
void paged_pool_lock(const void* start, std::uint64_t bytes);
void paged_pool_unlock(const void* start, std::uint64_t bytes);

/// Whether anything can be accessed that is to be taken away.
extern bool g_paged_pool_is_open;
void paged_pool_take_away();
/// To be called whenever code is about to run at a raised IRQL.
inline void paged_pool_raised() {
  if (g_paged_pool_is_open) paged_pool_take_away();
}

/// Answers an access to a page that was taken away, by the instruction at `code`. Async-signal-safe
/// unless it reports.
[[nodiscard]] bool paged_pool_fault(const void* address, const void* code);
/// An access of a library function that the driver called at `code`.
void paged_pool_accessed(const void* address, std::uint64_t bytes, const void* code);

}  // namespace wddm::nt
