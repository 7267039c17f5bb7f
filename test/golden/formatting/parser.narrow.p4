// Parsers: lookahead, varbit, value sets, verify, advance, masks and ranges of select, several extractions, errors of one's own.
#include <core.p4>
#include <v1model.p4>
header
    eth_t {
    bit<48>
        dst;
    bit<48>
        src;
    bit<16>
        type;
}
error
    {
        TooShort,
        Odd
    }
header
    fixed_t {
    bit<4>
        len;
    bit<4>
        kind;
    bit<8>
        proto;
}
header
    options_t {
    varbit<96>
        data;
}
header
    next_t {
    bit<16>
        x;
    bit<16>
        y;
}
struct
    key_t {
    @match(ternary)
    bit<8>
        p;
    @match(exact)
    bit<4>
        k;
}
struct
    headers_t {
    eth_t
        eth;
    fixed_t
        fixed;
    options_t
        options;
    next_t
        n;
    next_t
        tail;
}
struct
    meta_t {
    bit<8>
        a;
    bit<16>
        b;
    bit<32>
        c;
    bool
        odd;
}
parser
    P(packet_in
      pkt,
      out
      headers_t
      hdr,
      inout
      meta_t
      m,
      inout
      standard_metadata_t
      sm) {
    value_set<bit<16>>(4)
        types;
    @name("pairs")
    value_set<key_t>(8)
        pairs;
    state
        start {
        m.b
            =
            pkt.lookahead<bit<112>>()[15:0];
        next_t
            ahead
            =
            pkt.lookahead<next_t>();
        m.c
            =
            ahead.y
            ++
            ahead.x;
        pkt.extract(hdr.eth);
        transition
            select(hdr.eth.type) {
            types:
                fixed;
            0x0800
                &&&
                0xfff0:
                fixed;
            0x0100
                ..
                0x01ff:
                tail;
            default:
                accept;
        }
    }
    state
        fixed {
        pkt.extract(hdr.fixed);
        verify(hdr.fixed.len
            >=
            1,
            error.TooShort);
        pkt.extract(hdr.options,
            (bit<32>)
            ((bit<16>)
             (hdr.fixed.len
              -
              1)
             *
             8));
        m.a
            =
            hdr.fixed.proto;
        m.odd
            =
            hdr.fixed.len[0:0]
            ==
            1;
        transition
            select(hdr.fixed.proto,
                hdr.fixed.kind) {
            pairs:
                next;
            (8w6,
             4w0
             ..
             4w7):
                next;
            (8w17
             &&&
             8w0x1f,
             _):
                skip;
            (default,
             default):
                accept;
        }
    }
    state
        next {
        pkt.extract(hdr.n);
        verify(hdr.n.x
            !=
            0xffff,
            error.Odd);
        transition
            tail;
    }
    state
        skip {
        pkt.advance(16);
        pkt.extract<next_t>(_);
        transition
            tail;
    }
    state
        tail {
        pkt.extract(hdr.tail);
        m.c
            =
            hdr.tail.x
            ++
            hdr.tail.y;
        transition
            select(hdr.tail.x
                >
                5) {
            true:
                accept;
            false:
                reject;
        }
    }
}
control
    V(inout
      headers_t
      hdr,
      inout
      meta_t
      m) {
    apply { }
}
control
    I(inout
      headers_t
      hdr,
      inout
      meta_t
      m,
      inout
      standard_metadata_t
      sm) {
    apply {
        if
            (sm.parser_error
             ==
             error.TooShort) {
            hdr.eth.dst
                =
                1;
        }
        if
            (sm.parser_error
             ==
             error.Odd
             ||
             m.odd) {
            hdr.eth.dst
                =
                2;
        }
        if
            (hdr.options.isValid()) {
            hdr.eth.src
                =
                (bit<48>)
                m.c;
        }
        hdr.eth.type
            =
            m.b
            +
            (bit<16>)
            m.a;
        sm.egress_spec
            =
            1;
    }
}
control
    E(inout
      headers_t
      hdr,
      inout
      meta_t
      m,
      inout
      standard_metadata_t
      sm) {
    apply { }
}
control
    C(inout
      headers_t
      hdr,
      inout
      meta_t
      m) {
    apply { }
}
control
    D(packet_out
      pkt,
      in
      headers_t
      hdr) {
    apply {
        pkt.emit(hdr);
    }
}
V1Switch(P(),
    V(),
    I(),
    E(),
    C(),
    D())
    main;
