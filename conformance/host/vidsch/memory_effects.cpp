#include "conformance/host/vidsch/memory_effects.h"

#include <algorithm>

#include "conformance/host/gpuva/tables/table_update.h"

namespace wddm::host {

void MemoryEffects::begin() {
  unclear_.clear();
  at_build_.clear();
  known_ = true;
}

void MemoryEffects::packets_lost() {
  known_ = false;
}

bool MemoryEffects::ended(Packet& packet) {
  if (PagingWork* const paging = packet.paging()) {
    if (packet.switches()) return false;
    return paging_ended(*paging->buffer, packet.ordinal);
  }
  blame_ = {.cause = MemoryCause::Render, .packet = packet.ordinal};
  portion_ended(*packet.render());
  return false;
}

// What a part of an operation leaves is not predicted; the whole is, at its end.
bool MemoryEffects::paging_ended(PagingBuffer& paging, PacketOrdinal packet) {
  blame_ = paging.operation->blame;
  blame_.packet = packet;
  due_ = paging.last;
  paging.operation->started = true;
  if (!paging.last) return false;
  if (paging.operation->update) paging.operation->update->carried_out(packet);
  memory_.commands_unfinished(!unclear_.empty());
  memory_.apply(paging.operation->effect);
  return true;
}

void MemoryEffects::portion_ended(const RenderWork& work) {
  RenderBuffer& buffer = *work.buffer;
  CommandStream& stream = *buffer.stream;
  due_ = --buffer.portions_left == 0 && !buffer.more_portions && buffer.last_pass;
  if (!due_ && !buffer.places.known) {
    unclear_.insert(buffer.render);
    return;
  }
  if (due_) unclear_.erase(buffer.render);
  if (due_ && (buffer.hostile || buffer.must_fault || buffer.hurried)) {
    return anything_written(buffer);
  }
  const std::size_t through = due_ ? stream.commands.size() : buffer.places.through(work.end);
  if (through <= stream.done) return;
  memory_.commands_ran(std::span(stream.commands).subspan(stream.done, through - stream.done),
                       stream.bindings, stream.zeros);
  stream.done = through;
}

// Paging that breaks off takes the adapter's reset with it.
void MemoryEffects::broken_off(const Packet& packet) {
  if (packet.is_paging()) return packets_lost();
  RenderBuffer& buffer = *packet.render()->buffer;
  --buffer.portions_left;
  unclear_.erase(buffer.render);
  if (!buffer.started) return;
  blame_ = {.cause = MemoryCause::Render, .packet = packet.ordinal};
  due_ = true;
  anything_written(buffer);
}

// Buffers that can be refused have one portion.
void MemoryEffects::never_ran(const Packet& packet) {
  RenderBuffer& buffer = *packet.render()->buffer;
  --buffer.portions_left;
  blame_ = {.cause = MemoryCause::Render, .packet = packet.ordinal};
  due_ = true;
}

// What a packet cannot reach stays as it was, and so does its marker if it is not to come that far.
void MemoryEffects::anything_written(const RenderBuffer& buffer) {
  for (const AllocationId id : buffer.allocations) {
    const auto& beyond = buffer.out_of_reach;
    if (std::find(beyond.begin(), beyond.end(), id) != beyond.end()) continue;
    if (buffer.must_fault && id == kMarkerAllocation) continue;
    memory_.render_unknown(id);
  }
  for (const AllocationId id : buffer.displaced) memory_.render_unknown(id);
}

void MemoryEffects::done_at_build(const MemoryBlame& blame) {
  if (!known_) return;
  if (!due_) blame_ = blame;
  due_ = true;
  at_build_.push_back(blame);
}

// Which of its commands have run is not known; all else can be compared again.
void MemoryEffects::translation_dropped(const RenderBuffer& dropped) {
  if (unclear_.erase(dropped.render) != 0) anything_written(dropped);
}

void MemoryEffects::compare_if_due(bool at_rest) {
  if (!due_ || !known_ || !unclear_.empty() || !at_rest) return;
  due_ = false;
  comparison_.check(blame_, at_build_);
  at_build_.clear();
}

}  // namespace wddm::host
