// GDI driver interface: display drivers take only its rectangles.
#include "windef.h"
