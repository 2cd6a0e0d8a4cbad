// Scenarios of the clauses about leaves of 64 KB pages.
#pragma once

namespace wddm::pgsz {

inline constexpr const char* kBothPageSizes = R"(
about: an allocation in 64 KB pages, then one of 4 KB pages in the same leaf
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 32, place: local}
- create_allocation: {allocation: 2, pages: 3, place: aperture}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 131072, value: 0x11223344}
- idle
- make_resident: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 65536, size: 4096}
- add: {slot: 2, offset: 0, value: 1}
- idle
)";

inline constexpr const char* kSmallPageAlone = R"(
about: a page of 4 KB alone
ops:
- create_allocation: {allocation: 1, pages: 1, place: local}
- make_resident: {allocation: 1}
- idle
)";

}  // namespace wddm::pgsz
