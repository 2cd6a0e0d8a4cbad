// What boot() resets, file by file. Internal to the kernel.
#pragma once

#include "conformance/host/nt/io/kernel_objects.h"

namespace wddm::nt {

extern const ObjectType kThreadType;
void idle_fibers_start();
void objects_boot();
void threads_boot();
void work_items_boot();
void resources_boot();
void events_boot();
void irps_boot();
void active_memory_boot();
/// Work items that were allocated and not freed.
void report_work_item_leaks();
/// System worker threads that are in a work item, or about to take one.
[[nodiscard]] std::uint32_t work_items_at_work();
/// Of executive resources that were not deleted.
void report_resource_leaks();
/// Packets from IoAllocateIrp that were not freed.
void report_irp_leaks();

}  // namespace wddm::nt
