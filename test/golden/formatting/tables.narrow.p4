// Tables: kinds of match, names of keys, entries with priorities, scopes of actions, sizes, properties.
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
header
    ip_t {
    bit<32>
        src;
    bit<32>
        dst;
    bit<8>
        ttl;
    bit<8>
        proto;
}
struct
    headers_t {
    eth_t
        eth;
    ip_t
        ip;
}
struct
    meta_t {
    bit<8>
        a;
    bit<16>
        b;
    bit<32>
        c;
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
    state
        start {
        pkt.extract(hdr.eth);
        transition
            select(hdr.eth.type) {
            0x800:
                ip;
            default:
                accept;
        }
    }
    state
        ip {
        pkt.extract(hdr.ip);
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
    action
        drop() {
        mark_to_drop(sm);
    }
    action
        out_of(bit<9>
            port,
            @name("new_ttl")
            bit<8>
            ttl) {
        sm.egress_spec
            =
            port;
        hdr.ip.ttl
            =
            ttl;
    }
    @name(".global_mark")
    action
        mark(bit<8>
            v) {
        m.a
            =
            v;
    }
    action
        tag() {
        m.b
            =
            16w7;
    }
    @name("exact_one")
    table
        t1 {
        key
            = {
            hdr.eth.dst
                :
                exact
                @name("mac");
            hdr.ip.isValid()
                :
                exact;
            hdr.eth.type[7:0]
                :
                exact;
        }
        actions
            = {
            drop;
            out_of;
            @defaultonly
            mark;
            @tableonly
            tag;
            NoAction;
        }
        default_action
            =
            mark(8w3);
        size
            =
            100;
    }
    table
        t2 {
        key
            = {
            hdr.ip.dst
                :
                lpm;
        }
        actions
            = {
            drop;
            out_of;
        }
        const
            default_action
            =
            drop();
        const
            entries
            = {
            32w0x0a000000
                &&&
                32w0xff000000
                :
                out_of(1,
                    64);
            0x0a010000
                &&&
                0xffff0000
                :
                out_of(2,
                    63);
            _
                :
                out_of(3,
                    62);
        }
    }
    table
        t3 {
        key
            = {
            hdr.ip.src
                :
                ternary;
            hdr.ip.proto
                :
                range;
            m.a
                :
                optional;
            m.b
                &
                16w0xff0
                :
                ternary
                @name("masked");
        }
        actions
            = {
            drop;
            tag;
            NoAction;
        }
        largest_priority_wins
            =
            false;
        priority_delta
            =
            10;
        entries
            = {
            const
                priority
                =
                5
                :
                (32w1
                 &&&
                 32w3,
                 1
                 ..
                 5,
                 8w1,
                 _)
                :
                drop();
            (_,
             8w6,
             _,
             16w0x10
             &&&
             16w0xf0)
                :
                tag();
            priority
                =
                70
                :
                (32w9,
                 _,
                 _,
                 _)
                :
                NoAction();
        }
        size
            =
            64;
    }
    table
        t4 {
        actions
            = {
            tag;
            drop;
        }
        default_action
            =
            tag;
    }
    table
        t5 {
        key
            = {
            hdr.ip.ttl
                +
                1
                :
                exact
                @name("next");
            m.a
                :
                exact;
        }
        actions
            = {
            mark;
            tag;
        }
        const
            entries
            = {
            (8w4,
             8w0)
                :
                mark(8w1);
            (8w5,
             8w1)
                :
                tag();
        }
    }
    apply {
        t4.apply();
        if
            (t1.apply().hit) {
            switch
                (t2.apply().action_run) {
                drop: {
                    return;
                }
                out_of: {
                    if
                        (!t3.apply().hit) {
                        tag();
                    }
                }
            }
        } else
            if
                (hdr.ip.isValid()
                 &&
                 hdr.ip.ttl
                 >
                 1) {
                t5.apply();
                sm.egress_spec
                    =
                    4;
            }
        m.a
            =
            m.a
            +
            1;
        hdr.eth.src
            =
            (bit<48>)
            m.b;
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
