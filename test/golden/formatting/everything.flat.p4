// Every construct of the grammar at least once. Only its syntax has to be right.
#include <core.p4>
#include <v1model.p4>
const bit<8> C1 = 8w0xF;
const int<16> C2 = -16s0b101;
const int BIG = 0d1_000;
@hidden @name("renamed") const string TEXT = "a \"quoted\" word";
const bool YES = true || false && !true;
const bit C3 = 1w1;
typedef bit<48> mac_t;
@p4runtime_translation("example.org/port",
                       bit<32>) @p4runtime_translation_mappings({
                           { "a", 1 }, { "b", 2 } }) type bit<9> port_t;
type bit<16> other_t;
@structured[1, "two", true] @pairs[key = 1, other = "x"] @empty[] @tokens(
    a.b, > >, {; }) @pragma_like() struct annotated_t {
    @optional bit<8> a;
    @width(8) bit<8> b;
}
@pragma old style 1, 2
header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> etherType;
}
header options_t {
    varbit<320> data;
    int<7> i;
    bool b;
}
header_union either_t {
    ethernet_t e;
    options_t o;
}
struct pair_t<A, B> {
    A first;
    B second;
}
struct headers_t {
    ethernet_t ethernet;
    ethernet_t[4] stack;
    either_t either;
    either_t[2] eithers;
    tuple < bit<8>, pair_t < bit<8>, bit<(C1> 3 ? 4 : 5) >>> nested;
    error e;
}
struct meta_t {
    bit<8> x;
    bit<32> y;
    list<bit<8>> l;
    .mac_t m;
    tuple<> nothing;
}
typedef struct inner_t { bit<8> a; }
inner_alias_t;
typedef enum plain_t { one, two, } plain_alias_t;
enum bit<8> serial_t { A = 1, B = C1 + 1, C = 3, }
error { Custom, Other }
match_kind { fuzzy, exactish, }
extern external_t;
extern bit<8> pure_function<T>(in T value, inout bit<8> state = 3, @optional out bit<8> result);
extern void overloaded();
extern void overloaded(in bit<8> x);
@abstracted extern virtual_t<T> {
    virtual_t();
    virtual_t(bit<32> size, T initial);
    T method(in T x);
    void generic<U>(in U u, T t);
    abstract T hook(in T x);
}
package Pair<A, B>(A a, B b = { });
parser parser_type<H>(packet_in p, out H h);
control control_type<H>(inout H h);
bit<8> helper(in bit<8> a, bit<8> b) {
    if (a == b) return a;
    else if (a < b) { return b; }
    return a |+| b |-| 1;
}
T identity<T>(in T x) { return x; }
action top_level(inout bit<8> x, bit<8> y) { x = y; }
@parse_me parser P<M>(packet_in pkt, out headers_t hdr, inout M meta,
                      inout standard_metadata_t std)(bit<8> limit, bool deep) {
    const bit<8> K = 1;
    bit<8> count = 0;
    value_set<bit<16>>(4) types;
    @name("pairs") value_set<tuple<bit<8>, bit<8>>>(8) pairs;
    value_set<inner_t>(2) inners;
    Checksum16() sum;
    state start {
        pkt.extract(hdr.ethernet);
        bit<8> local = pkt.lookahead<bit<8>>();
        const bit<8> two = 2;
        { count = count + two; }
        if (local == 0) pkt.advance(8);
        else { verify(local != 1, error.Custom); };
        transition select(hdr.ethernet.etherType, local, count) {
            (0x800, _, default): next;
            (0x800 &&& 0xFF00, 1 .. 4, 3): accept;
            (types, (bit<8>) 1, serial_t.A): loop;
            default: reject;
        }
    }
    @unrolled state loop {
        pkt.extract(hdr.stack.next);
        transition select(hdr.stack.last.etherType) {
            0x8100: loop;
            (0x9100 &&& 0xFFFF): loop;
            (1): loop;
            (C1 + 1) * 2 .. 100: loop;
            types: next;
            _: accept;
        }
    }
    state next { transition accept; }
    state silent { }
}
control P2(inout ethernet_t e) {
    apply { this.touch(); }
}
control Generic<T>(inout T t)(T initial = 3) {
    apply { }
};
control C(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std)(bit<8> size) {
    direct_counter(CounterType.packets) counts;
    @name("regs") register<bit<32>>(1024) regs;
    virtual_t<bit<8>>(10, 1) virt = {
        bit<8> hook(in bit<8> x) { return x + 1; }
        Checksum16() inner;
    };
    bit<8> a;
    bit<8> b = 3;
    @hidden const bit<8> K = 4;
    pair_t<bit<8>, bit<16>> p = { first = 1, second = 2, };
    ethernet_t[2] headers = { {#}, (ethernet_t) { dst = 1, src = 2, etherType = 3 }, ... };
    action none() { }
    @defaultonly action set(in bit<8> x, bit<9> port) {
        std.egress_spec = port;
        meta.x[7:4] = x[3:0];
        meta.y[0+:8] = 8w1 ++ 8w2;
        return;
    }
    table t {
        key = {
            hdr.ethernet.dst : exact @name("dst");
            hdr.ethernet.isValid() : ternary;
            meta.y[31:16] : lpm;
            meta.x & 0xF : range;
            std.ingress_port : optional;
            hdr.ethernet.src : selector @hidden @id(3);
        }
        actions = { none; @tableonly set(b);.NoAction; @defaultonly.top_level(meta.x); }
        const default_action = set(b, 9w1);
        size = 1 << 10;
        counters = counts;
        implementation = action_selector(HashAlgorithm.crc16, 32w1024, 32w14);
        @custom extra_property = { 1, 2 };
    }
    table u {
        key = { meta.x : ternary; meta.y : range; }
        actions = { none; set(b); }
        const entries = {
            (1, 2) : none();
            (_, default) : none;
            (0x0F &&& 0xFF, 1 .. 2) : set(b, 3) @priority(3);
        }
    }
    table v {
        key = { meta.x : exact; }
        actions = { none; set(b); }
        entries = {
            const priority = 10 : 1 : none();
            priority = (C1 + 1) : (2) : none();
            const (bit<8>) 3 : none();
            5 : none();
        }
        largest_priority_wins = false;
        priority_delta = 10;
    }
    table empty { actions = { } } apply @noWarn("all") {
        a = (b + 1) * 2 - 3 / 4 % 5;
        a = b << 2 >> 1 & 3 | 4 ^ 5;
        a = ~b + -b - +b;
        a += 1;
        a -= 1;
        a *= 2;
        a /= 2;
        a %= 2;
        a &= 1;
        a |= 1;
        a ^= 1;
        a <<= 1;
        a >>= 1;
        a |+|= 1;
        a |-|= 1;
        bool c = a < b == b >= a && (a <= b || a > b) != !(a == b);
        bit<16> d = a == b ? a ++ b : (bit<16>) (b ++ a);
        bit<8> e = a == 1 ? 2 : b == 1 ? 3 : 4;
        @atomic {
            a = 1;
            { b = 2; }
        }
        if (t.apply().hit) a = 1;
        if (!u.apply().miss) { a = 2; } else if (c) a = 3;
        else { a = 4; }
        if (c) if (c) a = 1;
        else a = 2;
        switch (v.apply().action_run) {
            none: { a = 1; }
            set: default: { b = 2; }
        }
        switch (a) {
            1: { } C1: { exit; }
            serial_t.A: (2): @label { return; }
        }
        for (bit<8> i = 0, a = 3; i < 10; i += 1, b = b + 1) {
            if (i == 3) break;
            else continue;
        }
        for (; a < 3;) a = a + 1;
        for (bit<8> i in 1 .. 10) a = a + i;
        for (@unroll bit<8> i in (list<bit<8>>) { 1, 2 }) { a = i; }
        headers[1].dst = headers[a].src;
        hdr.stack.push_front(1);
        regs.read(meta.y, (bit<32>) a);
        random<bit<8>>(a, 0, 255);
        hash(meta.x, HashAlgorithm.crc16, 8w0, { hdr.ethernet.dst, a, }, 8w255);
        a = identity<bit<8>>(b);
        a = pure_function<_>(value = b, state = a, result = _);
        P2.apply(hdr.ethernet);
        Generic<bit<8>>.apply(a);
        .top_level(a, b);
        virt.generic<bit<8>>(1, 2);
        log_msg("x = {}", { a });
        p = { 1, ... };
        p = { first = 3, ... };
        p = ...;
        std.egress_spec = (bit<9>) (port_t) 3;
        ;
        exit;
    }
}
Pair<P<meta_t>, C>(P<meta_t>(8, true), C(b = 3)) main;
