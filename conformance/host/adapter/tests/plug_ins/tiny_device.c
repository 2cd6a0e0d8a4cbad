/* The smallest device there is, built with device.h as version 2 first was: it must go on working
 * with every host of that version.
 *
 * TABLE_VERSION: another version than that of the header. SHORT_TABLE: the table ends before the
 * optional functions; what lies there ends the process. */
#include <stdlib.h>

#include "conformance/host/adapter/tests/plug_ins/device_v2.h"

#ifndef TABLE_VERSION
#define TABLE_VERSION WDDM_DEVICE_VERSION
#endif

/* A BAR as a later header may describe it. */
typedef struct LaterBar {
  WddmBar known;
  uint64_t later;
} LaterBar;

static int made;
static int logged;

static void* create(const WddmDeviceHost* host, void* const bar_memory[WDDM_DEVICE_MAX_BARS]) {
  logged = 0;
  if (host->size < sizeof(WddmDeviceHost) || bar_memory[1] == NULL) return NULL;
  *(uint32_t*)bar_memory[1] = 0x600dda7a;
  return &made;
}
static void destroy(void* device) {
  (void)device;
}
static uint32_t advance(void* device, uint32_t units) {
  (void)device;
  return units / 2;
}
#ifdef SHORT_TABLE
static void never(void) {
  abort();
}
#else
static uint32_t config_read(void* device, uint32_t offset, void* buffer, uint32_t bytes) {
  (void)device, (void)offset;
  *(uint8_t*)buffer = 0x42;
  return bytes < 1 ? 0 : 1;
}
static int take_event(void* device, WddmDeviceEvent* event) {
  (void)device;
  if (logged++ != 0 || event->size < sizeof *event) return 0;
  event->kind = WDDM_DEVICE_FAULT;
  event->tag = 7;
  event->address = 0x1234;
  return 1;
}
#endif

const WddmDevice* WddmDeviceEntry(uint32_t host_version) {
  static const LaterBar bars[] = {{{0, 0, 0}, ~0ull}, {{8192, 1, 0}, ~0ull}};
  static WddmDevice table;
  (void)host_version;
  table.size = sizeof table;
  table.version = TABLE_VERSION;
  table.name = "tiny device";
  table.bars = &bars[0].known;
  table.bar_count = 2;
  table.bar_stride = sizeof(LaterBar);
  table.vendor_id = 0x1234;
  table.device_id = 0x5678;
  table.create = create;
  table.destroy = destroy;
  table.advance = advance;
#ifdef SHORT_TABLE
  table.size = offsetof(WddmDevice, config_read);
  table.config_read = (uint32_t(*)(void*, uint32_t, void*, uint32_t))never;
  table.config_write = (uint32_t(*)(void*, uint32_t, const void*, uint32_t))never;
  table.log = (int (*)(void*, WddmDeviceEvent*))never;
  table.scramble = (void (*)(void*, uint32_t, uint32_t))never;
#else
  table.config_read = config_read;
  table.log = take_event;
#endif
  return &table;
}
