// What a driver that is instrumented for a fuzzer calls, for programs that do not fuzz: what it has
// reached is counted, all else is nothing. So one library serves `fuzz`, where the engine offers
// these, and all other commands.
#include <cstdint>

#include "conformance/harness/isolate/code_reached.h"

extern "C" {

__attribute__((visibility("default"),
               tls_model("initial-exec"))) thread_local std::uintptr_t __sancov_lowest_stack =
    ~std::uintptr_t{0};

void __sanitizer_cov_8bit_counters_init(std::uint8_t* first, std::uint8_t* last) {
  wddm::harness::note_code_counters(first, last);
}
void __sanitizer_cov_pcs_init(const std::uintptr_t* first, const std::uintptr_t* last) {
  wddm::harness::note_code_places(first, last);
}
void __sanitizer_cov_trace_pc_indir(std::uintptr_t) {}
void __sanitizer_cov_trace_pc_guard(std::uint32_t*) {}
void __sanitizer_cov_trace_pc_guard_init(std::uint32_t*, std::uint32_t*) {}
void __sanitizer_cov_trace_cmp1(std::uint8_t, std::uint8_t) {}
void __sanitizer_cov_trace_cmp2(std::uint16_t, std::uint16_t) {}
void __sanitizer_cov_trace_cmp4(std::uint32_t, std::uint32_t) {}
void __sanitizer_cov_trace_cmp8(std::uint64_t, std::uint64_t) {}
void __sanitizer_cov_trace_const_cmp1(std::uint8_t, std::uint8_t) {}
void __sanitizer_cov_trace_const_cmp2(std::uint16_t, std::uint16_t) {}
void __sanitizer_cov_trace_const_cmp4(std::uint32_t, std::uint32_t) {}
void __sanitizer_cov_trace_const_cmp8(std::uint64_t, std::uint64_t) {}
void __sanitizer_cov_trace_switch(std::uint64_t, std::uint64_t*) {}
void __sanitizer_cov_trace_div4(std::uint32_t) {}
void __sanitizer_cov_trace_div8(std::uint64_t) {}
void __sanitizer_cov_trace_gep(std::uintptr_t) {}

}  // extern "C"
