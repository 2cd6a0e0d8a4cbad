#include "conformance/harness/mutants/mutant_images.h"

#include <dlfcn.h>

namespace wddm::harness {

WddmMutantControl& mutant_control() {
  static WddmMutantControl control;
  return control;
}

bool take_control(std::span<const std::string> images, std::string& error) {
  for (const std::string& image : images) {
    void* const library = ::dlopen(image.c_str(), RTLD_NOW | RTLD_NOLOAD);
    auto** const control =
        library == nullptr
            ? nullptr
            : static_cast<WddmMutantControl**>(::dlsym(library, WDDM_MUTANT_CONTROL_NAME));
    if (control == nullptr) {
      error = image + ": no mutants in it";
      return false;
    }
    *control = &mutant_control();
  }
  return true;
}

}  // namespace wddm::harness
