// Solution of exercise 3: the sender writes the route into the packet.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
// After an Ethernet header of this type comes a route: one hop or more, the last one marked.
const bit<16> TYPE_ROUTE = 0x1234;
#define MAX_HOPS 8

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

// One hop of the route: the port by which the packet leaves the next switch.
header hop_t {
    bit<1>  last;
    bit<15> port;
}

struct headers_t {
    ethernet_t ethernet;
    hop_t[MAX_HOPS] hops;
}

struct metadata_t { }

parser CourseParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_ROUTE: parse_hop;
            default: accept;
        }
    }

    state parse_hop {
        packet.extract(hdr.hops.next);
        transition select(hdr.hops.last.last) {
            1: accept;
            default: parse_hop;
        }
    }
}

control CheckHeaders(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseIngress(inout headers_t hdr, inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    apply {
        if (!hdr.hops[0].isValid() || standard_metadata.parser_error != error.NoError) {
            mark_to_drop(standard_metadata);
        } else {
            standard_metadata.egress_spec = (bit<9>) hdr.hops[0].port;
            if (hdr.hops[0].last == 1) {
                hdr.ethernet.type = TYPE_IPV4;
            }
            hdr.hops.pop_front(1);
        }
    }
}

control CourseEgress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    apply { }
}

control UpdateChecksums(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.hops);
    }
}

V1Switch(CourseParser(), CheckHeaders(), CourseIngress(), CourseEgress(), UpdateChecksums(),
         CourseDeparser()) main;
