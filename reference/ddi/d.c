#include <dispmprt.h>
