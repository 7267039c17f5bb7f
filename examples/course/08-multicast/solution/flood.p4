// Solution of exercise 8: one packet becomes many.
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
        standard_metadata.mcast_grp = group;
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
        default_action = send_to_group(1);
    }

    apply {
        stations.apply();
    }
}

control CourseEgress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    apply {
        if (standard_metadata.egress_port == standard_metadata.ingress_port) {
            mark_to_drop(standard_metadata);
        }
        if (standard_metadata.egress_rid == TAGGED) {
            hdr.vlan.setValid();
            hdr.vlan.priority = 4;
            hdr.vlan.drop_eligible = 0;
            hdr.vlan.id = 100;
            hdr.vlan.type = hdr.ethernet.type;
            hdr.ethernet.type = TYPE_VLAN;
        }
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
