// Exercise 9: the switch of a controller that learns the ports of stations. This program is complete.
#include <core.p4>
#include <v1model.p4>

const bit<9> CPU_PORT = 510;
// A multicast group with all ports; s1-runtime.json and s2-runtime.json create it.
const bit<16> ALL_PORTS = 1;

// Metadata of packets to the controller.
@controller_header("packet_in")
header packet_in_t {
    bit<9> port;
    bit<7> padding;
}

// Metadata of packets from the controller. `flood`: to all ports except `port`; otherwise to `port`.
@controller_header("packet_out")
header packet_out_t {
    bit<9> port;
    bit<1> flood;
    bit<6> padding;
}

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    ethernet_t   ethernet;
}

struct metadata_t {
    // A flooded packet does not go back to this port.
    bit<9> came_from;
}

parser CourseParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        transition select(standard_metadata.ingress_port) {
            CPU_PORT: parse_packet_out;
            default: parse_ethernet;
        }
    }

    state parse_packet_out {
        packet.extract(hdr.packet_out);
        transition parse_ethernet;
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control CheckHeaders(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseIngress(inout headers_t hdr, inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    action to_controller() {
        standard_metadata.egress_spec = CPU_PORT;
        hdr.packet_in.setValid();
        hdr.packet_in.port = standard_metadata.ingress_port;
        hdr.packet_in.padding = 0;
    }

    action send_to(bit<9> port) {
        standard_metadata.egress_spec = port;
    }

    // Stations that have sent a packet by this port.
    table sources {
        key = {
            hdr.ethernet.src: exact;
            standard_metadata.ingress_port: exact;
        }
        actions = {
            NoAction;
        }
        size = 256;
        default_action = NoAction();
    }

    // The ports of stations.
    table stations {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            send_to;
            to_controller;
        }
        size = 256;
        default_action = to_controller();
    }

    apply {
        if (hdr.packet_out.isValid()) {
            meta.came_from = hdr.packet_out.port;
            if (hdr.packet_out.flood == 1) {
                standard_metadata.mcast_grp = ALL_PORTS;
            } else {
                standard_metadata.egress_spec = hdr.packet_out.port;
            }
            hdr.packet_out.setInvalid();
        } else if (sources.apply().hit) {
            stations.apply();
        } else {
            to_controller();
        }
    }
}

control CourseEgress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    apply {
        if (standard_metadata.mcast_grp != 0 && standard_metadata.egress_port == meta.came_from) {
            mark_to_drop(standard_metadata);
        }
    }
}

control UpdateChecksums(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.ethernet);
    }
}

V1Switch(CourseParser(), CheckHeaders(), CourseIngress(), CourseEgress(), UpdateChecksums(),
         CourseDeparser()) main;
