#include "conformance/host/gpuva/out_of_reach.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "conformance/host/boundary/session.h"
#include "reference/gpu/effect.h"

namespace wddm::host {
namespace {

// Whatever the commands are, none is fetched.
void nothing_in_reach(RenderBuffer& buffer) {
  buffer.must_fault = true;
  std::copy_if(buffer.allocations.begin(), buffer.allocations.end(),
               std::back_inserter(buffer.out_of_reach),
               [](AllocationId id) { return id != kNoAllocation; });
}

// Which accesses of a buffer find no entry that permits them.
class Reach {
 public:
  Reach(const AllocationAddresses& addresses, ProcessId process, const PagingScene& scene,
        const RenderBuffer& buffer)
      : addresses_(addresses), process_(process), scene_(scene), buffer_(buffer) {}

  [[nodiscard]] bool faults(const gpu::Access& access) const {
    return is_away(access.allocation) || addresses_.faults(process_, access);
  }
  /// Calls `take` with each access of its commands that faults.
  template <class Take>
  void each_fault(Take&& take) const {
    gpu::Bindings bindings;
    for (const gpu::Command& command : buffer_.stream->commands) {
      const gpu::Effect effect = gpu::effect_of(command, bindings, scene_.objects.sizes());
      for (const gpu::Access& access : effect.ranges()) {
        if (faults(access)) take(access);
      }
      bindings.apply(command);
    }
  }
  /// Commands write to it, and only what they cannot read: it gets no data.
  [[nodiscard]] bool gets_nothing(AllocationId id) const {
    bool is_written = false;
    gpu::Bindings bindings;
    for (const gpu::Command& command : buffer_.stream->commands) {
      const gpu::Effect effect = gpu::effect_of(command, bindings, scene_.objects.sizes());
      const std::span<const gpu::Access> ranges = effect.ranges();  // the one written comes first
      bindings.apply(command);
      if (ranges.empty() || ranges[0].allocation != id) continue;
      if (ranges.size() == 1 || !faults_throughout(ranges[1])) return false;
      is_written = true;
    }
    return is_written;
  }

 private:
  [[nodiscard]] bool faults_throughout(const gpu::Access& access) const {
    const std::uint64_t end = std::uint64_t{access.offset} + access.size;
    for (std::uint64_t at = access.offset / kPageSize * kPageSize; at < end; at += kPageSize) {
      if (!faults({access.allocation, static_cast<std::uint32_t>(at), 1, access.kind}))
        return false;
    }
    return true;
  }
  // What is not brought in for the buffer may be away.
  [[nodiscard]] bool is_away(AllocationId id) const {
    const AllocationAddresses::Mapping* const mapping = addresses_.newest(id, process_);
    return buffer_.required_only && mapping != nullptr && mapping->leads_to_pages() &&
           scene_.residency.planned(id).segment == kNoSegment;
  }

  const AllocationAddresses& addresses_;
  ProcessId process_;
  const PagingScene& scene_;
  const RenderBuffer& buffer_;
};

ForetoldAccess foretold(gpu::AccessKind kind) {
  switch (kind) {
    case gpu::AccessKind::Read:
      return ForetoldAccess::Read;
    case gpu::AccessKind::Write:
      return ForetoldAccess::Write;
    case gpu::AccessKind::ReadWrite:
      break;
  }
  return ForetoldAccess::Either;
}

// Pages that fault alike, gathered to ranges.
class Foretold {
 public:
  Foretold(const gpummu::AddressSpace* space, ProcessId process, const RenderBuffer& buffer)
      : space_(space), buffer_(buffer) {
    pending_.render = buffer.render;
    pending_.process = process.value;
  }

  void page(std::uint64_t address, ForetoldAccess access) {
    ev::FaultForetold here = pending_;
    here.address = address;
    here.bytes = kPageSize;
    here.level = kNone;
    here.access = static_cast<std::uint32_t>(access);
    if (space_ != nullptr) look_up(here);
    const bool goes_on = pending_.bytes != 0 && address == pending_.address + pending_.bytes &&
                         here.level == pending_.level && here.access == pending_.access;
    if (goes_on) {
      pending_.bytes += kPageSize;
      return;
    }
    take_pending();
    pending_ = here;
  }
  void tell() {
    take_pending();
    if (all_.size() > kTold) return;
    for (const ev::FaultForetold& one : all_) session().tap(one);
  }

 private:
  static constexpr std::size_t kTold = 64;

  // An addition to what is read-only has read it.
  void look_up(ev::FaultForetold& here) const {
    const gpummu::GpuVirtualAddress at{here.address};
    const gpummu::PhysicalAdapterIndex gpu{
        static_cast<std::uint16_t>(buffer_.engine.physical_adapter)};
    const bool only_reads = here.access == static_cast<std::uint32_t>(ForetoldAccess::Read);
    const gpummu::Translation read = space_->translate(at, gpummu::Access::Read, gpu);
    const gpummu::Translation met =
        only_reads ? read : space_->translate(at, gpummu::Access::Write, gpu);
    if (met.outcome != gpummu::Outcome::Fault) return;
    here.level = met.level;
    if (read.outcome != gpummu::Outcome::Fault) {
      here.access = static_cast<std::uint32_t>(ForetoldAccess::Write);
    }
  }
  void take_pending() {
    if (pending_.bytes != 0 && all_.size() <= kTold) all_.push_back(pending_);
    pending_.bytes = 0;
  }

  const gpummu::AddressSpace* space_;
  const RenderBuffer& buffer_;
  ev::FaultForetold pending_{};  // no bytes: none
  std::vector<ev::FaultForetold> all_;
};

}  // namespace

// What it uses had an address when it was built. If it has none, another has got that.
bool uses_addresses_of_others(const AllocationAddresses& addresses, ProcessId process,
                              const RenderBuffer& buffer) {
  return std::any_of(buffer.allocations.begin(), buffer.allocations.end(), [&](AllocationId id) {
    return id != kNoAllocation && addresses.for_commands_of(id, process).value == 0;
  });
}

void tell_out_of_reach(const AllocationAddresses& addresses, ProcessId process,
                       const PagingScene& scene, RenderBuffer& buffer) {
  if (buffer.stray) return nothing_in_reach(buffer);
  if (buffer.hurried) return;  // by the time that it runs, all may be there or nothing
  const Reach reach(addresses, process, scene, buffer);
  for (const AllocationId id : buffer.allocations) {
    if (id != kNoAllocation && reach.faults({.allocation = id})) buffer.out_of_reach.push_back(id);
  }
  if (buffer.hostile) return;
  reach.each_fault([&](const gpu::Access&) { buffer.must_fault = true; });
  if (!buffer.must_fault) return;
  for (const AllocationId id : buffer.allocations) {
    if (id != kNoAllocation && reach.gets_nothing(id)) buffer.out_of_reach.push_back(id);
  }
}

void foretell_faults(const AllocationAddresses& addresses, ProcessId process,
                     const PagingScene& scene, const gpummu::AddressSpace* space,
                     const RenderBuffer& buffer) {
  if (!buffer.must_fault) return;
  Foretold foretold_faults(space, process, buffer);
  if (buffer.stray) {  // the first fetch is what faults
    for (std::uint64_t at = 0; at < buffer.dma.size(); at += kPageSize) {
      foretold_faults.page(buffer.address.value + at, ForetoldAccess::Read);
    }
    return foretold_faults.tell();
  }
  const Reach reach(addresses, process, scene, buffer);
  reach.each_fault([&](const gpu::Access& access) {
    const std::uint64_t base = addresses.for_commands_of(access.allocation, process).value;
    const std::uint64_t end = std::uint64_t{access.offset} + access.size;
    for (std::uint64_t at = access.offset / kPageSize * kPageSize; at < end; at += kPageSize) {
      const auto offset = static_cast<std::uint32_t>(at);
      const gpu::Access page{access.allocation, offset, 1, access.kind};
      if (reach.faults(page)) foretold_faults.page(base + at, foretold(access.kind));
    }
  });
  foretold_faults.tell();
}

}  // namespace wddm::host
