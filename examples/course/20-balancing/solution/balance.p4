// Solution of exercise 20: probes that say which path is free.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
// An EtherType for experiments (IEEE 802).
const bit<16> TYPE_PROBE = 0x88b5;
const bit<9> FIRST = 2;
// A path without a probe for longer is taken for broken, in microseconds.
const bit<48> TIMEOUT_US = 1000000;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<6>  dscp;
    bit<2>  ecn;
    bit<16> length;
    bit<16> id;
    bit<3>  flags;
    bit<13> offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

// The largest load on the way of the probe so far, in bytes since the probe before.
header probe_t {
    bit<8>  rack;
    bit<32> load;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    probe_t probe;
}

struct metadata_t { }

parser CourseParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: parse_ipv4;
            TYPE_PROBE: parse_probe;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }

    state parse_probe {
        packet.extract(hdr.probe);
        transition accept;
    }
}

control CheckHeaders(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CourseIngress(inout headers_t hdr, inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    // Of each port: bytes that were routed to it since the last probe came by it.
    register<bit<32>>(16) load;
    // Of each rack: the best port, its load, and when a probe said so.
    register<bit<9>>(256) best_port;
    register<bit<32>>(256) best_load;
    register<bit<48>>(256) last_heard;

    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(bit<48> mac, bit<9> port) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    // To a rack: by the best port that probes of this rack have shown, or by FIRST before the first one.
    action to_rack(bit<8> rack, bit<48> mac) {
        bit<9> port;
        best_port.read(port, (bit<32>)rack);
        if (port == 0) {
            port = FIRST;
        }
        forward(mac, port);
    }

    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            forward;
            to_rack;
            drop;
        }
        size = 64;
        default_action = drop();
    }

    // A probe of the host of a rack goes to all switches above it.
    action spread(bit<16> group) {
        standard_metadata.mcast_grp = group;
    }

    // A probe on its way; it has crossed the link of its ingress port.
    action pass(bit<9> port) {
        standard_metadata.egress_spec = port;
    }

    // A probe at its end, which chooses.
    action arrive() {
        mark_to_drop(standard_metadata);
    }

    table probes {
        key = {
            standard_metadata.ingress_port: exact;
        }
        actions = {
            spread;
            pass;
            arrive;
            drop;
        }
        size = 16;
        default_action = drop();
    }

    // The probe came by the link that packets to its rack leave by: the port has what they sent since the last probe.
    action measure() {
        bit<32> bytes;
        load.read(bytes, (bit<32>)standard_metadata.ingress_port);
        load.write((bit<32>)standard_metadata.ingress_port, 0);
        if (bytes > hdr.probe.load) {
            hdr.probe.load = bytes;
        }
    }

    action count() {
        bit<32> bytes;
        load.read(bytes, (bit<32>)standard_metadata.egress_spec);
        load.write((bit<32>)standard_metadata.egress_spec, bytes + standard_metadata.packet_length);
    }

    apply {
        if (hdr.probe.isValid()) {
            switch (probes.apply().action_run) {
                pass: {
                    measure();
                }
                arrive: {
                    measure();
                    // The best path itself, a path with less load, or any path when the best one is silent.
                    bit<9> port;
                    bit<32> least;
                    bit<48> heard;
                    best_port.read(port, (bit<32>)hdr.probe.rack);
                    best_load.read(least, (bit<32>)hdr.probe.rack);
                    last_heard.read(heard, (bit<32>)hdr.probe.rack);
                    if (port == 0 || port == standard_metadata.ingress_port
                        || hdr.probe.load < least ||
                        standard_metadata.ingress_global_timestamp - heard > TIMEOUT_US) {
                        best_port.write((bit<32>)hdr.probe.rack, standard_metadata.ingress_port);
                        best_load.write((bit<32>)hdr.probe.rack, hdr.probe.load);
                        last_heard.write((bit<32>)hdr.probe.rack,
                                         standard_metadata.ingress_global_timestamp);
                    }
                }
            }
        } else if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1) {
            if (routes.apply().hit) {
                count();
            }
        } else {
            drop();
        }
    }
}

control CourseEgress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    apply { }
}

control UpdateChecksums(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.length,
              hdr.ipv4.id, hdr.ipv4.flags, hdr.ipv4.offset, hdr.ipv4.ttl, hdr.ipv4.protocol,
              hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control CourseDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.probe);
    }
}

V1Switch(CourseParser(), CheckHeaders(), CourseIngress(), CourseEgress(), UpdateChecksums(),
         CourseDeparser()) main;
