// Escapes as hostile user mode sends them.
#pragma once

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// Data that the driver has never seen, of several lengths; and those of the client's
/// escape_data(): as they are, cut short, and with one word altered, up to 32 lengths and words of
/// each. Of the first device and its first context, or of none. ev::EscapeSent and
/// ev::EscapeAnswered for each.
void send_escapes(const Adapter& adapter, const Objects& objects, HANDLE process);

}  // namespace wddm::host
