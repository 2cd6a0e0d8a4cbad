#include "conformance/host/vidmm/refusal_text.h"

namespace wddm::host {

const char* text_of(vidmm::Refusal refusal) {
  switch (refusal) {
    case vidmm::Refusal::IsResident:
      return "it is resident";
    case vidmm::Refusal::IsNotResident:
      return "it is not resident";
    case vidmm::Refusal::NoRoom:
      return "nothing can make room for it";
    case vidmm::Refusal::NoOtherPlace:
      return "there is no other place for it";
    case vidmm::Refusal::BadList:
      return "VidMm refuses the patch-location list";
    case vidmm::Refusal::CannotFit:
      return "the buffer cannot be run: VidMm found no way to bring it in";
    case vidmm::Refusal::LeaksBinding:
      return "a binding leaks where the buffer is cut";
  }
  return "VidMm refuses it";
}

}  // namespace wddm::host
