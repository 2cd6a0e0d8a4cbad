#include "conformance/host/gpuva/tables/linked_tables.h"

#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

constexpr const char* kUnlikeLink =
    "page tables of a link are played where all of its GPUs have the same";
constexpr const char* kSystemLink =
    "page tables of a link are played where they lie in the memory of its GPUs; in system memory "
    "only directories that the CPU writes, at one address for all, or leaf tables alone, below "
    "directories of each GPU";

bool in_system(const gpummu::PageTableLevelDesc& level) {
  return level.page_table_segment_id == kNoSegment ||
         level.paging_process_page_table_segment_id == kNoSegment;
}

// A place in the segment is one address to all GPUs.
bool is_alike(const Adapter& adapter, SegmentId segment) {
  for (std::uint32_t gpu = 0; gpu < adapter.physical_adapters(); ++gpu) {
    if (segment.value > adapter.segments(gpu).size()) return false;
    if (adapter.segment(segment, gpu).base != adapter.segment(segment).base) return false;
  }
  return true;
}

// A directory that all GPUs read holds one address of each table below.
bool can_share(const Adapter& adapter, const gpummu::Geometry& geometry) {
  if (in_system(geometry.level(0))) return false;
  for (std::uint32_t level = 0; level < geometry.levels(); ++level) {
    const gpummu::PageTableLevelDesc& said = geometry.level(level);
    for (const SegmentId segment :
         {said.page_table_segment_id, said.paging_process_page_table_segment_id}) {
      if (segment != kNoSegment && !is_alike(adapter, segment)) return false;
    }
  }
  return geometry.caps().page_table_update_mode == gpummu::PageTableUpdateMode::CpuVirtual;
}

// A root has the same entries on all GPUs: between it and a leaf stands a table of each.
bool has_leaves_of_each(const gpummu::Geometry& geometry) {
  if (!in_system(geometry.level(0)) || geometry.levels() < 3) return false;
  for (std::uint32_t level = 1; level < geometry.levels(); ++level) {
    if (in_system(geometry.level(level))) return false;
  }
  return true;
}

}  // namespace

const char* cannot_link(const Adapter& adapter, const gpummu::Geometry& geometry) {
  if (adapter.physical_adapters() == 1) return nullptr;
  bool shared = false;
  for (std::uint32_t index = 1; index < adapter.physical_adapters(); ++index) {
    const auto& report = adapter.gpummu(index);
    if (!report || !report->geometry || report->geometry->caps() != geometry.caps()) {
      return kUnlikeLink;
    }
    for (std::uint32_t level = 0; level < geometry.levels(); ++level) {
      if (report->geometry->level(level) != geometry.level(level)) return kUnlikeLink;
      shared |= in_system(geometry.level(level));
    }
  }
  if (!shared || has_leaves_of_each(geometry)) return nullptr;
  return can_share(adapter, geometry) ? nullptr : kSystemLink;
}

std::uint32_t instances_in_system(const Adapter& adapter, const TableShape& shape) {
  return shape.segment == kNoSegment && shape.level == 0 ? adapter.physical_adapters() : 1;
}

std::uint32_t instances_of(const Adapter& adapter, const TablePlace& place) {
  return place.address.segment == kNoSegment ? place.instances : adapter.physical_adapters();
}

void tell_moved(const SpaceInMemory& space, const TablePlace& from, const TablePlace& to,
                TableGone gone) {
  for (std::uint32_t gpu = 0; gpu < from.instances; ++gpu) {
    session().tap(ev::TableMoved{.from = from.address_on(gpu).offset,
                                 .to = to.address_on(gpu).offset,
                                 .process = space.process.value,
                                 .level = from.level,
                                 .gone = static_cast<std::uint32_t>(gone)});
  }
}

}  // namespace wddm::host
