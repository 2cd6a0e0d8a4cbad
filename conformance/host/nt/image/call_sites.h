// Who asked for what is left, for messages about leaks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "conformance/host/nt/image/image_elf.h"

namespace wddm::nt {

/// Where a driver that was loaded at `base` has its operators new.
void know_operators_new(std::uint64_t base, std::span<const ElfRange> operators_new);

struct Asker {
  const void* site = nullptr;  ///< a return address in the driver; null: not known
  const char* call = "";       ///< the call of the driver that it was in; empty: none
  bool operator==(const Asker&) const = default;
};
/// `site` is where the service that was called goes back to. Where that is an operator new, which
/// would say nothing of who asked, the place in the function that called it. Called inside of that
/// service.
[[nodiscard]] Asker asker_at(const void* site);

/// ", from Adapter::Start at Adapter.cpp:120 in DxgkDdiStartDevice": the functions that return
/// addresses lie in, each once and the first few of them, in the order given. A driver's own
/// function for all of its allocations says little: the call tells more. Empty for none. Reads
/// files.
[[nodiscard]] std::string from_askers(std::span<const Asker> askers);

}  // namespace wddm::nt
