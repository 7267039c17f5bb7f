// HULA leaf switch (SOSR'16): probes report the utilisation of the best path to each rack, and a new flowlet uses that path.
// Rendered by p4loom from templates/hula/switch.p4.hbs.
//
// A probe starts at a ToR of its rack and travels against the direction of the data. It carries the utilisation of the busiest
// link of its path so far. Times are in microseconds, as in v1model's clock.
#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_HULA = 0x88b5;

header hula_t {
    // The destination rack of the path.
    bit<16> rack;
    bit<16> reserved;
    // Utilisation of the busiest link of the path; 65536 is the whole capacity.
    bit<32> utilisation;
}

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
    hula_t     hula;
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

// The ingress port of packets from packet generators and controllers.
const bit<9> CPU_PORT = 510;
// The estimator of the utilisation of a link: U = size + U * (1 - time / TAU), where `time` has passed since the last packet.
const bit<48> TAU = 400;
// 2^30 / TAU
const bit<64> TAU_INVERSE = 2684355;
// A best path without a probe for longer than this time is replaced by any other path.
const bit<48> AGEING = 600;
// A pause of a flow of this length ends a flowlet.
const bit<48> FLOWLET_GAP = 500;

struct metadata_t {
    // The five-tuple in the same form for IPv4 and IPv6; ports are 0 if the packet has none.
    bit<128> flow_src;
    bit<128> flow_dst;
    bit<8>   flow_protocol;
    bit<16>  flow_src_port;
    bit<16>  flow_dst_port;
    bit<32>  drop_reason;
    bit<48>  now;
    // Destination rack of the packet, or rack of the probe, as an index of registers.
    bit<32>  rack;
    // Next hop until the first probe arrives; 0: none.
    bit<9>   first_port;
    // The link to or from another switch, 0 for all other ports; and its data from the table `links`.
    bit<9>   link;
    bit<48>  next_mac;
    bit<32>  packet_units;
    bit<32>  scale;
    bit<16>  probe_group;
    bool     is_link;
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
            TYPE_HULA: parse_hula;
            default: accept;
        }
    }

    state parse_hula {
        packet.extract(hdr.hula);
        transition accept;
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

    action to_rack(bit<32> rack, bit<9> first_port) {
        meta.drop_reason = DROP_NO_NEXT_HOP;
        meta.rack = rack;
        meta.first_port = first_port;
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
            to_rack;
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
            to_rack;
            unreachable;
        }
        default_action = unreachable();
        counters = ipv6_route_counter;
        size = 16;
    }

    // `packet_units`: increment of the estimator for each packet; 0: its bytes. `scale`: utilisation = estimator * scale / 2^24.
    // `probe_group`: the multicast group of probes from this link.
    action link_is(bit<48> mac, bit<32> packet_units, bit<32> scale, bit<16> probe_group) {
        meta.is_link = true;
        meta.next_mac = mac;
        meta.packet_units = packet_units;
        meta.scale = scale;
        meta.probe_group = probe_group;
    }
    table links {
        key = {
            meta.link : exact;
        }
        actions = {
            link_is;
            @defaultonly NoAction;
        }
        size = 16;
    }

    // The multicast group of the probes that start here.
    action originate(bit<16> probe_group) {
        standard_metadata.mcast_grp = probe_group;
    }
    table origin {
        actions = {
            originate;
            @defaultonly NoAction;
        }
        default_action = NoAction();
    }

    // By port: the estimator, and the time of its last update.
    register<bit<32>>(512) sent;
    register<bit<48>>(512) sent_at;
    // By rack: the best next hop, the utilisation of its path, and the time of its last probe.
    register<bit<9>>(16) best_hop;
    register<bit<32>>(16) best_utilisation;
    register<bit<48>>(16) best_at;
    // By flow: next hop, rack and time of the last packet of its flowlet.
    register<bit<9>>(4096) flowlet_hop;
    register<bit<32>>(4096) flowlet_rack;
    register<bit<48>>(4096) flowlet_at;
    // Number of received probes, by port.
    counter(512, CounterType.packets_and_bytes) probes;

    // The present estimator of a port, without this packet.
    action estimate(out bit<32> units) {
        bit<32> before;
        bit<48> at;
        sent.read(before, (bit<32>)meta.link);
        sent_at.read(at, (bit<32>)meta.link);
        at = meta.now - at;
        units = at >= TAU ? 0
            : before - (bit<32>)(((bit<64>)before * ((bit<64>)at * TAU_INVERSE)) >> 30);
    }

    // The flowlet's next hop. A flow to another rack may have the same index: then a new flowlet begins.
    action find_flowlet(out bit<32> place, out bit<9> hop, out bool begins) {
        bit<48> at;
        bit<32> rack;
        hash(place, HashAlgorithm.crc32, 32w0,
             { meta.flow_src, meta.flow_dst, meta.flow_protocol, meta.flow_src_port,
               meta.flow_dst_port },
             32w4096);
        flowlet_at.read(at, place);
        flowlet_rack.read(rack, place);
        flowlet_hop.read(hop, place);
        begins = hop == 0 || rack != meta.rack || meta.now - at > FLOWLET_GAP;
        flowlet_at.write(place, meta.now);
    }

    apply {
        bit<32> units = 0;
        meta.drop_reason = DROP_NO_ROUTE;
        meta.now = standard_metadata.ingress_global_timestamp;
        if (hdr.hula.isValid()) {
            meta.drop_reason = DROP_NONE;
            meta.rack = (bit<32>)hdr.hula.rack;
            probes.count((bit<32>)standard_metadata.ingress_port);
            if (standard_metadata.ingress_port == CPU_PORT) {
                origin.apply();
            } else {
                meta.link = standard_metadata.ingress_port;
            }
        } else {
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
                bit<32> place;
                bool begins;
                find_flowlet(place, meta.link, begins);
                if (begins) {
                    best_hop.read(meta.link, meta.rack);
                    flowlet_hop.write(place, meta.link);
                    flowlet_rack.write(place, meta.rack);
                    if (meta.link == 0) {
                        meta.link = meta.first_port;
                    }
                }
            }
        }

        if (meta.link != 0) {
            links.apply();
            estimate(units);
        }

        if (hdr.hula.isValid()) {
            if (meta.is_link && meta.rack < 16) {
                bit<32> own = (bit<32>)(((bit<64>)units * (bit<64>)meta.scale) >> 24);
                bit<9>  hop;
                bit<32> best;
                bit<48> at;
                best_hop.read(hop, meta.rack);
                best_utilisation.read(best, meta.rack);
                best_at.read(at, meta.rack);
                if (own > hdr.hula.utilisation) {
                    hdr.hula.utilisation = own;
                }
                // A probe that changes nothing is not forwarded: a link carries about one probe for each rack in each interval.
                if (hop == 0 || hop == meta.link || hdr.hula.utilisation < best
                    || meta.now - at > AGEING) {
                    best_hop.write(meta.rack, meta.link);
                    best_utilisation.write(meta.rack, hdr.hula.utilisation);
                    best_at.write(meta.rack, meta.now);
                    standard_metadata.mcast_grp = meta.probe_group;
                }
            }
            if (standard_metadata.mcast_grp == 0) {
                mark_to_drop(standard_metadata);
            }
        } else if (meta.is_link) {
            meta.drop_reason = DROP_NONE;
            standard_metadata.egress_spec = meta.link;
            hdr.ethernet.src_addr = hdr.ethernet.dst_addr;
            hdr.ethernet.dst_addr = meta.next_mac;
            if (meta.packet_units == 0) {
                units = units + standard_metadata.packet_length;
            } else {
                units = units + meta.packet_units;
            }
            sent.write((bit<32>)meta.link, units);
            sent_at.write((bit<32>)meta.link, meta.now);
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
    apply { }
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
        packet.emit(hdr.hula);
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
