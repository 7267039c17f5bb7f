// Names of the types whose widths the file of a generation sets (tofino1_specs.p4, tofino2_specs.p4).

#ifndef _TOFINO_P4_TYPES_
#define _TOFINO_P4_TYPES_

@noWarn("unused")
typedef bit<PORT_ID_WIDTH> PortId_t; // a port of the device: pipe in the upper bits, port of the pipe in the lower seven
@noWarn("unused")
typedef bit<MULTICAST_GROUP_ID_WIDTH> MulticastGroupId_t;
@noWarn("unused")
typedef bit<QUEUE_ID_WIDTH> QueueId_t;
@noWarn("unused")
typedef bit<MIRROR_TYPE_WIDTH> MirrorType_t; // which Mirror of a deparser
@noWarn("unused")
typedef bit<MIRROR_ID_WIDTH> MirrorId_t; // a session of mirroring
@noWarn("unused")
typedef bit<RESUBMIT_TYPE_WIDTH> ResubmitType_t; // which Resubmit of a deparser
@noWarn("unused")
typedef bit<DIGEST_TYPE_WIDTH> DigestType_t; // which Digest of a deparser
@noWarn("unused")
typedef bit<REPLICATION_ID_WIDTH> ReplicationId_t;
@noWarn("unused")
typedef bit<L1_EXCLUSION_ID_WIDTH> L1ExclusionId_t;
@noWarn("unused")
typedef bit<L2_EXCLUSION_ID_WIDTH> L2ExclusionId_t;
@noWarn("unused")
typedef error ParserError_t;

// Both parts of a port's number.
#define DEVPORT_PIPE_MASK 0x180
#define DEVPORT_PIPE(port) (port)[8:7]
#define DEVPORT_PORT_MASK 0x7f
#define DEVPORT_PORT(port) (port)[6:0]

#endif
