// PNA with the methods that DPDK's software switch adds. Programs include it as dpdk/pna.p4.

#define _DPDK_METHODS_
#include "pna.p4"
