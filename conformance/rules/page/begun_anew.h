// Operations that come behind a reset of the adapter, or a removal of the device, which has ended
// one of their kind in its middle.
#pragma once

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::page {

/// First calls for the next operation of a kind of which a reset of the adapter, or a removal of
/// the device, has ended one in its middle. They have to begin at its start, and may be all that it
/// takes then. Calls without a buffer are not meant: what the CPU does at once leaves the driver's
/// progress through buffers alone.
inline ScratchSet<std::uint32_t> begun_anew(const Trace& trace) {
  ScratchSet<std::uint32_t> calls, kinds;
  std::uint32_t unfinished = kNone;  // the kind of what is to be continued
  for (const std::uint32_t index :
       trace.of_any<ev::PagingBuilt, ev::AdapterReset, ev::SurpriseRemoved>()) {
    const Event& event = trace.events()[index];
    if (event.kind != EventKind::PagingBuilt) {
      if (unfinished != kNone) kinds.insert(unfinished);
      unfinished = kNone;
      continue;
    }
    const auto call = Trace::as<ev::PagingBuilt>(event);
    if (call.given == 0) continue;
    if (call.pass == 0 && kinds.erase(call.operation) != 0) calls.insert(index);
    const bool more = static_cast<NTSTATUS>(call.status) == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    unfinished = more ? call.operation : kNone;
  }
  return calls;
}

}  // namespace wddm::page
