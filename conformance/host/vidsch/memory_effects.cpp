#include "conformance/host/vidsch/memory_effects.h"

namespace wddm::host {

void MemoryEffects::begin() {
  half_translated_.clear();
  half_done_ = 0;
  known_ = true;
}

void MemoryEffects::packets_lost() {
  known_ = false;
}

bool MemoryEffects::ended(Packet& packet) {
  if (PagingWork* const paging = packet.paging()) return paging_ended(*paging->buffer, packet.id);
  blame_ = {.cause = MemoryCause::Render, .object = packet.id};
  portion_ended(*packet.render()->buffer);
  return false;
}

// What a part of an operation leaves is not predicted; the whole is, at its end.
bool MemoryEffects::paging_ended(PagingBuffer& paging, std::uint32_t packet) {
  blame_ = paging.operation->blame;
  blame_.object = packet;
  due_ = paging.last;
  paging.operation->started = true;
  if (!paging.last) return false;
  memory_.commands_unfinished(half_done_ != 0 || !half_translated_.empty());
  memory_.apply(paging.operation->effect);
  return true;
}

void MemoryEffects::portion_ended(RenderBuffer& buffer) {
  if (--buffer.portions_left != 0) {
    if (!buffer.half_done) ++half_done_;
    buffer.half_done = true;
    due_ = false;
    return;
  }
  if (buffer.half_done) --half_done_;
  due_ = buffer.last_pass;
  if (!buffer.last_pass) {
    half_translated_.insert(buffer.render);
    return;
  }
  half_translated_.erase(buffer.render);
  if (buffer.hostile) {
    for (const std::uint32_t slot : buffer.allocation_slots) memory_.render_unknown(slot);
  } else {
    memory_.render_done(buffer.commands);
  }
}

// Which of its commands have run is not known; all else can be compared again.
void MemoryEffects::translation_dropped(const RenderBuffer& dropped) {
  if (half_translated_.erase(dropped.render) == 0) return;
  for (const std::uint32_t slot : dropped.allocation_slots) memory_.render_unknown(slot);
}

void MemoryEffects::compare_if_due(bool at_rest) {
  if (!due_ || !known_ || !half_translated_.empty() || !at_rest) return;
  due_ = false;
  comparison_.check(blame_);
}

}  // namespace wddm::host
