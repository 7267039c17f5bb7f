// IPv4 packets from port 1 leave by the port of a group's member; a counter counts them by that port.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst_addr;
    bit<48> src_addr;
    bit<16> ether_type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {}

parser MoverParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                   inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control MoverIngress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    counter(8, CounterType.packets) sent;

    action to_port(bit<9> port) {
        standard_metadata.egress_spec = port;
        sent.count((bit<32>)port);
    }

    action_selector(HashAlgorithm.crc32, 16, 16) members;
    table ways {
        key = {
            standard_metadata.ingress_port : exact;
            hdr.ethernet.src_addr          : selector;
        }
        actions = {
            to_port;
            @defaultonly NoAction;
        }
        implementation = members;
        size = 8;
    }

    apply {
        mark_to_drop(standard_metadata);
        if (hdr.ethernet.ether_type == 0x0800) {
            ways.apply();
        }
    }
}

control MoverVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control MoverEgress(inout headers_t hdr, inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    apply {}
}

control MoverUpdate(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control MoverDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(MoverParser(), MoverVerify(), MoverIngress(), MoverEgress(), MoverUpdate(), MoverDeparser()) main;
