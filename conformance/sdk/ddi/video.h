// The parts of the video port interface that WDDM drivers still meet.
#ifndef WDDM_DDI_VIDEO_H
#define WDDM_DDI_VIDEO_H

#include "wdm.h"

typedef struct _STATUS_BLOCK {
  union {
    NTSTATUS Status;
    PVOID Pointer;
  };
  ULONG_PTR Information;
} STATUS_BLOCK, *PSTATUS_BLOCK;

typedef struct _VIDEO_REQUEST_PACKET {
  ULONG IoControlCode;
  PSTATUS_BLOCK StatusBlock;
  PVOID InputBuffer;
  ULONG InputBufferLength;
  PVOID OutputBuffer;
  ULONG OutputBufferLength;
} VIDEO_REQUEST_PACKET, *PVIDEO_REQUEST_PACKET;

typedef struct _QUERY_INTERFACE {
  const GUID* InterfaceType;
  USHORT Size;
  USHORT Version;
  PINTERFACE Interface;
  PVOID InterfaceSpecificData;
  ULONG DeviceUid;
} QUERY_INTERFACE, *PQUERY_INTERFACE;

typedef PVIDEO_REQUEST_PACKET IN_PVIDEO_REQUEST_PACKET;
typedef PQUERY_INTERFACE IN_PQUERY_INTERFACE;

#endif
