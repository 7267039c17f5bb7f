// PNA as BMv2's pna_nic has it: no pre control, and other metadata. Programs include it as bmv2/pna.p4.

#define _PNA_NIC_
#include "pna.p4"

// Ports of the switch are ports of the net; the controller's is the host's.
extern bool is_host_port(in PortId_t p);
extern bool is_net_port(in PortId_t p);
