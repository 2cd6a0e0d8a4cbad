// What the client's decoder says of a DMA buffer, recorded as events.
#pragma once

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/vidsch/queued_packet.h"

namespace wddm::host {

/// Decodes the buffer between each two neighbouring distinct SplitOffsets, and places the commands
/// of its stream by it. Nothing without decoder.
void decode_rendered(const Objects& objects, RenderBuffer& buffer);
/// Decodes the bytes of one portion after Patch.
void decode_patched(const Objects& objects, const Packet& packet);

}  // namespace wddm::host
