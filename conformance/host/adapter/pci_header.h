// PCI configuration space of a device that does not bring its own: header type 0, and capabilities.
//
// Source: PCI Local Bus Specification 3.0, chapter 6; PCI Express Base Specification, chapter 7.
// Left out: expansion ROM, extended configuration space (all ones), and effects of writes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "conformance/host/adapter/bus.h"

namespace wddm::host {

using PciHeader = std::array<std::uint8_t, 256>;

/// A display controller with the identity of the device and its BARs, in the order of their
/// numbers: registers take one base address register, memory (64 bits, prefetchable) two. A BAR
/// that finds no room is left out.
[[nodiscard]] PciHeader pci_header(const WddmDevice& device, std::span<const Bus::BarPlace> bars);

}  // namespace wddm::host
