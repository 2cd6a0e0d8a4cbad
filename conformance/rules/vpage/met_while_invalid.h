// Addresses that are met while nothing is there, and used once something is.
#pragma once

namespace wddm::vpage {

inline constexpr const char* kMetWhileInvalid = R"(
about: one device of a process faults at an address that is mapped then, another one uses it; two more do so where no page table is
ops:
- create_device: {device: 1, process: 1}
- create_device: {device: 2, process: 1}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 2}
- create_allocation: {allocation: 1, device: 2, place: local}
- create_allocation: {allocation: 2, device: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- map_address: {allocation: 1, at: same}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
# What has no leaf table, and what has none above it, as far as the space goes.
- create_device: {device: 3, process: 1}
- create_context: {context: 3, device: 3}
- free_address: {allocation: 1}
- map_address: {allocation: 1, at: bit, bit: 26}
- free_address: {allocation: 1}
- render: {context: 3}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x33333333}
- idle
- map_address: {allocation: 1, at: same}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x44444444}
- idle
- create_device: {device: 4, process: 1}
- create_context: {context: 4, device: 4}
- free_address: {allocation: 1}
- map_address: {allocation: 1, at: bit, bit: 36}
- free_address: {allocation: 1}
- render: {context: 4}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x55555555}
- idle
- map_address: {allocation: 1, at: same}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x66666666}
- idle
)";

}  // namespace wddm::vpage
