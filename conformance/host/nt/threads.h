// Thread and work item state that boot() resets. Internal to this folder.
#pragma once

#include "conformance/host/nt/objects.h"

namespace wddm::nt {

extern const ObjectType kThreadType;
void idle_fibers_start();
void objects_boot();
void threads_boot();

}  // namespace wddm::nt
