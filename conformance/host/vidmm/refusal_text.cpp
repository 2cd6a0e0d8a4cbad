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

const char* text_of(vidmm::AllocationRefusal refusal) {
  switch (refusal) {
    case vidmm::AllocationRefusal::None:
      break;
    case vidmm::AllocationRefusal::IdInUse:
      return "the slot is in use";
    case vidmm::AllocationRefusal::EmptySize:
      return "its size is 0";
    case vidmm::AllocationRefusal::TooLarge:
      return "it is larger than every segment that it may lie in";
    case vidmm::AllocationRefusal::NoSegment:
      return "SupportedWriteSegmentSet is 0: it may lie in no segment";
    case vidmm::AllocationRefusal::UnknownSegment:
      return "it names a segment that there is not";
    case vidmm::AllocationRefusal::PreferenceUnsupported:
      return "it prefers a segment that SupportedWriteSegmentSet leaves out";
    case vidmm::AllocationRefusal::EvictionNotAperture:
      return "EvictionSegmentSet names a memory segment";
  }
  return "";
}

std::string text_of(vidmm::SegmentRefusal refusal, SegmentId segment) {
  std::string text = "segment " + std::to_string(segment.value);
  switch (refusal) {
    case vidmm::SegmentRefusal::None:
      break;
    case vidmm::SegmentRefusal::TooMany:
      return text + " is more than VidMm manages";
    case vidmm::SegmentRefusal::EmptySize:
      return text + " has size 0";
    case vidmm::SegmentRefusal::NotWholePages:
      return text + " does not begin or end on a page";
    case vidmm::SegmentRefusal::TooLarge:
      return text + " is too large, or runs past the end of the address space";
    case vidmm::SegmentRefusal::OverlapsAnother:
      return text + " overlaps an earlier one";
  }
  return text;
}

}  // namespace wddm::host
