// Exercise 8: one packet becomes several copies.
// The comments with TODO describe the missing parts.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_VLAN = 0x8100;
// Replication id of copies that get a VLAN tag.
const bit<16> TAGGED = 7;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header vlan_t {
    bit<3>  priority;
    bit<1>  drop_eligible;
    bit<12> id;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
    vlan_t vlan;
}

struct metadata_t { }

parser CourseParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control CheckHeaders(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseIngress(inout headers_t hdr, inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    action drop() {
        mark_to_drop(standard_metadata);
    }

    action send_to(bit<9> port) {
        standard_metadata.egress_spec = port;
    }

    action send_to_group(bit<16> group) {
        // TODO 1: send the packet to all members of the multicast group.
        mark_to_drop(standard_metadata);
    }

    table stations {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            send_to;
            send_to_group;
            drop;
        }
        size = 256;
        // TODO 2: a frame for an unknown address goes to group 1, which has all ports.
        default_action = drop();
    }

    apply {
        stations.apply();
    }
}

control CourseEgress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    apply {
        // TODO 3: a copy must not leave by the port from which the packet came.
        // TODO 4: the copy with replication id 7 goes to another VLAN: insert a tag with VLAN id 100
        // and priority 4.
    }
}

control UpdateChecksums(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
    }
}

V1Switch(CourseParser(), CheckHeaders(), CourseIngress(), CourseEgress(), UpdateChecksums(),
         CourseDeparser()) main;
