// Nested controls and parsers with constructor parameters, copies of one control, locals, out and inout arguments, exit.
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
struct
    state_t {
    bit<8>
        x;
    bit<16>
        y;
    bit<1>
        flag;
}
control
    Inner(inout
        bit<8>
        value,
        out
        bit<16>
        copy,
        in
        bit<8>
        by)(bit<8>
            limit,
            bool
            strict) {
    bit<8>
        local
        =
        by;
    action
        more() {
        value
            =
            value
            +
            by;
        local
            =
            local
            +
            1;
    }
    action
        less() {
        value
            =
            value
            -
            1;
    }
    table
        pick {
        key
            = {
            value
                :
                exact;
            local
                :
                exact;
        }
        actions
            = {
            more;
            less;
            NoAction;
        }
        size
            =
            limit
            ==
            8w10
            ?
            32w16
            :
            32w32;
    }
    apply {
        copy
            =
            16w5;
        if
            (strict
             &&
             value
             >
             limit) {
            exit;
        }
        if
            (pick.apply().hit) {
            copy
                =
                (bit<16>)
                local;
        }
        if
            (!strict) {
            more();
        }
    }
}
control
    Outer(inout
        state_t
        s) {
    @name("first")
    Inner(8w10,
        true)
        a;
    Inner(8w20,
        false)
        b;
    apply {
        a.apply(s.x,
            s.y,
            8w2);
        b.apply(s.x,
            s.y,
            s.x);
        if
            (s.x
             ==
             0) {
            return;
        }
        s.flag
            =
            1;
    }
}
header
    opt_t {
    bit<8>
        v;
    bit<8>
        w;
}
parser
    Sub(packet_in
        pkt,
        out
        opt_t
        o,
        inout
        bit<8>
        depth)(bit<8>
            start_at) {
    state
        start {
        depth
            =
            start_at;
        transition
            select(depth) {
            8w3:
                more;
            _:
                accept;
        }
    }
    state
        more {
        pkt.extract(o);
        depth
            =
            depth
            +
            o.v;
        transition
            accept;
    }
}
struct
    headers_t {
    eth_t
        eth;
    opt_t
        o1;
    opt_t
        o2;
}
struct
    meta_t {
    state_t
        s;
    bit<8>
        d;
    bit<8>
        e;
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
    Sub(8w3)
        s1;
    Sub(8w4)
        s2;
    state
        start {
        pkt.extract(hdr.eth);
        s1.apply(pkt,
            hdr.o1,
            m.d);
        s2.apply(pkt,
            hdr.o2,
            m.e);
        transition
            accept;
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
    Outer()
        o;
    bit<8>
        seen
        =
        8w1;
    action
        swap(inout
            bit<8>
            x,
            in
            bit<8>
            y,
            out
            bit<8>
            z) {
        z
            =
            x;
        x
            =
            y;
    }
    apply {
        m.s.x
            =
            m.d;
        o.apply(m.s);
        swap(m.s.x,
            seen,
            m.d);
        {
            bit<8>
                seen_2
                =
                m.s.x;
            seen
                =
                seen_2
                +
                seen;
        }
        hdr.eth.dst
            =
            (bit<48>)
            seen;
        hdr.eth.type
            =
            m.s.y;
        sm.egress_spec
            =
            2;
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
    Outer()
        o2;
    apply {
        o2.apply(m.s);
        hdr.eth.src
            =
            (bit<48>)
            m.s.x;
    }
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
