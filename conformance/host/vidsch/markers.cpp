#include "conformance/host/vidsch/markers.h"

#include <algorithm>
#include <array>

#include "conformance/host/boundary/session.h"
#include "conformance/host/render/repertoire.h"
#include "conformance/host/vidsch/packet_fate.h"

namespace wddm::host {

bool names_marker(const RenderBuffer& buffer, const RenderWork& portion) {
  const std::size_t end =
      std::min<std::size_t>(std::size_t{portion.first} + portion.count, buffer.patches.size());
  for (std::size_t element = portion.first; element < end; ++element) {
    const std::uint32_t entry = buffer.patches[element].AllocationIndex;
    if (entry < buffer.allocations.size() && buffer.allocations[entry] == kMarkerAllocation) {
      return true;
    }
  }
  return false;
}

namespace {

// Whether an earlier render had the same place: without one it counts from 0. How many places there
// are depends on what the client has; the first of each place lies by its own number.
bool used_before(const RenderBuffer& buffer) {
  const std::uint32_t bytes = buffer.marker_is_ladder ? Repertoire::kLadderBytes : 4;
  return buffer.marker_offset / bytes != buffer.render;
}

bool runs_nothing(const Packet& packet) {
  const RenderWork* const render = packet.render();
  return render != nullptr && render->buffer->null_rendering;
}

}  // namespace

// kNone where there is none, or where nobody knows.
std::uint32_t Markers::count(const Packet& packet) const {
  const RenderWork* const render = packet.render();
  if (render == nullptr || !render->has_marker) return kNone;
  if (render->buffer->marker_offset == kNone || !render->buffer->last_pass) return kNone;
  // Where its words lie is not settled before the DPC of what brings them in.
  if (packets_.is_paging({&kMarkerAllocation, 1})) return kNone;
  const std::uint32_t place = render->buffer->marker_offset;
  if (!render->buffer->marker_is_ladder) return memory_.word(kMarkerAllocation, place);
  std::uint32_t ones = 0;
  for (std::uint32_t rung = 1; rung <= kRungs; ++rung) {
    const std::uint32_t word = memory_.word(kMarkerAllocation, place + rung * 4);
    if (word == kNone) return kNone;
    ones += word == 1;
  }
  return ones;
}

void Markers::submitted(Packet& packet) const {
  if (packet.submissions > 1) {
    read(packet, 0, MarkerReason::AfterPreempted);
  } else if (RenderWork* const render = packet.render();
             render != nullptr && render->has_marker && used_before(*render->buffer)) {
    render->buffer->marker_before = count(packet);
  }
}

void Markers::read(const Packet& packet, std::uint32_t expected, MarkerReason reason) const {
  const std::uint32_t now = count(packet);
  if (now == kNone || packet.render()->buffer->marker_before == kNone) return;
  session().tap(ev::MarkerRead{.packet = packet.ordinal.value,
                               .node = packet.engine.node.value,
                               .fence = packet.fence.value,
                               .runs = now - packet.render()->buffer->marker_before,
                               .expected = expected,
                               .reason = static_cast<std::uint32_t>(reason),
                               .engine = packet.engine.physical_adapter});
}

void Markers::read_at_end(const Packet& packet, vidsch::Ending ending) const {
  const RenderWork* const work = packet.render();
  if (work == nullptr || packet.submissions == 0 || runs_nothing(packet)) return;
  read(packet, runs_to_its_end(*work->buffer, ending) ? 1 : 0, MarkerReason::AtEnd);
}

void Markers::read_all(const vidsch::FenceLedger& ledger, EngineId engine, FenceId through,
                       bool preempted) const {
  std::array<FenceId, 64> outstanding;
  const std::size_t count = ledger.outstanding(outstanding);
  const auto end = outstanding.begin() + static_cast<std::ptrdiff_t>(count);
  const auto done = static_cast<std::ptrdiff_t>(ledger.covered_by(through));
  for (const auto& [id, packet] : packets_.all()) {
    if (packet.engine != engine) continue;
    const auto at = std::find(outstanding.begin(), end, packet.fence);
    if (at == end) continue;
    const bool covered = at - outstanding.begin() < done;
    if (!covered && !preempted) continue;
    const bool runs = covered && !runs_nothing(packet);
    read(packet, runs ? 1 : 0, preempted ? MarkerReason::AtPreempted : MarkerReason::AtCompleted);
  }
}

}  // namespace wddm::host
