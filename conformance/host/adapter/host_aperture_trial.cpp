#include "conformance/host/adapter/host_aperture_trial.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "conformance/host/adapter/host_aperture.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/memory/memory.h"

namespace wddm::host {
namespace {

// Few, far apart, and in another order on either side.
constexpr std::uint32_t kPages = kLeastHostAperturePages;

struct Pages {
  std::array<UINT32, kPages> window{};
  std::array<UINT64, kPages> memory{};
};

class Trial {
 public:
  Trial(const Adapter& adapter, Bus& bus, const SegmentDescription& segment, std::uint32_t id,
        std::uint32_t physical_adapter)
      : adapter_(adapter),
        bus_(bus),
        segment_(segment),
        id_(id),
        physical_adapter_(physical_adapter),
        page_(host_aperture_page_bytes(segment)),
        offsets_{0, 0x808, kPageSize - 8} {
    // A page of 64 KB may be shown by 16 of the hardware's.
    for (std::uint64_t part = kPageSize; part < page_; part += kPageSize) {
      offsets_.push_back(part + 0x10);
    }
    const UINT32 last_window = host_aperture_pages(adapter, segment, physical_adapter) - 1;
    const UINT64 last_page = segment.size / page_ - 1;
    first_ = {{last_window, 0, last_window / 2}, {last_page / 2, last_page, 0}};
    second_ = {{0, last_window / 2, last_window}, {last_page, 0, last_page / 2}};
  }

  // What was written through one page of the window is read through another.
  [[nodiscard]] ev::HostApertureMapped map_twice() {
    ev::HostApertureMapped seen{.segment = id_,
                                .pages = kPages,
                                .first_wrong = kNone,
                                .physical_adapter = physical_adapter_,
                                .page_bytes = static_cast<std::uint32_t>(page_)};
    if (!map(first_, seen)) return seen;
    write(first_);
    compare(first_, seen);
    unmap(first_, seen);
    if (!map(second_, seen)) return seen;
    compare(second_, seen);
    unmap(second_, seen);
    works_ = NT_SUCCESS(static_cast<NTSTATUS>(seen.unmap_status)) && seen.wrong == 0;
    return seen;
  }

  // Only what has worked until here says anything of a part of it. Each in turn, as hardware may
  // mistake the number of the one for a number of another.
  void change_parts() {
    if (!works_ || segment_.size / page_ <= kPages) return;
    for (changed_ = 0; changed_ < kPages; ++changed_) change_one();
  }

  // -- for a link: each GPU has its own
  [[nodiscard]] bool works() const { return works_; }
  [[nodiscard]] std::uint32_t segment() const { return id_; }
  [[nodiscard]] bool begin() {
    ev::HostApertureMapped unused{};
    if (!map(first_, unused)) return false;
    write(first_);
    return true;
  }
  void end() {
    ev::HostApertureMapped unused{};
    unmap(first_, unused);
  }
  void look(ApertureChange change) {
    ev::HostApertureChanged seen = changed(change);
    compare(first_, seen);
    session().tap(seen);
  }

 private:
  void change_one() {
    if (!begin()) return;
    const Pages kept = without_changed();
    ev::HostApertureChanged seen = changed(ApertureChange::Unmapped);
    if (unmap_changed(seen)) compare(kept, seen);
    session().tap(seen);
    if (NT_SUCCESS(static_cast<NTSTATUS>(seen.status))) map_anew();
    end();
  }
  // To a page that no other shows, and back again: what is written there is not to arrive in the
  // page that was shown before.
  void map_anew() {
    ev::HostApertureChanged seen = changed(ApertureChange::MappedAnew);
    UINT64 other = 0;
    while (std::find(first_.memory.begin(), first_.memory.end(), other) != first_.memory.end()) {
      ++other;
    }
    const Pages all = first_;
    if (map_changed(other, seen)) {
      first_.memory[changed_] = other;
      write(one(first_));
      compare(first_, seen);
      first_ = all;
      if (unmap_changed(seen) && map_changed(all.memory[changed_], seen)) compare(all, seen);
    }
    session().tap(seen);
  }

  [[nodiscard]] ev::HostApertureChanged changed(ApertureChange change) const {
    return {.segment = id_,
            .physical_adapter = physical_adapter_,
            .change = static_cast<std::uint32_t>(change),
            .pages = kPages,
            .first_wrong = kNone};
  }
  [[nodiscard]] std::uint32_t next(std::uint32_t further) const {
    return (changed_ + further) % kPages;
  }
  // The changed page alone, and all others, each as a list of its own.
  [[nodiscard]] Pages one(const Pages& pages) const {
    Pages alone;
    alone.window.fill(pages.window[changed_]);
    alone.memory.fill(pages.memory[changed_]);
    return alone;
  }
  [[nodiscard]] Pages without_changed() const {
    Pages others = first_;
    others.window[changed_] = first_.window[next(1)];
    others.memory[changed_] = first_.memory[next(1)];
    return others;
  }

  [[nodiscard]] HostAperturePages named(const Pages& pages) const {
    return {.segment = id_,
            .physical_adapter = physical_adapter_,
            .window = {pages.window.begin(), pages.window.end()},
            .memory = {pages.memory.begin(), pages.memory.end()}};
  }
  // Behind it stands a page that is to stay as it is, and a page of memory that it does not show.
  [[nodiscard]] HostAperturePages named_changed(UINT64 memory) const {
    return {.segment = id_,
            .physical_adapter = physical_adapter_,
            .window = {first_.window[changed_]},
            .memory = {memory},
            .window_behind = first_.window[next(1)],
            .memory_behind = first_.memory[next(2)]};
  }
  [[nodiscard]] bool map(const Pages& pages, ev::HostApertureMapped& seen) const {
    HostAperturePages list = named(pages);  // behind which stand no pages
    list.window_behind = ~UINT32{0};
    list.memory_behind = ~UINT64{0};
    const NTSTATUS status = map_host_aperture(adapter_, std::move(list));
    seen.status = static_cast<std::uint32_t>(status);
    return NT_SUCCESS(status);
  }
  void unmap(const Pages& pages, ev::HostApertureMapped& seen) const {
    if (!may_call(DdiId::UnmapCpuHostAperture)) return;
    const NTSTATUS status = unmap_host_aperture(adapter_, named(pages));
    if (!NT_SUCCESS(status)) seen.unmap_status = static_cast<std::uint32_t>(status);
  }
  [[nodiscard]] bool map_changed(UINT64 memory, ev::HostApertureChanged& seen) const {
    const NTSTATUS status = map_host_aperture(adapter_, named_changed(memory));
    if (!NT_SUCCESS(status)) seen.status = static_cast<std::uint32_t>(status);
    return NT_SUCCESS(status);
  }
  [[nodiscard]] bool unmap_changed(ev::HostApertureChanged& seen) const {
    const NTSTATUS status = unmap_host_aperture(adapter_, named_changed(0));
    if (!NT_SUCCESS(status)) seen.status = static_cast<std::uint32_t>(status);
    return NT_SUCCESS(status);
  }

  [[nodiscard]] std::uint64_t word_for(std::uint64_t page, std::uint64_t offset) const {
    return (0xA5C3u + std::uint64_t{physical_adapter_}) << 48 | page << 16 | offset;
  }
  [[nodiscard]] std::uint64_t at(UINT32 window, std::uint64_t offset) const {
    return segment_.host_aperture + window * page_ + offset;
  }
  void write(const Pages& pages) {
    for (std::uint32_t i = 0; i < kPages; ++i) {
      for (const std::uint64_t offset : offsets_) {
        bus_.cpu_write(at(pages.window[i], offset), word_for(pages.memory[i], offset));
      }
    }
  }
  template <class Seen>
  void compare(const Pages& pages, Seen& seen) {
    for (std::uint32_t i = 0; i < kPages; ++i) {
      for (const std::uint64_t offset : offsets_) {
        seen.compared += sizeof(std::uint64_t);
        if (bus_.cpu_read(at(pages.window[i], offset)) == word_for(pages.memory[i], offset)) {
          continue;
        }
        seen.wrong += sizeof(std::uint64_t);
        if (seen.first_wrong == kNone) seen.first_wrong = pages.window[i];
      }
    }
  }

  const Adapter& adapter_;
  Bus& bus_;
  const SegmentDescription& segment_;
  const std::uint32_t id_, physical_adapter_;
  const std::uint64_t page_;
  std::vector<std::uint64_t> offsets_;
  Pages first_, second_;
  std::uint32_t changed_ = 0;  // of the pages, the one that is mapped anew
  bool works_ = false;
};

// While the first of two GPUs shows pages, the second unmaps its own of the same numbers.
void change_beside(Trial& stays, Trial& changes) {
  if (!stays.begin()) return;
  if (changes.begin()) {
    changes.end();
    stays.look(ApertureChange::OtherGpu);
  }
  stays.end();
}

// A fault of ours: the page behind the last.
void map_past_the_end(const Adapter& adapter, std::uint32_t id, std::uint32_t gpu) {
  const SegmentDescription& segment = adapter.segment(SegmentId{id}, gpu);
  static_cast<void>(
      map_host_aperture(adapter, {.segment = id,
                                  .physical_adapter = gpu,
                                  .window = {host_aperture_pages(adapter, segment, gpu)},
                                  .memory = {0}}));
}

}  // namespace

void try_host_apertures(const Adapter& adapter, Bus& bus, std::uint32_t processes) {
  if (!may_call(DdiId::MapCpuHostAperture)) return;
  std::vector<Trial> trials;
  for (std::uint32_t gpu = 0; gpu < adapter.physical_adapters(); ++gpu) {
    std::uint32_t id = 0;
    for (const SegmentDescription& segment : adapter.segments(gpu)) {
      ++id;
      if (!segment.flags.SupportsCpuHostAperture) continue;
      if (host_aperture_pages(adapter, segment, gpu) < kPages) continue;
      if (segment.size / host_aperture_page_bytes(segment) < kPages) continue;
      Trial& trial = trials.emplace_back(adapter, bus.of(gpu), segment, id, gpu);
      ev::HostApertureMapped seen = trial.map_twice();
      seen.processes = processes;
      session().tap(seen);
      if (may_call(DdiId::UnmapCpuHostAperture)) trial.change_parts();
      if (decisions().commits(OracleFault::MapPastTheAperture)) map_past_the_end(adapter, id, gpu);
    }
  }
  if (!may_call(DdiId::UnmapCpuHostAperture)) return;
  for (Trial& stays : trials) {
    for (Trial& changes : trials) {
      if (&stays == &changes || stays.segment() != changes.segment()) continue;
      if (stays.works() && changes.works()) change_beside(stays, changes);
    }
  }
}

}  // namespace wddm::host
