// Which memory the driver reports under which SegmentId.
//
// The driver thinks in roles, the UMD_SEGMENT_* of umd.h; ids are numbers that Dxgkrnl gives by the
// order of the list, and differ between drivers. The registry value "SegmentLayout" of the service
// key says what the list is. Segment 0, system memory, is its own role.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

enum class SegmentLayout : ULONG {
  LocalFirst = 0,     // local, aperture, and perhaps the third
  ApertureFirst = 1,  // aperture, a small one of video memory, local, and perhaps the third
  ApertureOnly = 2,   // no video memory
  LocalOnly = 3,      // no aperture, in WDDM 1.3
};

/// Called by DriverEntry behind choose_addressing(): what allocations and page tables say of
/// segments depends on it.
void choose_segment_layout(PUNICODE_STRING service_key);
/// A GPU without video memory, or without an aperture, is one.
SegmentLayout segment_layout();

/// The SegmentId of a role; 0 if the list has no such segment.
UINT segment_id(UINT role);
/// The role of a SegmentId; 0 of 0, and of one that is not in the list.
UINT segment_role(UINT id);
/// The bit of a role in a SegmentSet; 0 if the list has no such segment.
inline UINT segment_set(UINT role) {
  const UINT id = segment_id(role);
  return id == 0 ? 0 : 1u << (id - 1);
}
/// Segments in the list besides the third.
UINT segments_always_there();

}  // namespace reference_kmd
