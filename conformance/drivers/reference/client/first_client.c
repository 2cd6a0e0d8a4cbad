/* The first steps of a client: what a vendor writes before anything else.
 *
 * Knows allocations, and of the commands those that the marker needs (BIND, ADD, UNBIND) and FILL.
 * Everything else is refused, and wddmcheck says what that costs: "in the client's build(): copy".
 * For the reference driver with patch lists; client_entry.cpp is all that this one leaves out.
 */
#include "conformance/drivers/reference/client/umd.h"
#include "conformance/sdk/client.h"

#define MOST_LIST 64u

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

/* One command after the other; an allocation is listed where it is bound. */
static int build(void* client, const WddmBuildRequest* request, WddmBuildResult* result) {
  uint32_t* const words = result->command_buffer;
  const uint32_t room = result->command_bytes / 4;
  uint32_t at = 0, listed = 1, index_of_slot[256] = {0};
  (void)client;
  /* Entry 0 names nothing: this driver releases a slot by a patch location that names such a one. */
  if (result->allocation_count == 0) return -1;
  result->allocations->allocation = WDDM_CLIENT_NO_ALLOCATION;
  for (uint32_t i = 0; i < request->command_count; ++i) {
    const WddmCommand* const command =
        WDDM_CLIENT_ELEMENT(const WddmCommand, request->commands, request->command_stride, i);
    if (at + 8 > room || listed == result->allocation_count || listed == MOST_LIST) return -1;
    if (command->kind == WDDM_COMMAND_BIND) {
      WddmListAllocation* const entry = WDDM_CLIENT_ELEMENT(
          WddmListAllocation, result->allocations, result->allocation_stride, listed);
      entry->allocation = command->allocation;
      index_of_slot[command->slot] = listed;
      words[at++] = HW_COMMAND(HW_OP_USER_BIND, HW_WORDS_USER_BIND, command->slot, 0);
      words[at++] = listed++;
      words[at++] = 0;
    } else if (command->kind == WDDM_COMMAND_UNBIND) {
      words[at++] = HW_COMMAND(HW_OP_USER_UNBIND, HW_WORDS_USER_UNBIND, command->slot, 0);
      index_of_slot[command->slot] = 0;
    } else if (command->kind == WDDM_COMMAND_ADD || command->kind == WDDM_COMMAND_FILL) {
      WDDM_CLIENT_ELEMENT(WddmListAllocation, result->allocations, result->allocation_stride,
                          index_of_slot[command->slot])->write = 1;
      words[at++] = HW_COMMAND(HW_OP_LOAD_CONSTANT, HW_WORDS_LOAD_CONSTANT, 0, 0);
      words[at++] = command->value;
      if (command->kind == WDDM_COMMAND_ADD) {
        words[at++] = HW_COMMAND(HW_OP_ADD, HW_WORDS_ADD, command->slot, 0);
        words[at++] = command->offset;
      } else {
        words[at++] = HW_COMMAND(HW_OP_FILL, HW_WORDS_FILL, command->slot, 0);
        words[at++] = command->offset;
        words[at++] = command->size;
      }
    } else {
      return -1;
    }
  }
  for (uint32_t slot = 0; slot < 256; ++slot) { /* no slot outlives its build */
    if (index_of_slot[slot] == 0) continue;
    if (at == room) return -1;
    words[at++] = HW_COMMAND(HW_OP_USER_UNBIND, HW_WORDS_USER_UNBIND, slot, 0);
  }
  result->command_bytes = at * 4;
  result->allocation_count = listed;
  result->patch_count = 0; /* hints, which this driver does not need */
  return 0;
}

const WddmClient* WddmClientEntry(uint32_t host_version) {
  static const WddmClient kClient = {.size = sizeof(WddmClient),
                                     .version = WDDM_CLIENT_VERSION,
                                     .name = "first client",
                                     .create = create,
                                     .destroy = destroy,
                                     .allocation_data = allocation_data,
                                     .build = build};
  return host_version < WDDM_CLIENT_VERSION ? 0 : &kClient;
}
