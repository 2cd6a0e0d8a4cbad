// Scenarios of linked adapters that several clauses are shown by.
#pragma once

namespace wddm::lda {

/// One allocation in the memory of GPU 0, used by commands of both GPUs at one address.
#define BOTH_READ_ONE_ADDRESS                                                     \
  "- create_context: {context: 1}\n"                                              \
  "- physical_adapter: {index: 1}\n"                                              \
  "- create_context: {context: 2}\n"                                              \
  "- create_allocation: {allocation: 1, pages: 3, place: local}\n"                \
  "- create_allocation: {allocation: 2, pages: 3, place: local}\n"                \
  "- render: {context: 1}\n"                                                      \
  "- bind: {slot: 1, allocation: 1}\n"                                            \
  "- fill: {slot: 1, offset: 0, size: 8192, value: 0x11223344}\n"                 \
  "- idle\n"                                                                      \
  "- render: {context: 2}\n"                                                      \
  "- bind: {slot: 1, allocation: 1}\n"                                            \
  "- bind: {slot: 2, allocation: 2}\n"                                            \
  "- copy: {slot: 2, source: 1, offset: 4096, source_offset: 4096, size: 4096}\n" \
  "- idle\n"
inline constexpr const char* kBothReadOneAddress =
    "about: contexts of both GPUs of a link use one allocation\n"
    "ops:\n" BOTH_READ_ONE_ADDRESS;

/// Large pages in the memory of each GPU, reached from both.
inline constexpr const char* kLargePagesOfBoth = R"(
about: commands of both GPUs use large pages of both, where there are such
ops:
# Of the built-in driver, whose large pages are of 128 KB then.
- configure: {setting: LargePages, value: 1}
- configure: {setting: IndexBits, value: 5}
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 32, place: local}
- create_allocation: {allocation: 2, pages: 32, place: local, physical_adapter: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 1}
- fill: {slot: 1, offset: 0, size: 131072, value: 0x11111111}
- fill: {slot: 2, offset: 0, size: 131072, value: 0x22222222}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 1}
- add: {slot: 1, offset: 126976, value: 1}
- add: {slot: 2, offset: 4096, value: 1}
- idle
# Pages of 2 MB.
- create_allocation: {allocation: 3, pages: 1056, place: local, physical_adapter: 1}
- make_resident: {allocation: 3}
- render: {context: 1}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 2093056, size: 8192, value: 0x33333333}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- add: {slot: 1, offset: 2097152, value: 1}
- idle
)";

/// Nothing but what the link itself needs to start.
inline constexpr const char* kLinkAlone = R"(
about: a link that has nothing to do
ops:
- idle
)";

/// Allocations in the memory of each GPU, used by commands of both, and paged.
inline constexpr const char* kMemoryOfBoth = R"(
about: commands of both GPUs use memory of both, which comes, moves and goes, loses power, and lies elsewhere after a restart
ops:
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 3, place: local}
- create_allocation: {allocation: 2, pages: 3, place: local, physical_adapter: 1}
- create_allocation: {allocation: 3, pages: 40, place: local, physical_adapter: 1}
- cpu_write: {allocation: 2, offset: 4096, value: 0x0A0B0C0D}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- make_resident: {allocation: 3}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 12288}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 3}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 163840, value: 0x22222222}
- copy: {slot: 1, source: 2, offset: 8192, source_offset: 0, size: 8192}
- idle
- move: {allocation: 2}
- evict: {allocation: 3}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 4096, source_offset: 155648, size: 8192}
- idle
- fill_memory: {allocation: 1, pattern: 0x04030201}
- fill_memory: {allocation: 2, pattern: 0x14131211}
- idle
- physical_adapter: {index: 0}
- fill_memory: {allocation: 2, pattern: 0x24232221}
- idle
# What a GPU knows of the memory of the other one is gone without power.
- power_cycle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 1}
- copy: {slot: 2, source: 1, offset: 4096, source_offset: 0, size: 4096}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 8192, source_offset: 0, size: 4096}
- idle
# The memory of GPU 1 is looked for where it was when both started last.
- rebalance: {physical_adapter: 1}
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 3, place: local}
- create_allocation: {allocation: 2, pages: 3, place: local, physical_adapter: 1}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 1}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x33333333}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 4096, size: 4096}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 4096, size: 8192, value: 0x44444444}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 8192, size: 4096}
- idle
)";

}  // namespace wddm::lda
