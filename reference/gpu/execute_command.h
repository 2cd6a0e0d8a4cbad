// What commands do to memory: the data, where effect.h says which memory.
//
// The steps of one command:
//   1. Bind and Unbind change what a slot names from here on.
//   2. effect_of() decides which ranges of which allocations it touches. Nothing: it does nothing.
//      What an address leads to that has no memory reads as zeros and drops writes.
//   3. Fill makes every dword of its range the pattern. Copy makes its range hold what the other
//      does, unknown dwords included. Add adds to its dword, modulo 2^32, if that is known.
// Commands run one after the other; where several packets may overlap, the caller runs them in an
// order that the fences allow. Left out: Signal, Wait and Spin, which touch no memory and whose
// order the scheduler keeps; where an allocation lies, which the caller says.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "reference/gpu/command.h"
#include "reference/gpu/effect.h"
#include "reference/gpu/shadow_memory.h"

namespace wddm::gpu {

/// Carries `commands` out on `memory`. `sizes` as for effect_of(); `place_of(allocation, offset)`
/// is the Place where that byte of the allocation lies; nothing: it reads as zero and drops
/// writes. To run a stream in parts, keep `bindings`.
template <class PlaceOf>
void execute(std::span<const Command> commands, Bindings& bindings,
             std::span<const std::uint64_t> sizes, ShadowMemory& memory, PlaceOf&& place_of) {
  for (const Command& command : commands) {
    bindings.apply(command);                                    // 1
    const Effect effect = effect_of(command, bindings, sizes);  // 2
    if (effect.count == 0) continue;
    const Access& written = effect.accesses[0];
    const std::optional<Place> target = place_of(written.allocation, written.offset);
    if (!target) continue;
    if (command.kind == CommandKind::Fill) {  // 3
      memory.fill(*target, written.size, command.pattern());
    } else if (command.kind == CommandKind::Copy) {
      const Access& read = effect.accesses[1];
      const std::optional<Place> source = place_of(read.allocation, read.offset);
      if (source) {
        memory.transfer(*target, *source, read.size);
      } else {
        memory.fill(*target, written.size, 0);
      }
    } else if (command.kind == CommandKind::Add) {
      const auto before = memory.dword(*target);
      if (before) memory.fill(*target, written.size, *before + command.addend());
    }
  }
}

}  // namespace wddm::gpu
