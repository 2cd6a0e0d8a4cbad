// Memory that is refused: since a scenario asks for it, or there is none. Pool and other memory
// alike.
#include <cstdint>

#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/memory/pool.h"

namespace wddm::nt {
namespace {

std::uint32_t g_fail_in;  // 0: off
bool g_fail_every;
std::uint64_t g_failed;    // by that wish
std::uint32_t g_refusals;  // in a row

// A driver that takes less where it gets nothing, or tries again, has long given up by then.
constexpr std::uint32_t kRefusalsToHang = 1 << 16;

}  // namespace

void allocation_failures_boot() {
  fail_pool(0, false);
  g_refusals = 0;
}

bool allocation_must_fail() {
  if (g_fail_in == 0) return false;
  if (g_fail_in > 1) {
    --g_fail_in;
    return false;
  }
  if (!g_fail_every) g_fail_in = 0;
  ++g_failed;
  return true;
}

void allocation_made(bool granted) {
  g_refusals = granted ? 0 : g_refusals + 1;
  if (g_refusals == kRefusalsToHang && machine().running)
    report_hang("memory is asked for without end, and refused each time");
}

void fail_pool(std::uint32_t kth, bool every) {
  g_fail_in = kth;
  g_fail_every = every;
}

PoolFailuresPaused::PoolFailuresPaused() : kth_(g_fail_in), every_(g_fail_every) {
  fail_pool(0, false);
}
PoolFailuresPaused::~PoolFailuresPaused() {
  fail_pool(kth_, every_);
}

PoolFails::PoolFails(std::uint32_t kth) : before_(g_failed) {
  fail_pool(kth, true);
}
bool PoolFails::any() const {
  return g_failed != before_;
}

}  // namespace wddm::nt
