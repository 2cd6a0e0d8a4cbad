// The version of Windows that the headers stand for: Windows 10, version 2004.
#ifndef WDDM_DDI_NTVERP_H
#define WDDM_DDI_NTVERP_H

#define VER_PRODUCTBUILD 19041
#define VER_PRODUCTBUILD_QFE 1
#define VER_PRODUCTMAJORVERSION 10
#define VER_PRODUCTMINORVERSION 0

#endif
