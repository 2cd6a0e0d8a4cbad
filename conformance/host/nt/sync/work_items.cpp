// Work items, run at PASSIVE_LEVEL by worker threads of the host. A worker is added whenever an
// item is queued and no worker is free, so that an item which blocks holds up none behind it.
//
// Left out: priorities of queues.
#include "conformance/host/nt/core/call_check.h"
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/leaks.h"
#include "conformance/host/nt/core/slab.h"
#include "conformance/host/nt/core/threads.h"
#include "conformance/host/nt/memory/active_memory.h"
#include "conformance/host/nt/memory/pool.h"

// Drivers only point at these.
struct _IO_WORKITEM {
  wddm::nt::Link queue;
  wddm::nt::Link all;
  void* io_object;
  PIO_WORKITEM_ROUTINE routine;
  PIO_WORKITEM_ROUTINE_EX routine_ex;
  void* context;
  bool queued;
};

using namespace wddm::nt;

namespace {

constexpr std::uint32_t kMaxWorkers = 32;

struct Workers {
  Link io_items;     // queued, _IO_WORKITEM::queue
  Link plain_items;  // queued, WORK_QUEUE_ITEM::List
  Link all_items;    // allocated, _IO_WORKITEM::all
  DispatcherHeader arrived;
  std::uint32_t count;
  std::uint32_t free;
  std::uint32_t io_running;
  Slab<_IO_WORKITEM> slab;
};
Workers g_workers;

_IO_WORKITEM* item_of(PIO_WORKITEM item) {
  for (Link* at = g_workers.all_items.next; at != &g_workers.all_items; at = at->next)
    if (WDDM_CONTAINER(_IO_WORKITEM, all, at) == item) return item;
  return nullptr;
}

// Runs one queued item; false if there is none. The item may free or queue itself again.
bool run_io_item() {
  if (list_empty(g_workers.io_items)) return false;
  _IO_WORKITEM* item = WDDM_CONTAINER(_IO_WORKITEM, queue, g_workers.io_items.next);
  const _IO_WORKITEM copy = *item;
  list_remove(item->queue);
  item->queued = false;
  ++g_workers.io_running;
  if (copy.routine != nullptr) {
    const CallCheck check("work item", reinterpret_cast<const void*>(copy.routine));
    copy.routine(static_cast<PDEVICE_OBJECT>(copy.io_object), copy.context);
  } else {
    const CallCheck check("work item", reinterpret_cast<const void*>(copy.routine_ex));
    copy.routine_ex(copy.io_object, copy.context, item);
  }
  --g_workers.io_running;
  return true;
}

bool run_plain_item() {
  if (list_empty(g_workers.plain_items)) return false;
  Link* const link = g_workers.plain_items.next;
  list_remove(*link);
  auto* item = reinterpret_cast<PWORK_QUEUE_ITEM>(link);
  item->List.Flink = nullptr;
  PWORKER_THREAD_ROUTINE const routine = item->WorkerRoutine;
  const CallCheck check("work item", reinterpret_cast<const void*>(routine));
  routine(item->Parameter);
  return true;
}

void worker(void*) {
  for (;;) {
    while (run_io_item() || run_plain_item()) {
    }
    ++g_workers.free;
    DispatcherHeader* const arrived = &g_workers.arrived;
    static_cast<void>(wait_for({.objects = {&arrived, 1},
                                .all = false,
                                .due = kForever,
                                .service = "worker",
                                .caller = nullptr}));
  }
}

void call_worker() {
  if (g_workers.free != 0) {
    --g_workers.free;
    static_cast<void>(event_set(g_workers.arrived));
  } else if (g_workers.count < kMaxWorkers) {
    ++g_workers.count;
    static_cast<void>(fiber_create(FiberKind::Worker, "worker", worker, nullptr));
  }
  yield_point();
}

void queue_item(const Service& service, PIO_WORKITEM handle, PIO_WORKITEM_ROUTINE routine,
                PIO_WORKITEM_ROUTINE_EX routine_ex, void* context) {
  _IO_WORKITEM* item = item_of(handle);
  if (item == nullptr || item->queued) {
    service.report(FindingKind::BadParameter,
                   item == nullptr ? "not a work item" : "the work item is queued already");
    return;
  }
  item->routine = routine;
  item->routine_ex = routine_ex;
  item->context = context;
  item->queued = true;
  list_push_back(g_workers.io_items, item->queue);
  call_worker();
}

}  // namespace

void wddm::nt::work_items_boot() {
  list_init(g_workers.io_items);
  list_init(g_workers.plain_items);
  list_init(g_workers.all_items);
  header_init(g_workers.arrived, ObjectKind::SynchronizationEvent, sizeof(DispatcherHeader), 0);
  g_workers.count = g_workers.free = g_workers.io_running = 0;
  g_workers.slab.forget();
}

std::size_t wddm::nt::retire_work_items(const void* begin, std::size_t bytes) {
  std::size_t count = 0;
  for (Link* at = g_workers.plain_items.next; at != &g_workers.plain_items;) {
    Link* const link = at;
    at = at->next;
    if (reinterpret_cast<std::uint64_t>(link) - reinterpret_cast<std::uint64_t>(begin) >= bytes)
      continue;
    list_remove(*link);
    ++count;
  }
  return count;
}

std::uint32_t wddm::nt::work_items_at_work() {
  return g_workers.count - g_workers.free;
}

bool wddm::nt::io_items_at_work() {
  return g_workers.io_running != 0 || !list_empty(g_workers.io_items);
}

void wddm::nt::report_work_item_leaks() {
  std::uint32_t count = 0;
  for (Link* at = g_workers.all_items.next; at != &g_workers.all_items; at = at->next) ++count;
  if (count != 0) leak("I/O", "work item", count);
}

PIO_WORKITEM IoAllocateWorkItem(PDEVICE_OBJECT DeviceObject) {
  NT_SERVICE(IoAllocateWorkItem);
  if (allocation_must_fail()) return nullptr;
  _IO_WORKITEM* item = g_workers.slab.take();
  item->io_object = DeviceObject;
  list_init(item->queue);
  list_push_back(g_workers.all_items, item->all);
  return item;
}

VOID IoFreeWorkItem(PIO_WORKITEM IoWorkItem) {
  NT_SERVICE(IoFreeWorkItem);
  _IO_WORKITEM* item = item_of(IoWorkItem);
  if (item == nullptr || item->queued) {
    service.report(FindingKind::BadParameter,
                   item == nullptr ? "not a work item" : "the work item is still queued");
    return;
  }
  list_remove(item->all);
  g_workers.slab.give(item);
}

VOID IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine, WORK_QUEUE_TYPE,
                     PVOID Context) {
  NT_SERVICE(IoQueueWorkItem);
  queue_item(service, IoWorkItem, WorkerRoutine, nullptr, Context);
}

VOID IoQueueWorkItemEx(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE_EX WorkerRoutine,
                       WORK_QUEUE_TYPE, PVOID Context) {
  NT_SERVICE(IoQueueWorkItemEx);
  queue_item(service, IoWorkItem, nullptr, WorkerRoutine, Context);
}

VOID ExQueueWorkItem(PWORK_QUEUE_ITEM WorkItem, WORK_QUEUE_TYPE) {
  NT_SERVICE(ExQueueWorkItem);
  if (WorkItem->List.Flink != nullptr) {
    service.report(FindingKind::BadParameter, "the work item is queued already");
    return;
  }
  list_push_back(g_workers.plain_items, *reinterpret_cast<Link*>(&WorkItem->List));
  call_worker();
}
