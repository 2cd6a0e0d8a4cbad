/* Memory as the Heron's engine sees it: video memory, the aperture, and windows into both. */
#include <string.h>

#include "conformance/drivers/heron/device/heron_model.h"

int heron_access_gpu(Heron* d, uint64_t address, uint8_t* data, uint32_t bytes, int write) {
  while (bytes) {
    uint32_t part = bytes;
    if (address >= HERON_VRAM_BASE && address < HERON_VRAM_BASE + HERON_VRAM_BYTES) {
      const uint64_t offset = address - HERON_VRAM_BASE;
      if (part > HERON_VRAM_BYTES - offset) part = (uint32_t)(HERON_VRAM_BYTES - offset);
      if (write)
        memcpy(d->vram + offset, data, part);
      else
        memcpy(data, d->vram + offset, part);
      if (write) d->host->memory_written(d->host->host, 1, offset, part);
    } else if (address >= HERON_APERTURE_BASE &&
               address < HERON_APERTURE_BASE + HERON_APERTURE_BYTES) {
      const uint64_t pte = d->gart[(address - HERON_APERTURE_BASE) >> 12];
      const uint32_t in_page = (uint32_t)address & 0xfff;
      if (part > 0x1000 - in_page) part = 0x1000 - in_page;
      if (!(pte & HGART_VALID)) {
        heron_note(d, WDDM_DEVICE_FAULT, address, part);
        return -1;
      }
      const uint64_t physical = (pte & ~0xfffull) + in_page;
      if ((write ? d->host->dma_write(d->host->host, physical, data, part)
                 : d->host->dma_read(d->host->host, physical, data, part)) != 0)
        return -1;
    } else {
      heron_note(d, WDDM_DEVICE_FAULT, address, part);
      return -1;
    }
    address += part;
    data += part;
    bytes -= part;
  }
  return 0;
}

int heron_access_any(Heron* d, int system, uint64_t address, uint8_t* data, uint32_t bytes,
                     int write) {
  if (!system) return heron_access_gpu(d, address, data, bytes, write);
  return write ? d->host->dma_write(d->host->host, address, data, bytes)
               : d->host->dma_read(d->host->host, address, data, bytes);
}

int heron_access_window(Heron* d, uint32_t n, uint64_t offset, uint8_t* data, uint32_t bytes,
                        int write) {
  if (n >= HERON_WINDOWS || offset + bytes > d->window[n].limit) {
    heron_note(d, WDDM_DEVICE_FAULT, offset, bytes);
    return -1;
  }
  return heron_access_gpu(d, d->window[n].address + offset, data, bytes, write);
}
