// Render, and the elements of its list: they are kept until the list is complete.
#include "conformance/host/run/op_handlers.h"

namespace wddm::host::ops {

void render(ScenarioRun& run, const Op& op) {
  if (run.world().vidsch.in_error(ContextId{op.a})) {
    return run.skip(op, "its device is in error");
  }
  run.world().render_path.begin(op);
}

// The elements, by what they are to a list: one function for each of their names.
#define WDDM_ELEMENT(name) \
  void name(ScenarioRun& run, const Op& op) { run.world().render_path.element(op); }
WDDM_ELEMENT(bind)
WDDM_ELEMENT(unbind)
WDDM_ELEMENT(fill)
WDDM_ELEMENT(copy)
WDDM_ELEMENT(add)
WDDM_ELEMENT(signal)
WDDM_ELEMENT(wait)
WDDM_ELEMENT(spin)
WDDM_ELEMENT(tamper_patch)
WDDM_ELEMENT(tamper_command)
WDDM_ELEMENT(revoke)
WDDM_ELEMENT(race)
WDDM_ELEMENT(private_data)
WDDM_ELEMENT(tamper_private)
#undef WDDM_ELEMENT

}  // namespace wddm::host::ops
