// The user-mode side of the reference GPU as a client plug-in.
#include <cstring>
#include <iterator>
#include <new>

#include "conformance/drivers/reference/client/builder.h"
#include "conformance/drivers/reference/client/decoder.h"
#include "conformance/drivers/reference/client/entry_decoder.h"
#include "conformance/drivers/reference/client/umd.h"
#include "conformance/sdk/client.h"

namespace wddm::reference_client {
namespace {

#ifdef REFERENCE_CLIENT_COPIES
constexpr Builder::Knows kKnows = Builder::Knows::Copies;
#else
constexpr Builder::Knows kKnows = Builder::Knows::Everything;
#endif

void* create() {
  return new (std::nothrow) Builder(kKnows);
}

void destroy(void* client) {
  delete static_cast<Builder*>(client);
}

template <class Data>
int hand_over(const Data& data, void* buffer, std::uint32_t capacity) {
  if (buffer != nullptr) {
    if (capacity < sizeof data) return -1;
    std::memcpy(buffer, &data, sizeof data);
  }
  return static_cast<int>(sizeof data);
}

int allocation_data(void* /*client*/, const WddmAllocationRequest* request, void* buffer,
                    std::uint32_t capacity) {
  if (request->bytes == 0 || request->segment > UMD_SEGMENT_APERTURE) return -1;
  if (request->aperture != 0 && request->segment == UMD_SEGMENT_LOCAL) return -1;
  UmdAllocationData data{};
  data.magic = UMD_ALLOCATION_MAGIC;
  data.version = UMD_VERSION;
  data.size = request->bytes;
  data.segment = request->segment;
  data.flags = (request->cpu_visible != 0 ? UMD_ALLOCATION_CPU_VISIBLE : 0) |
               (request->aperture != 0 ? UMD_ALLOCATION_APERTURE_ONLY : 0);
  data.gpu = request->physical_adapter;
  return hand_over(data, buffer, capacity);
}

int context_data(void* /*client*/, const WddmContextRequest* request, void* buffer,
                 std::uint32_t capacity) {
  return hand_over(UmdContextData{UMD_CONTEXT_MAGIC, UMD_VERSION, request->node, 0}, buffer,
                   capacity);
}

int build(void* client, const WddmBuildRequest* request, WddmBuildResult* result) {
  return static_cast<Builder*>(client)->build(*request, *result) ? 0 : -1;
}

int decode_dma(void* /*client*/, const void* dma, std::uint32_t bytes, WddmDecoded* out,
               std::uint32_t out_stride, std::uint32_t capacity) {
  return decode(dma, bytes, {out, out_stride, capacity});
}

int decode_table_entry(void* /*client*/, const WddmPageTable* table, const void* entry,
                       WddmTableEntry* out) {
  return decode_entry(*table, entry, out);
}

int escape_data(void* /*client*/, std::uint32_t number, void* buffer, std::uint32_t capacity) {
  // Of all nodes, and of the last alone.
  constexpr UmdEscapeData kAsked[] = {{UMD_ESCAPE_MAGIC, UMD_VERSION, 0, HW_NODE_COUNT},
                                      {UMD_ESCAPE_MAGIC, UMD_VERSION, HW_NODE_COUNT - 1, 1}};
  if (number >= std::size(kAsked)) return -1;
  const UmdEscapeData& asked = kAsked[number];
  const std::size_t bytes = sizeof(asked) + asked.count * sizeof(HwUint32);  // with the answer
  if (bytes > capacity) return -1;
  std::memcpy(buffer, &asked, sizeof(asked));
  return static_cast<int>(bytes);
}

constexpr WddmClient kClient{sizeof(WddmClient),
                             WDDM_CLIENT_VERSION,
                             "reference client",
                             create,
                             destroy,
                             allocation_data,
                             context_data,
                             build,
                             decode_dma,
                             decode_table_entry,
                             nullptr,
                             nullptr,
                             nullptr,
                             escape_data};

}  // namespace
}  // namespace wddm::reference_client

extern "C" __attribute__((visibility("default"))) const WddmClient* WddmClientEntry(
    std::uint32_t host_version) {
  return host_version < WDDM_CLIENT_VERSION ? nullptr : &wddm::reference_client::kClient;
}
