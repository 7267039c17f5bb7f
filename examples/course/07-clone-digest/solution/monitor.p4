// Solution of exercise 7: a monitor sees copies, and the control plane hears of new stations.
#include <core.p4>
#include <v1model.p4>

// The clone session that sends copies to the monitor; s1-runtime.json has it.
const bit<32> MONITOR_SESSION = 5;
// Value of instance_type for a copy from ingress.
const bit<32> INGRESS_CLONE = 1;
// Type of the frames that the monitor gets (IEEE: for local experiments).
const bit<16> TYPE_COPY = 0x88b5;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

// The digest of a new station for the control plane.
struct learn_t {
    bit<48> address;
    bit<9>  port;
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

    table stations {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            send_to;
            drop;
        }
        size = 256;
        default_action = drop();
    }

    action learn() {
        digest<learn_t>(1, { hdr.ethernet.src, standard_metadata.ingress_port });
    }

    // Stations that the control plane knows; it writes the entries.
    table known {
        key = {
            hdr.ethernet.src: exact;
        }
        actions = {
            NoAction;
            learn;
        }
        size = 256;
        default_action = learn();
    }

    apply {
        known.apply();
        stations.apply();
        clone(CloneType.I2E, MONITOR_SESSION);
    }
}

control CourseEgress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    apply {
        if (standard_metadata.instance_type == INGRESS_CLONE) {
            hdr.ethernet.type = TYPE_COPY;
        }
    }
}

control UpdateChecksums(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(CourseParser(), CheckHeaders(), CourseIngress(), CourseEgress(), UpdateChecksums(),
         CourseDeparser()) main;
