#include "conformance/host/gpuva/allocation_entries.h"

namespace wddm::host {

const char* AllocationEntries::map(const AddressPart& part, const PageRuns& pages) {
  if (const char* const why = tables_.cover(part.process, part.range)) return why;
  const std::vector<Turn> turns = turns_of(part.range, part.state);
  // One page for all of them is one entry that is repeated.
  const bool joined = part.state.period == 1 || updates_.copies(part.state.allocation);
  if (turns.size() > 1 && joined && updates_.pieces(part.process, part.range).size() == 1) {
    PageRuns all;
    bool any_in_64kb = false;
    for (const Turn& turn : turns) {
      const PageRuns cut = cut_out(pages, turn.offset, turn.range.bytes);
      any_in_64kb |= in_64kb_pages(adapter_, cut);
      all.insert(all.end(), cut.begin(), cut.end());
    }
    // Entries of larger pages are not copied.
    if (!any_in_64kb) {
      const auto adapters = updates_.pieces(part.process, part.range).front().adapters;
      return step(part, turns, all, adapters) ? nullptr : spaces_.why_not(part.process);
    }
  }
  for (const Turn& each : turns) {
    for (const GpuOfRange::Piece& piece : updates_.pieces(part.process, each.range)) {
      const Turn turn{piece.range, each.offset + piece.range.first.value - each.range.first.value};
      const PageRuns cut = cut_out(pages, turn.offset, turn.range.bytes);
      if (!step(part, {&turn, 1}, cut, piece.adapters)) return spaces_.why_not(part.process);
    }
  }
  return nullptr;
}

// Updates say which pages they are of where they follow each other: of several turns those of the
// first.
bool AllocationEntries::step(const AddressPart& part, std::span<const Turn> turns,
                             const PageRuns& pages, gpummu::AdapterSet adapters) {
  const gpuva::PageState& state = part.state;
  const Turn& first = turns.front();
  const gpummu::VaRange range{first.range.first,
                              turns.back().range.end() - first.range.first.value};
  gpummu::Protection protection;
  protection.read_only = !state.write;
  protection.no_execute = !state.execute;
  protection.cache_coherent =
      scene_.objects.allocation(state.allocation).cached && in_system_memory(pages);
  const gpummu::Map map{
      .range = range,
      .pages = pages,
      .protection = protection,
      .driver_protection = state.driver_protection,
      .adapters = adapters,
      .use_64kb_pages =
          range.first.value % gpummu::kPageSize64K == 0 && in_64kb_pages(adapter_, pages),
      .use_large_pages = scene_.objects.allocation(state.allocation).large_pages};
  updates_.at(turns, state.allocation);
  return spaces_.step(part.process, map, {state.allocation, first.offset, first.range});
}

const char* AllocationEntries::map_zero(const AddressPart& part) {
  if (const char* const why = tables_.cover(part.process, part.range)) return why;
  for (const GpuOfRange::Piece& piece : updates_.pieces(part.process, part.range)) {
    const gpummu::MapZero step{.range = piece.range, .adapters = piece.adapters};
    if (!spaces_.step(part.process, step)) return spaces_.why_not(part.process);
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
    if (!spaces_.step(part.process, step, was)) return spaces_.why_not(part.process);
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

// User mode was told that the address is its own; work that counts on it may be on its way.
const char* AllocationEntries::written(const AddressPart& part, const char* why_not) {
  if (why_not != nullptr) spaces_.give_up(part.process);
  return why_not;
}

const char* AllocationEntries::write(const AddressPart& part, const PageRuns& pages) {
  // A space that ran out of memory for its tables stays as it is.
  if (spaces_.has(part.process) && spaces_.is_broken(part.process))
    return spaces_.why_not(part.process);
  switch (part.state.kind) {
    case gpuva::PageKind::Mapped:
      // What is not resident is nowhere, whatever the addresses led to before.
      return pages.empty() ? unmap(part) : written(part, map(part, pages));
    case gpuva::PageKind::Zero:
      return written(part, map_zero(part));
    case gpuva::PageKind::Invalid:
      return unmap(part);
  }
  return nullptr;
}

}  // namespace wddm::host
