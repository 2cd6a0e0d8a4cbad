// Spin locks on a KSPIN_LOCK word: 0 is free, else CPU, owner and depth, so that no other memory is
// needed. Internal to this folder.
//
//   bits 0..7 CPU + 1, bits 8..39 thread ordinal + 1, bits 40..63 further acquisitions by the owner
//   (each of them was a finding)
#pragma once

#include <cstdint>

#include "conformance/host/nt/core/service.h"

namespace wddm::nt {

/// Acquires at the present IRQL, which must be DISPATCH_LEVEL or above for the CPU to be kept.
void spin_acquire(const Service& service, volatile std::uint64_t& word);
/// False if somebody holds it.
bool spin_try(const Service& service, volatile std::uint64_t& word);
void spin_release(const Service& service, volatile std::uint64_t& word);

}  // namespace wddm::nt
