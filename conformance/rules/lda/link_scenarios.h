// Scenarios of linked adapters that several clauses are shown by.
#pragma once

namespace wddm::lda {

/// One allocation in the memory of GPU 0, used by commands of both GPUs at one address.
inline constexpr const char* kBothReadOneAddress = R"(
about: contexts of both GPUs of a link use one allocation
ops:
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 3, place: local}
- create_allocation: {allocation: 2, pages: 3, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x11223344}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 4096, source_offset: 4096, size: 4096}
- idle
)";

/// Nothing but what the link itself needs to start.
inline constexpr const char* kLinkAlone = R"(
about: a link that has nothing to do
ops:
- idle
)";

/// An allocation in the memory of GPU 0 is filled by GPU 1.
inline constexpr const char* kFilledByThePeer = R"(
about: GPU 1 fills an allocation that lies in the memory of GPU 0
ops:
- create_allocation: {allocation: 1, pages: 3, place: local}
- make_resident: {allocation: 1}
- idle
- physical_adapter: {index: 1}
- fill_memory: {allocation: 1, pattern: 0x0A0B0C0D}
- idle
)";

}  // namespace wddm::lda
