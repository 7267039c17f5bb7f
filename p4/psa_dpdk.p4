// PSA with the methods that DPDK's software switch adds: counts and meters of a length that the program gives. Programs
// include it as dpdk/psa.p4.

#define _DPDK_METHODS_
#include "psa.p4"
