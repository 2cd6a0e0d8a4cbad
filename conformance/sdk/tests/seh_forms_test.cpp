// The macros of seh.h, in C and in C++, against the smallest host that keeps seh.h's contract.
//
// Left out: signals. Here an exception is a call; turning a fault into one is the host's work.
#include "seh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

// The offsets are those that seh.h promises for WDDM_SEH_FRAME::registers.
__asm__(
    ".text\n"
    ".globl WddmSehSetjmp\n"
    ".type WddmSehSetjmp, @function\n"
    "WddmSehSetjmp:\n"
    "  movq %rbx, 0(%rdi)\n"
    "  movq %rbp, 8(%rdi)\n"
    "  movq %r12, 16(%rdi)\n"
    "  movq %r13, 24(%rdi)\n"
    "  movq %r14, 32(%rdi)\n"
    "  movq %r15, 40(%rdi)\n"
    "  leaq 8(%rsp), %rax\n"
    "  movq %rax, 48(%rdi)\n"
    "  movq (%rsp), %rax\n"
    "  movq %rax, 56(%rdi)\n"
    "  stmxcsr 64(%rdi)\n"
    "  fnstcw 68(%rdi)\n"
    "  xorl %eax, %eax\n"
    "  ret\n"
    ".size WddmSehSetjmp, .-WddmSehSetjmp\n"
    ".globl seh_test_resume\n"
    ".type seh_test_resume, @function\n"
    "seh_test_resume:\n"
    "  movq 0(%rdi), %rbx\n"
    "  movq 8(%rdi), %rbp\n"
    "  movq 16(%rdi), %r12\n"
    "  movq 24(%rdi), %r13\n"
    "  movq 32(%rdi), %r14\n"
    "  movq 40(%rdi), %r15\n"
    "  ldmxcsr 64(%rdi)\n"
    "  fldcw 68(%rdi)\n"
    "  movl $1, %eax\n"
    "  movq 48(%rdi), %rsp\n"
    "  jmp *56(%rdi)\n"
    ".size seh_test_resume, .-seh_test_resume\n");

extern "C" [[noreturn]] void seh_test_resume(WDDM_SEH_FRAME* frame);

namespace {
std::vector<WDDM_SEH_FRAME*> chain;
bool resumed = false;
NTSTATUS last_code = 0;
std::string trace;
}  // namespace

extern "C" {
void WddmSehEnter(WDDM_SEH_FRAME* frame) {
  chain.push_back(frame);
  resumed = false;
}
void WddmSehLeave(WDDM_SEH_FRAME* frame) {
  chain.erase(std::find(chain.begin(), chain.end(), frame), chain.end());
}
NTSTATUS WddmSehCode() {
  return last_code;
}
int WddmSehFinish() {
  if (!resumed) {
    chain.pop_back();
    return 0;
  }
  resumed = false;
  return 1;
}
void seh_raise(NTSTATUS code) {
  WDDM_SEH_FRAME* frame = chain.back();
  chain.pop_back();
  last_code = code;
  resumed = true;
  seh_test_resume(frame);
}
int WddmSehFilter(int disposition) {
  resumed = false;
  if (disposition != EXCEPTION_EXECUTE_HANDLER) seh_raise(last_code);
  return 1;
}
void seh_note(char letter) {
  trace += letter;
}

#define SEH_FORMS(X)      \
  X(completes)            \
  X(raises)               \
  X(returns)              \
  X(returns_from_handler) \
  X(breaks)               \
  X(continues)            \
  X(searches)             \
  X(outer_catches)
#define DECLARE(name)     \
  int seh_c_##name(void); \
  int seh_cxx_##name(void);
SEH_FORMS(DECLARE)
#undef DECLARE
}

namespace {

enum class Language { kC, kCxx };

class Seh : public testing::TestWithParam<Language> {
 protected:
  void SetUp() override {
    chain.clear();
    trace.clear();
    resumed = false;
  }
  // Every frame must be gone, however the body was left.
  void TearDown() override { EXPECT_TRUE(chain.empty()); }
#define CALL(name)                                                         \
  int name() {                                                             \
    return GetParam() == Language::kC ? seh_c_##name() : seh_cxx_##name(); \
  }
  SEH_FORMS(CALL)
#undef CALL
};

TEST_P(Seh, BodyThatCompletesSkipsTheHandler) {
  completes();
  EXPECT_EQ(trace, "ba");
}

TEST_P(Seh, ExceptionRunsFilterAndHandlerAndGivesItsCode) {
  EXPECT_EQ(raises(), static_cast<int>(0xC0000005));
  EXPECT_EQ(trace, "bfha");
}

TEST_P(Seh, ReturnLeavesTheBody) {
  EXPECT_EQ(returns(), 7);
  EXPECT_EQ(trace, "b");
}

TEST_P(Seh, ReturnLeavesTheHandler) {
  EXPECT_EQ(returns_from_handler(), 8);
  EXPECT_EQ(trace, "bfh");
}

TEST_P(Seh, BreakLeavesTheLoopAroundTheBody) {
  EXPECT_EQ(breaks(), 1);
  EXPECT_EQ(trace, "blba");
}

TEST_P(Seh, ContinueGoesOnWithTheLoopAroundTheBody) {
  EXPECT_EQ(continues(), 2);
  EXPECT_EQ(trace, "bbfhl");
}

TEST_P(Seh, ContinueSearchReachesTheOuterHandler) {
  searches();
  EXPECT_EQ(trace, "bffha");
}

TEST_P(Seh, FrameOfACompletedBodyCatchesNothing) {
  outer_catches();
  EXPECT_EQ(trace, "bfhb");
}

TEST(SehLanguages, AnExceptionInCxxLeavesNothingBehindForC) {
  chain.clear();
  trace.clear();
  seh_cxx_raises();
  seh_c_completes();
  EXPECT_EQ(trace, "bfhaba");
}

INSTANTIATE_TEST_SUITE_P(Languages, Seh, testing::Values(Language::kC, Language::kCxx),
                         [](const auto& language) {
                           return std::string(language.param == Language::kC ? "c" : "cxx");
                         });

}  // namespace
