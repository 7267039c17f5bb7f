/* A program with most constructs of the language. */

#include <core.p4>
#include <v1model.p4>
#include "library.p4"
#define WIDTH 12
#define LOW(value) (value[7:0])
#if WIDTH > 8
#define SMALL 0
#elif WIDTH > 4
#define SMALL 1
#else
#define SMALL 2
#endif

error { BadTag, BadLength }
match_kind { around }

const int TAGS = 3;
const bit<16> TYPE_TAG = 16w0x8100;
const bit<8> NINE = 9;
const bit<8> TEN = 10;
const int BELOW = -17;
const bool CHECKS = true;

// Kinds of frames.
enum kind_t { ARP, IP, OTHER }
enum bit<8> color_t { RED = 1, GREEN = 2 }

header tag_t {
    bit<1>        more;
    bit<(WIDTH)>  id;
    bit<3>        left;
}
header options_t { bit<8> length; varbit<40> data; bit<8> end; }
header short_t { bit<8> a; }
header long_t { bit<24> b; bit<8> c; }
header_union any_t { short_t small; long_t large; }
header empty_t { }
struct pair_t<T> { T first; T second; }
struct headers_t { ethernet_t ethernet; tag_t[TAGS] tags; options_t options; any_t any; }
struct meta_t {
    port_id_t     port;
    bit<WIDTH>    id;
    kind_t        kind;
    color_t       color;
    bool          seen;
    tuple<bit<8>, bit<8>> both;
    pair_t<bit<8>> pair;
    @field_list(1) bit<32> kept;
}

// The larger one.
bit<8> most(in bit<8> a, in bit<8> b = 0) {
    if (a > b) { return a; }
    return b;
}

parser Tags(packet_in p, out headers_t hdr)(bit<16> type) {
    bit<8> count = 0;
    state start { transition select(hdr.ethernet.kind) { type: one; default: accept; } }
    state one { p.extract(hdr.tags.next); count = count + 1; transition select(hdr.tags.last.more) { 1: one; _: accept; } }
}

parser P(packet_in p, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    Tags(TYPE_TAG) tags;
    value_set<bit<16>>(4) more_types;
    bit<16> ahead = 0;
    state start {
        p.extract(hdr.ethernet);
        ahead = p.lookahead<bit<16>>();
        tags.apply(p, hdr);
        transition select(hdr.ethernet.kind) { more_types: options; default: two; }
    }
    state two {
        transition select(hdr.ethernet.kind, ahead) {
            (0x800 &&& 0xff00, 1 .. 5): small;
            default: accept;
        }
    }
    state options { p.extract(hdr.options, 32); verify(hdr.options.length != 0, error.BadLength); transition accept; }
    state small { p.extract(hdr.any.small); transition accept; }
}

control Check(inout headers_t hdr, inout meta_t meta) { apply { } }

control Count(inout meta_t meta)(bit<32> entries) {
    register<bit<32>>(entries) seen;
    apply { bit<32> was; seen.read(was, 0); seen.write(0, was + 1); }
}

control In(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    direct_counter(CounterType.packets_and_bytes) by_entry;
    action_selector(HashAlgorithm.crc16, 32w1024, 32w14) groups;
    @name("counter_of_meta") Count(16) counted;
    bit<8> largest = 0;
    // Sends to a port.
    @brief("sends") action send(port_id_t port, bit<8> unused) { sm.egress_spec = (bit<9>)port; by_entry.count(); }
    action drop() { mark_to_drop(sm); }
    @deprecated("use drop")
    action old(inout bit<8> where, bit<8> value) { where = value; }
    table by_mac {
        key = { hdr.ethernet.dst: exact @name("to"); meta.id[3:0]: ternary; meta.seen: exact; }
        actions = { send; @defaultonly drop; }
        const default_action = drop();
        const entries = { (1, 0 &&& 0, true): send((port_id_t)1, 2); }
        counters = by_entry;
        size = 64;
    }
    table spread {
        key = { hdr.ethernet.src: selector; }
        actions = { NoAction; drop; }
        implementation = groups;
        support_timeout = true;
    }
    apply {
        if (by_mac.apply().hit) { hdr.ethernet.src = hdr.ethernet.dst; } else if (hdr.tags[0].isValid()) { hdr.tags.pop_front(1); }
        switch (spread.apply().action_run) {
            drop: { return; }
            default: { bit<8> inner = LOW(meta.kept); largest = most(a = inner, b = NINE); }
        }
        for (bit<8> i = 0; i < TEN; i = i + 1) { largest = largest + i; }
        for (bit<8> each in 1 .. 3) { largest = largest ^ each; }
        meta.pair = { first = 1, second = TEN };
        meta.both = { 1, 2 };
        old(largest, SMALL);
        meta.kind = kind_t.IP;
        meta.color = color_t.RED;
        counted.apply(meta);
        hash(meta.kept, HashAlgorithm.crc32, 32w0, { hdr.ethernet.dst, hdr.ethernet.src }, 32w100);
        log_msg("largest {}", { largest });
    }
}

control Eg(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Out(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
V1Switch(P(), Check(), In(), Eg(), Check(), Out()) main;
