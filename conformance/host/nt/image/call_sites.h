// Who asked for what is left, for messages about leaks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "conformance/host/nt/image/image_elf.h"

namespace wddm::nt {

/// Where a driver that was loaded at `base` has its operators new.
void know_operators_new(std::uint64_t base, std::span<const ElfRange> operators_new);
/// `site` is where the service that was called goes back to. Where that is an operator new, the
/// place in the function that called it, and it would say nothing of who asked; else `site`.
/// Called inside of that service.
[[nodiscard]] const void* asker_at(const void* site);

/// ", from Adapter::Start at Adapter.cpp:120": the functions that return addresses lie in, each
/// once and the first few of them, in the order given. Empty for none. Reads files.
[[nodiscard]] std::string from_sites(std::span<const void* const> sites);

}  // namespace wddm::nt
