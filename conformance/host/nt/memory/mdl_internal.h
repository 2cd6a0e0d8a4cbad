// What the files behind MDL services share. Internal to this folder.
#pragma once

#include <vector>

#include "conformance/host/nt/memory/mdl.h"
#include "conformance/host/nt/memory/pool.h"

namespace wddm::nt {

[[nodiscard]] inline bool mdl_has(const MDL* mdl, int flag) {
  return (mdl->MdlFlags & flag) != 0;
}
inline void mdl_set(MDL* mdl, int flag) {
  mdl->MdlFlags = static_cast<CSHORT>(mdl->MdlFlags | flag);
}
inline void mdl_unset(MDL* mdl, int flag) {
  mdl->MdlFlags = static_cast<CSHORT>(mdl->MdlFlags & ~flag);
}
[[nodiscard]] inline bool mdl_pages_are_locked(const MDL* mdl) {
  return mdl_has(mdl, MDL_PAGES_LOCKED | MDL_SOURCE_IS_NONPAGED_POOL | MDL_PARTIAL);
}
[[nodiscard]] std::vector<memory::Frame> mdl_frames(const MDL* mdl);
/// Whether each frame that the MDL names has an owner.
[[nodiscard]] bool mdl_frames_exist(const MDL* mdl);
/// What MDL and flags say of a mapping into system space; null: there is none any more.
void mdl_note_mapped(MDL* mdl, void* address);
/// A described but not yet filled MDL from nonpaged pool; null if there is none left.
[[nodiscard]] MDL* mdl_create(PoolOwner owner, void* base, std::uint64_t bytes,
                              const CallSite& site);
/// Undoes the mapping into system space, be it at reserved addresses; false if there is none,
/// whatever its flags say.
bool mdl_unmap(MDL* mdl);

/// Undoes the mapping at reserved addresses, which stay reserved; false if there is none.
bool reserved_mapping_undo(MDL* mdl);
[[nodiscard]] bool is_mapped_at_reserved(const MDL* mdl);
void reserved_mapping_boot();
void report_reserved_mapping_leaks();

void mdl_pages_boot();
[[nodiscard]] std::uint32_t mdl_pages_left();

}  // namespace wddm::nt
