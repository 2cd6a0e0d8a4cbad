// For drivers only. 64-bit types are `long long`, as on Windows.
#ifndef WDDM_DDI_FREESTANDING_STDINT_H
#define WDDM_DDI_FREESTANDING_STDINT_H
#include "../ntdef.h"

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intmax_t;
typedef unsigned long long uintmax_t;
typedef int int_fast32_t;
typedef unsigned int uint_fast32_t;

#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807LL
#define INT32_MIN (-INT32_MAX - 1)
#define INT64_MIN (-INT64_MAX - 1)
#define UINT8_MAX 0xffU
#define UINT16_MAX 0xffffU
#define UINT32_MAX 0xffffffffU
#define UINT64_MAX 0xffffffffffffffffULL
#define SIZE_MAX UINT64_MAX
#define UINT32_C(x) x##U
#define UINT64_C(x) x##ULL
#define INT64_C(x) x##LL
#endif
