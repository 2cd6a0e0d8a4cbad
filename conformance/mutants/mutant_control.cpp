// Linked into each mutated image: no mutant plays until somebody says so.
#include "conformance/mutants/mutant_control.h"

namespace {
WddmMutantControl g_nobody = {0, nullptr};
}  // namespace

extern "C" {
__attribute__((visibility("default"))) WddmMutantControl* wddm_mutant_control = &g_nobody;
}
