/* Driver code with __try, compiled as drivers are, in C and in C++. Each function exists twice,
 * with the suffix _c and _cpp. `word` may be anything. */
#ifndef WDDM_NT_SEH_BODIES_H
#define WDDM_NT_SEH_BODIES_H
#ifdef __cplusplus
extern "C" {
#endif

#define WDDM_SEH_BODIES(suffix)                                                             \
  /* Reads *word; 1 if read, else the exception code. */                                    \
  int seh_read_##suffix(const volatile int* word);                                          \
  /* The inner block passes the exception on: returns 10 + (1 if the inner handler ran). */ \
  int seh_nested_##suffix(const volatile int* word);                                        \
  /* Leaves a block by return, then faults in another function's block. */                  \
  int seh_return_from_body_##suffix(const volatile int* word);                              \
  /* Changes a local in the body and reads it in the handler: 7. */                         \
  int seh_local_##suffix(const volatile int* word);                                         \
  /* Faults in each of `times` turns of a loop; returns how many were caught. */            \
  int seh_loop_##suffix(const volatile int* word, int times);                               \
  /* Raises `status` by the service; returns the code caught. */                            \
  int seh_raise_##suffix(int status);                                                       \
  /* Has a filter that says continue search, and no outer block. */                         \
  void seh_unhandled_##suffix(const volatile int* word);                                    \
  /* Calls `callback` inside a block; returns 0, or the code if that raised. */             \
  int seh_around_##suffix(void (*callback)(void*), void* context);

WDDM_SEH_BODIES(c)
WDDM_SEH_BODIES(cpp)

#ifdef __cplusplus
}
#endif
#endif
