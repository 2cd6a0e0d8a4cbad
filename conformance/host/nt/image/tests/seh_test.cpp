// Structured exceptions, as C and C++ drivers write them.
#include <gtest/gtest.h>

#include <csignal>
#include <ostream>

#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/core/foreign_call.h"
#include "conformance/host/nt/image/tests/seh_bodies.h"
#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

constexpr int kAccessViolation = static_cast<int>(STATUS_ACCESS_VIOLATION);

// The compiler must not know that nothing lies there.
const volatile int* null_page() {
  static volatile std::uint64_t address = 0x10;
  return reinterpret_cast<const volatile int*>(address);
}
// In the arena's address range, where a fault is the driver's own.
const volatile int* kernel_hole() {
  return reinterpret_cast<const volatile int*>(0x7e7000000000);
}

// The functions of one language.
struct Bodies {
  int (*read)(const volatile int*);
  int (*nested)(const volatile int*);
  int (*return_from_body)(const volatile int*);
  int (*local)(const volatile int*);
  int (*loop)(const volatile int*, int);
  int (*raise)(int);
  void (*unhandled)(const volatile int*);
  int (*around)(void (*)(void*), void*);
};
constexpr Bodies kC{seh_read_c, seh_nested_c, seh_return_from_body_c, seh_local_c,
                    seh_loop_c, seh_raise_c,  seh_unhandled_c,        seh_around_c};
constexpr Bodies kCpp{seh_read_cpp, seh_nested_cpp, seh_return_from_body_cpp, seh_local_cpp,
                      seh_loop_cpp, seh_raise_cpp,  seh_unhandled_cpp,        seh_around_cpp};

void PrintTo(const Bodies& bodies, std::ostream* out) {
  *out << (bodies.read == seh_read_c ? "C" : "C++");
}

// For what ends the machine from within a driver: as the host calls it, since C of clang is not
// unwound.
template <typename Body>
Recorder run_foreign(Body body) {
  return run_machine([&] { call_foreign(body); });
}

class Seh : public testing::TestWithParam<Bodies> {};

TEST_P(Seh, ReadThatSucceedsRaisesNothing) {
  int result = 0;
  const int word = 5;
  run_machine([&] { result = GetParam().read(&word); });
  EXPECT_EQ(result, 1);
}

TEST_P(Seh, NullPageIsAnAccessViolation) {
  int result = 0;
  run_machine([&] { result = GetParam().read(null_page()); });
  EXPECT_EQ(result, kAccessViolation);
}

TEST_P(Seh, RevokedUserByteIsAnAccessViolation) {
  int inside = 0;
  int behind = 0;
  run_machine([&] {
    memory::UserBuffer buffer(64);
    const std::uint8_t* start = buffer.revoke_after(4);
    inside = GetParam().read(reinterpret_cast<const volatile int*>(start));
    behind = GetParam().read(reinterpret_cast<const volatile int*>(start + 4));
  });
  EXPECT_EQ(inside, 1);
  EXPECT_EQ(behind, kAccessViolation);
}

TEST_P(Seh, ContinueSearchGoesToTheOuterBlock) {
  int result = 0;
  run_machine([&] { result = GetParam().nested(null_page()); });
  EXPECT_EQ(result, 10);
}

TEST_P(Seh, ReturnFromTheBodyTakesItsFrameAlong) {
  int result = 0;
  run_machine([&] { result = GetParam().return_from_body(null_page()); });
  EXPECT_EQ(result, 13);
}

TEST_P(Seh, HandlerSeesLocalsChangedInTheBody) {
  int result = 0;
  run_machine([&] { result = GetParam().local(null_page()); });
  EXPECT_EQ(result, 7);
}

TEST_P(Seh, ManyFaultsInALoop) {
  int caught = 0;
  run_machine([&] { caught = GetParam().loop(null_page(), 1000); });
  EXPECT_EQ(caught, 1000);
}

TEST_P(Seh, RaisedStatusIsCaught) {
  int result = 0;
  run_machine([&] { result = GetParam().raise(static_cast<int>(STATUS_INVALID_PARAMETER)); });
  EXPECT_EQ(result, static_cast<int>(STATUS_INVALID_PARAMETER));
}

TEST_P(Seh, UnhandledExceptionIsABugCheck) {
  const Recorder seen = run_foreign([&] { GetParam().unhandled(null_page()); });
  EXPECT_EQ(seen.bug_check_code, 0x1eu);
}

TEST_P(Seh, FramesBelongToTheFiber) {
  int result = 0;
  KEVENT go;
  auto other = [&] {
    result = GetParam().around(
        [](void* event) {
          wait(event);
          static_cast<void>(*null_page());
        },
        &go);
  };
  int mine = 0;
  run_machine([&] {
    KeInitializeEvent(&go, NotificationEvent, FALSE);
    driver_thread_detached(other);
    settle();
    mine = GetParam().read(null_page());
    KeSetEvent(&go, 0, FALSE);
    settle();
  });
  EXPECT_EQ(mine, kAccessViolation);
  EXPECT_EQ(result, kAccessViolation);
}

// A nested call into the driver is not part of the block around the outer call.
TEST_P(Seh, NestedDriverCallIsNotCoveredByTheOuterBlock) {
  const Recorder seen = run_foreign([&] {
    GetParam().around(
        [](void*) {
          const DriverCall call("DxgkDdiInner", kPassive);
          ExRaiseStatus(STATUS_INVALID_PARAMETER);
        },
        nullptr);
  });
  EXPECT_EQ(seen.bug_check_code, 0x1eu);
}

TEST_P(Seh, DpcIsNotCoveredByTheBlockItInterrupts) {
  const Recorder seen = run_foreign([&] {
    GetParam().around(
        [](void*) {
          KDPC dpc;
          KeInitializeDpc(
              &dpc, [](KDPC*, void*, void*, void*) { ExRaiseStatus(STATUS_INVALID_PARAMETER); },
              nullptr);
          KeInsertQueueDpc(&dpc, nullptr, nullptr);
        },
        nullptr);
  });
  EXPECT_EQ(seen.bug_check_code, 0x1eu);
}

INSTANTIATE_TEST_SUITE_P(C, Seh, testing::Values(kC));
INSTANTIATE_TEST_SUITE_P(Cpp, Seh, testing::Values(kCpp));

void say_and_exit(int signal, const void* address) {
  _Exit(signal == SIGSEGV && address == const_cast<const int*>(kernel_hole()) ? 42 : 43);
}

TEST(Crash, KernelAddressReachesTheHookDespiteABlock) {
  EXPECT_EXIT(
      {
        set_crash_hook(say_and_exit);
        run_machine([] { seh_read_cpp(kernel_hole()); });
      },
      testing::ExitedWithCode(42), "");
}

TEST(Crash, StackOverflowIsKnownByItsAddress) {
  EXPECT_EXIT(
      {
        set_crash_hook([](int, const void* address) {
          _Exit(fault_kind(address) == FindingKind::StackOverflow ? 42 : 43);
        });
        run_machine([] {
          volatile char* low = static_cast<volatile char*>(__builtin_frame_address(0));
          for (;; low -= 1024) *low = 1;
        });
      },
      testing::ExitedWithCode(42), "");
}

TEST(Crash, MayEndTheRunInsteadOfTheProcess) {
  static int taken = 0;
  set_crash_hook(nullptr);
  set_crash_end({.takes = [](int signal, const void*) { return signal == SIGSEGV && ++taken == 1; },
                 .end = [] { stop_machine(); }});
  bool went_on = false;

  run_machine([&] {
    call_foreign([&] {
      seh_read_cpp(kernel_hole());
      went_on = true;
    });
  });

  set_crash_end({});
  EXPECT_EQ(taken, 1);
  EXPECT_FALSE(went_on);
}

TEST(Crash, WithoutHookTheProcessDies) {
  EXPECT_DEATH(
      {
        set_crash_hook(nullptr);
        run_machine([] { seh_read_cpp(kernel_hole()); });
      },
      "");
}

}  // namespace
}  // namespace wddm::nt
