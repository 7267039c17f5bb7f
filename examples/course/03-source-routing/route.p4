// Exercise 3: the sender writes the route into the packet.
// The comments with TODO describe the missing parts.
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
        // TODO 1: extract the next hop of the stack; repeat this until a hop is marked as the last one.
        transition accept;
    }
}

control CheckHeaders(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseIngress(inout headers_t hdr, inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    apply {
        // TODO 5: drop a packet, too, whose route the parser could not read to its end.
        if (!hdr.hops[0].isValid()) {
            mark_to_drop(standard_metadata);
        } else {
            // TODO 2: send the packet to the port of the first hop.
            // TODO 3: after the last hop comes IPv4: write its type into the Ethernet header.
            // TODO 4: remove the first hop.
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
