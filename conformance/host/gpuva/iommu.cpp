#include "conformance/host/gpuva/iommu.h"

#include <algorithm>

#include "conformance/host/boundary/session.h"
#include "conformance/host/memory/memory.h"

namespace wddm::host {

std::optional<Iommu::Place> Iommu::translate(const Requester& who, std::uint64_t address,
                                             gpummu::Access access) const {
  const std::optional<ProcessId> process = processes_.with_pasid(who.pasid, who.physical_adapter);
  if (!process || !spaces_.has(*process)) return std::nullopt;
  const gpummu::Translation found = spaces_.space(*process).translate({address}, access);
  if (found.outcome != gpummu::Outcome::Memory || found.place.segment != kNoSegment) {
    return std::nullopt;
  }
  return Place{found.place.offset, found.run_bytes};
}

std::uint32_t Iommu::process_of(const RenderWork& work) const {
  return objects_.device(objects_.context(work.buffer->context).device).process.value;
}

// The packet is the one that the engine has, as far as can be said: of a process that has one
// there, else the first.
void Iommu::count(const Requester& who) {
  const std::optional<ProcessId> owner = processes_.with_pasid(who.pasid, who.physical_adapter);
  ev::BusRequested now{.node = who.node,
                       .engine = who.physical_adapter,
                       .pasid = who.pasid,
                       .owner = owner ? owner->value : kNone,
                       .packet = kNone,
                       .process = kNone};
  for (const auto& [id, packet] : vidsch_.packets().all()) {
    const EngineId engine = packet.engine;
    if (engine.node.value != who.node || engine.physical_adapter != who.physical_adapter) continue;
    if (packet.submissions == 0) continue;
    const RenderWork* const work = packet.render();
    // Beside a GPU MMU what pages never comes here, so that the packet is not it.
    if (work == nullptr && owner != kSystemProcess) continue;
    const std::uint32_t process = work == nullptr ? kSystemProcess.value : process_of(*work);
    if (now.packet != kNone && process != now.owner) continue;
    now.packet = packet.ordinal.value;
    now.process = process;
    if (process == now.owner) break;
  }
  const bool same = counted_.requests != 0 && counted_.node == now.node &&
                    counted_.engine == now.engine && counted_.pasid == now.pasid &&
                    counted_.packet == now.packet;
  if (!same) {
    report();
    counted_ = now;
  }
  ++counted_.requests;
}

void Iommu::report() {
  if (counted_.requests != 0) session().tap(counted_);
  counted_ = {};
}

template <class Move>
bool Iommu::access(const Requester& who, std::uint64_t address, std::uint64_t bytes,
                   gpummu::Access access, Move move) {
  count(who);
  for (const bool moves : {false, true}) {
    for (std::uint64_t done = 0; done < bytes;) {
      const std::optional<Place> place = translate(who, address + done, access);
      if (!place) {
        ++counted_.faults;
        session().tap(ev::IommuFaulted{.address = address + done,
                                       .node = who.node,
                                       .engine = who.physical_adapter,
                                       .pasid = who.pasid,
                                       .owner = counted_.owner,
                                       .write = access == gpummu::Access::Write,
                                       .packet = counted_.packet,
                                       .start = address});
        return false;
      }
      const std::uint64_t in_page = kPageSize - (address + done) % kPageSize;
      const std::uint64_t part = std::min({bytes - done, place->bytes, in_page});
      if (moves) move(place->physical, done, part);
      done += part;
    }
  }
  return true;
}

bool Iommu::read(const Requester& who, std::uint64_t address, std::span<std::uint8_t> bytes) {
  return access(who, address, bytes.size(), gpummu::Access::Read,
                [&](std::uint64_t physical, std::uint64_t offset, std::uint64_t count) {
                  static_cast<void>(memory::physical_read(physical, bytes.data() + offset, count));
                });
}

bool Iommu::write(const Requester& who, std::uint64_t address,
                  std::span<const std::uint8_t> bytes) {
  return access(who, address, bytes.size(), gpummu::Access::Write,
                [&](std::uint64_t physical, std::uint64_t offset, std::uint64_t count) {
                  static_cast<void>(memory::physical_write(physical, bytes.data() + offset, count));
                });
}

}  // namespace wddm::host
