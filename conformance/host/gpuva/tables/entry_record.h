// An entry of a page table, as the GPU is to see it and traces have it.
#pragma once

#include "conformance/host/adapter/adapter.h"
#include "reference/gpummu/pte.h"
#include "reference/trace/event.h"

namespace wddm::host {

[[nodiscard]] EntryRecord entry_record(const Adapter& adapter, const gpummu::Entry& entry,
                                       std::uint64_t driver_protection);

}  // namespace wddm::host
