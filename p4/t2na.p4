// The native architecture of the second Tofino generation: it adds ghost controls, registers with up to four results
// and stacks, packet generation by the deparser. '__TARGET_TOFINO__' is 2, also where it is not given.

#ifndef _TOFINO2_NATIVE_ARCHITECTURE_
#define _TOFINO2_NATIVE_ARCHITECTURE_

#ifndef __TARGET_TOFINO__
#define __TARGET_TOFINO__ 2
#endif

#if __TARGET_TOFINO__ == 2
#include "tofino2_specs.p4"
#else
#error t2na.p4 is for Tofino 2: __TARGET_TOFINO__ has to be 2, as --arch t2na sets it
#endif

#include "tofino2_arch.p4"

#endif
