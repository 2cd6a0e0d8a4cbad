/* What a mutated image and the program that plays its mutants agree on. The image exports a pointer
   `wddm_mutant_control`; whoever plays sets it after loading, to memory of his own, which therefore
   outlives the copies that the host puts back of a driver's static variables. */
#ifndef WDDM_MUTANT_CONTROL_H
#define WDDM_MUTANT_CONTROL_H

typedef struct WddmMutantControl {
  unsigned active;        /* number of the mutant that plays; 0: none */
  unsigned char* reached; /* with WDDM_RECORD_REACHED: room for the points, one byte each */
} WddmMutantControl;

/* As `active`: none plays, and points note that they were reached. */
#define WDDM_RECORD_REACHED 0xffffffffu

#define WDDM_MUTANT_CONTROL_NAME "wddm_mutant_control"

#endif
