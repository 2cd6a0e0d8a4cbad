#include "conformance/host/gpuva/tables/walk_judge.h"

#include <algorithm>

#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

bool is_before(const SeenTable& a, const SeenTable& b) {
  return a.system != b.system ? a.system < b.system : a.first < b.first;
}

bool holds(const SeenTable& table, const WddmDeviceEvent& record) {
  return table.system == (record.entry_system != 0) && record.entry_address >= table.first &&
         record.entry_address - table.first < table.bytes;
}

}  // namespace

void WalkJudge::begin(const gpummu::Geometry& geometry) {
  end();
  geometry_ = geometry;
  live_.reserve(kFormer);
  former_.reserve(kFormer);
  entry_bytes_.assign(geometry.levels(), 0);
}

void WalkJudge::end() {
  geometry_.reset();
  live_.clear();
  former_.clear();
  entry_bytes_.clear();
  reserved_.clear();
  submissions_ = 0;
  walks_ = astray_ = reserved_walks_ = 0;
}

// What an earlier process of this number had is forgotten.
void WalkJudge::reserve(ProcessId process, std::span<const gpummu::VaRange> ranges) {
  std::erase_if(reserved_, [&](const Reserved& each) { return each.process == process; });
  for (const gpummu::VaRange& range : ranges) reserved_.push_back({process, range});
}

bool WalkJudge::is_reserved(ProcessId process, std::uint64_t address) const {
  return std::any_of(reserved_.begin(), reserved_.end(), [&](const Reserved& each) {
    return each.process == process && address >= each.range.first.value &&
           address < each.range.end();
  });
}

void WalkJudge::appeared(const SeenTable& table) {
  live_.insert(std::upper_bound(live_.begin(), live_.end(), table, is_before), table);
}

void WalkJudge::left(const SeenTable& table) {
  std::erase_if(live_, [&](const SeenTable& each) {
    return each.first == table.first && each.system == table.system;
  });
  if (former_.size() == kFormer) former_.erase(former_.begin());
  former_.push_back(table);
}

void WalkJudge::submitted(EngineId engine, FenceId fence, ProcessId process) {
  submitted_[submissions_++ % kSubmitted] = {engine, fence, process};
}

std::optional<ProcessId> WalkJudge::process_of(const WddmDeviceEvent& record,
                                               std::uint32_t physical_adapter) const {
  const EngineId engine{.node = NodeId{record.node}, .physical_adapter = physical_adapter};
  for (std::size_t back = 1; back <= std::min(submissions_, kSubmitted); ++back) {
    const Submitted& each = submitted_[(submissions_ - back) % kSubmitted];
    if (each.fence.value == record.tag && each.engine == engine) return each.process;
  }
  return std::nullopt;
}

// How many bytes an entry has, the device says; where a table has room between entries, its size
// does.
bool WalkJudge::is_at_its_entry(const WddmDeviceEvent& record, const SeenTable& table) const {
  const gpummu::GpuVirtualAddress va{record.address};
  const bool is_64kb = table.level == 0 && table.page_size == gpummu::PageTablePageSize::Page64K;
  const std::uint64_t index =
      is_64kb ? geometry_->index_64kb(va) : geometry_->index(table.level, va);
  const std::uint64_t offset = record.entry_address - table.first;
  const std::uint64_t stride = table.bytes / std::max(table.entries, 1u);
  return offset == index * record.length || (stride != 0 && offset / stride == index);
}

// Once is enough: the same for all tables of a level.
void WalkJudge::learn(const WddmDeviceEvent& record, const SeenTable& table) {
  if (entry_bytes_[record.level] != 0) return;
  if (table.level == 0 && table.page_size == gpummu::PageTablePageSize::Page64K) return;
  const std::uint64_t index =
      geometry_->index(record.level, gpummu::GpuVirtualAddress{record.address});
  const bool lies_so = record.entry_address - table.first == index * record.length;
  if (index != 0 && lies_so) entry_bytes_[record.level] = record.length;
}

// Where the entry would lie if the root were as large as that: behind it may be anything.
bool WalkJudge::is_behind_root(const WddmDeviceEvent& record, ProcessId process) const {
  if (record.level != geometry_->root_level()) return false;
  const std::uint64_t index =
      geometry_->index(record.level, gpummu::GpuVirtualAddress{record.address});
  return std::any_of(live_.begin(), live_.end(), [&](const SeenTable& each) {
    return each.process == process && each.level == record.level &&
           each.system == (record.entry_system != 0) && index >= each.entries &&
           record.entry_address == each.first + index * record.length;
  });
}

std::optional<AstrayWalk> WalkJudge::judge(const WddmDeviceEvent& record, ProcessId process) {
  const std::optional<AstrayWalk> why = judge_by_place(record, process);
  return why && is_behind_root(record, process) ? AstrayWalk::BehindRoot : why;
}

std::optional<AstrayWalk> WalkJudge::judge_by_place(const WddmDeviceEvent& record,
                                                    ProcessId process) {
  const auto found = std::find_if(live_.begin(), live_.end(),
                                  [&](const SeenTable& each) { return holds(each, record); });
  if (found == live_.end()) {
    const bool former = std::any_of(former_.begin(), former_.end(),
                                    [&](const SeenTable& each) { return holds(each, record); });
    if (!former && record.level == 0 && is_reserved(process, record.address)) return std::nullopt;
    return former ? AstrayWalk::FormerTable : AstrayWalk::NoTable;
  }
  if (found->process != process) return AstrayWalk::OtherSpace;
  if (found->level != record.level) return AstrayWalk::OtherLevel;
  const gpummu::GpuVirtualAddress va{record.address};
  if (record.level == geometry_->root_level() &&
      (!geometry_->contains(va) || geometry_->index(record.level, va) >= found->entries)) {
    return AstrayWalk::BehindRoot;
  }
  if (!is_at_its_entry(record, *found)) return AstrayWalk::OtherIndex;
  learn(record, *found);
  return std::nullopt;
}

// Of a packet that is not known nothing can be said.
void WalkJudge::walked(const WddmDeviceEvent& record, std::uint32_t physical_adapter) {
  if (!geometry_) return;
  const auto process = process_of(record, physical_adapter);
  if (!process) return;
  ++walks_;
  if (is_reserved(*process, record.address)) ++reserved_walks_;
  const auto why = judge(record, *process);
  if (!why) return;
  ++astray_;
  session().tap(ev::WalkAstray{.address = record.address,
                               .entry = record.entry_address,
                               .node = record.node,
                               .fence = record.tag,
                               .level = record.level,
                               .process = process->value,
                               .why = static_cast<std::uint32_t>(*why),
                               .engine = physical_adapter});
}

void WalkJudge::report() {
  if (walks_ == 0) return;
  session().tap(ev::WalksJudged{.walks = walks_, .astray = astray_, .reserved = reserved_walks_});
  walks_ = astray_ = reserved_walks_ = 0;
}

}  // namespace wddm::host
