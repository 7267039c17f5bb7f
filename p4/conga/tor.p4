// CONGA ToR switch (SIGCOMM'14), which the paper calls a leaf: a new flowlet takes the uplink whose busiest link is the least busy one.
// Rendered by p4loom from templates/conga/tor.p4.hbs.
//
// Packets to other racks carry a header of the overlay. It brings the congestion of their path to the ToR of the destination, which
// returns it on packets of the other direction.
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

// A pause of a flow of this length ends a flowlet.
const bit<48> FLOWLET_GAP = 500;
const bit<32> RACKS = 4;
// The most uplinks of a ToR, and of the ToRs of a rack.
const bit<32> UPLINKS = 4;
const bit<32> TAGS = 8;

struct metadata_t {
    // The five-tuple in the same form for IPv4 and IPv6; ports are 0 if the packet has none.
    bit<128> flow_src;
    bit<128> flow_dst;
    bit<8>   flow_protocol;
    bit<16>  flow_src_port;
    bit<16>  flow_dst_port;
    bit<32>  drop_reason;
    // The link by which the packet leaves, from the table `links`.
    bool     is_link;
    bit<32>  packet_units;
    bit<32>  scale;
    bit<48>  now;
    // The own rack, the tag of the own first uplink, and the ports of the uplinks; 0: there is none.
    bit<16>  own_rack;
    bit<8>   first_tag;
    bit<9>   port_0;
    bit<9>   port_1;
    bit<9>   port_2;
    bit<9>   port_3;
    // Destination rack of the packet, and the uplinks that lead there: a bit for each.
    bit<32>  rack;
    bit<4>   usable;
    // The uplink of the packet: its number plus 1, 0 for none.
    bit<9>   uplink;
    // A byte for each of: congestion, whether the uplink is another one than before, a random number. The least one is the best.
    bit<24>  best;
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

// What has not been heard of for a time loses half of its value, after each further such time half of the rest (section 3.3: "gradually decays to zero").
control Ageing(in bit<48> at, in bit<48> now, inout bit<8> congestion) {
    apply {
        if (now - at > 10000) {
            congestion = congestion >> 1;
        }
        if (now - at > 20000) {
            congestion = congestion >> 1;
        }
        if (now - at > 30000) {
            congestion = congestion >> 1;
        }
    }
}

control FabricIngress(inout headers_t hdr,
                      inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    counter(6, CounterType.packets) drops;
    Estimator() estimator;
    Ageing() ageing;

    // What a switch knows of itself.
    action self_is(bit<16> rack, bit<8> first_tag, bit<9> port_0, bit<9> port_1, bit<9> port_2,
                   bit<9> port_3) {
        meta.own_rack = rack;
        meta.first_tag = first_tag;
        meta.port_0 = port_0;
        meta.port_1 = port_1;
        meta.port_2 = port_2;
        meta.port_3 = port_3;
    }
    table self {
        actions = {
            self_is;
            @defaultonly NoAction;
        }
        default_action = NoAction();
    }

    action to_rack(bit<32> rack, bit<4> usable) {
        meta.drop_reason = DROP_NO_NEXT_HOP;
        meta.rack = rack;
        meta.usable = usable;
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

    action to_next_hop(bit<9> port, bit<48> mac) {
        meta.drop_reason = DROP_NONE;
        standard_metadata.egress_spec = port;
        hdr.ethernet.src_addr = hdr.ethernet.dst_addr;
        hdr.ethernet.dst_addr = mac;
    }
    table uplinks {
        key = {
            meta.uplink : exact;
        }
        actions = {
            to_next_hop;
            @defaultonly NoAction;
        }
        size = 4;
    }

    // Congestion-To-Leaf table: by rack and own uplink, and the time of the last feedback.
    register<bit<8>>(16) to_rack_congestion;
    register<bit<48>>(16) to_rack_at;
    // Congestion-From-Leaf table: by rack and its tag. Bit 7: known; bit 6: has changed since it was last sent there.
    register<bit<8>>(32) from_rack_congestion;
    register<bit<48>>(32) from_rack_at;
    // By rack: the tag to which the search for the next feedback comes first.
    register<bit<8>>(4) next_feedback;
    // By flow: next hop, rack and time of the last packet of its flowlet.
    register<bit<9>>(4096) flowlet_hop;
    register<bit<32>>(4096) flowlet_rack;
    register<bit<48>>(4096) flowlet_at;

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
        meta.drop_reason = DROP_NO_ROUTE;
        meta.now = standard_metadata.ingress_global_timestamp;
        self.apply();
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
        if (hdr.conga.isValid()) {
            bool from_fabric = false;
            if (standard_metadata.ingress_port == meta.port_0) {
                from_fabric = true;
            }
            if (standard_metadata.ingress_port == meta.port_1) {
                from_fabric = true;
            }
            if (standard_metadata.ingress_port == meta.port_2) {
                from_fabric = true;
            }
            if (standard_metadata.ingress_port == meta.port_3) {
                from_fabric = true;
            }
            // Only switches speak the overlay.
            if (!from_fabric) {
                meta.drop_reason = DROP_NOT_IP;
            } else if ((bit<32>)hdr.conga.rack < RACKS) {
                bit<32> row = (bit<32>)hdr.conga.rack;
                bit<8>  own = hdr.conga.feedback_tag - meta.first_tag;
                if (hdr.conga.feedback_tag != NO_FEEDBACK && (bit<32>)own < UPLINKS) {
                    to_rack_congestion.write(row * UPLINKS + (bit<32>)own, hdr.conga.feedback & 7);
                    to_rack_at.write(row * UPLINKS + (bit<32>)own, meta.now);
                }
                if ((bit<32>)hdr.conga.tag < TAGS) {
                    bit<32> place = row * TAGS + (bit<32>)hdr.conga.tag;
                    bit<8>  known;
                    bit<8>  heard = hdr.conga.congestion & 7;
                    from_rack_congestion.read(known, place);
                    if ((known & 0xbf) == (heard | 0x80)) {
                        heard = known;
                    } else {
                        heard = heard | 0xc0;
                    }
                    from_rack_congestion.write(place, heard);
                    from_rack_at.write(place, meta.now);
                }
            }
            hdr.ethernet.ether_type = hdr.conga.ether_type;
            hdr.conga.setInvalid();
        }

        if (meta.drop_reason == DROP_NO_NEXT_HOP) {
            bit<32> place;
            bool    begins;
            find_flowlet(place, meta.uplink, begins);
            // The routes may have changed under a flowlet.
            if (begins || (meta.usable & (4w1 << (bit<8>)(meta.uplink - 1))) == 0) {
                bit<32> level;
                bit<48> at;
                bit<8>  congestion;
                bit<8>  remote;
                bit<8>  moves;
                bit<8>  draw;
                bit<32> rack_before;
                bit<9>  before = 0;
                flowlet_rack.read(rack_before, place);
                // The uplink of the last flowlet is kept unless another one is strictly better (section 3.5).
                if (rack_before == meta.rack) {
                    before = meta.uplink;
                }
                meta.uplink = 0;
                meta.best = 0xffffff;
                if (meta.usable[0:0] == 1) {
                    estimator.apply(meta.port_0, meta.now, level, at, congestion);
                    to_rack_congestion.read(remote, meta.rack * UPLINKS + 0);
                    to_rack_at.read(at, meta.rack * UPLINKS + 0);
                    ageing.apply(at, meta.now, remote);
                    if (remote > congestion) {
                        congestion = remote;
                    }
                    moves = 1;
                    if (before == 0 + 1) {
                        moves = 0;
                    }
                    random(draw, 0, 254);
                    if (congestion ++ moves ++ draw < meta.best) {
                        meta.best = congestion ++ moves ++ draw;
                        meta.uplink = 0 + 1;
                    }
                }
                if (meta.usable[1:1] == 1) {
                    estimator.apply(meta.port_1, meta.now, level, at, congestion);
                    to_rack_congestion.read(remote, meta.rack * UPLINKS + 1);
                    to_rack_at.read(at, meta.rack * UPLINKS + 1);
                    ageing.apply(at, meta.now, remote);
                    if (remote > congestion) {
                        congestion = remote;
                    }
                    moves = 1;
                    if (before == 1 + 1) {
                        moves = 0;
                    }
                    random(draw, 0, 254);
                    if (congestion ++ moves ++ draw < meta.best) {
                        meta.best = congestion ++ moves ++ draw;
                        meta.uplink = 1 + 1;
                    }
                }
                if (meta.usable[2:2] == 1) {
                    estimator.apply(meta.port_2, meta.now, level, at, congestion);
                    to_rack_congestion.read(remote, meta.rack * UPLINKS + 2);
                    to_rack_at.read(at, meta.rack * UPLINKS + 2);
                    ageing.apply(at, meta.now, remote);
                    if (remote > congestion) {
                        congestion = remote;
                    }
                    moves = 1;
                    if (before == 2 + 1) {
                        moves = 0;
                    }
                    random(draw, 0, 254);
                    if (congestion ++ moves ++ draw < meta.best) {
                        meta.best = congestion ++ moves ++ draw;
                        meta.uplink = 2 + 1;
                    }
                }
                if (meta.usable[3:3] == 1) {
                    estimator.apply(meta.port_3, meta.now, level, at, congestion);
                    to_rack_congestion.read(remote, meta.rack * UPLINKS + 3);
                    to_rack_at.read(at, meta.rack * UPLINKS + 3);
                    ageing.apply(at, meta.now, remote);
                    if (remote > congestion) {
                        congestion = remote;
                    }
                    moves = 1;
                    if (before == 3 + 1) {
                        moves = 0;
                    }
                    random(draw, 0, 254);
                    if (congestion ++ moves ++ draw < meta.best) {
                        meta.best = congestion ++ moves ++ draw;
                        meta.uplink = 3 + 1;
                    }
                }
                flowlet_hop.write(place, meta.uplink);
                flowlet_rack.write(place, meta.rack);
            }
            uplinks.apply();

            // One entry of the row returns to the rack: the next one in turn that has changed, or the next one (section 3.3, step 4).
            bit<8> turn;
            bit<8> tag;
            bit<8> entry;
            bit<8> chosen = 0;
            hdr.conga.setValid();
            hdr.conga.rack = meta.own_rack;
            hdr.conga.tag = meta.first_tag + (bit<8>)(meta.uplink - 1);
            hdr.conga.congestion = 0;
            hdr.conga.feedback_tag = NO_FEEDBACK;
            hdr.conga.feedback = 0;
            hdr.conga.ether_type = hdr.ethernet.ether_type;
            hdr.ethernet.ether_type = TYPE_CONGA;
            next_feedback.read(turn, meta.rack);
            tag = turn + 0;
            if ((bit<32>)tag >= TAGS) {
                tag = tag - (bit<8>)TAGS;
            }
            from_rack_congestion.read(entry, meta.rack * TAGS + (bit<32>)tag);
            if ((entry & 0xc0) > (chosen & 0xc0)) {
                chosen = entry;
                hdr.conga.feedback_tag = tag;
            }
            tag = turn + 1;
            if ((bit<32>)tag >= TAGS) {
                tag = tag - (bit<8>)TAGS;
            }
            from_rack_congestion.read(entry, meta.rack * TAGS + (bit<32>)tag);
            if ((entry & 0xc0) > (chosen & 0xc0)) {
                chosen = entry;
                hdr.conga.feedback_tag = tag;
            }
            tag = turn + 2;
            if ((bit<32>)tag >= TAGS) {
                tag = tag - (bit<8>)TAGS;
            }
            from_rack_congestion.read(entry, meta.rack * TAGS + (bit<32>)tag);
            if ((entry & 0xc0) > (chosen & 0xc0)) {
                chosen = entry;
                hdr.conga.feedback_tag = tag;
            }
            tag = turn + 3;
            if ((bit<32>)tag >= TAGS) {
                tag = tag - (bit<8>)TAGS;
            }
            from_rack_congestion.read(entry, meta.rack * TAGS + (bit<32>)tag);
            if ((entry & 0xc0) > (chosen & 0xc0)) {
                chosen = entry;
                hdr.conga.feedback_tag = tag;
            }
            tag = turn + 4;
            if ((bit<32>)tag >= TAGS) {
                tag = tag - (bit<8>)TAGS;
            }
            from_rack_congestion.read(entry, meta.rack * TAGS + (bit<32>)tag);
            if ((entry & 0xc0) > (chosen & 0xc0)) {
                chosen = entry;
                hdr.conga.feedback_tag = tag;
            }
            tag = turn + 5;
            if ((bit<32>)tag >= TAGS) {
                tag = tag - (bit<8>)TAGS;
            }
            from_rack_congestion.read(entry, meta.rack * TAGS + (bit<32>)tag);
            if ((entry & 0xc0) > (chosen & 0xc0)) {
                chosen = entry;
                hdr.conga.feedback_tag = tag;
            }
            tag = turn + 6;
            if ((bit<32>)tag >= TAGS) {
                tag = tag - (bit<8>)TAGS;
            }
            from_rack_congestion.read(entry, meta.rack * TAGS + (bit<32>)tag);
            if ((entry & 0xc0) > (chosen & 0xc0)) {
                chosen = entry;
                hdr.conga.feedback_tag = tag;
            }
            tag = turn + 7;
            if ((bit<32>)tag >= TAGS) {
                tag = tag - (bit<8>)TAGS;
            }
            from_rack_congestion.read(entry, meta.rack * TAGS + (bit<32>)tag);
            if ((entry & 0xc0) > (chosen & 0xc0)) {
                chosen = entry;
                hdr.conga.feedback_tag = tag;
            }
            if (hdr.conga.feedback_tag != NO_FEEDBACK) {
                bit<48> heard_at;
                bit<32> sent_from = meta.rack * TAGS + (bit<32>)hdr.conga.feedback_tag;
                from_rack_congestion.write(sent_from, chosen & 0xbf);
                next_feedback.write(meta.rack, hdr.conga.feedback_tag + 1);
                chosen = chosen & 7;
                from_rack_at.read(heard_at, sent_from);
                // Else feedback on a path that nobody uses any more would keep its entry at the sender young.
                ageing.apply(heard_at, meta.now, chosen);
                hdr.conga.feedback = chosen;
            }
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
