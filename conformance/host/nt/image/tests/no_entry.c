// A shared library that is no driver.
int SomethingElse(void) {
  return 0;
}
