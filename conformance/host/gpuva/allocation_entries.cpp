#include "conformance/host/gpuva/allocation_entries.h"

namespace wddm::host {
namespace {

constexpr const char* kNoTables = "there is no memory for its page tables";

}  // namespace

const char* AllocationEntries::map(const AddressPart& part, const PageRuns& pages) {
  if (const char* const why = tables_.cover(part.process, part.range)) return why;
  const gpuva::PageState& state = part.state;
  for (const Turn& each : turns_of(part.range, state)) {
    for (const GpuOfRange::Piece& piece : updates_.pieces(part.process, each.range)) {
      const Turn turn{piece.range, each.offset + piece.range.first.value - each.range.first.value};
      const PageRuns cut = cut_out(pages, turn.offset, turn.range.bytes);
      gpummu::Protection protection;
      protection.read_only = !state.write;
      protection.no_execute = !state.execute;
      protection.cache_coherent =
          scene_.objects.allocation(state.allocation).cached && in_system_memory(cut);
      const gpummu::Map step{
          .range = turn.range,
          .pages = cut,
          .protection = protection,
          .driver_protection = state.driver_protection,
          .adapters = piece.adapters,
          .use_64kb_pages =
              turn.range.first.value % gpummu::kPageSize64K == 0 && in_64kb_pages(adapter_, cut),
          .use_large_pages = scene_.objects.allocation(state.allocation).large_pages};
      updates_.at(turn, state.allocation);
      const Mapped mapped{state.allocation, turn.offset, turn.range};
      if (!spaces_.step(part.process, step, mapped)) return kNoTables;
    }
  }
  return nullptr;
}

const char* AllocationEntries::map_zero(const AddressPart& part) {
  if (const char* const why = tables_.cover(part.process, part.range)) return why;
  for (const GpuOfRange::Piece& piece : updates_.pieces(part.process, part.range)) {
    const gpummu::MapZero step{.range = piece.range, .adapters = piece.adapters};
    if (!spaces_.step(part.process, step)) return kNoTables;
  }
  return nullptr;
}

const char* AllocationEntries::unmap(const AddressPart& part) {
  if (!spaces_.has(part.process)) return nullptr;
  Mapped was;
  const std::vector<Turn> turns = turns_of(part.range, part.state);
  const bool to_pages = part.state.kind == gpuva::PageKind::Mapped;
  if (to_pages && turns.size() == 1) was = {part.state.allocation, turns[0].offset, part.range};
  for (const GpuOfRange::Piece& piece : updates_.pieces(part.process, part.range)) {
    const gpummu::Unmap step{.range = piece.range, .adapters = piece.adapters};
    if (!spaces_.step(part.process, step, was)) return kNoTables;
  }
  return nullptr;
}

bool AllocationEntries::need_space(const AddressPart& part, const PageRuns& pages) {
  switch (part.state.kind) {
    case gpuva::PageKind::Mapped:
      return !pages.empty();
    case gpuva::PageKind::Zero:
      return true;
    // Addresses that nobody may access need no tables, nor a root that covers them.
    case gpuva::PageKind::Invalid:
      return false;
  }
  return false;
}

const char* AllocationEntries::write(const AddressPart& part, const PageRuns& pages) {
  // A space that ran out of memory for its tables stays as it is.
  if (spaces_.has(part.process) && spaces_.is_broken(part.process)) return kNoTables;
  switch (part.state.kind) {
    case gpuva::PageKind::Mapped:
      // What is not resident is nowhere, whatever the addresses led to before.
      return pages.empty() ? unmap(part) : map(part, pages);
    case gpuva::PageKind::Zero:
      return map_zero(part);
    case gpuva::PageKind::Invalid:
      return unmap(part);
  }
  return nullptr;
}

}  // namespace wddm::host
