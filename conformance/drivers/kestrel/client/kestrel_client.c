/* The Kestrel's user mode: abstract commands to hardware commands with patch locations, and what a
 * DMA buffer holds.
 *
 * Slots are those of patch locations: each use of an allocation has one, and the command RELEASE is
 * how the driver learns that a slot is free. The first entry of every allocation list names
 * nothing, for the driver releases by it.
 */
#include <string.h>

#include "conformance/drivers/kestrel/device/kestrel_hw.h"
#include "conformance/sdk/client.h"

typedef struct Builder {
  WddmBuildResult* result;
  uint32_t words, capacity, allocations, allocation_capacity, patches, patch_capacity;
  uint32_t bound[KST_SLOTS]; /* allocation, or WDDM_CLIENT_NO_ALLOCATION */
  int failed;
} Builder;

/* A command of zeros with its header; null: no room. */
static uint32_t* put(Builder* b, uint32_t op, uint32_t words) {
  uint32_t* at = (uint32_t*)b->result->command_buffer + b->words;
  if (b->words + words > b->capacity) {
    b->failed = 1;
    return 0;
  }
  memset(at, 0, words * 4);
  at[0] = KST_HEADER(op, words);
  b->words += words;
  return at;
}

static uint32_t list_index(Builder* b, uint32_t allocation, uint32_t write) {
  const uint32_t stride = b->result->allocation_stride;
  WddmListAllocation* entry;
  uint32_t i;
  for (i = 0; i < b->allocations; i++) {
    entry = WDDM_CLIENT_ELEMENT(WddmListAllocation, b->result->allocations, stride, i);
    if (entry->allocation != allocation) continue;
    entry->write |= write;
    return i;
  }
  if (i == b->allocation_capacity) {
    b->failed = 1;
    return 0;
  }
  entry = WDDM_CLIENT_ELEMENT(WddmListAllocation, b->result->allocations, stride, i);
  entry->allocation = allocation;
  entry->write = write;
  return b->allocations++;
}

/* The address at word `word` of the command that begins at word `start`. */
static void address(Builder* b, uint32_t start, uint32_t word, uint32_t slot, uint32_t offset,
                    uint32_t write) {
  WddmPatchLocation* p;
  if (b->failed || slot >= KST_SLOTS || b->bound[slot] == WDDM_CLIENT_NO_ALLOCATION ||
      b->patches == b->patch_capacity) {
    b->failed = 1;
    return;
  }
  p = WDDM_CLIENT_ELEMENT(WddmPatchLocation, b->result->patches, b->result->patch_stride,
                          b->patches++);
  memset(p, 0, sizeof *p);
  p->allocation_index = list_index(b, b->bound[slot], write);
  p->slot = slot;
  p->allocation_offset = offset;
  p->patch_offset = (start + word) * 4;
  p->split_offset = start * 4;
}

static void release(Builder* b, uint32_t slot) {
  uint32_t* p;
  if (b->bound[slot] == WDDM_CLIENT_NO_ALLOCATION) return;
  b->bound[slot] = WDDM_CLIENT_NO_ALLOCATION;
  p = put(b, KST_OP_RELEASE, 2);
  if (p) p[1] = slot;
}

/* FILL, COPY and ADD. The patch locations of COPY are not in the order of their offsets: nothing
 * asks for that. */
static void use_memory(Builder* b, const WddmCommand* c) {
  const uint32_t start = b->words;
  uint32_t* p;
  if (c->kind == WDDM_COMMAND_COPY) {
    p = put(b, KST_OP_COPY, 6);
    if (p) p[5] = c->size;
    address(b, start, 3, c->source_slot, c->source_offset, 0);
  } else if (c->kind == WDDM_COMMAND_FILL) {
    p = put(b, KST_OP_FILL, 5);
    if (p) p[3] = c->size, p[4] = c->value;
  } else {
    p = put(b, KST_OP_ADD, 4);
    if (p) p[3] = c->value;
  }
  address(b, start, 1, c->slot, c->offset, 1);
}

/* Slot 0: what is for kernel mode alone; 1: an ordinary FILL with an address that nobody patches.
 */
static int privileged(Builder* b, const WddmCommand* c) {
  uint32_t* p;
  if (c->slot > 1) return -1;
  p = put(b, c->slot ? KST_OP_FILL : KST_OP_PFILL, 5);
  if (!p) return 0;
  p[1] = (uint32_t)(c->address >> 32) | (c->segment ? 0 : KST_SYSTEM);
  p[2] = (uint32_t)c->address;
  p[3] = c->size;
  p[4] = c->value;
  return 0;
}

static int add(Builder* b, const WddmCommand* c) {
  uint32_t* p;
  switch (c->kind) {
    case WDDM_COMMAND_BIND:
    case WDDM_COMMAND_UNBIND:
      if (c->slot >= KST_SLOTS) return -1;
      if (c->kind == WDDM_COMMAND_UNBIND) {
        release(b, c->slot);
      } else {
        b->bound[c->slot] = c->allocation;
      }
      return 0;
    case WDDM_COMMAND_FILL:
    case WDDM_COMMAND_COPY:
    case WDDM_COMMAND_ADD:
      use_memory(b, c);
      return 0;
    case WDDM_COMMAND_SIGNAL:
    case WDDM_COMMAND_WAIT:
      p = put(b, c->kind == WDDM_COMMAND_WAIT ? KST_OP_WAIT : KST_OP_SIGNAL, 3);
      if (p) p[1] = c->slot, p[2] = c->value;
      return 0;
    case WDDM_COMMAND_SPIN:
      p = put(b, KST_OP_SPIN, 2);
      if (p) p[1] = c->size;
      return 0;
    case WDDM_COMMAND_PRIVILEGED:
      return privileged(b, c);
    default:
      return -1;
  }
}

static int build(void* client, const WddmBuildRequest* request, WddmBuildResult* result) {
  Builder b;
  uint32_t i;
  (void)client;
  memset(&b, 0, sizeof b);
  b.result = result;
  b.capacity = result->command_bytes / 4;
  b.allocation_capacity = result->allocation_count;
  b.patch_capacity = result->patch_count;
  memset(b.bound, 0xff, sizeof b.bound);
  list_index(&b, WDDM_CLIENT_NO_ALLOCATION, 0);
  for (i = 0; i < request->command_count && !b.failed; i++) {
    if (add(&b, WDDM_CLIENT_ELEMENT(const WddmCommand, request->commands, request->command_stride,
                                    i)) != 0) {
      return -1;
    }
  }
  for (i = 0; i < KST_SLOTS && !b.failed; i++) release(&b, i);
  if (!b.words) put(&b, KST_OP_NOP, 1); /* Render refuses a buffer without commands */
  if (b.failed) return -1;
  result->command_bytes = b.words * 4;
  result->allocation_count = b.allocations;
  result->patch_count = b.patches;
  return 0;
}

static int allocation_data(void* client, const WddmAllocationRequest* request, void* buffer,
                           uint32_t capacity) {
  KstAllocationData data;
  (void)client;
  if (request->physical_adapter || request->segment > 3) return -1;
  if (!buffer) return sizeof data;
  if (capacity < sizeof data) return -1;
  memset(&data, 0, sizeof data);
  data.magic = KST_ALLOCATION_MAGIC;
  data.segment = request->segment;
  data.flags = (request->cpu_visible ? KST_ALLOCATION_VISIBLE : 0) |
               (request->aperture ? KST_ALLOCATION_APERTURE : 0);
  data.bytes = request->bytes;
  memcpy(buffer, &data, sizeof data);
  return sizeof data;
}

/* What a command is: its words, and how many addresses follow the header. */
typedef struct Form {
  uint32_t words, kind, addresses;
} Form;

static Form form_of(uint32_t header) {
  switch (KST_OP(header)) {
    case KST_OP_NOP:
      return (Form){KST_WORDS(header), 0, 0};
    case KST_OP_RELEASE:
      return (Form){2, 0, 0};
    case KST_OP_FILL:
      return (Form){5, WDDM_COMMAND_FILL, 1};
    case KST_OP_COPY:
      return (Form){6, WDDM_COMMAND_COPY, 2};
    case KST_OP_ADD:
      return (Form){4, WDDM_COMMAND_ADD, 1};
    case KST_OP_SIGNAL:
      return (Form){3, WDDM_COMMAND_SIGNAL, 0};
    case KST_OP_WAIT:
      return (Form){3, WDDM_COMMAND_WAIT, 0};
    case KST_OP_SPIN:
      return (Form){2, WDDM_COMMAND_SPIN, 0};
    case KST_OP_PFILL:
      return (Form){5, WDDM_COMMAND_PRIVILEGED, 1};
    default:
      return (Form){0, 0, 0};
  }
}

static int decode(void* client, const void* dma, uint32_t bytes, WddmDecoded* out, uint32_t stride,
                  uint32_t capacity) {
  const uint32_t* words = dma;
  const uint32_t count = bytes / 4;
  uint32_t at = 0, i;
  int n = 0;
  (void)client;
  if (bytes % 4) return -1;
  for (; at < count; n++) {
    const uint32_t* c = words + at;
    const Form form = form_of(c[0]);
    if (!KST_IS_COMMAND(c[0]) || form.words != KST_WORDS(c[0]) || form.words > count - at) {
      return -1;
    }
    if ((uint32_t)n < capacity) {
      WddmDecoded* d = WDDM_CLIENT_ELEMENT(WddmDecoded, out, stride, n);
      d->offset = at * 4;
      d->length = form.words * 4;
      d->kind = form.kind;
      d->slot = d->source_slot = ~0u; /* commands name none */
      d->address_count = form.addresses;
      for (i = 0; i < form.addresses; i++) {
        d->address_offset[i] = (at + 1 + i * 2) * 4;
        d->address_width[i] = 8;
        d->address[i] = (uint64_t)(c[1 + i * 2] & KST_HIGH_MASK) << 32 | c[2 + i * 2];
      }
    }
    at += form.words;
  }
  return n;
}

static void* create(void) {
  return 0;
}
static void destroy(void* client) {
  (void)client;
}

static const WddmClient kestrel_client = {
    .size = sizeof(WddmClient),
    .version = WDDM_CLIENT_VERSION,
    .name = "Kestrel",
    .create = create,
    .destroy = destroy,
    .allocation_data = allocation_data,
    .build = build,
    .decode = decode,
};

__attribute__((visibility("default"))) const WddmClient* WddmClientEntry(uint32_t host_version) {
  return host_version == WDDM_CLIENT_VERSION ? &kestrel_client : 0;
}
