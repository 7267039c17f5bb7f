// Counters, meters, registers, hashes, random numbers, digests, clones, resubmission, recirculation, truncation, logs.
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
    learn_t {
    bit<48>
        mac;
    bit<9>
        port;
    bit<16>
        tag;
}
struct
    keep_t {
    @field_list(1)
    bit<8>
        x;
    bit<8>
        y;
}
struct
    headers_t {
    eth_t
        eth;
}
struct
    meta_t {
    @field_list(1,
        2)
    bit<8>
        a;
    bit<16>
        b;
    @field_list(2)
    bit<32>
        c;
    keep_t
        k;
    bit<2>
        colour;
    bool
        again;
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
    counter(128,
        CounterType.packets_and_bytes)
        ports;
    @name("bytes_of")
    counter(16,
        CounterType.bytes)
        bytes;
    meter(32,
        MeterType.packets)
        limits;
    direct_counter(CounterType.packets)
        hits;
    direct_meter<bit<2>>(MeterType.bytes)
        rate;
    register<bit<32>>(64)
        last;
    register<bit<8>>(16)
        small;
    action
        seen() {
        hits.count();
        rate.read(m.colour);
    }
    action
        learn() {
        digest<learn_t>(1,
            {
                hdr.eth.src,
                sm.ingress_port,
                m.b
            });
        hits.count();
    }
    table
        macs {
        key
            = {
            hdr.eth.src
                :
                exact;
        }
        actions
            = {
            seen;
            learn;
            NoAction;
        }
        counters
            =
            hits;
        meters
            =
            rate;
        size
            =
            32;
        default_action
            =
            learn();
    }
    action
        fresh(bit<32>
            v) {
        last.write((bit<32>)
            m.a,
            v);
    }
    apply {
        ports.count((bit<32>)
            sm.ingress_port);
        bytes.count(hdr.eth.type[3:0]
            ++
            28w0
            ==
            0
            ?
            32w1
            :
            32w2);
        macs.apply();
        if
            (m.colour
             ==
             2w2) {
            mark_to_drop(sm);
            exit;
        }
        limits.execute_meter(32w3,
            m.colour);
        hash(m.b,
            HashAlgorithm.crc16,
            16w0,
            {
                hdr.eth.src,
                hdr.eth.dst,
                8w1
            },
            16w1024);
        hash(m.c,
            HashAlgorithm.crc32,
            32w10,
            {
                hdr.eth.type
            },
            32w90);
        last.read(m.c,
            (bit<32>)
            m.b[5:0]);
        fresh(m.c
            +
            1);
        small.write(0,
            m.a);
        small.read(m.k.x,
            32w0);
        random(m.a,
            8w3,
            8w3);
        if
            (hdr.eth.type
             ==
             0x1111
             &&
             sm.instance_type
             ==
             0) {
            m.k.x
                =
                5;
            resubmit_preserving_field_list(1);
        }
        clone_preserving_field_list(CloneType.I2E,
            7,
            2);
        log_msg("source {} port {}",
            {
                hdr.eth.src,
                sm.ingress_port
            });
        log_msg("done");
        assert(hdr.eth.isValid());
        assume(m.b
            <
            2000);
        sm.mcast_grp
            =
            (bit<16>)
            m.k.x;
        sm.egress_spec
            =
            3;
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
    apply {
        if
            (sm.instance_type
             ==
             1) {
            truncate(32w20);
            hdr.eth.dst
                =
                (bit<48>)
                m.c;
        }
        if
            (sm.egress_rid
             ==
             5) {
            recirculate_preserving_field_list(1);
        }
        if
            (hdr.eth.type
             ==
             0x2222) {
            clone(CloneType.E2E,
                3);
            mark_to_drop(sm);
        }
        hdr.eth.src
            =
            (bit<48>)
            sm.enq_qdepth[1:0];
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
