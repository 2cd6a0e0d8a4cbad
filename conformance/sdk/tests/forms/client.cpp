// A client that includes what its driver includes.
#include <d3dkmddi.h>

#include "conformance/sdk/client.h"

static_assert(sizeof(WCHAR) == 2, "as the driver has it");

struct OwnAllocationData {
  DXGK_SEGMENTFLAGS flags;
  WCHAR name[8];
};

extern "C" void* memcpy(void*, const void*, size_t);

static void* create() {
  return 0;
}
static void destroy(void*) {}
static int allocation_data(void*, const WddmAllocationRequest*, void* buffer, uint32_t capacity) {
  OwnAllocationData data{};
  if (buffer != 0 && capacity >= sizeof data) memcpy(buffer, &data, sizeof data);
  return sizeof data;
}
static int build(void*, const WddmBuildRequest*, WddmBuildResult*) {
  return -1;
}

extern "C" const WddmClient* WddmClientEntry(uint32_t host_version) {
  static WddmClient client;
  client.size = sizeof client;
  client.version = WDDM_CLIENT_VERSION;
  client.create = create;
  client.destroy = destroy;
  client.allocation_data = allocation_data;
  client.build = build;
  return host_version < WDDM_CLIENT_VERSION ? 0 : &client;
}
