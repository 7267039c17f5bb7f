// What both Tofino generations declare alike and what depends on no other extern: constants, enumerations, errors,
// intrinsic metadata, engines for checksums and hashes, extern functions. tofino1_base.p4 and tofino2_base.p4 add what
// differs. Names and signatures are those of Tofino's public architecture files.

#ifndef _TOFINO_P4_SHARED_
#define _TOFINO_P4_SHARED_

#define PACK_VERSION(a, b, c) (((a) << 24) + ((b) << 12) + (c))
#define COMPILER_VERSION PACK_VERSION(__p4c_major__, __p4c_minor__, __p4c_patchlevel__)

#include <core.p4>

// Bits of 'parser_err', one an error.
@noWarn("unused")
const bit<16> PARSER_ERROR_OK = 16w0x0000;
@noWarn("unused")
const bit<16> PARSER_ERROR_NO_MATCH = 16w0x0001;
@noWarn("unused")
const bit<16> PARSER_ERROR_PARTIAL_HDR = 16w0x0002;
@noWarn("unused")
const bit<16> PARSER_ERROR_CTR_RANGE = 16w0x0004;
@noWarn("unused")
const bit<16> PARSER_ERROR_TIMEOUT_USER = 16w0x0008;
@noWarn("unused")
const bit<16> PARSER_ERROR_TIMEOUT_HW = 16w0x0010;
@noWarn("unused")
const bit<16> PARSER_ERROR_PHV_OWNER = 16w0x0080;
@noWarn("unused")
const bit<16> PARSER_ERROR_MULTIWRITE = 16w0x0100;
@noWarn("unused")
const bit<16> PARSER_ERROR_ARAM_MBE = 16w0x0400;
@noWarn("unused")
const bit<16> PARSER_ERROR_FCS = 16w0x0800;

enum MeterType_t {
    PACKETS,
    BYTES
}

// Red is 3: each of the two bits is an exceeded rate.
enum bit<8> MeterColor_t {
    GREEN = 8w0,
    YELLOW = 8w1,
    RED = 8w3
}

enum CounterType_t {
    PACKETS,
    BYTES,
    PACKETS_AND_BYTES
}

// What a selector does when a member of a group goes down: shares anew, or moves the flows of that member only.
enum SelectorMode_t {
    FAIR,
    RESILIENT
}

enum HashAlgorithm_t {
    IDENTITY,
    RANDOM,
    XOR8,
    XOR16,
    XOR32,
    CRC8,
    CRC16,
    CRC32,
    CRC64,
    CUSTOM // the polynomial of a CRCPolynomial
}

match_kind {
    range,
    selector,             // input of an action selector's hash, no part of the lookup
    atcam_partition_index // chooses the partition of an algorithmic TCAM
}

error {
    CounterRange, // a value that the parser's counter cannot hold
    Timeout,
    PhvOwner,     // a container of the other gress
    MultiWrite,   // a second write to a container
    IbufOverflow, // of the parser's input buffer
    IbufUnderflow
}

// In front of each packet in the ingress parser, before the metadata of the port.
@__intrinsic_metadata
header ingress_intrinsic_metadata_t {
    bit<1> resubmit_flag; // 1 for a resubmitted packet
    @padding
    bit<1> _pad1;
    bit<2> packet_version;
    @padding
    bit<(4 - PORT_ID_WIDTH % 8)> _pad2;
    PortId_t ingress_port;
    bit<48> ingress_mac_tstamp; // nanoseconds, from the port's MAC
}

// What ingress tells the traffic manager.
@__intrinsic_metadata
struct ingress_intrinsic_metadata_for_tm_t {
    PortId_t ucast_egress_port;
    bit<1> bypass_egress;   // the packet leaves without egress parser, egress and egress deparser
    bit<1> deflect_on_drop; // a packet that the traffic manager would drop goes to a port for such packets
    bit<3> ingress_cos;     // class of service for buffers and flow control
    QueueId_t qid;
    bit<3> icos_for_copy_to_cpu;
    bit<1> copy_to_cpu;
    bit<2> packet_color;
    bit<1> disable_ucast_cutthru;
    bit<1> enable_mcast_cutthru;
    MulticastGroupId_t mcast_grp_a; // two groups at once; 0 for none
    MulticastGroupId_t mcast_grp_b;
    bit<13> level1_mcast_hash; // chooses among members of ECMP in the tree
    bit<13> level2_mcast_hash; // chooses among ports of a link aggregate in the tree
    L1ExclusionId_t level1_exclusion_id;
    L2ExclusionId_t level2_exclusion_id;
    bit<16> rid; // the replication id that level 1 excludes
}

@__intrinsic_metadata
struct ingress_intrinsic_metadata_from_parser_t {
    bit<48> global_tstamp; // nanoseconds
    bit<32> global_ver;
    bit<16> parser_err; // bits PARSER_ERROR_
}

@__intrinsic_metadata
struct egress_intrinsic_metadata_from_parser_t {
    bit<48> global_tstamp; // nanoseconds
    bit<32> global_ver;
    bit<16> parser_err; // bits PARSER_ERROR_
}

// What egress tells the MAC of the port.
@__intrinsic_metadata
struct egress_intrinsic_metadata_for_output_port_t {
    bit<1> capture_tstamp_on_tx; // the MAC records when the packet leaves (IEEE 1588)
    bit<1> update_delay_on_tx;   // the MAC adds the residence time (IEEE 1588); a ptp_metadata_t is in front
}

// Stands in front of the Ethernet header where update_delay_on_tx is set.
header ptp_metadata_t {
    bit<8> udp_cksum_byte_offset; // of the UDP checksum to correct
    bit<8> cf_byte_offset;        // of the correction field
    bit<48> updated_cf;
}

// The sum of 16-bit words in ones' complement, of headers in parsers and deparsers.
extern Checksum {
    Checksum();
    // A header, struct or list of fields, whole bytes.
    void add<T>(in T data);
    void subtract<T>(in T data);
    // Whether the sum is right. In parsers.
    bool verify();
    // Ends the sum's headers: what is extracted afterwards is subtracted, the rest goes into 'residual'. In parsers.
    void subtract_all_and_deposit<T>(out T residual);
    bit<16> get();
    // In deparsers. zeros_as_ones writes 0 as 0xffff, as UDP asks.
    bit<16> update<T>(in T data, @optional in bool zeros_as_ones);
}

// Which packets the ingress parser drops first when its input buffer is full.
extern ParserPriority {
    ParserPriority();
    void set(in bit<3> prio);
}

extern CRCPolynomial<T> {
    CRCPolynomial(T coeff, bool reversed, bool msb, bool extended, T init, T xor);
}

// W is the type of the result.
extern Hash<W> {
    Hash(HashAlgorithm_t algo);
    Hash(HashAlgorithm_t algo, CRCPolynomial<_> poly);
    W get<D>(in D data);
}

// Uniform over W.
extern Random<W> {
    Random();
    W get();
}

extern T max<T>(in T t1, in T t2);

extern T min<T>(in T t1, in T t2);

// Makes a field's container as if it had not been parsed or written: a header with only such fields is not sent.
extern void invalidate<T>(in T field);

extern bool is_validated<T>(in T field);

// Reads the port's metadata, which the control plane sets per port, as a T of PORT_METADATA_SIZE bits.
extern T port_metadata_unpack<T>(packet_in pkt);

// The width of a type, known at compile time.
extern bit<32> sizeInBits<H>(in H h);

extern bit<32> sizeInBytes<H>(in H h);

// Low-pass filters: a running mean of 'val' in the cell of 'index'.
extern Lpf<T, I> {
    Lpf(bit<32> size);
    T execute(in T val, in I index);
}

extern DirectLpf<T> {
    DirectLpf();
    T execute(in T val);
}

// Weighted random early detection: the answer is drop_value or no_drop_value.
extern Wred<T, I> {
    Wred(bit<32> size, bit<8> drop_value, bit<8> no_drop_value);
    bit<8> execute(in T val, in I index);
}

extern DirectWred<T> {
    DirectWred(bit<8> drop_value, bit<8> no_drop_value);
    bit<8> execute(in T val);
}

// A constant of register actions that the control plane can change.
extern RegisterParam<T> {
    RegisterParam(T initial_value);
    T read();
}

// Functions of a math unit: of x, its square, its root, and the reciprocals of these.
enum MathOp_t {
    MUL,
    SQR,
    SQRT,
    DIV,
    RSQR,
    RSQRT
}

// Approximates a function by the four leading bits of its operand. In register actions.
extern MathUnit<T> {
    // Reciprocal or not, half powers of the exponent (-1 root, 0, 1 square), scale, results for leading bits 15 to 0.
    MathUnit(
        bool invert,
        int<2> shift,
        int<6> scale,
        tuple<
        bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>,
        bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>
        > data
    );
    // factor * op(x)
    MathUnit(MathOp_t op, int factor);
    // (A / B) * op(x)
    MathUnit(MathOp_t op, int A, int B);
    T execute(in T x);
}

#endif
