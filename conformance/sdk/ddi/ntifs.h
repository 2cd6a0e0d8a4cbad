// File-system drivers' header; display drivers take only kernel services from it.
#include "wdm.h"
