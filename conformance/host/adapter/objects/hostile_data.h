// Hostile user mode at CreateAllocation, OpenAllocation and CreateContext: private data that are
// cut or altered; contexts whose user mode has none are given some.
//
// What the driver accepts is ended at once; nothing is placed or rendered with it.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "reference/trace/op.h"

namespace wddm::host {

/// What is done to one piece of private data. The rest stays as it is.
struct HostileData {
  void alter(std::vector<std::uint8_t>& piece) const;

  DataOf data = DataOf::Allocation;
  std::uint32_t cut = 0;     ///< bytes left out at the end; at most all
  bool change = false;       ///< the word at `offset` becomes `value`, where there is one
  std::uint32_t offset = 0;  ///< bytes
  std::uint32_t value = 0;
  bool flip = false;  ///< `value` is the bits to turn over
};

/// An untouched allocation, or context, is made and ended first. Null, or why there is nothing to
/// try.
[[nodiscard]] const char* try_hostile_data(const Adapter& adapter, Objects& objects,
                                           const HostileData& hostile);
/// ... of a context.
[[nodiscard]] const char* try_hostile_context(const Adapter& adapter, Objects& objects,
                                              const HostileData& hostile);

}  // namespace wddm::host
