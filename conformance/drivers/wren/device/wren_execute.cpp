// The commands: what each does, and what it costs.
#include "conformance/drivers/wren/device/wren_gpu.h"

namespace wren {

std::uint32_t execute(Gpu* g, std::uint32_t n) {
  Engine* e = &g->engines[n];
  if (e->delaying) {
    if (--e->ticks == 0) {
      e->delaying = false;
      e->pc += 8;
    }
    return 1;
  }
  std::uint32_t w[256];
  if (!access(g, e->pc, w, 4, false)) return fault(g, n, WREN_FAULT_ADDRESS, e->pc), 1;
  const std::uint32_t op = w[0] & 0xff, words = (w[0] >> 8) & 0xff;
  if (words == 0 || words * 4 > e->end - e->pc) return fault(g, n, WREN_FAULT_COMMAND, e->pc), 1;
  if (words > 1 && !access(g, e->pc + 4, w + 1, words * 4 - 4, false))
    return fault(g, n, WREN_FAULT_ADDRESS, e->pc + 4), 1;
  if (op == WREN_OP_WAIT && words == 3 && n == WREN_NODE_3D &&
      g->semaphores[w[1] % WREN_SEMAPHORES] < w[2])
    return 0;
  log(g, WDDM_DEVICE_FETCH, n, e->packet.fence, plain(e->pc), words * 4);
  const auto wide = [&w](int at) { return (std::uint64_t)w[at + 1] << 32 | w[at]; };
  std::uint64_t bad = 0, bytes = 0;
  bool good = true, known = true;
  switch (op | words << 8) {
    case WREN_COMMAND(WREN_OP_LOADI, 2):
      e->value = w[1];
      break;
    case WREN_COMMAND(WREN_OP_MARK, 2):
      break;
    case WREN_COMMAND(WREN_OP_FILL, 3):
      bytes = 4ull * w[2];
      good = fill(g, w[1], bytes, e->value, &bad);
      break;
    case WREN_COMMAND(WREN_OP_COPY, 4):
      bytes = w[3];
      good = move(g, w[1], w[2], w[3], &bad);
      break;
    case WREN_COMMAND(WREN_OP_ADD, 2): {
      std::uint32_t word = 0;
      bad = w[1];
      good = access(g, w[1], &word, 4, false);
      word += e->value;
      good = good && access(g, w[1], &word, 4, true);
      break;
    }
    case WREN_COMMAND(WREN_OP_DELAY, 2):
      if (w[1] > 1) {
        e->delaying = true;
        e->ticks = w[1] - 1;
        e->progress++;
        return 1;
      }
      break;
    case WREN_COMMAND(WREN_OP_SIGNAL, 3):
      g->semaphores[w[1] % WREN_SEMAPHORES] = w[2];
      break;
    case WREN_COMMAND(WREN_OP_WAIT, 3):
      known = n == WREN_NODE_3D;
      break;
    case WREN_COMMAND(WREN_OP_UNMAP, 4):
      for (std::uint64_t i = w[1]; i < (std::uint64_t)w[1] + w[2] && i < WREN_APERTURE_PAGES; i++)
        put_entries(g, i, &w[3], 1);
      bytes = w[2] * 64;
      break;
    case WREN_COMMAND(WREN_OP_PCOPY, 6):
      bytes = w[5];
      good = move(g, wide(1), wide(3), w[5], &bad);
      break;
    case WREN_COMMAND(WREN_OP_PFILL, 5):
      bytes = w[3];
      good = fill(g, wide(1), w[3], w[4], &bad);
      break;
    case WREN_COMMAND(WREN_OP_PEEK, 3):
    case WREN_COMMAND(WREN_OP_POKE, 3): {
      std::uint8_t byte = 0;
      bad = wide(1);
      good = access(g, bad, &byte, 1, false);
      if (op == WREN_OP_POKE) good = good && access(g, bad, &byte, 1, true);
      break;
    }
    default:
      if (op == WREN_OP_MAP && words > 2 && w[1] + words - 2 <= WREN_APERTURE_PAGES) {
        put_entries(g, w[1], &w[2], words - 2);
      } else if (op != WREN_OP_NOP) {
        known = false;
      }
  }
  if (!known) return fault(g, n, WREN_FAULT_COMMAND, e->pc), 1;
  if (!good) return fault(g, n, WREN_FAULT_ADDRESS, bad), 1;
  e->pc += words * 4;
  e->progress++;
  return 1 + (std::uint32_t)(bytes >> 14);
}

}  // namespace wren
