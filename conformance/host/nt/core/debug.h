// What drivers print, as whole lines. Internal to the kernel.
#pragma once

namespace wddm::nt {

void debug_boot();
/// Hands on a line that was begun but not ended.
void debug_flush();

}  // namespace wddm::nt
