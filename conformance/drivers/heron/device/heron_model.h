/* The model of the Heron: its state, and what its sources share. */
#ifndef HERON_MODEL_H
#define HERON_MODEL_H

#include "conformance/drivers/heron/device/heron_hw.h"
#include "conformance/sdk/device.h"

#define HERON_LOG_ROOM 4096u

typedef struct Window {
  uint64_t address;
  uint32_t limit; /* 0: closed */
} Window;

typedef struct Heron {
  const WddmDeviceHost* host;
  uint8_t* vram;
  int asleep;
  uint32_t control, int_status, int_enable, preempt;
  uint64_t ring, fences;
  uint32_t ring_entries, head, tail;
  uint64_t gart[HERON_APERTURE_PAGES];
  Window window[HERON_WINDOWS];
  /* The packet in the engine. */
  int busy, halted;
  HeronRingEntry entry;
  uint8_t* code; /* fetched when it begins */
  uint32_t pc;
  uint32_t wait; /* units that the command in hand still takes */
  uint32_t fault_offset;
  int scramble[HERON_NODES];
  uint32_t seed[HERON_NODES];
  WddmDeviceEvent log[HERON_LOG_ROOM];
  uint32_t log_first, log_count;
} Heron;

/* heron_device.c */
/* Of the entry in the engine. */
void heron_note(Heron* d, uint32_t kind, uint64_t address, uint32_t length);
void heron_update_line(Heron* d);

/* heron_memory.c; 0, or -1 if some of it is no memory: what lies before that is read or written. */
int heron_access_gpu(Heron* d, uint64_t address, uint8_t* data, uint32_t bytes, int write);
int heron_access_any(Heron* d, int system, uint64_t address, uint8_t* data, uint32_t bytes,
                     int write);
int heron_access_window(Heron* d, uint32_t n, uint64_t offset, uint8_t* data, uint32_t bytes,
                        int write);

/* heron_engine.c */
uint32_t heron_advance(void* device, uint32_t units);
void heron_reset_engine(Heron* d);
void heron_drop_code(Heron* d);

#endif
