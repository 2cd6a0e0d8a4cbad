// What VidMm does on request, one function for each op of the domain Memory in op.def, by the op's
// name, and one for an allocation that goes. Each finds all earlier packets ended;
// those about page tables alone all earlier paging.
#pragma once

#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/gpuva/address_requests.h"
#include "conformance/host/vidmm/client_residency.h"
#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging/paging_queue.h"
#include "conformance/host/vidmm/raw_mappings.h"
#include "reference/trace/op.h"
#include "reference/vidmm/split_planner.h"

namespace wddm::host {

/// What requests work with.
struct RequestScene {
  Residency& residency;
  PredictedMemory& memory;
  PagingScene paging;
  PagingQueue& queue;
  RawMappings& mappings;
  JobWaits& waits;
  vidmm::SplitPlanner& planner;
  VirtualMemory& virtual_memory;
  ClientResidency& clients;
  const Choices& choices;
  const Adapter& adapter;
};

/// Null, or why it was not done.
using Request = const char* (*)(const RequestScene& scene, const Op& op);

namespace requests {

// Those of the domain Memory are defined, and two more: destroy_allocation, which has its
// allocation in `x`, since the host's own lies behind the slots of scenarios, and switch_context,
// which has an engine, its node in `x` and its GPU in `y`. evict_locked is in special_lock.cpp,
// evict_unswizzled and evict_seen in swizzled_lock.cpp.
#define OP(number, type, yaml, ...) \
  [[nodiscard]] const char* yaml(const RequestScene& scene, const Op& op);
#include "reference/trace/op.def"
#undef OP

/// How what clients require is brought in and taken out.
[[nodiscard]] ClientPaging paging_of(const RequestScene& scene);
/// What update_address asks for.
[[nodiscard]] TileRequest tile_request_of(const Op& op, const Choices& choices);
/// A buffer of the context is about to run: what its device requires is there.
void make_ready(const RequestScene& scene, ContextId context);
/// Power is about to go: nothing stays in memory segments but what is pinned.
[[nodiscard]] const char* empty_memory(const RequestScene& scene, const Op& op);
/// It is back.
[[nodiscard]] const char* restore_memory(const RequestScene& scene, const Op& op);
/// A context in `x` gets its root page table.
[[nodiscard]] const char* add_context(const RequestScene& scene, const Op& op);
/// DxgkCbUpdateContextAllocation was called, not in SetRootPageTable.
[[nodiscard]] const char* update_context_allocation(const RequestScene& scene, const Op& op);
/// `open_allocation`: the process of the device gets an address of what is another's.
[[nodiscard]] const char* map_what_was_opened(const RequestScene& scene, const Op& op);
/// The page tables of a process in `x` go.
[[nodiscard]] const char* end_process(const RequestScene& scene, const Op& op);

}  // namespace requests
}  // namespace wddm::host
