/* The smallest client there is, built with client.h as version 2 first was: it must go on working
 * with every host of that version.
 *
 * TABLE_VERSION: another version than that of the header. SHORT_TABLE: the table ends before
 * decode(); what lies there ends the process. */
#include <stdlib.h>

#include "conformance/host/adapter/tests/plug_ins/client_v2.h"

#ifndef TABLE_VERSION
#define TABLE_VERSION WDDM_CLIENT_VERSION
#endif

static void* create(void) {
  return NULL;
}
static void destroy(void* client) {
  (void)client;
}
static int allocation_data(void* client, const WddmAllocationRequest* request, void* buffer,
                           uint32_t capacity) {
  (void)client;
  if (request->size < sizeof *request) return -1;
  if (buffer != NULL && capacity >= 8) *(uint64_t*)buffer = request->bytes;
  return 8;
}
static int context_data(void* client, const WddmContextRequest* request, void* buffer,
                        uint32_t capacity) {
  (void)client;
  if (request->size < sizeof *request || capacity < 4) return 0;
  *(uint32_t*)buffer = 100 + request->node;
  return 4;
}
/* A word for each command, an entry for each BIND, and a location for each entry. */
static int build(void* client, const WddmBuildRequest* request, WddmBuildResult* result) {
  uint32_t entries = 0;
  uint32_t i;
  (void)client;
  if (result->command_bytes < 4 * request->command_count) return -1;
  for (i = 0; i < request->command_count; ++i) {
    const WddmCommand* command =
        WDDM_CLIENT_ELEMENT(const WddmCommand, request->commands, request->command_stride, i);
    ((uint32_t*)result->command_buffer)[i] = command->kind;
    if (command->kind != WDDM_COMMAND_BIND) continue;
    if (entries == result->allocation_count || entries == result->patch_count) return -1;
    WDDM_CLIENT_ELEMENT(WddmListAllocation, result->allocations, result->allocation_stride, entries)
        ->allocation = command->allocation;
    WDDM_CLIENT_ELEMENT(WddmPatchLocation, result->patches, result->patch_stride, entries)
        ->patch_offset = 4 * i;
    ++entries;
  }
  result->command_bytes = 4 * request->command_count;
  result->allocation_count = result->patch_count = entries;
  return 0;
}
#ifdef SHORT_TABLE
static void never(void) {
  abort();
}
#else
/* Each word is a command. */
static int decode(void* client, const void* dma, uint32_t bytes, WddmDecoded* out,
                  uint32_t out_stride, uint32_t capacity) {
  uint32_t i;
  (void)client;
  for (i = 0; i < bytes / 4 && i < capacity; ++i) {
    WddmDecoded* decoded = WDDM_CLIENT_ELEMENT(WddmDecoded, out, out_stride, i);
    decoded->offset = 4 * i;
    decoded->kind = ((const uint32_t*)dma)[i];
  }
  return bytes % 4 == 0 ? (int)(bytes / 4) : -1;
}
#endif

const WddmClient* WddmClientEntry(uint32_t host_version) {
  static WddmClient table;
  (void)host_version;
  table.size = sizeof table;
  table.version = TABLE_VERSION;
  table.name = "tiny client";
  table.create = create;
  table.destroy = destroy;
  table.allocation_data = allocation_data;
  table.context_data = context_data;
  table.build = build;
#ifdef SHORT_TABLE
  table.size = offsetof(WddmClient, decode);
  table.decode = (int (*)(void*, const void*, uint32_t, WddmDecoded*, uint32_t, uint32_t))never;
#else
  table.decode = decode;
#endif
  return &table;
}
