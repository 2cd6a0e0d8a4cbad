// The faulty drivers: each is the conforming one with one method overridden.
//
// The registry value "Variant" of the service key chooses one; 0 or a missing value is the
// conforming driver. `clause` is the rule that the variant breaks.
#pragma once

#include "../kmd_driver.h"

namespace reference_kmd {

enum class Variant : ULONG {
#define VARIANT(number, name, clause) name = number,
#include "variants.def"
#undef VARIANT
};

/// The variant in force.
Variant variant();

}  // namespace reference_kmd
