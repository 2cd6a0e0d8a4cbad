// Scenarios of several clauses about page tables.
#pragma once

namespace wddm::pt {

inline constexpr const char* kSystemProcessAlone = R"(
about: the page tables of the system process alone
ops:
- start
)";

inline constexpr const char* kPagesComeAndGo = R"(
about: pages of an allocation are mapped, moved in two parts, taken away and mapped again
ops:
- transfer_chunk: {pages: 16}
- create_allocation: {allocation: 1, pages: 24, place: local}
- make_resident: {allocation: 1}
- idle
- move: {allocation: 1}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
)";

inline constexpr const char* kProcessGetsTables = R"(
about: a process gets page tables, and its contents move
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 24, place: local}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11223344}
- idle
- move: {allocation: 1}
- idle
)";

}  // namespace wddm::pt
