/* A vendor's first steps: allocations, and of the commands those that the marker needs (BIND, ADD,
 * UNBIND) and FILL. The rest is refused, and wddmcheck says what that costs: "in the client's
 * build(): copy". For the reference driver with patch lists; client_entry.cpp has all of it. */
#include "conformance/drivers/reference/client/umd.h"
#include "conformance/sdk/client.h"

static void* create(void) { return 0; }
static void destroy(void* client) { (void)client; }

/* What CreateAllocation of the driver reads. Asked for its size first, with no buffer. */
static int allocation_data(void* client, const WddmAllocationRequest* request, void* buffer,
                           uint32_t capacity) {
  UmdAllocationData data = {UMD_ALLOCATION_MAGIC, UMD_VERSION, request->bytes, 0, 0, 0, 0, 0, 0};
  (void)client;
  if (request->cpu_visible) data.flags |= UMD_ALLOCATION_CPU_VISIBLE;
  if (request->aperture) data.flags |= UMD_ALLOCATION_APERTURE_ONLY;
  if (buffer != 0 && capacity >= sizeof data) *(UmdAllocationData*)buffer = data;
  return (int)sizeof data;
}

#define COMMAND(op, slot) HW_COMMAND(HW_OP_##op, HW_WORDS_##op, slot, 0)
#define ENTRY(index) \
  WDDM_CLIENT_ELEMENT(WddmListAllocation, result->allocations, result->allocation_stride, index)

/* One command after the other; an allocation is listed where it is bound. Entry 0 names nothing:
 * this driver releases a slot by a patch location that names such a one. */
static int build(void* client, const WddmBuildRequest* request, WddmBuildResult* result) {
  uint32_t *at = result->command_buffer, *const end = at + result->command_bytes / 4;
  uint32_t listed = 1, index_of_slot[256] = {0};
  (void)client;
  if (result->allocation_count == 0) return -1;
  ENTRY(0)->allocation = WDDM_CLIENT_NO_ALLOCATION;
  for (uint32_t i = 0; i < request->command_count; ++i) {
    const WddmCommand* const command =
        WDDM_CLIENT_ELEMENT(const WddmCommand, request->commands, request->command_stride, i);
    const uint32_t kind = command->kind, slot = command->slot;
    if (end - at < 5 || listed == result->allocation_count) return -1;
    if (kind == WDDM_COMMAND_BIND) {
      ENTRY(listed)->allocation = command->allocation;
      *at++ = COMMAND(USER_BIND, slot), *at++ = listed, *at++ = 0;
      index_of_slot[slot] = listed++;
    } else if (kind == WDDM_COMMAND_UNBIND) {
      *at++ = COMMAND(USER_UNBIND, slot);
      index_of_slot[slot] = 0;
    } else if (kind == WDDM_COMMAND_ADD || kind == WDDM_COMMAND_FILL) {
      ENTRY(index_of_slot[slot])->write = 1;
      *at++ = COMMAND(LOAD_CONSTANT, 0), *at++ = command->value;
      *at++ = kind == WDDM_COMMAND_ADD ? COMMAND(ADD, slot) : COMMAND(FILL, slot);
      *at++ = command->offset;
      if (kind == WDDM_COMMAND_FILL) *at++ = command->size;
    } else {
      return -1;
    }
  }
  for (uint32_t slot = 0; slot < 256; ++slot) { /* no slot outlives its build */
    if (index_of_slot[slot] == 0) continue;
    if (at == end) return -1;
    *at++ = COMMAND(USER_UNBIND, slot);
  }
  result->command_bytes = (uint32_t)((char*)at - (char*)result->command_buffer);
  result->allocation_count = listed;
  result->patch_count = 0; /* hints, which this driver does not need */
  return 0;
}

const WddmClient* WddmClientEntry(uint32_t host_version) {
  static const WddmClient kClient = {.size = sizeof(WddmClient),
                                     .version = WDDM_CLIENT_VERSION,
                                     .create = create,
                                     .destroy = destroy,
                                     .allocation_data = allocation_data,
                                     .build = build};
  return host_version < WDDM_CLIENT_VERSION ? 0 : &kClient;
}
