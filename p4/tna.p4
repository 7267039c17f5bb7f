// The Tofino Native Architecture. '__TARGET_TOFINO__' is the generation of the chip that the program is compiled for;
// without one it is the first. A program for this architecture also compiles for the second generation, which has other
// widths (tofino2_specs.p4) under the same blocks and externs.

#ifndef _TOFINO1_NATIVE_ARCHITECTURE_
#define _TOFINO1_NATIVE_ARCHITECTURE_

#ifndef __TARGET_TOFINO__
#define __TARGET_TOFINO__ 1
#endif

#if __TARGET_TOFINO__ == 1
#include "tofino1_specs.p4"
#elif __TARGET_TOFINO__ == 2
#include "tofino2_specs.p4"
#else
#error tna.p4 is for Tofino 1 and 2: __TARGET_TOFINO__ has to be 1 or 2
#endif

#include "tofino1_arch.p4"

#endif
