// P4Info: annotations of all forms, types with translations, serializable enums, documents, ids, a packet header, platform properties.
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
@p4runtime_translation("example.com/port",
    32)
type
    bit<9>
    port_t;
@p4runtime_translation("example.com/vrf",
    string)
type
    bit<10>
    vrf_t;
type
    bit<12>
    plain_t;
enum
    bit<8>
    Kind
    {
        none
        =
        0,
        some
        =
        5
    }
@controller_header("packet_in")
header
    in_t {
    port_t
        port;
    bit<7>
        pad;
}
@controller_header("packet_out")
header
    out_t {
    bit<16>
        to;
    @padding
    bit<8>
        fill;
}
@tag("type")
struct
    info_t {
    plain_t
        p;
    Kind
        k;
    vrf_t
        v;
}
struct
    headers_t {
    in_t
        pin;
    out_t
        pout;
    eth_t
        eth;
}
struct
    meta_t {
    plain_t
        plain;
    vrf_t
        vrf;
    Kind
        kind;
    bit<8>
        a;
    info_t
        info;
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
    @brief("drops")
    @description("Drops the packet.")
    @id(77)
    action
        drop() {
        mark_to_drop(sm);
    }
    @my_text(some
        words,
        12)
    @my_list["a",
        5,
        true]
    @my_map[x
        =
        1,
        y
        =
        "b",
        z
        =
        false]
    @empty[]
    action
        set(@name("where")
            port_t
            port,
            @format(MAC_ADDRESS)
            bit<48>
            mac,
            Kind
            k,
            vrf_t
            v) {
        sm.egress_spec
            =
            (bit<9>)
            port;
        hdr.eth.dst
            =
            mac;
        m.kind
            =
            k;
        m.vrf
            =
            v;
    }
    @id(0x02000055)
    @entry_restriction("ttl > 3 && "
        "a == 1")
    @sai_acl(INGRESS)
    table
        acl {
        key
            = {
            m.plain
                :
                exact
                @id(9)
                @name("plain_key");
            m.vrf
                :
                exact;
            m.kind
                :
                exact;
            hdr.eth.src
                :
                ternary
                @format(MAC_ADDRESS)
                @brief("source");
        }
        actions
            = {
            @proto_id(1)
            drop;
            @proto_id(2)
            set;
            @defaultonly
            NoAction;
        }
        const
            default_action
            =
            NoAction;
        support_timeout
            =
            true;
        size
            =
            1000;
    }
    @hidden
    table
        secret {
        key
            = {
            m.a
                :
                exact;
        }
        actions
            = {
            NoAction;
        }
    }
    @pins(1,
        2)
    register<bit<8>>(4)
        cells;
    apply {
        m.plain
            =
            (plain_t)
            hdr.eth.type[11:0];
        acl.apply();
        secret.apply();
        digest<info_t>(1,
            m.info);
        cells.write(0,
            m.a);
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
@pkginfo(name
    =
    "constructs",
    version
    =
    "1.2",
    organization
    =
    "nobody",
    contact
    =
    "a@b",
    url
    =
    "https://example.com",
    doc
    =
    "d")
@pkginfo(arch
    =
    "v1model")
@platform_property(multicast_group_table_size
    =
    10,
    multicast_group_table_total_replicas
    =
    20,
    multicast_group_table_max_replicas_per_entry
    =
    5)
V1Switch(P(),
    V(),
    I(),
    E(),
    C(),
    D())
    main;
