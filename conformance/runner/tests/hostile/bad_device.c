/* A device with one register BAR, and one thing wrong that the build chooses. */
#include <stddef.h>

#include "conformance/sdk/device.h"

#ifndef BAR_BYTES
#define BAR_BYTES 4096
#endif

static int made;

static void* create(const WddmDeviceHost* host, void* const bar_memory[WDDM_DEVICE_MAX_BARS]) {
  (void)host;
  (void)bar_memory;
#ifdef NO_DEVICE
  return NULL;
#endif
  return &made;
}
static void destroy(void* device) {
  (void)device;
}
static uint64_t bar_read(void* device, uint32_t bar, uint64_t offset, uint32_t bytes) {
  (void)device, (void)bar, (void)offset, (void)bytes;
  return 0;
}
static void bar_write(void* device, uint32_t bar, uint64_t offset, uint32_t bytes, uint64_t value) {
  (void)device, (void)bar, (void)offset, (void)bytes, (void)value;
}
static uint32_t advance(void* device, uint32_t units) {
  (void)device, (void)units;
  return 0;
}

const WddmDevice* WddmDeviceEntry(uint32_t host_version) {
  static WddmDevice table;
  static WddmBar bar;
  (void)host_version;
  table.size = sizeof table;
  table.version = WDDM_DEVICE_VERSION;
  table.name = "bad";
  bar.size = BAR_BYTES;
  table.bars = &bar;
  table.bar_count = 1;
  table.bar_stride = sizeof bar;
  table.create = create;
  table.destroy = destroy;
#ifndef NO_READER
  table.bar_read = bar_read;
#else
  (void)bar_read;
#endif
  table.bar_write = bar_write;
  table.advance = advance;
  return &table;
}
