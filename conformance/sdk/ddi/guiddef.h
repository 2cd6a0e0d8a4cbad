// GUID definition and comparison.
#ifndef WDDM_DDI_GUIDDEF_H
#define WDDM_DDI_GUIDDEF_H

#include "ntdef.h"

#ifdef __cplusplus
#define REFGUID const GUID&
#define IsEqualGUID(a, b) (!__builtin_memcmp(&(a), &(b), sizeof(GUID)))
#define InlineIsEqualGUID(a, b) IsEqualGUID(a, b)
extern "C++" {
inline bool operator==(const GUID& a, const GUID& b) {
  return IsEqualGUID(a, b);
}
inline bool operator!=(const GUID& a, const GUID& b) {
  return !IsEqualGUID(a, b);
}
}
#else
#define REFGUID const GUID*
#define IsEqualGUID(a, b) (!__builtin_memcmp((a), (b), sizeof(GUID)))
#endif

#endif

// Outside the guard: including initguid.h turns later declarations into definitions.
#undef DEFINE_GUID
#ifdef INITGUID
// Weak, because one header defines its GUIDs in every translation unit that includes it.
#ifdef __cplusplus
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) \
  extern "C" const GUID name;                                        \
  extern "C" __attribute__((weak)) const GUID name = {l, w1, w2, {b1, b2, b3, b4, b5, b6, b7, b8}}
#else
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) \
  extern const GUID name;                                            \
  __attribute__((weak)) const GUID name = {l, w1, w2, {b1, b2, b3, b4, b5, b6, b7, b8}}
#endif
#else
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) EXTERN_C const GUID name
#endif
