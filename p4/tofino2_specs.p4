// What the second Tofino generation fixes: widths of identifiers, bits of port metadata.

#ifndef _TOFINO2_P4_SPECS_
#define _TOFINO2_P4_SPECS_

#include <core.p4>

#define PORT_ID_WIDTH 9
#define MULTICAST_GROUP_ID_WIDTH 16
#define QUEUE_ID_WIDTH 7
#define MIRROR_TYPE_WIDTH 4
#define MIRROR_ID_WIDTH 8
#define RESUBMIT_TYPE_WIDTH 3
#define DIGEST_TYPE_WIDTH 3
#define REPLICATION_ID_WIDTH 16
#define L1_EXCLUSION_ID_WIDTH 16
#define L2_EXCLUSION_ID_WIDTH 9

#include "tofino_types.p4"

// The old name of MirrorType_t.
@noWarn("unused")
typedef MirrorType_t CloneId_t;

// Bits of metadata of the port in front of each packet in the ingress parser.
@noWarn("unused")
const bit<32> PORT_METADATA_SIZE = 32w192;

#endif
