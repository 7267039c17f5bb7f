/* One instance of each kind that a controller of a Tofino program sees, and some that it must not see. */
#include <tna.p4>

typedef bit<16> nexthop_t;
enum bit<8> kind_t { QUERY = 1, ANSWER = 2 }

header ethernet_h { bit<48> dst; bit<48> src; bit<16> type; }
header tag_h { bit<3> priority; bit<1> drop; bit<12> id; bit<16> type; }
header ipv4_h { bit<8> ttl; bit<8> protocol; bit<16> checksum; bit<32> src; bit<32> dst; }

struct headers_t { ethernet_h ethernet; tag_h[2] tags; ipv4_h ipv4; }
struct port_t { bit<16> group; bit<8> class_; @padding bit<40> unused; }
struct metadata_t { port_t port; nexthop_t nexthop; bit<16> hash; bit<8> color; kind_t kind; bool seen; bit<8> mean; }
struct pair_t { bit<32> low; bit<32> high; }
struct learn_t { bit<48> mac; bit<9> port; kind_t kind; }

Register<bit<32>, bit<16>>(1024) shared;

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t intr) {
    value_set<bit<16>>(4) tag_types;
    state start {
        pkt.extract(intr);
        md.port = port_metadata_unpack<port_t>(pkt);
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            tag_types: tagged;
            0x0800: ipv4;
            default: accept;
        }
    }
    state tagged { pkt.extract(hdr.tags[0]); transition accept; }
    state ipv4 { pkt.extract(hdr.ipv4); transition accept; }
}

control Ingress(
        inout headers_t hdr,
        inout metadata_t md,
        in ingress_intrinsic_metadata_t intr,
        in ingress_intrinsic_metadata_from_parser_t prsr,
        inout ingress_intrinsic_metadata_for_deparser_t dprsr,
        inout ingress_intrinsic_metadata_for_tm_t tm) {
    Counter<bit<64>, bit<9>>(512, CounterType_t.PACKETS_AND_BYTES) port_counter;
    DirectCounter<bit<32>>(CounterType_t.PACKETS) acl_counter;
    Meter<bit<9>>(512, MeterType_t.BYTES) port_meter;
    DirectMeter(MeterType_t.PACKETS) acl_meter;
    Lpf<bit<8>, bit<9>>(512) average;
    Wred<bit<8>, bit<9>>(256, 1, 0) early_drop;

    Register<pair_t, bit<16>>(2048) pairs;
    RegisterParam<bit<32>>(100) limit;
    RegisterAction<pair_t, bit<16>, bit<32>>(pairs) count_pair = {
        void apply(inout pair_t value, out bit<32> result) {
            value.low = value.low + 1;
            if (value.low > limit.read()) { value.high = value.high + 1; }
            result = value.high;
        }
    };
    DirectRegister<bit<16>>() acl_state;
    DirectRegisterAction<bit<16>, bit<16>>(acl_state) touch = {
        void apply(inout bit<16> value) { value = value + 1; }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(shared) use_shared = {
        void apply(inout bit<32> value) { value = value + 1; }
    };

    Hash<bit<16>>(HashAlgorithm_t.CRC16) once;
    Hash<bit<16>>(HashAlgorithm_t.CRC32) twice;

    ActionProfile(1024) members;
    Hash<bit<16>>(HashAlgorithm_t.RANDOM) spread;
    ActionSelector(members, spread, SelectorMode_t.FAIR, 64, 128) groups;
    ActionProfile(32) alone;

    action drop() { dprsr.drop_ctl = 1; }
    action forward(@doc("where to") PortId_t port, bit<48> mac) { tm.ucast_egress_port = port; hdr.ethernet.dst = mac; }
    action deny() { drop(); acl_counter.count(); touch.execute(); }
    action police() { md.color = acl_meter.execute(); acl_counter.count(); touch.execute(); }
    action set_port(PortId_t port) { tm.ucast_egress_port = port; }

    @stage((3)) @dynamic_table_key_masks(1)
    table acl {
        key = {
            hdr.ipv4.src : ternary @name("src");
            hdr.ipv4.dst[31:16] : exact;
            hdr.tags[0].id : exact;
            hdr.ipv4.isValid() : exact;
            intr.ingress_port : range;
        }
        actions = { deny; police; @defaultonly NoAction; }
        const default_action = NoAction;
        counters = acl_counter;
        meters = acl_meter;
        registers = acl_state;
        size = 1024;
    }
    table host {
        key = { hdr.ipv4.dst : exact; }
        actions = { forward; drop; }
        default_action = drop();
        idle_timeout = true;
    }
    table ecmp {
        key = { md.nexthop : exact; md.hash : selector; }
        actions = { set_port; drop; }
        implementation = groups;
        size = 256;
    }
    table lag {
        key = { md.port.group : exact; }
        actions = { set_port; }
        implementation = alone;
        size = 64;
    }
    table fixed {
        key = { hdr.ethernet.type : exact; }
        actions = { set_port; NoAction; }
        const entries = { 0x0806 : set_port(7); }
    }

    apply {
        md.hash = once.get({ hdr.ipv4.src, 16w5, hdr.ipv4.protocol });
        if (hdr.ipv4.isValid()) { md.hash = twice.get({ hdr.ipv4.src }); } else { md.hash = twice.get({ hdr.ethernet.src }); }
        port_counter.count(intr.ingress_port);
        md.color = port_meter.execute(index = intr.ingress_port, color = MeterColor_t.GREEN);
        md.mean = average.execute(hdr.ipv4.ttl, intr.ingress_port);
        if (early_drop.execute(md.mean, intr.ingress_port) == 1) { drop(); }
        count_pair.execute(md.nexthop);
        use_shared.execute(md.nexthop);
        acl.apply();
        if (!host.apply().hit) { ecmp.apply(); }
        lag.apply();
        fixed.apply();
        dprsr.digest_type = 1;
    }
}

control IngressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in metadata_t md,
        in ingress_intrinsic_metadata_for_deparser_t dprsr,
        in ingress_intrinsic_metadata_t intr) {
    Digest<learn_t>() learn;
    apply {
        if (dprsr.digest_type == 1) { learn.pack({ hdr.ethernet.src, intr.ingress_port, md.kind }); }
        pkt.emit(hdr);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t intr) {
    state start { pkt.extract(intr); pkt.extract(hdr.ethernet); transition accept; }
}

control Egress(
        inout headers_t hdr,
        inout metadata_t md,
        in egress_intrinsic_metadata_t intr,
        in egress_intrinsic_metadata_from_parser_t prsr,
        inout egress_intrinsic_metadata_for_deparser_t dprsr,
        inout egress_intrinsic_metadata_for_output_port_t port) {
    action rewrite(bit<48> mac) { hdr.ethernet.src = mac; }
    table smac {
        key = { intr.egress_port : exact; }
        actions = { rewrite; }
        size = 512;
    }
    apply { smac.apply(); }
}

control EgressDeparser(packet_out pkt, inout headers_t hdr, in metadata_t md, in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
