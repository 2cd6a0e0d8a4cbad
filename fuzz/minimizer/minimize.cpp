#include "fuzz/minimizer/minimize.h"

#include "fuzz/minimizer/minimizer.h"
#include "fuzz/minimizer/op_language.h"

namespace wddm::fuzz {

Minimized<Op> minimize_scenario(std::span<const Op> ops, const ScenarioTest& same,
                                const MinimizeOptions& options) {
  return Minimizer<ScenarioLanguage>(same, options).run(ops);
}

}  // namespace wddm::fuzz
