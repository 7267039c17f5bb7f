// Dahu spine switch (ANCS'13): virtual ports that the switch's software remaps, and longer paths where the software allows them.
// Rendered by p4loom from templates/dahu/switch.p4.hbs.
//
// A prefix has a port group and allowed-port bitmaps. A hash picks a virtual port of the group, which is mapped to a port. 16 hashes
// are computed at once, and the first one with an allowed port is used; otherwise 16 others; otherwise a hash picks one of the allowed ports.
// Bit i of a bitmap is port i + 1.
//
// The packet carries the number of its deroutes in the upper four bits of the DSCP: after the last allowed one it uses only shortest paths.
#include <core.p4>
#include <v1model.p4>

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

// The bitmap that a prefix uses: all ports of its group, those of shortest paths, or all ports that are not denied.
const bit<2> ALLOW_ALL = 0;
const bit<2> ALLOW_SHORTEST = 1;
const bit<2> ALLOW_FURTHER = 2;

// No port is allowed.
const bit<8> NONE = 0xff;

struct metadata_t {
    // The five-tuple in the same form for IPv4 and IPv6; ports are 0 if the packet has none.
    bit<128> flow_src;
    bit<128> flow_dst;
    bit<8>   flow_protocol;
    bit<16>  flow_src_port;
    bit<16>  flow_dst_port;
    // the upper four bits of the DSCP, which counts the deroutes.
    bit<6>   selector;
    bit<32>  drop_reason;
    // Number of the destination's prefix, its port group, and the bitmap that it uses.
    bit<16>  destination;
    bit<8>   group;
    bit<2>   bitmap;
    // Ports of shortest paths; ports that are not denied; members of the group that are up; ports that this packet may use.
    bit<8>   shortest;
    bit<8>   further;
    bit<8>   members;
    bit<8>   allowed;
    // Number of deroutes of the packet, and their maximum.
    bit<4>   deroutes;
    bit<4>   most_deroutes;
    // The egress port, as a bit of a bitmap.
    bit<8>   choice;
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
        meta.selector = hdr.ipv4.dscp;
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
        meta.selector = hdr.ipv6.dscp;
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
    // Traffic of each port, and of each member of each group: index group times 8 plus bit.
    counter(9, CounterType.bytes) port_traffic;
    counter(8, CounterType.bytes) group_traffic;
    // The port of each virtual port, as a bit of a bitmap: index group times 1024 plus virtual port.
    register<bit<8>>(1024) virtual_ports;

    action to_next_hop(bit<9> port, bit<48> mac) {
        meta.drop_reason = DROP_NONE;
        standard_metadata.egress_spec = port;
        hdr.ethernet.src_addr = hdr.ethernet.dst_addr;
        hdr.ethernet.dst_addr = mac;
    }

    action to_destination(bit<16> destination) {
        meta.drop_reason = DROP_NO_NEXT_HOP;
        meta.destination = destination;
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
            to_destination;
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
            to_destination;
            unreachable;
        }
        default_action = unreachable();
        counters = ipv6_route_counter;
        size = 16;
    }

    action set_most_deroutes(bit<4> number) {
        meta.most_deroutes = number;
    }
    table deroute_limit {
        actions = {
            set_most_deroutes;
        }
        default_action = set_most_deroutes(0);
    }

    action use_group(bit<8> group, bit<8> shortest, bit<8> further) {
        meta.group = group;
        meta.shortest = shortest;
        meta.further = further;
    }
    table destinations {
        key = {
            meta.destination : exact;
        }
        actions = {
            use_group;
            @defaultonly NoAction;
        }
        size = 16;
    }

    // The choice of the bitmap. It is in a table of its own: the switch's software writes it in each epoch, but the bitmaps only when links fail.
    action use_bitmap(bit<2> bitmap) {
        meta.bitmap = bitmap;
    }
    table selectors {
        key = {
            meta.destination : exact;
        }
        actions = {
            use_bitmap;
        }
        default_action = use_bitmap(ALLOW_SHORTEST);
        size = 16;
    }

    action group_has(bit<8> members) {
        meta.members = members;
    }
    table port_groups {
        key = {
            meta.group : exact;
        }
        actions = {
            group_has;
            @defaultonly NoAction;
        }
        size = 1;
    }

    table next_hops {
        key = {
            meta.choice : exact;
        }
        actions = {
            to_next_hop;
            @defaultonly NoAction;
        }
        size = 8;
    }

    // After the last allowed deroute, only shortest paths; never back to the ingress port.
    action find_allowed() {
        bit<8> bitmap = meta.shortest;
        if (meta.deroutes < meta.most_deroutes) {
            if (meta.bitmap == ALLOW_ALL) {
                bitmap = 8w0xff;
            }
            if (meta.bitmap == ALLOW_FURTHER) {
                bitmap = meta.further;
            }
        }
        bit<8> ingress = 8w1 << (bit<8>)(standard_metadata.ingress_port - 1);
        meta.allowed = bitmap & meta.members & ~ingress;
    }

    // 16 virtual ports: start, start + step, start + 2 step and so on. They are all different, because the step is odd.
    action try_hashes(in bit<32> drawn) {
        bit<10> start = drawn[9:0];
        bit<10> step = drawn[25:16] | 1;
        bit<8> port_0;
        virtual_ports.read(port_0, (bit<32>)(meta.group ++ (start)));
        bit<8> port_1;
        virtual_ports.read(port_1, (bit<32>)(meta.group ++ (start + step)));
        bit<8> port_2;
        virtual_ports.read(port_2, (bit<32>)(meta.group ++ (start + (step << 1))));
        bit<8> port_3;
        virtual_ports.read(port_3, (bit<32>)(meta.group ++ (start + step + (step << 1))));
        bit<8> port_4;
        virtual_ports.read(port_4, (bit<32>)(meta.group ++ (start + (step << 2))));
        bit<8> port_5;
        virtual_ports.read(port_5, (bit<32>)(meta.group ++ (start + step + (step << 2))));
        bit<8> port_6;
        virtual_ports.read(port_6, (bit<32>)(meta.group ++ (start + (step << 1) + (step << 2))));
        bit<8> port_7;
        virtual_ports.read(port_7,
                           (bit<32>)(meta.group ++ (start + step + (step << 1) + (step << 2))));
        bit<8> port_8;
        virtual_ports.read(port_8, (bit<32>)(meta.group ++ (start + (step << 3))));
        bit<8> port_9;
        virtual_ports.read(port_9, (bit<32>)(meta.group ++ (start + step + (step << 3))));
        bit<8> port_10;
        virtual_ports.read(port_10, (bit<32>)(meta.group ++ (start + (step << 1) + (step << 3))));
        bit<8> port_11;
        virtual_ports.read(port_11,
                           (bit<32>)(meta.group ++ (start + step + (step << 1) + (step << 3))));
        bit<8> port_12;
        virtual_ports.read(port_12, (bit<32>)(meta.group ++ (start + (step << 2) + (step << 3))));
        bit<8> port_13;
        virtual_ports.read(port_13,
                           (bit<32>)(meta.group ++ (start + step + (step << 2) + (step << 3))));
        bit<8> port_14;
        virtual_ports.read(port_14,
                           (bit<32>)(meta.group
                                     ++ (start + (step << 1) + (step << 2) + (step << 3))));
        bit<8> port_15;
        virtual_ports.read(port_15,
                           (bit<32>)(meta.group
                                     ++ (start + step + (step << 1) + (step << 2) + (step << 3))));
        // The first allowed virtual port is used: it is tested last and overwrites the others.
        meta.choice = NONE;
        meta.choice = ((meta.allowed >> port_15) & 1) == 1 ? port_15 : meta.choice;
        meta.choice = ((meta.allowed >> port_14) & 1) == 1 ? port_14 : meta.choice;
        meta.choice = ((meta.allowed >> port_13) & 1) == 1 ? port_13 : meta.choice;
        meta.choice = ((meta.allowed >> port_12) & 1) == 1 ? port_12 : meta.choice;
        meta.choice = ((meta.allowed >> port_11) & 1) == 1 ? port_11 : meta.choice;
        meta.choice = ((meta.allowed >> port_10) & 1) == 1 ? port_10 : meta.choice;
        meta.choice = ((meta.allowed >> port_9) & 1) == 1 ? port_9 : meta.choice;
        meta.choice = ((meta.allowed >> port_8) & 1) == 1 ? port_8 : meta.choice;
        meta.choice = ((meta.allowed >> port_7) & 1) == 1 ? port_7 : meta.choice;
        meta.choice = ((meta.allowed >> port_6) & 1) == 1 ? port_6 : meta.choice;
        meta.choice = ((meta.allowed >> port_5) & 1) == 1 ? port_5 : meta.choice;
        meta.choice = ((meta.allowed >> port_4) & 1) == 1 ? port_4 : meta.choice;
        meta.choice = ((meta.allowed >> port_3) & 1) == 1 ? port_3 : meta.choice;
        meta.choice = ((meta.allowed >> port_2) & 1) == 1 ? port_2 : meta.choice;
        meta.choice = ((meta.allowed >> port_1) & 1) == 1 ? port_1 : meta.choice;
        meta.choice = ((meta.allowed >> port_0) & 1) == 1 ? port_0 : meta.choice;
    }

    // One of the allowed ports by a hash: counts the bits of the bitmap in fields whose width doubles in each line, then searches these
    // counts from the widest field down for the bit whose number the hash gives.
    action fall_back() {
        bit<8> ones_1 = meta.allowed;
        bit<8> ones_2 = (ones_1 & 8w0x55) + ((ones_1 >> 1) & 8w0x55);
        bit<8> ones_4 = (ones_2 & 8w0x33) + ((ones_2 >> 2) & 8w0x33);
        bit<8> ones_8 = (ones_4 & 8w0xf) + ((ones_4 >> 4) & 8w0xf);
        bit<8> left;
        hash(left, HashAlgorithm.crc32_custom, 8w0,
             { meta.flow_src_port, meta.flow_dst_port, 4w0 ++ meta.deroutes, meta.flow_src,
               meta.flow_dst, meta.flow_protocol },
             (bit<16>)ones_8);
        bit<8> at = 0;
        bit<8> below;
        below = (bit<8>)((ones_4 >> at) & 8w0xf);
        at = left >= below ? at + 4 : at;
        left = left >= below ? left - below : left;
        below = (bit<8>)((ones_2 >> at) & 8w0x3);
        at = left >= below ? at + 2 : at;
        left = left >= below ? left - below : left;
        below = (bit<8>)((ones_1 >> at) & 8w0x1);
        at = left >= below ? at + 1 : at;
        left = left >= below ? left - below : left;
        meta.choice = at;
    }

    action count_deroute() {
        meta.deroutes = meta.deroutes + 1;
    }

    apply {
        bit<32> value;
        meta.drop_reason = DROP_NO_ROUTE;
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
            meta.deroutes = meta.selector[5:2];
            deroute_limit.apply();
            destinations.apply();
            selectors.apply();
            port_groups.apply();
            find_allowed();
            if (meta.allowed != 0) {
                hash(value, HashAlgorithm.crc32_custom, 32w0,
                     { 4w0 ++ meta.deroutes, meta.flow_src, meta.flow_dst, meta.flow_protocol,
                       meta.flow_src_port, meta.flow_dst_port },
                     64w0x100000000);
                try_hashes(value);
                if (meta.choice == NONE) {
                    hash(value, HashAlgorithm.crc32_custom, 32w0,
                         { meta.flow_dst_port, meta.flow_src_port, meta.flow_protocol,
                           meta.flow_dst, meta.flow_src, 4w0 ++ meta.deroutes },
                         64w0x100000000);
                    try_hashes(value);
                }
                if (meta.choice == NONE) {
                    fall_back();
                }
                group_traffic.count((bit<32>)meta.group * 8 + (bit<32>)meta.choice);
                next_hops.apply();
                if (((meta.shortest >> meta.choice) & 1) == 0) {
                    count_deroute();
                }
                if (hdr.ipv4.isValid()) {
                    hdr.ipv4.dscp = meta.deroutes ++ meta.selector[1:0];
                }
                if (hdr.ipv6.isValid()) {
                    hdr.ipv6.dscp = meta.deroutes ++ meta.selector[1:0];
                }
            }
        }
        if (meta.drop_reason == DROP_NONE) {
            port_traffic.count((bit<32>)standard_metadata.egress_spec);
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
