// What kernel drivers take from GDI: rectangles and the raster operations of blits.
#ifndef WDDM_DDI_WINGDI_H
#define WDDM_DDI_WINGDI_H

#include "windef.h"

#define SRCCOPY 0x00CC0020U
#define SRCPAINT 0x00EE0086U
#define SRCAND 0x008800C6U
#define SRCINVERT 0x00660046U
#define PATCOPY 0x00F00021U
#define BLACKNESS 0x00000042U
#define WHITENESS 0x00FF0062U

typedef struct tagRGBQUAD {
  BYTE rgbBlue;
  BYTE rgbGreen;
  BYTE rgbRed;
  BYTE rgbReserved;
} RGBQUAD;

#endif
