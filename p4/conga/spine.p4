// CONGA spine switch (SIGCOMM'14): ECMP, and packets between ToRs learn how busy the busiest link of their path is.
// Rendered by p4loom from templates/conga/transit.p4.hbs.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_CONGA = 0x88b5;

// The header of the overlay between two ToRs (section 3.1 of the paper), behind Ethernet's. A tag is the number of an uplink of its rack.
header conga_t {
    // The rack that sent the packet.
    bit<16> rack;
    // LBTag: the uplink that the packet took there.
    bit<8>  tag;
    // CE: congestion of the busiest link behind that uplink, so far.
    bit<8>  congestion;
    // FB_LBTag, FB_Metric: what its sender has found on packets by this uplink of the receiver.
    bit<8>  feedback_tag;
    bit<8>  feedback;
    bit<16> ether_type;
}

const bit<8> NO_FEEDBACK = 255;

const bit<16> TYPE_VLAN = 0x8100;
const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_IPV6 = 0x86dd;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

header ethernet_t {
    bit<48> dst_addr;
    bit<48> src_addr;
    bit<16> ether_type;
}

header vlan_t {
    bit<3>  priority;
    bit<1>  drop_eligible;
    bit<12> id;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<6>  dscp;
    bit<2>  ecn;
    bit<16> total_length;
    bit<16> identification;
    bit<1>  reserved;
    bit<1>  dont_fragment;
    bit<1>  more_fragments;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> header_checksum;
    bit<32> src_addr;
    bit<32> dst_addr;
}

header ipv6_t {
    bit<4>   version;
    bit<6>   dscp;
    bit<2>   ecn;
    bit<20>  flow_label;
    bit<16>  payload_length;
    bit<8>   next_header;
    bit<8>   hop_limit;
    bit<128> src_addr;
    bit<128> dst_addr;
}

// The common part of the TCP and UDP headers; the hash needs no other field of them.
header ports_t {
    bit<16> src_port;
    bit<16> dst_port;
}

struct headers_t {
    ethernet_t ethernet;
    conga_t    conga;
    vlan_t     vlan;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
    ports_t    ports;
}

// The reason of a drop: the index of its counter in `drops`.
const bit<32> DROP_NONE = 0;
const bit<32> DROP_NOT_IP = 1;      // neither IPv4 nor IPv6
const bit<32> DROP_MALFORMED = 2;   // cut short, IPv4 options, or a wrong IPv4 checksum
const bit<32> DROP_TTL = 3;         // would leave with TTL or hop limit 0
const bit<32> DROP_NO_ROUTE = 4;    // no route to the destination
const bit<32> DROP_NO_NEXT_HOP = 5; // the route names next hops that are not installed

// The discounting rate estimator of a port (section 3.2): each packet that leaves adds its size, and each period takes the share ALPHA away. The sizes
// are scaled so that 2^24 is the whole capacity: C * tau bytes. Times are in microseconds, as in v1model's clock.
const bit<48> PERIOD = 20;
// After this time nothing is left.
const bit<48> FORGOTTEN = 2560;
// 2^56 / PERIOD
const bit<64> PERIOD_INVERSE = 3602879701896397;
register<bit<32>>(512) sent;
register<bit<48>>(512) sent_at;

control Estimator(in bit<9> port, in bit<48> now, out bit<32> level, out bit<48> at,
                  out bit<8> congestion) {
    apply {
        bit<48> elapsed = 0;
        sent.read(level, (bit<32>)port);
        sent_at.read(at, (bit<32>)port);
        // Egress, which writes the time, may run ahead of the ingress of another packet.
        if (now > at) {
            elapsed = now - at;
        }
        if (elapsed >= FORGOTTEN) {
            level = 0;
            at = now;
        } else {
            bit<64> periods = ((bit<64>)elapsed * PERIOD_INVERSE) >> 56;
            // (1 - ALPHA)^1 with 16 bits after the point
            if ((periods & 1) != 0) {
                level = (bit<32>)(((bit<64>)level * 57344) >> 16);
            }
            // (1 - ALPHA)^2 with 16 bits after the point
            if ((periods & 2) != 0) {
                level = (bit<32>)(((bit<64>)level * 50176) >> 16);
            }
            // (1 - ALPHA)^4 with 16 bits after the point
            if ((periods & 4) != 0) {
                level = (bit<32>)(((bit<64>)level * 38416) >> 16);
            }
            // (1 - ALPHA)^8 with 16 bits after the point
            if ((periods & 8) != 0) {
                level = (bit<32>)(((bit<64>)level * 22519) >> 16);
            }
            // (1 - ALPHA)^16 with 16 bits after the point
            if ((periods & 16) != 0) {
                level = (bit<32>)(((bit<64>)level * 7738) >> 16);
            }
            // (1 - ALPHA)^32 with 16 bits after the point
            if ((periods & 32) != 0) {
                level = (bit<32>)(((bit<64>)level * 914) >> 16);
            }
            // (1 - ALPHA)^64 with 16 bits after the point
            if ((periods & 64) != 0) {
                level = (bit<32>)(((bit<64>)level * 13) >> 16);
            }
            at = at + (bit<48>)periods * PERIOD;
        }
        // 3 bits: as many as the overlay carries (Q).
        congestion = (level >> 21) > 7 ? 7 : (bit<8>)(level >> 21);
    }
}

struct metadata_t {
    // The five-tuple in the same form for IPv4 and IPv6; ports are 0 if the packet has none.
    bit<128> flow_src;
    bit<128> flow_dst;
    bit<8>   flow_protocol;
    bit<16>  flow_src_port;
    bit<16>  flow_dst_port;
    // Constants of the switch that are part of the hash input, one for each direction.
    bit<16>  down_seed;
    bit<32>  drop_reason;
    // The link by which the packet leaves, from the table `links`.
    bool     is_link;
    bit<32>  packet_units;
    bit<32>  scale;
    // Group of next hops of the destination.
    bit<16>  next_hops;
}

parser FabricParser(packet_in packet,
                    out headers_t hdr,
                    inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TYPE_VLAN: parse_vlan;
            TYPE_IPV4: parse_ipv4;
            TYPE_IPV6: parse_ipv6;
            TYPE_CONGA: parse_conga;
            default: accept;
        }
    }

    state parse_conga {
        packet.extract(hdr.conga);
        transition select(hdr.conga.ether_type) {
            TYPE_VLAN: parse_vlan;
            TYPE_IPV4: parse_ipv4;
            TYPE_IPV6: parse_ipv6;
            default: accept;
        }
    }

    state parse_vlan {
        packet.extract(hdr.vlan);
        transition select(hdr.vlan.ether_type) {
            TYPE_IPV4: parse_ipv4;
            TYPE_IPV6: parse_ipv6;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        meta.flow_src = (bit<128>)hdr.ipv4.src_addr;
        meta.flow_dst = (bit<128>)hdr.ipv4.dst_addr;
        meta.flow_protocol = hdr.ipv4.protocol;
        // All fragments of a packet must have the same hash, and only the first fragment has ports.
        transition select(hdr.ipv4.ihl, hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset,
                          hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_TCP): parse_ports;
            (5, 0, 0, PROTOCOL_UDP): parse_ports;
            default: accept;
        }
    }

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        meta.flow_src = hdr.ipv6.src_addr;
        meta.flow_dst = hdr.ipv6.dst_addr;
        meta.flow_protocol = hdr.ipv6.next_header;
        transition select(hdr.ipv6.next_header) {
            PROTOCOL_TCP: parse_ports;
            PROTOCOL_UDP: parse_ports;
            default: accept;
        }
    }

    state parse_ports {
        packet.extract(hdr.ports);
        meta.flow_src_port = hdr.ports.src_port;
        meta.flow_dst_port = hdr.ports.dst_port;
        transition accept;
    }
}

control FabricVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
              hdr.ipv4.identification, hdr.ipv4.reserved, hdr.ipv4.dont_fragment,
              hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol,
              hdr.ipv4.src_addr, hdr.ipv4.dst_addr },
            hdr.ipv4.header_checksum, HashAlgorithm.csum16);
    }
}

control FabricIngress(inout headers_t hdr,
                      inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    counter(6, CounterType.packets) drops;

    action set_hash_seed(bit<16> down) {
        meta.down_seed = down;
    }
    table hash_seed {
        actions = {
            set_hash_seed;
        }
        default_action = set_hash_seed(0);
    }

    action to_next_hop(bit<9> port, bit<48> mac) {
        meta.drop_reason = DROP_NONE;
        standard_metadata.egress_spec = port;
        hdr.ethernet.src_addr = hdr.ethernet.dst_addr;
        hdr.ethernet.dst_addr = mac;
    }

    action to_downlinks(bit<16> next_hops) {
        meta.drop_reason = DROP_NO_NEXT_HOP;
        meta.next_hops = next_hops;
    }

    action to_port(bit<9> port, bit<48> mac) {
        meta.drop_reason = DROP_NONE;
        standard_metadata.egress_spec = port;
        hdr.ethernet.src_addr = hdr.ethernet.dst_addr;
        hdr.ethernet.dst_addr = mac;
    }

    action unreachable() {
        meta.drop_reason = DROP_NO_ROUTE;
    }

    direct_counter(CounterType.packets_and_bytes) ipv4_route_counter;
    table ipv4_routes {
        key = {
            hdr.ipv4.dst_addr : lpm;
        }
        actions = {
            to_port;
            to_downlinks;
            unreachable;
        }
        default_action = unreachable();
        counters = ipv4_route_counter;
        size = 16;
    }

    direct_counter(CounterType.packets_and_bytes) ipv6_route_counter;
    table ipv6_routes {
        key = {
            hdr.ipv6.dst_addr : lpm;
        }
        actions = {
            to_port;
            to_downlinks;
            unreachable;
        }
        default_action = unreachable();
        counters = ipv6_route_counter;
        size = 16;
    }

    action_selector(HashAlgorithm.crc16, 16, 32) down_members;
    table down_groups {
        key = {
            meta.next_hops : exact;
            meta.flow_src : selector;
            meta.flow_dst : selector;
            meta.flow_protocol : selector;
            meta.flow_src_port : selector;
            meta.flow_dst_port : selector;
            meta.down_seed : selector;
        }
        actions = {
            to_next_hop;
            @defaultonly NoAction;
        }
        implementation = down_members;
        size = 16;
    }

    apply {
        meta.drop_reason = DROP_NO_ROUTE;
        hash_seed.apply();
        if (standard_metadata.parser_error != error.NoError
            || standard_metadata.checksum_error == 1) {
            meta.drop_reason = DROP_MALFORMED;
        } else if (hdr.ipv4.isValid()) {
            if (hdr.ipv4.ihl != 5) {
                meta.drop_reason = DROP_MALFORMED;
            } else if (hdr.ipv4.ttl <= 1) {
                meta.drop_reason = DROP_TTL;
            } else {
                hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
                ipv4_routes.apply();
            }
        } else if (hdr.ipv6.isValid()) {
            if (hdr.ipv6.hop_limit <= 1) {
                meta.drop_reason = DROP_TTL;
            } else {
                hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
                ipv6_routes.apply();
            }
        } else {
            meta.drop_reason = DROP_NOT_IP;
        }
        if (meta.drop_reason == DROP_NO_NEXT_HOP) {
            down_groups.apply();
        }
        if (meta.drop_reason != DROP_NONE) {
            drops.count(meta.drop_reason);
            mark_to_drop(standard_metadata);
        }
    }
}

control FabricEgress(inout headers_t hdr,
                     inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    Estimator() estimator;

    // `packet_units`: what a packet counts on the link; 0: its bytes. `scale`: 2^40 / (C * tau).
    action link_is(bit<32> packet_units, bit<32> scale) {
        meta.is_link = true;
        meta.packet_units = packet_units;
        meta.scale = scale;
    }
    table links {
        key = {
            standard_metadata.egress_port : exact;
        }
        actions = {
            link_is;
            @defaultonly NoAction;
        }
        size = 16;
    }

    apply {
        bit<32> level;
        bit<48> at;
        bit<8>  congestion;
        links.apply();
        if (meta.is_link) {
            estimator.apply(standard_metadata.egress_port,
                            standard_metadata.egress_global_timestamp, level, at, congestion);
            if (hdr.conga.isValid() && congestion > hdr.conga.congestion) {
                hdr.conga.congestion = congestion;
            }
            if (meta.packet_units == 0) {
                meta.packet_units = standard_metadata.packet_length;
            }
            level = level |+| (bit<32>)(((bit<64>)meta.packet_units * (bit<64>)meta.scale) >> 16);
            sent.write((bit<32>)standard_metadata.egress_port, level);
            sent_at.write((bit<32>)standard_metadata.egress_port, at);
        }
    }
}

control FabricComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
              hdr.ipv4.identification, hdr.ipv4.reserved, hdr.ipv4.dont_fragment,
              hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol,
              hdr.ipv4.src_addr, hdr.ipv4.dst_addr },
            hdr.ipv4.header_checksum, HashAlgorithm.csum16);
    }
}

control FabricDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.conga);
        packet.emit(hdr.vlan);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.ports);
    }
}

V1Switch(FabricParser(),
         FabricVerifyChecksum(),
         FabricIngress(),
         FabricEgress(),
         FabricComputeChecksum(),
         FabricDeparser()) main;
