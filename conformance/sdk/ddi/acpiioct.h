// ACPI method evaluation: the buffers of DxgkCbEvalAcpiMethod.
#ifndef WDDM_DDI_ACPIIOCT_H
#define WDDM_DDI_ACPIIOCT_H

#include "ntdef.h"

#define ACPI_EVAL_INPUT_BUFFER_SIGNATURE 0x42696541U  // 'BieA'
#define ACPI_EVAL_INPUT_BUFFER_SIMPLE_INTEGER_SIGNATURE 0x49696541U
#define ACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING_SIGNATURE 0x53696541U
#define ACPI_EVAL_INPUT_BUFFER_COMPLEX_SIGNATURE 0x43696541U  // 'CieA'
#define ACPI_EVAL_OUTPUT_BUFFER_SIGNATURE 0x426F6541U         // 'BoeA'

// Method names as they lie in memory: _HID, _SUB, _HRV.
#define ACPI_METHOD_HARDWARE_ID 0x4449485FU
#define ACPI_METHOD_SUBSYSTEM_ID 0x4255535FU
#define ACPI_METHOD_REVISION_ID 0x5652485FU

#define ACPI_METHOD_ARGUMENT_INTEGER 0x0
#define ACPI_METHOD_ARGUMENT_STRING 0x1
#define ACPI_METHOD_ARGUMENT_BUFFER 0x2
#define ACPI_METHOD_ARGUMENT_PACKAGE 0x3
#define ACPI_METHOD_ARGUMENT_PACKAGE_EX 0x4

typedef struct _ACPI_METHOD_ARGUMENT_V1 {
  USHORT Type;
  USHORT DataLength;
  union {
    ULONG Argument;
    UCHAR Data[ANYSIZE_ARRAY];
  };
} ACPI_METHOD_ARGUMENT_V1, ACPI_METHOD_ARGUMENT;
typedef ACPI_METHOD_ARGUMENT_V1 *PACPI_METHOD_ARGUMENT_V1, *PACPI_METHOD_ARGUMENT;

typedef struct _ACPI_EVAL_INPUT_BUFFER_V1 {
  ULONG Signature;
  union {
    UCHAR MethodName[4];
    ULONG MethodNameAsUlong;
  };
} ACPI_EVAL_INPUT_BUFFER_V1, *PACPI_EVAL_INPUT_BUFFER_V1, ACPI_EVAL_INPUT_BUFFER,
    *PACPI_EVAL_INPUT_BUFFER;

typedef struct _ACPI_EVAL_INPUT_BUFFER_COMPLEX_V1 {
  ULONG Signature;
  union {
    UCHAR MethodName[4];
    ULONG MethodNameAsUlong;
  };
  ULONG Size;
  ULONG ArgumentCount;
  ACPI_METHOD_ARGUMENT_V1 Argument[ANYSIZE_ARRAY];
} ACPI_EVAL_INPUT_BUFFER_COMPLEX_V1, *PACPI_EVAL_INPUT_BUFFER_COMPLEX_V1,
    ACPI_EVAL_INPUT_BUFFER_COMPLEX, *PACPI_EVAL_INPUT_BUFFER_COMPLEX;

typedef struct _ACPI_EVAL_OUTPUT_BUFFER_V1 {
  ULONG Signature;
  ULONG Length;
  ULONG Count;
  ACPI_METHOD_ARGUMENT_V1 Argument[ANYSIZE_ARRAY];
} ACPI_EVAL_OUTPUT_BUFFER_V1, *PACPI_EVAL_OUTPUT_BUFFER_V1, ACPI_EVAL_OUTPUT_BUFFER,
    *PACPI_EVAL_OUTPUT_BUFFER;

// Data shorter than an integer still takes the room of one.
#define ACPI_METHOD_ARGUMENT_LENGTH(data_length) \
  (FIELD_OFFSET(ACPI_METHOD_ARGUMENT, Data) +    \
   ((data_length) > (LONG)sizeof(ULONG) ? (LONG)(data_length) : (LONG)sizeof(ULONG)))
#define ACPI_METHOD_NEXT_ARGUMENT(argument)     \
  ((PACPI_METHOD_ARGUMENT)((PUCHAR)(argument) + \
                           ACPI_METHOD_ARGUMENT_LENGTH((argument)->DataLength)))
#define ACPI_METHOD_ARGUMENT_LENGTH_FROM_ARGUMENT(argument) \
  ACPI_METHOD_ARGUMENT_LENGTH((argument)->DataLength)
#define ACPI_METHOD_SET_ARGUMENT_INTEGER(argument, value)                                   \
  ((argument)->Type = ACPI_METHOD_ARGUMENT_INTEGER, (argument)->DataLength = sizeof(ULONG), \
   (argument)->Argument = (value))
#define ACPI_METHOD_SET_ARGUMENT_BUFFER(argument, buffer, length)                     \
  ((argument)->Type = ACPI_METHOD_ARGUMENT_BUFFER, (argument)->DataLength = (length), \
   RtlCopyMemory((argument)->Data, (buffer), (length)))

#endif
