// What the files behind MDL services share. Internal to this folder.
#pragma once

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
/// A described but not yet filled MDL from nonpaged pool; null if there is none left.
[[nodiscard]] MDL* mdl_create(PoolOwner owner, void* base, std::uint64_t bytes,
                              const CallSite& site);
/// Undoes the mapping into system space; false if there is none, whatever its flags say.
bool mdl_unmap(MDL* mdl);

void mdl_pages_boot();
[[nodiscard]] std::uint32_t mdl_pages_left();

}  // namespace wddm::nt
