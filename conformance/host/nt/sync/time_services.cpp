// Clocks, delays, timers.
//
// All clocks are the machine's virtual time. A loop that only reads clocks is a polling loop: it
// gives others their turn and, when nobody has anything to do, pays with time.
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/machine.h"
#include "conformance/host/nt/memory/active_memory.h"

using namespace wddm::nt;

namespace {

constexpr Time kCountsPerSecond = 10'000'000;
// Clock reads in a row after which each is a yield.
constexpr std::uint32_t kPatience = 64;

// It counts from the reset of the processor on, at the rate of the other clocks: what one of them
// says is no value of the other.
std::uint64_t performance_counter() {
  constexpr Time kFirmware = 70'000'000;
  return kFirmware + kUpTimeAtBoot + machine().now;
}

void clock_read() {
  if (!machine().running) return;
  Fiber& self = running();
  if (self.clock_reads < kPatience) {
    ++self.clock_reads;
    yield_point();
  } else {
    yield();
  }
}

bool check_timer(const Service& service, PKTIMER timer) {
  return check_object(service, timer, ObjectKind::NotificationTimer,
                      ObjectKind::SynchronizationTimer);
}

bool check_dpc(const Service& service, const KDPC* dpc) {
  if (dpc == nullptr || dpc->Type == kDpcType) return true;
  service.report(FindingKind::BadParameter, "the DPC was not initialised");
  return false;
}

void timer_init(const Service& service, PKTIMER timer, TIMER_TYPE type) {
  retire_object(service, timer);
  Timer& block = timer_of(timer);
  block = {};
  header_init(block.header,
              type == ::SynchronizationTimer ? ObjectKind::SynchronizationTimer
                                             : ObjectKind::NotificationTimer,
              sizeof(KTIMER), 0);
  list_init(block.link);
  block.from_driver = 1;
}

BOOLEAN timer_set(const Service& service, PKTIMER timer, LARGE_INTEGER due, LONG period,
                  PKDPC dpc) {
  if (!check_timer(service, timer) || !check_dpc(service, dpc)) return FALSE;
  if (period < 0) service.report(FindingKind::BadParameter, "negative period");
  Timer& block = timer_of(timer);
  const bool was_set = timer_remove(block);
  block.header.signal_state = 0;
  block.dpc = dpc != nullptr ? &dpc_of(dpc) : nullptr;
  block.period = period > 0 ? static_cast<std::uint32_t>(period) : 0;
  timer_insert(block, due_time(due.QuadPart));
  timers_expire();
  yield_point();
  return was_set;
}

struct Date {
  CSHORT year;
  CSHORT month;  // 1..12
  CSHORT day;    // 1..31
};

// Days since 1601-01-01 in the proleptic Gregorian calendar, counted in years that begin in March.
Date date_of(std::int64_t days) {
  constexpr std::int64_t kDaysOf400Years = 146'097;
  const std::int64_t shifted = days + 306;  // since 1600-03-01
  const std::int64_t era = shifted / kDaysOf400Years;
  const std::int64_t in_era = shifted % kDaysOf400Years;
  const std::int64_t year = (in_era - in_era / 1460 + in_era / 36'524 - in_era / 146'096) / 365;
  const std::int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * in_year + 2) / 153;  // 0: March
  return {static_cast<CSHORT>(1600 + 400 * era + year + (month >= 10 ? 1 : 0)),
          static_cast<CSHORT>(month < 10 ? month + 3 : month - 9),
          static_cast<CSHORT>(in_year - (153 * month + 2) / 5 + 1)};
}

LARGE_INTEGER large(Time value) {
  LARGE_INTEGER result;
  result.QuadPart = static_cast<LONGLONG>(value);
  return result;
}

}  // namespace

VOID KeQueryTickCount(PLARGE_INTEGER CurrentCount) {
  NT_SERVICE(KeQueryTickCount);
  clock_read();
  *CurrentCount = large((kUpTimeAtBoot + now()) / kTick);
}

ULONG KeQueryTimeIncrement(void) {
  NT_SERVICE(KeQueryTimeIncrement);
  return kTick;
}

VOID KeQuerySystemTime(PLARGE_INTEGER CurrentTime) {
  NT_SERVICE(KeQuerySystemTime);
  clock_read();
  *CurrentTime = large(kSystemTimeAtBoot + now());
}

VOID KeQuerySystemTimePrecise(PLARGE_INTEGER CurrentTime) {
  NT_SERVICE(KeQuerySystemTimePrecise);
  clock_read();
  *CurrentTime = large(kSystemTimeAtBoot + now());
}

ULONGLONG KeQueryInterruptTime(void) {
  NT_SERVICE(KeQueryInterruptTime);
  clock_read();
  return kUpTimeAtBoot + now();
}

ULONG64 KeQueryInterruptTimePrecise(PULONG64 QpcTimeStamp) {
  NT_SERVICE(KeQueryInterruptTimePrecise);
  clock_read();
  *QpcTimeStamp = performance_counter();
  return kUpTimeAtBoot + now();
}

ULONGLONG KeQueryUnbiasedInterruptTime(void) {
  NT_SERVICE(KeQueryUnbiasedInterruptTime);
  clock_read();
  return kUpTimeAtBoot + now();
}

LARGE_INTEGER KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency) {
  NT_SERVICE(KeQueryPerformanceCounter);
  clock_read();
  if (PerformanceFrequency != nullptr) *PerformanceFrequency = large(kCountsPerSecond);
  return large(performance_counter());
}

VOID ExSystemTimeToLocalTime(PLARGE_INTEGER SystemTime, PLARGE_INTEGER LocalTime) {
  NT_SERVICE(ExSystemTimeToLocalTime);
  *LocalTime = *SystemTime;  // the machine stands in UTC
}

VOID RtlTimeToTimeFields(PLARGE_INTEGER Time, PTIME_FIELDS TimeFields) {
  NT_SERVICE(RtlTimeToTimeFields);
  constexpr LONGLONG kMillisecondsPerDay = 86'400'000;
  const LONGLONG milliseconds = Time->QuadPart / 10'000;
  const LONGLONG days = milliseconds / kMillisecondsPerDay;
  const LONGLONG rest = milliseconds % kMillisecondsPerDay;
  const Date date = date_of(days);
  TimeFields->Year = date.year;
  TimeFields->Month = date.month;
  TimeFields->Day = date.day;
  TimeFields->Hour = static_cast<CSHORT>(rest / 3'600'000);
  TimeFields->Minute = static_cast<CSHORT>(rest / 60'000 % 60);
  TimeFields->Second = static_cast<CSHORT>(rest / 1000 % 60);
  TimeFields->Milliseconds = static_cast<CSHORT>(rest % 1000);
  TimeFields->Weekday = static_cast<CSHORT>((days + 1) % 7);  // 1601-01-01 was a Monday
}

NTSTATUS KeDelayExecutionThread(KPROCESSOR_MODE, BOOLEAN, PLARGE_INTEGER Interval) {
  NT_SERVICE(KeDelayExecutionThread);
  const Time due = due_time(Interval->QuadPart);
  if (due <= now())
    yield();
  else
    delay_until(due, service.name(), service.caller());
  return STATUS_SUCCESS;
}

VOID KeStallExecutionProcessor(ULONG MicroSeconds) {
  NT_SERVICE(KeStallExecutionProcessor);
  if (MicroSeconds == 0)
    yield();
  else
    stall_until(now() + Time{MicroSeconds} * 10, service.name(), service.caller());
}

VOID WddmYieldProcessor(void) {
  machine().last_service = "YieldProcessor";
  deliver_if_any();
  yield();
}

VOID KeInitializeTimer(PKTIMER Timer) {
  NT_SERVICE(KeInitializeTimer);
  timer_init(service, Timer, NotificationTimer);
}

VOID KeInitializeTimerEx(PKTIMER Timer, TIMER_TYPE Type) {
  NT_SERVICE(KeInitializeTimerEx);
  timer_init(service, Timer, Type);
}

BOOLEAN KeSetTimer(PKTIMER Timer, LARGE_INTEGER DueTime, PKDPC Dpc) {
  NT_SERVICE(KeSetTimer);
  return timer_set(service, Timer, DueTime, 0, Dpc);
}

BOOLEAN KeSetTimerEx(PKTIMER Timer, LARGE_INTEGER DueTime, LONG Period, PKDPC Dpc) {
  NT_SERVICE(KeSetTimerEx);
  return timer_set(service, Timer, DueTime, Period, Dpc);
}

BOOLEAN KeSetCoalescableTimer(PKTIMER Timer, LARGE_INTEGER DueTime, ULONG Period, ULONG,
                              PKDPC Dpc) {
  NT_SERVICE(KeSetCoalescableTimer);
  return timer_set(service, Timer, DueTime, static_cast<LONG>(Period), Dpc);
}

BOOLEAN KeCancelTimer(PKTIMER Timer) {
  NT_SERVICE(KeCancelTimer);
  if (!check_timer(service, Timer)) return FALSE;
  const bool was_set = timer_remove(timer_of(Timer));
  yield_point();
  return was_set;
}

BOOLEAN KeReadStateTimer(PKTIMER Timer) {
  NT_SERVICE(KeReadStateTimer);
  return check_timer(service, Timer) && timer_of(Timer).header.signal_state > 0;
}
