// What the client's decoder says of a DMA buffer, recorded as events.
#pragma once

#include <span>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/vidsch/queued_packet.h"

namespace wddm::host {

/// Loads of slots are state setting by whatever kind a decoder calls them: what their fields lead
/// to nobody accesses yet.
void call_loads_state(std::span<WddmDecoded> commands);
/// Decodes the buffer between each two neighbouring distinct SplitOffsets, and places the commands
/// of its stream by it. Nothing without decoder.
void decode_rendered(const Objects& objects, RenderBuffer& buffer);
/// Decodes the bytes of one portion after Patch.
void decode_patched(const Objects& objects, const Packet& packet);

}  // namespace wddm::host
