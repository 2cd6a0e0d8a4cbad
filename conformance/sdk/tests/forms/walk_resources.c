// Calls DriverEntry of resource_walk.so with a list of three resources, as ddi/nt/resources.h has
// it: a list of one, its interface and bus, version and revision, and elements of 20 bytes.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int count, char** arguments) {
  const uint32_t list[] = {1, 5,          0, 0x10001, 3,  //
                           3, 0xc0000000, 0, 0x100,   0,  //
                           3, 0xd0000000, 0, 0x20,    0,  //
                           3, 0xe0000000, 0, 0x3,     0};
  void* const driver = count == 2 ? dlopen(arguments[1], RTLD_NOW) : 0;
  int32_t (*entry)(const void*, const void*) = 0;
  if (driver) *(void**)&entry = dlsym(driver, "DriverEntry");
  if (!entry) {
    fprintf(stderr, "no driver: %s\n", dlerror());
    return 2;
  }
  const int32_t length = entry(list, 0);
  if (length == 0x123) return 0;
  fprintf(stderr, "of 0x123 bytes of resources the driver found 0x%x\n", (unsigned)length);
  return 1;
}
