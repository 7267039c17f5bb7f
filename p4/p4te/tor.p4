// P4TE tor switch ("P4TE: PISA switch based traffic engineering in fat-tree data center networks").
// Rendered by p4loom from templates/p4te/switch.p4.hbs.
//
// Ingress meters packets by port and class (T1) and selects the next hop of each flowlet by load (T2). Egress monitors queue depths and
// rates of its ports (T3) and notifies the control plane and, by a recirculated copy, ingress.
// Egress also sends fake acknowledgements (FACKs) that change the window of a sender (T4).
#include <core.p4>
#include <v1model.p4>

// A value of `instance_type`.
const bit<32> RECIRCULATED = 4;

// Colours of meters, and their meaning for a port.
const bit<2> GREEN = 0;
const bit<2> RED = 2;

// The content of an event: the depth of a queue, or the rate of a port.
const bit<2> UNCHANGED = 0;
const bit<2> INCREASE = 1;
const bit<2> DECREASE = 2;

// Copies of a packet that egress creates: their number in the clone session (`egress_rid`), which is 0 for all other packets.
const bit<16> COPY_TO_CONTROL = 1;
const bit<16> COPY_TO_INGRESS = 2;
const bit<16> COPY_TO_SOURCE = 3;

// P4TE's flag, the upper two bits of the DSCP between switches.
const bit<2> FLAG_NONE = 0;
const bit<2> FLAG_TREATED = 1;       // no further rate control of this packet's flow
const bit<2> FLAG_FACK_DECREASE = 2; // a FACK that reduces the window
const bit<2> FLAG_FACK_INCREASE = 3; // a FACK that enlarges it

// The kind of a segment to a host below.
const bit<2> OTHER = 0;
const bit<2> FACK = 1;
const bit<2> ACKNOWLEDGEMENT = 2;

// An event, for the control plane.
@controller_header("packet_in")
header event_t {
    bit<9>  port;
    bit<2>  queue_event;
    bit<19> queue_depth;
    bit<2>  rate_event;
    bit<2>  color;
    bit<6>  padding;
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

// What follows the ports in a TCP header; options are left in the payload.
header tcp_t {
    bit<32> sequence;
    bit<32> acknowledgement;
    bit<4>  data_offset;
    bit<4>  reserved;
    bit<8>  flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

struct headers_t {
    event_t    event;
    ethernet_t ethernet;
    vlan_t     vlan;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
    ports_t    ports;
    tcp_t      tcp;
}

// The reason of a drop: the index of its counter in `drops`.
const bit<32> DROP_NONE = 0;
const bit<32> DROP_NOT_IP = 1;      // neither IPv4 nor IPv6
const bit<32> DROP_MALFORMED = 2;   // cut short, IPv4 options, or a wrong IPv4 checksum
const bit<32> DROP_TTL = 3;         // would leave with TTL or hop limit 0
const bit<32> DROP_NO_ROUTE = 4;    // no route to the destination
const bit<32> DROP_NO_NEXT_HOP = 5; // the route names next hops that are not installed

struct metadata_t {
    // The five-tuple in the same form for IPv4 and IPv6; ports are 0 if the packet has none.
    bit<128> flow_src;
    bit<128> flow_dst;
    bit<8>   flow_protocol;
    bit<16>  flow_src_port;
    bit<16>  flow_dst_port;
    // Constants of the switch that are part of the hash input, one for each direction.
    bit<16>  up_seed;
    bit<32>  drop_reason;
    bool     goes_up;
    // The port with the shortest queue, the port with the lowest rate, and the port of this flowlet.
    bit<9>   queue_port;
    bit<9>   rate_port;
    bit<9>   up_port;
    // The preferred port, and the port to use if the preferred one is not green.
    bit<9>   first_port;
    bit<9>   second_port;
    // The state of the preferred port.
    bit<8>   status;
    bit<7>   epoch;
    // Epoch and port: of a flowlet that begins now, and of the flowlet of this packet.
    bit<16>  fresh;
    bit<16>  used;
    bit<32>  now;
    bit<1>   is_new;
    // Index of the flow in the arrays of flowlets.
    bit<32>  flow_index;
    // The class, the lower four bits of the DSCP, and its upper two; whether flows of the class are large; the colour of its meter.
    bit<4>   class;
    bit<2>   flag;
    bit<1>   large;
    bit<2>   incoming_color;
    // Length of the TCP header; length of the payload, and whether it is not empty.
    bit<16>  header_length;
    bit<16>  payload_length;
    bit<1>   has_data;
    // The rate control for the sender: a flag of FACKs, or none.
    @field_list(1)
    bit<2>   treatment;
    // MAC address of the neighbour that sent the packet.
    @field_list(1)
    bit<48>  came_from;
    // The TCP checksum of the FACK is computed at the end.
    bit<1>   is_fack;
    bit<1>   from_host;
    // Index of the flow of data in the arrays of flows, and a second hash of the flow.
    @field_list(1)
    bit<32>  own_flow;
    @field_list(1)
    bit<16>  own_mark;
    @field_list(1)
    bit<9>   event_port;
    @field_list(1)
    bit<2>   queue_event;
    @field_list(1)
    bit<19>  queue_depth;
    @field_list(1)
    bit<2>   rate_event;
    @field_list(1)
    bit<2>   color;
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
        transition select(meta.flow_protocol) {
            PROTOCOL_TCP: parse_tcp;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
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
        // The checksum of a FACK is verified, because switches change it and compute a new checksum.
        verify_checksum(hdr.tcp.isValid() && hdr.ipv4.isValid() && hdr.ipv4.dscp[5:5] == 1
                        && hdr.ipv4.total_length == 40,
                        { hdr.ipv4.src_addr, hdr.ipv4.dst_addr, 8w0, hdr.ipv4.protocol, 16w20,
                          hdr.ports.src_port, hdr.ports.dst_port, hdr.tcp.sequence,
                          hdr.tcp.acknowledgement,
                          hdr.tcp.data_offset, hdr.tcp.reserved, hdr.tcp.flags, hdr.tcp.window,
                          hdr.tcp.urgent },
                        hdr.tcp.checksum, HashAlgorithm.csum16);
        verify_checksum(hdr.tcp.isValid() && hdr.ipv6.isValid() && hdr.ipv6.dscp[5:5] == 1
                        && hdr.ipv6.payload_length == 20,
                        { hdr.ipv6.src_addr, hdr.ipv6.dst_addr, 32w20, 24w0, hdr.ipv6.next_header,
                          hdr.ports.src_port, hdr.ports.dst_port, hdr.tcp.sequence,
                          hdr.tcp.acknowledgement,
                          hdr.tcp.data_offset, hdr.tcp.reserved, hdr.tcp.flags, hdr.tcp.window,
                          hdr.tcp.urgent },
                        hdr.tcp.checksum, HashAlgorithm.csum16);
    }
}

control FabricIngress(inout headers_t hdr,
                      inout metadata_t meta,
                      inout standard_metadata_t standard_metadata) {
    counter(6, CounterType.packets) drops;

    action set_hash_seed(bit<16> up) {
        meta.up_seed = up;
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

    // T1: a meter for each class at each ingress port (section 4.1.3). The colour is green up to the safe rate.
    direct_meter<bit<2>>(MeterType.bytes) class_meter;
    action measure_class(bit<1> large) {
        class_meter.read(meta.incoming_color);
        meta.large = large;
    }
    table class_rates {
        key = {
            standard_metadata.ingress_port : exact;
            meta.class                     : exact;
        }
        actions = {
            measure_class;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        meters = class_meter;
        size = 16;
    }

    action to_uplinks() {
        meta.drop_reason = DROP_NO_NEXT_HOP;
        meta.goes_up = true;
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
            to_uplinks;
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
            to_uplinks;
            unreachable;
        }
        default_action = unreachable();
        counters = ipv6_route_counter;
        size = 16;
    }

    // T2: the upward ports in routing groups, by the depth of their queues and by their rates (section 4.2.1). The entry with
    // the highest priority is for the best group; a group without ports has no entry.
    action use_queue_port(bit<9> port) {
        meta.queue_port = port;
    }
    action use_rate_port(bit<9> port) {
        meta.rate_port = port;
    }
    action_selector(HashAlgorithm.crc32, 16, 32) queue_members;
    table up_by_queue {
        key = {
            meta.flow_dst : ternary;
            meta.up_seed : selector;
            meta.flow_dst_port : selector;
            meta.flow_src_port : selector;
            meta.flow_protocol : selector;
            meta.flow_dst : selector;
            meta.flow_src : selector;
        }
        actions = {
            use_queue_port;
            @defaultonly NoAction;
        }
        implementation = queue_members;
        size = 16;
    }
    action_selector(HashAlgorithm.crc32, 16, 32) rate_members;
    table up_by_rate {
        key = {
            meta.flow_dst : ternary;
            meta.up_seed : selector;
            meta.flow_dst_port : selector;
            meta.flow_src_port : selector;
            meta.flow_protocol : selector;
            meta.flow_dst : selector;
            meta.flow_src : selector;
        }
        actions = {
            use_rate_port;
            @defaultonly NoAction;
        }
        implementation = rate_members;
        size = 16;
    }

    // A flowlet that began in an earlier epoch chooses again: the control plane increments the epoch when a link fails or returns.
    action set_epoch(bit<7> number) {
        meta.epoch = number;
    }
    table flowlet_epoch {
        actions = {
            set_epoch;
        }
        default_action = set_epoch(1);
    }

    // The last report of egress on each port.
    register<bit<8>>(16) port_utilizations;
    // Its time, in microseconds.
    register<bit<32>>(16) reported;
    // The colour of a port that no packet has crossed for this time is forgotten: its meter would mark the next packet green.
    action read_status() {
        bit<8> color;
        bit<32> at;
        bit<32> place = (bit<32>)meta.first_port;
        port_utilizations.read(color, place);
        reported.read(at, place);
        meta.status = meta.now - at >= 50000 ? (bit<8>)GREEN : color;
        // Otherwise it would return when the clock has run through its 32 bits.
        port_utilizations.write(place, meta.status);
    }
    register<bit<32>>(8192) last_seen;
    // By flow: the epoch and the port of its flowlet.
    register<bit<16>>(8192) last_used_ports;

    // Algorithm 2: the ports to choose from, by the class, the time since the flow's last packet, and the port of its flowlet.
    action prefer_rate() {
        meta.first_port = meta.rate_port;
        meta.second_port = meta.queue_port;
    }
    action prefer_queue() {
        meta.first_port = meta.queue_port;
        meta.second_port = meta.rate_port;
    }
    action find_flowlet() {
        meta.now = (bit<32>)standard_metadata.ingress_global_timestamp;
        hash(meta.flow_index, HashAlgorithm.crc32, 32w0,
             { meta.flow_src, meta.flow_dst, meta.flow_protocol, meta.flow_src_port,
               meta.flow_dst_port },
             32w8192);
    }
    // In microseconds, modulo 2^32: a flow whose pause is close to 2^32 microseconds may keep its port.
    action measure_gap() {
        bit<32> last;
        last_seen.read(last, meta.flow_index);
        meta.is_new = meta.now - last >= 40000 ? 1w1 : 1w0;
        last_seen.write(meta.flow_index, meta.now);
    }
    action begin_flowlet() {
        meta.used = meta.fresh;
        last_used_ports.write(meta.flow_index, meta.fresh);
    }
    action go_on() {
        bit<16> used;
        last_used_ports.read(used, meta.flow_index);
        used = used[15:9] != meta.epoch ? meta.fresh : used;
        last_used_ports.write(meta.flow_index, used);
        meta.used = used;
    }

    table uplinks {
        key = {
            meta.up_port : exact;
        }
        actions = {
            to_next_hop;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        size = 16;
    }

    action from_host() {
        meta.from_host = 1;
    }
    table host_ports {
        key = {
            standard_metadata.ingress_port : exact;
        }
        actions = {
            from_host;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        size = 16;
    }

    // The index of the flow of data that the packet belongs to or acknowledges.
    action find_flow() {
        hash(meta.own_flow, HashAlgorithm.crc32, 32w0,
             { meta.flow_src, meta.flow_dst, meta.flow_protocol, meta.flow_src_port,
               meta.flow_dst_port },
             32w8192);
        hash(meta.own_mark, HashAlgorithm.crc16, 16w0,
             { meta.flow_src, meta.flow_dst, meta.flow_protocol, meta.flow_src_port,
               meta.flow_dst_port },
             17w65536);
    }
    action find_acknowledged_flow() {
        hash(meta.own_flow, HashAlgorithm.crc32, 32w0,
             { meta.flow_dst, meta.flow_src, meta.flow_protocol, meta.flow_dst_port,
               meta.flow_src_port },
             32w8192);
        hash(meta.own_mark, HashAlgorithm.crc16, 16w0,
             { meta.flow_dst, meta.flow_src, meta.flow_protocol, meta.flow_dst_port,
               meta.flow_src_port },
             17w65536);
    }

    // The class and P4TE's flag are in the DSCP.
    action read_ipv4() {
        meta.class = hdr.ipv4.dscp[3:0];
        meta.flag = hdr.ipv4.dscp[5:4];
    }
    action read_ipv6() {
        meta.class = hdr.ipv6.dscp[3:0];
        meta.flag = hdr.ipv6.dscp[5:4];
    }
    // A DSCP above 15 is no class, and the fabric uses its upper two bits: the packet is marked again, as best effort (RFC 2475,
    // section 2.3.3).
    action mark_ipv4() {
        hdr.ipv4.dscp = 0;
    }
    action mark_ipv6() {
        hdr.ipv6.dscp = 0;
    }

    apply {
        if (standard_metadata.instance_type == RECIRCULATED) {
            // An event of egress: later packets choose paths by the new colour of the port.
            port_utilizations.write((bit<32>)meta.event_port, (bit<8>)meta.color);
            reported.write((bit<32>)meta.event_port,
                           (bit<32>)standard_metadata.ingress_global_timestamp);
            mark_to_drop(standard_metadata);
            exit;
        }
        meta.drop_reason = DROP_NO_ROUTE;
        if (hdr.ipv4.isValid()) {
            read_ipv4();
        } else if (hdr.ipv6.isValid()) {
            read_ipv6();
        }
        meta.came_from = hdr.ethernet.src_addr;
        if (hdr.tcp.isValid()) {
            meta.header_length = (bit<16>)hdr.tcp.data_offset << 2;
            if (hdr.ipv4.isValid()) {
                meta.payload_length = hdr.ipv4.total_length - 20;
            } else {
                meta.payload_length = hdr.ipv6.payload_length;
            }
            meta.payload_length = meta.payload_length - meta.header_length;
            if (meta.payload_length != 0) {
                meta.has_data = 1;
            }
        }
        host_ports.apply();
        if (meta.from_host == 1 && meta.flag != FLAG_NONE) {
            if (hdr.ipv4.isValid()) {
                mark_ipv4();
            } else {
                mark_ipv6();
            }
            meta.class = 0;
            meta.flag = FLAG_NONE;
        }
        class_rates.apply();
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
        if (meta.drop_reason == DROP_NO_NEXT_HOP && meta.goes_up) {
            up_by_queue.apply();
            up_by_rate.apply();
            flowlet_epoch.apply();
            if (meta.large == 1) {
                prefer_rate();
            } else {
                prefer_queue();
            }
            find_flowlet();
            read_status();
            measure_gap();
            if (meta.status == (bit<8>)GREEN) {
                meta.fresh = meta.epoch ++ meta.first_port;
            } else {
                meta.fresh = meta.epoch ++ meta.second_port;
            }
            if (meta.is_new == 1) {
                begin_flowlet();
            } else {
                go_on();
            }
            meta.up_port = meta.used[8:0];
            uplinks.apply();
        }
        if (hdr.tcp.isValid()) {
            // Data, and the SYN that begins a flow of data; other packets of a host that go up may be either, and count as data.
            if (meta.has_data == 1 || (hdr.tcp.flags & 0x02) != 0
                || (meta.from_host == 1 && meta.goes_up)) {
                find_flow();
            } else {
                find_acknowledged_flow();
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
    // The last reported depth and colour of each port.
    register<bit<32>>(16) old_queue_depths;
    register<bit<8>>(16) old_colors;
    // When the colour of each port that is not green was reported again, in microseconds.
    register<bit<32>>(16) reported_at;
    bit<1> is_due;

    bit<1> to_host;

    // A meter for each link, with two rates (section 4.1.2).
    direct_meter<bit<2>>(MeterType.bytes) link_meter;
    action measure_link(bit<1> host) {
        link_meter.read(meta.color);
        to_host = host;
    }
    table link_rates {
        key = {
            standard_metadata.egress_port : exact;
        }
        actions = {
            measure_link;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        meters = link_meter;
        size = 16;
    }

    // T3, algorithm 1, lines 1 to 11: the depth differs by delta from the last reported depth.
    action watch_queue() {
        bit<32> old;
        bit<32> place = (bit<32>)standard_metadata.egress_port;
        bit<32> depth = (bit<32>)standard_metadata.deq_qdepth;
        old_queue_depths.read(old, place);
        bool deeper = depth >= old + 2;
        bool shallower = depth + 2 <= old;
        meta.queue_event = deeper ? INCREASE : (shallower ? DECREASE : UNCHANGED);
        old_queue_depths.write(place, deeper || shallower ? depth : old);
    }

    // Lines 12 to 20: the colour differs from that of the previous packet.
    action watch_rate() {
        bit<8> old;
        bit<32> place = (bit<32>)standard_metadata.egress_port;
        bit<8> color = (bit<8>)meta.color;
        old_colors.read(old, place);
        old_colors.write(place, color);
        meta.rate_event = color > old ? INCREASE : (color < old ? DECREASE : UNCHANGED);
    }

    // Ingress forgets the colour of a port that no packet crosses for 50000 microseconds. So a port that is not green reports
    // its colour twice in this time, as long as packets cross it.
    action report_again() {
        bit<32> at;
        bit<32> place = (bit<32>)standard_metadata.egress_port;
        bit<32> now = (bit<32>)standard_metadata.egress_global_timestamp;
        reported_at.read(at, place);
        bool due = now - at >= 25000;
        is_due = due ? 1w1 : 1w0;
        reported_at.write(place, due ? now : at);
    }

    action tell_control() {
        hdr.event.setValid();
        hdr.event.port = meta.event_port;
        hdr.event.queue_event = meta.queue_event;
        hdr.event.queue_depth = meta.queue_depth;
        hdr.event.rate_event = meta.rate_event;
        hdr.event.color = meta.color;
        hdr.event.padding = 0;
        truncate(5);
    }

    // T4, section 4.3.2: a copy of the data becomes an acknowledgement without payload for the sender. Between switches it has the
    // data's own sequence number; the sender's leaf replaces this by the last number that the sender received.
    action turn_ipv4() {
        bit<32> address = hdr.ipv4.src_addr;
        hdr.ipv4.src_addr = hdr.ipv4.dst_addr;
        hdr.ipv4.dst_addr = address;
        hdr.ipv4.dscp = 0;
        hdr.ipv4.ecn = 0;
        hdr.ipv4.total_length = 40;
        hdr.ipv4.ttl = 64;
        truncate(hdr.vlan.isValid() ? 32w58 : 32w54);
    }
    action turn_ipv6() {
        bit<128> address = hdr.ipv6.src_addr;
        hdr.ipv6.src_addr = hdr.ipv6.dst_addr;
        hdr.ipv6.dst_addr = address;
        hdr.ipv6.dscp = 0;
        hdr.ipv6.ecn = 0;
        hdr.ipv6.payload_length = 20;
        hdr.ipv6.hop_limit = 64;
        truncate(hdr.vlan.isValid() ? 32w78 : 32w74);
    }
    action make_fack() {
        bit<16> port = hdr.ports.src_port;
        hdr.ports.src_port = hdr.ports.dst_port;
        hdr.ports.dst_port = port;
        bit<32> sequence = hdr.tcp.sequence;
        hdr.tcp.sequence = hdr.tcp.acknowledgement;
        hdr.tcp.acknowledgement = sequence;
        hdr.tcp.data_offset = 5;
        hdr.tcp.reserved = 0;
        hdr.tcp.flags = 0x10;
        hdr.tcp.window = 0;
        hdr.tcp.urgent = 0;
        hdr.ethernet.dst_addr = meta.came_from;
        meta.flag = meta.treatment;
        meta.is_fack = 1;
    }

    // State of the flows of hosts below this leaf, by flow of data: a second hash, the sequence number of the last rate control, and
    // the values of the last acknowledgement.
    register<bit<16>>(8192) flow_marks;
    register<bit<32>>(8192) treated_at;
    register<bit<32>>(8192) last_acks;
    // The upper half is 1 while the window was reduced by a FACK.
    register<bit<32>>(8192) last_windows;
    // FACKs sent to hosts, by their flag; 0: suppressed, because the flow is unknown or was treated within the window.
    counter(4, CounterType.packets) fake_acks;

    bit<1> is_known;
    // Whether the position is less than the window after the last rate control.
    bit<1> is_within;
    bit<32> position;
    bit<16> new_window;

    action know_flow(bit<1> writes) {
        bit<16> old;
        flow_marks.read(old, meta.own_flow);
        is_known = old == meta.own_mark ? 1w1 : 1w0;
        flow_marks.write(meta.own_flow, writes == 1 ? meta.own_mark : old);
    }
    // `begins`: the flow begins here. `applies`: rate control is applied, unless it was within the window.
    action compare_window(bit<1> begins, bit<1> applies) {
        bit<32> old;
        treated_at.read(old, meta.own_flow);
        bit<32> beyond = position - old - 5000;
        is_within = beyond[31:31];
        treated_at.write(meta.own_flow,
            begins == 1 || (applies == 1 && is_known == 1 && beyond[31:31] == 0) ? position : old);
    }
    action note_ack() {
        last_acks.write(meta.own_flow, hdr.tcp.acknowledgement);
    }
    action note_window() {
        bit<32> old;
        last_windows.read(old, meta.own_flow);
        old = is_known == 1 && is_within == 1 && old[16:16] == 1 && old[15:0] < hdr.tcp.window ?
            old : (bit<32>)hdr.tcp.window;
        last_windows.write(meta.own_flow, old);
        new_window = old[15:0];
    }
    // RFC 1624, equation 3.
    action write_window() {
        bit<32> sum = (bit<32>)(~hdr.tcp.checksum) + (bit<32>)(~hdr.tcp.window)
            + (bit<32>)new_window;
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        hdr.tcp.checksum = ~sum[15:0];
        hdr.tcp.window = new_window;
    }
    // The last acknowledged number, and the last window, reduced or enlarged (section 6.1.5).
    action fill_in() {
        bit<32> last;
        last_acks.read(hdr.tcp.acknowledgement, meta.own_flow);
        last_windows.read(last, meta.own_flow);
        bit<16> old = last[15:0];
        bit<16> less = old >> 1;
        bit<16> least = old < 16 ? old : 16;
        bit<16> more = old |+| (old >> 2);
        less = less < least ? least : less;
        hdr.tcp.window = meta.flag == FLAG_FACK_DECREASE ? less : more;
        bit<16> is_smaller = meta.flag == FLAG_FACK_DECREASE ? 16w1 : 16w0;
        last_windows.write(meta.own_flow, is_smaller ++ hdr.tcp.window);
        meta.is_fack = 1;
    }

    apply {
        if (standard_metadata.egress_rid == COPY_TO_CONTROL) {
            tell_control();
            exit;
        }
        if (standard_metadata.egress_rid == COPY_TO_INGRESS) {
            recirculate_preserving_field_list(1);
            exit;
        }
        // The clone session: 1 and 2 for events, 3 for a colour that is reported again, and four times the ingress port for a FACK.
        bit<32> copies = 0;
        bit<32> to_source = (bit<32>)standard_metadata.ingress_port << 2;
        to_host = 0;
        is_known = 0;
        bool is_copy = standard_metadata.egress_rid == COPY_TO_SOURCE;
        if (is_copy) {
            if (hdr.ipv4.isValid()) {
                turn_ipv4();
            } else {
                turn_ipv6();
            }
            make_fack();
        }
        is_due = 0;
        bool is_link = link_rates.apply().hit;
        if (is_link && !is_copy) {
            meta.event_port = standard_metadata.egress_port;
            watch_queue();
            watch_rate();
            if (meta.goes_up && meta.color != GREEN) {
                report_again();
            }
            // Lines 21 to 25. Ingress needs only the colour.
            if (meta.rate_event != UNCHANGED || (meta.queue_event != UNCHANGED && is_due == 1)) {
                copies = 2;
            } else if (meta.queue_event != UNCHANGED) {
                copies = 1;
            } else if (is_due == 1) {
                copies = 3;
            }
            if (meta.queue_event != UNCHANGED) {
                meta.queue_depth = standard_metadata.deq_qdepth;
            }
        }
        // The flows of the hosts below this leaf (section 4.3.1).
        bit<2> kind = OTHER;
        if (to_host == 1 && hdr.tcp.isValid() && meta.has_data == 0) {
            if (meta.flag[1:1] == 1) {
                kind = FACK;
            } else if ((hdr.tcp.flags & 0x17) == 0x10) {
                kind = ACKNOWLEDGEMENT;
            }
        }
        if (kind == FACK) {
            // A FACK reaches its sender.
            position = hdr.tcp.acknowledgement;
            know_flow(0);
            compare_window(0, 1);
            if (is_known == 1 && is_within == 0) {
                fill_in();
                fake_acks.count((bit<32>)meta.flag);
            } else {
                fake_acks.count(0);
                mark_to_drop(standard_metadata);
                exit;
            }
        } else if (kind == ACKNOWLEDGEMENT) {
            position = hdr.tcp.acknowledgement;
            know_flow(1);
            compare_window(0, 0);
            note_ack();
            note_window();
            if (new_window != hdr.tcp.window) {
                write_window();
            }
        } else if (meta.from_host == 1 && hdr.tcp.isValid() && !is_copy) {
            position = hdr.tcp.sequence;
            if ((hdr.tcp.flags & 0x02) != 0) {
                compare_window(1, 0);
            } else if (meta.has_data == 1) {
                compare_window(0, 0);
                if (is_within == 1) {
                    meta.flag = FLAG_TREATED;
                }
            }
        }
        // Data of a class above its safe rate (section 4.3.1): the sender's window is reduced if the link is overutilised, and
        // enlarged if the link has free capacity.
        if (is_link && !is_copy && meta.has_data == 1 && meta.flag == FLAG_NONE
            && meta.incoming_color != GREEN) {
            if (meta.color == RED) {
                meta.treatment = FLAG_FACK_DECREASE;
            } else if (meta.color == GREEN) {
                meta.treatment = FLAG_FACK_INCREASE;
            }
            if (meta.treatment != FLAG_NONE) {
                meta.flag = FLAG_TREATED;
                copies = copies + to_source;
            }
        }
        if (to_host == 1) {
            meta.flag = FLAG_NONE;
        }
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.dscp[5:4] = meta.flag;
        } else if (hdr.ipv6.isValid()) {
            hdr.ipv6.dscp[5:4] = meta.flag;
        }
        if (copies != 0) {
            clone_preserving_field_list(CloneType.E2E, copies, 1);
        }
    }
}

control FabricComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(meta.is_fack == 1 && hdr.ipv4.isValid(),
            { hdr.ipv4.src_addr, hdr.ipv4.dst_addr, 8w0, hdr.ipv4.protocol, 16w20,
              hdr.ports.src_port, hdr.ports.dst_port, hdr.tcp.sequence, hdr.tcp.acknowledgement,
              hdr.tcp.data_offset, hdr.tcp.reserved, hdr.tcp.flags, hdr.tcp.window,
              hdr.tcp.urgent },
            hdr.tcp.checksum, HashAlgorithm.csum16);
        update_checksum(meta.is_fack == 1 && hdr.ipv6.isValid(),
            { hdr.ipv6.src_addr, hdr.ipv6.dst_addr, 32w20, 24w0, hdr.ipv6.next_header,
              hdr.ports.src_port, hdr.ports.dst_port, hdr.tcp.sequence, hdr.tcp.acknowledgement,
              hdr.tcp.data_offset, hdr.tcp.reserved, hdr.tcp.flags, hdr.tcp.window,
              hdr.tcp.urgent },
            hdr.tcp.checksum, HashAlgorithm.csum16);
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
        packet.emit(hdr.event);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.ports);
        packet.emit(hdr.tcp);
    }
}

V1Switch(FabricParser(),
         FabricVerifyChecksum(),
         FabricIngress(),
         FabricEgress(),
         FabricComputeChecksum(),
         FabricDeparser()) main;
