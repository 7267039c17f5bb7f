/** The files of p4/ as text. Written by test/toolchain/p4/stdlib/sources.test.ts under `npm run golden`. */
export const sources: Readonly<Record<string, string>> = {
  "core.p4": `// The core library of P4-16 (specification 1.2.5, appendix "P4 core library"). Names, signatures and
// parameter names are the standard's.

#ifndef _CORE_P4_
#define _CORE_P4_

// Errors of the built-in parser operations (section 12.4 onwards).
error {
    NoError,
    PacketTooShort,   // extract or lookahead past the end of the packet
    NoMatch,          // no case of a select matched
    StackOutOfBounds, // next or last outside the stack
    HeaderTooShort,   // more bits asked for than the varbit field holds
    ParserTimeout,
    ParserInvalidArgument // an argument the target cannot take, as bits that are no whole bytes
}

// The packet a parser reads (section 12.8).
extern packet_in {
    // Fills a header without varbit field, makes it valid and moves the cursor to its end.
    void extract<T>(out T hdr);
    // The same for a header with one varbit field, which takes the number of bits given.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    // The next bits as a value of type T; the cursor stays.
    T lookahead<T>();
    void advance(in bit<32> sizeInBits);
    // In bytes.
    bit<32> length();
}

// The packet a deparser builds (section 16).
extern packet_out {
    // Appends a header if it is valid; of a stack, union or struct, its valid headers in order.
    void emit<T>(in T hdr);
}

// In a parser: where the condition is false, sets the parser error and goes to reject (section 12.7).
extern void verify(in bool check, in error toSignal);

// Does nothing; the default action of a table that names none.
@noWarn("unused")
action NoAction() { }

match_kind {
    exact,
    ternary,
    lpm
}

// Stops the compilation with the message where the check, known at compile time, is false.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

#endif
`,
  "v1model.p4": `// The v1model architecture, as BMv2's simple_switch implements it. Names, signatures, parameter names and
// the annotations that reach BMv2 JSON or P4Info are p4c's. V1MODEL_VERSION selects the form of the indexed
// externs: from 20200408 on their index has a type parameter, before that it is bit<32>.

#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#include "core.p4"

#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif

match_kind {
    range,
    optional, // exactly the value, or any
    selector  // input of an action selector's hash; no part of the lookup
}

const bit<32> __v1model_version = V1MODEL_VERSION;

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#endif

// What the switch knows about a packet. @alias names the field inside BMv2.
@metadata @name("standard_metadata")
struct standard_metadata_t {
#if V1MODEL_VERSION >= 20200408
    PortId_t ingress_port;
    PortId_t egress_spec;
    PortId_t egress_port;
#else
    bit<9> ingress_port;
    bit<9> egress_spec;
    bit<9> egress_port;
#endif
    // 0 a packet from a port, 1 and 2 an ingress or egress clone, 4 recirculated, 5 replicated, 6 resubmitted.
    bit<32> instance_type;
    // In bytes.
    bit<32> packet_length;
    // Filled by the queue between ingress and egress; times in microseconds, depths in packets.
    @alias("queueing_metadata.enq_timestamp")
    bit<32> enq_timestamp;
    @alias("queueing_metadata.enq_qdepth")
    bit<19> enq_qdepth;
    @alias("queueing_metadata.deq_timedelta")
    bit<32> deq_timedelta;
    @alias("queueing_metadata.deq_qdepth")
    bit<19> deq_qdepth;
    // Microseconds since the switch started.
    @alias("intrinsic_metadata.ingress_global_timestamp")
    bit<48> ingress_global_timestamp;
    @alias("intrinsic_metadata.egress_global_timestamp")
    bit<48> egress_global_timestamp;
    // The multicast group to replicate to; 0 for none.
    @alias("intrinsic_metadata.mcast_grp")
    bit<16> mcast_grp;
    // Which replica of the group this packet is.
    @alias("intrinsic_metadata.egress_rid")
    bit<16> egress_rid;
    // 1 after a verify_checksum that did not agree.
    bit<1> checksum_error;
    error parser_error;
    // The queue the packet goes to, where the switch has several.
    @alias("intrinsic_metadata.priority")
    bit<3> priority;
}

enum CounterType {
    packets,
    bytes,
    packets_and_bytes
}

enum MeterType {
    packets,
    bytes
}

// An array of counters. A count beyond the array does nothing.
extern counter
#if V1MODEL_VERSION >= 20200408
    <I>
#endif
{
    counter(bit<32> size, CounterType type);
#if V1MODEL_VERSION >= 20200408
    void count(in I index);
#else
    void count(in bit<32> index);
#endif
}

// One counter an entry, of the table whose property 'counters' names it; BMv2 counts every hit,
// whether or not the action calls count().
extern direct_counter {
    direct_counter(CounterType type);
    void count();
}

#define V1MODEL_METER_COLOR_GREEN  0
#define V1MODEL_METER_COLOR_YELLOW 1
#define V1MODEL_METER_COLOR_RED    2

// An array of two-rate three-colour meters (RFC 2698). The result is one of the colours above.
extern meter
#if V1MODEL_VERSION >= 20200408
    <I>
#endif
{
    meter(bit<32> size, MeterType type);
#if V1MODEL_VERSION >= 20200408
    void execute_meter<T>(in I index, out T result);
#else
    void execute_meter<T>(in bit<32> index, out T result);
#endif
}

// One meter an entry, of the table whose property 'meters' names it; read() belongs in its actions.
extern direct_meter<T> {
    direct_meter(MeterType type);
    void read(out T result);
}

// An array of values that the program reads and writes. A read beyond the array leaves no defined value;
// a write there does nothing.
#if V1MODEL_VERSION >= 20200408
extern register<T, I>
#else
extern register<T>
#endif
{
    register(bit<32> size);
    @noSideEffects
#if V1MODEL_VERSION >= 20200408
    void read(out T result, in I index);
#else
    void read(out T result, in bit<32> index);
#endif
#if V1MODEL_VERSION >= 20200408
    void write(in I index, in T value);
#else
    void write(in bit<32> index, in T value);
#endif
}

// For the table property 'implementation': entries point to members that hold action and arguments.
extern action_profile {
    action_profile(bit<32> size);
}

// A number between lo and hi, both included.
extern void random<T>(out T result, in T lo, in T hi);

// Sends the values, as they are now, to the control plane. BMv2 takes no notice of the receiver.
extern void digest<T>(in bit<32> receiver, in T data);

enum HashAlgorithm {
    crc32,
    crc32_custom,
    crc16,
    crc16_custom,
    random,
    identity,
    csum16,
    xor16
}

@deprecated("Please use mark_to_drop(standard_metadata) instead.")
extern void mark_to_drop();

// Sets egress_spec to the port that means "drop", and mcast_grp to 0. Later writes to
// either undo it.
@pure
extern void mark_to_drop(inout standard_metadata_t standard_metadata);

// A value in base .. base + max - 1; base where max is 0.
@pure
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data, in M max);

// An action profile whose entries may also point to groups; the fields of kind 'selector' choose the
// member by a hash of outputWidth bits.
extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

enum CloneType {
    I2E,
    E2E
}

@deprecated("Please use verify_checksum/update_checksum instead.")
extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

// In the control VerifyChecksum: sets checksum_error where the condition holds and the sums differ.
extern void verify_checksum<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);

// In the control ComputeChecksum: writes the checksum where the condition holds.
@pure
extern void update_checksum<T, O>(in bool condition, in T data, inout O checksum,
                                  HashAlgorithm algo);

// The same two over the data and all bytes of the packet after those that the parser read.
extern void verify_checksum_with_payload<T, O>(in bool condition, in T data, in O checksum,
                                               HashAlgorithm algo);
@noSideEffects
extern void update_checksum_with_payload<T, O>(in bool condition, in T data, inout O checksum,
                                               HashAlgorithm algo);

// Sends a copy of the packet to the ports of a clone session. All clone, resubmit and recirculate calls act
// when the control ends; of several calls the last one counts.
extern void clone(in CloneType type, in bit<32> session);

@deprecated("Please use 'resubmit_preserving_field_list' instead")
extern void resubmit<T>(in T data);
// Back to the parser as the packet came in, with the user metadata fields marked @field_list(index).
extern void resubmit_preserving_field_list(bit<8> index);

@deprecated("Please use 'recirculate_preserving_field_list' instead")
extern void recirculate<T>(in T data);
// From the end of egress back to the parser, as deparsed, with the user metadata marked @field_list(index).
extern void recirculate_preserving_field_list(bit<8> index);

@deprecated("Please use 'clone_preserving_field_list' instead")
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);
extern void clone_preserving_field_list(in CloneType type, in bit<32> session, bit<8> index);

// Cuts the packet to a number of bytes when it leaves.
extern void truncate(in bit<32> length);

// The program stops with a message in the log where the check is false.
extern void assert(in bool check);
// The same when it runs; verification tools take it as given.
extern void assume(in bool check);

// Writes to the log; each {} in the message is replaced by one value of the data.
extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

// M is a struct; H a struct of headers, header stacks and header unions.
parser Parser<H, M>(packet_in b,
                    out H parsedHdr,
                    inout M meta,
                    inout standard_metadata_t standard_metadata);

// May only call verify_checksum and verify_checksum_with_payload.
control VerifyChecksum<H, M>(inout H hdr,
                             inout M meta);

@pipeline
control Ingress<H, M>(inout H hdr,
                      inout M meta,
                      inout standard_metadata_t standard_metadata);

@pipeline
control Egress<H, M>(inout H hdr,
                     inout M meta,
                     inout standard_metadata_t standard_metadata);

// May only call update_checksum and update_checksum_with_payload.
control ComputeChecksum<H, M>(inout H hdr,
                              inout M meta);

// May only call emit.
@deparser
control Deparser<H>(packet_out b, in H hdr);

package V1Switch<H, M>(Parser<H, M> p,
                       VerifyChecksum<H, M> vr,
                       Ingress<H, M> ig,
                       Egress<H, M> eg,
                       ComputeChecksum<H, M> ck,
                       Deparser<H> dep);

#endif
`,
  "psa.p4": `// The Portable Switch Architecture (PSA specification 1.1). Names, signatures, parameter names and the annotations that
// reach P4Info are the specification's; widths are those of BMv2's psa_switch.

#ifndef _PORTABLE_SWITCH_ARCHITECTURE_P4_
#define _PORTABLE_SWITCH_ARCHITECTURE_P4_

#include <core.p4>

// The widths of values inside the device (section 4.1). A program does arithmetic with the ...Uint_t forms.
typedef bit<32> PortIdUint_t;
typedef bit<32> MulticastGroupUint_t;
typedef bit<16> CloneSessionIdUint_t;
typedef bit<8> ClassOfServiceUint_t;
typedef bit<16> PacketLengthUint_t;
typedef bit<16> EgressInstanceUint_t;
typedef bit<64> TimestampUint_t;

@p4runtime_translation("p4.org/psa/v1/PortId_t", 32)
type PortIdUint_t PortId_t;
@p4runtime_translation("p4.org/psa/v1/MulticastGroup_t", 32)
type MulticastGroupUint_t MulticastGroup_t;
@p4runtime_translation("p4.org/psa/v1/CloneSessionId_t", 16)
type CloneSessionIdUint_t CloneSessionId_t;
@p4runtime_translation("p4.org/psa/v1/ClassOfService_t", 8)
type ClassOfServiceUint_t ClassOfService_t;
@p4runtime_translation("p4.org/psa/v1/PacketLength_t", 16)
type PacketLengthUint_t PacketLength_t;
@p4runtime_translation("p4.org/psa/v1/EgressInstance_t", 16)
type EgressInstanceUint_t EgressInstance_t;
@p4runtime_translation("p4.org/psa/v1/Timestamp_t", 64)
type TimestampUint_t Timestamp_t;
typedef error ParserError_t;

// A packet to this port comes back to ingress; one to the other port goes to the controller.
const PortId_t PSA_PORT_RECIRCULATE = (PortId_t) 0xfffffffa;
const PortId_t PSA_PORT_CPU = (PortId_t) 0xfffffffd;
const CloneSessionId_t PSA_CLONE_SESSION_TO_CPU = (CloneSessionId_t) 0;

// The same values in headers between the device and a controller: whole bytes, at least as wide as any device has them.
typedef bit<32> PortIdInHeaderUint_t;
typedef bit<32> MulticastGroupInHeaderUint_t;
typedef bit<16> CloneSessionIdInHeaderUint_t;
typedef bit<8> ClassOfServiceInHeaderUint_t;
typedef bit<16> PacketLengthInHeaderUint_t;
typedef bit<16> EgressInstanceInHeaderUint_t;
typedef bit<64> TimestampInHeaderUint_t;

@p4runtime_translation("p4.org/psa/v1/PortIdInHeader_t", 32)
type PortIdInHeaderUint_t PortIdInHeader_t;
@p4runtime_translation("p4.org/psa/v1/MulticastGroupInHeader_t", 32)
type MulticastGroupInHeaderUint_t MulticastGroupInHeader_t;
@p4runtime_translation("p4.org/psa/v1/CloneSessionIdInHeader_t", 16)
type CloneSessionIdInHeaderUint_t CloneSessionIdInHeader_t;
@p4runtime_translation("p4.org/psa/v1/ClassOfServiceInHeader_t", 8)
type ClassOfServiceInHeaderUint_t ClassOfServiceInHeader_t;
@p4runtime_translation("p4.org/psa/v1/PacketLengthInHeader_t", 16)
type PacketLengthInHeaderUint_t PacketLengthInHeader_t;
@p4runtime_translation("p4.org/psa/v1/EgressInstanceInHeader_t", 16)
type EgressInstanceInHeaderUint_t EgressInstanceInHeader_t;
@p4runtime_translation("p4.org/psa/v1/TimestampInHeader_t", 64)
type TimestampInHeaderUint_t TimestampInHeader_t;

PortId_t psa_PortId_header_to_int(in PortIdInHeader_t x) {
    return (PortId_t) (PortIdUint_t) (PortIdInHeaderUint_t) x;
}
MulticastGroup_t psa_MulticastGroup_header_to_int(in MulticastGroupInHeader_t x) {
    return (MulticastGroup_t) (MulticastGroupUint_t) (MulticastGroupInHeaderUint_t) x;
}
CloneSessionId_t psa_CloneSessionId_header_to_int(in CloneSessionIdInHeader_t x) {
    return (CloneSessionId_t) (CloneSessionIdUint_t) (CloneSessionIdInHeaderUint_t) x;
}
ClassOfService_t psa_ClassOfService_header_to_int(in ClassOfServiceInHeader_t x) {
    return (ClassOfService_t) (ClassOfServiceUint_t) (ClassOfServiceInHeaderUint_t) x;
}
PacketLength_t psa_PacketLength_header_to_int(in PacketLengthInHeader_t x) {
    return (PacketLength_t) (PacketLengthUint_t) (PacketLengthInHeaderUint_t) x;
}
EgressInstance_t psa_EgressInstance_header_to_int(in EgressInstanceInHeader_t x) {
    return (EgressInstance_t) (EgressInstanceUint_t) (EgressInstanceInHeaderUint_t) x;
}
Timestamp_t psa_Timestamp_header_to_int(in TimestampInHeader_t x) {
    return (Timestamp_t) (TimestampUint_t) (TimestampInHeaderUint_t) x;
}
PortIdInHeader_t psa_PortId_int_to_header(in PortId_t x) {
    return (PortIdInHeader_t) (PortIdInHeaderUint_t) (PortIdUint_t) x;
}
MulticastGroupInHeader_t psa_MulticastGroup_int_to_header(in MulticastGroup_t x) {
    return (MulticastGroupInHeader_t) (MulticastGroupInHeaderUint_t) (MulticastGroupUint_t) x;
}
CloneSessionIdInHeader_t psa_CloneSessionId_int_to_header(in CloneSessionId_t x) {
    return (CloneSessionIdInHeader_t) (CloneSessionIdInHeaderUint_t) (CloneSessionIdUint_t) x;
}
ClassOfServiceInHeader_t psa_ClassOfService_int_to_header(in ClassOfService_t x) {
    return (ClassOfServiceInHeader_t) (ClassOfServiceInHeaderUint_t) (ClassOfServiceUint_t) x;
}
PacketLengthInHeader_t psa_PacketLength_int_to_header(in PacketLength_t x) {
    return (PacketLengthInHeader_t) (PacketLengthInHeaderUint_t) (PacketLengthUint_t) x;
}
EgressInstanceInHeader_t psa_EgressInstance_int_to_header(in EgressInstance_t x) {
    return (EgressInstanceInHeader_t) (EgressInstanceInHeaderUint_t) (EgressInstanceUint_t) x;
}
TimestampInHeader_t psa_Timestamp_int_to_header(in Timestamp_t x) {
    return (TimestampInHeader_t) (TimestampInHeaderUint_t) (TimestampUint_t) x;
}

// Values of the table property psa_idle_timeout.
enum PSA_IdleTimeout_t {
    NO_TIMEOUT,
    NOTIFY_CONTROL
}

// Where a packet comes from.
enum PSA_PacketPath_t {
    NORMAL,           // ingress: from a port
    NORMAL_UNICAST,   // egress: the packet of ingress
    NORMAL_MULTICAST, // egress: a copy for a member of a multicast group
    CLONE_I2E,        // egress: a copy of the packet as it came to ingress
    CLONE_E2E,        // egress: a copy of the packet as egress sent it
    RESUBMIT,         // ingress: once more, as it came
    RECIRCULATE       // ingress: once more, as egress sent it
}

struct psa_ingress_parser_input_metadata_t {
    PortId_t ingress_port;
    PSA_PacketPath_t packet_path;
}

struct psa_egress_parser_input_metadata_t {
    PortId_t egress_port;
    PSA_PacketPath_t packet_path;
}

struct psa_ingress_input_metadata_t {
    PortId_t ingress_port;
    PSA_PacketPath_t packet_path;
    Timestamp_t ingress_timestamp;
    ParserError_t parser_error;
}

// What ingress decides. A packet is dropped unless ingress says otherwise; the last column is the value at first.
struct psa_ingress_output_metadata_t {
    ClassOfService_t class_of_service; // 0
    bool clone;                        // false
    CloneSessionId_t clone_session_id; // undefined
    bool drop;                         // true
    bool resubmit;                     // false
    MulticastGroup_t multicast_group;  // 0
    PortId_t egress_port;              // undefined
}

struct psa_egress_input_metadata_t {
    ClassOfService_t class_of_service;
    PortId_t egress_port;
    PSA_PacketPath_t packet_path;
    EgressInstance_t instance; // of a copy: the number that the replication engine gives it
    Timestamp_t egress_timestamp;
    ParserError_t parser_error;
}

struct psa_egress_deparser_input_metadata_t {
    PortId_t egress_port;
}

struct psa_egress_output_metadata_t {
    bool clone;                        // false
    CloneSessionId_t clone_session_id; // undefined
    bool drop;                         // false
}

// In deparsers: whether the packet is cloned, goes through ingress again, or goes on (section 6.4 and 6.7).
@pure
extern bool psa_clone_i2e(in psa_ingress_output_metadata_t istd);
@pure
extern bool psa_resubmit(in psa_ingress_output_metadata_t istd);
@pure
extern bool psa_normal(in psa_ingress_output_metadata_t istd);
@pure
extern bool psa_clone_e2e(in psa_egress_output_metadata_t istd);
@pure
extern bool psa_recirculate(in psa_egress_output_metadata_t istd,
                            in psa_egress_deparser_input_metadata_t edstd);

extern void assert(in bool check);
extern void assume(in bool check);

match_kind {
    range,
    selector, // input of an action selector's hash; no part of the lookup
    optional  // exactly the value, or any
}

// The last decision counts (section 6.3).
@noWarn("unused")
action send_to_port(inout psa_ingress_output_metadata_t meta, in PortId_t egress_port) {
    meta.drop = false;
    meta.multicast_group = (MulticastGroup_t) 0;
    meta.egress_port = egress_port;
}
@noWarn("unused")
action multicast(inout psa_ingress_output_metadata_t meta, in MulticastGroup_t multicast_group) {
    meta.drop = false;
    meta.multicast_group = multicast_group;
}
@noWarn("unused")
action ingress_drop(inout psa_ingress_output_metadata_t meta) {
    meta.drop = true;
}
@noWarn("unused")
action egress_drop(inout psa_egress_output_metadata_t meta) {
    meta.drop = true;
}

// Between ingress and egress. A program makes one of each, for the package.
extern PacketReplicationEngine {
    PacketReplicationEngine();
}
extern BufferingQueueingEngine {
    BufferingQueueingEngine();
}

enum PSA_HashAlgorithm_t {
    IDENTITY,
    CRC32,
    CRC32_CUSTOM,
    CRC16,
    CRC16_CUSTOM,
    ONES_COMPLEMENT16, // the checksum of IPv4, TCP and UDP
    TARGET_DEFAULT
}

extern Hash<O> {
    Hash(PSA_HashAlgorithm_t algo);
    @pure
    O get_hash<D>(in D data);
    // base + hash % max
    @pure
    O get_hash<T, D>(in T base, in D data, in T max);
}

// Checksums are empty whenever the parser or control around them begins.
extern Checksum<W> {
    Checksum(PSA_HashAlgorithm_t hash);
    void clear();
    void update<T>(in T data);
    @noSideEffects
    W get();
}
extern InternetChecksum {
    InternetChecksum();
    void clear();
    // Data are whole words of 16 bits.
    void add<T>(in T data);
    void subtract<T>(in T data);
    @noSideEffects
    bit<16> get();
    // For set_state, of this instance or another.
    @noSideEffects
    bit<16> get_state();
    void set_state(in bit<16> checksum_state);
}

enum PSA_CounterType_t {
    PACKETS,
    BYTES,
    PACKETS_AND_BYTES
}

@noWarn("unused")
extern Counter<W, S> {
    Counter(bit<32> n_counters, PSA_CounterType_t type);
    void count(in S index);
#ifdef _DPDK_METHODS_
    void count(in S index, in bit<32> pkt_len);
#endif
}
// Of a table with the property psa_direct_counter.
@noWarn("unused")
extern DirectCounter<W> {
    DirectCounter(PSA_CounterType_t type);
    void count();
#ifdef _DPDK_METHODS_
    void count(in bit<32> pkt_len);
#endif
}

enum PSA_MeterType_t {
    PACKETS,
    BYTES
}
enum PSA_MeterColor_t {
    RED,
    GREEN,
    YELLOW
}

// Two rates, three colors (RFC 2698). With a color, the result is never better than it.
extern Meter<S> {
    Meter(bit<32> n_meters, PSA_MeterType_t type);
    PSA_MeterColor_t execute(in S index, in PSA_MeterColor_t color);
    PSA_MeterColor_t execute(in S index);
#ifdef _DPDK_METHODS_
    PSA_MeterColor_t dpdk_execute(in S index, in PSA_MeterColor_t color, in bit<32> pkt_len);
    PSA_MeterColor_t dpdk_execute(in S index, in bit<32> pkt_len);
#endif
}
// Of a table with the property psa_direct_meter.
extern DirectMeter {
    DirectMeter(PSA_MeterType_t type);
    PSA_MeterColor_t execute(in PSA_MeterColor_t color);
    PSA_MeterColor_t execute();
#ifdef _DPDK_METHODS_
    PSA_MeterColor_t dpdk_execute(in PSA_MeterColor_t color, in bit<32> pkt_len);
    PSA_MeterColor_t dpdk_execute(in bit<32> pkt_len);
#endif
}

extern Register<T, S> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    @noSideEffects
    T read(in S index);
    void write(in S index, in T value);
}

// Both bounds are possible results.
extern Random<T> {
    Random(T min, T max);
    T read();
}

// Of tables with the property psa_implementation.
extern ActionProfile {
    ActionProfile(bit<32> size);
}
extern ActionSelector {
    ActionSelector(PSA_HashAlgorithm_t algo, bit<32> size, bit<32> outputWidth);
}

extern Digest<T> {
    Digest();
    void pack(in T data);
}

// The blocks of the switch. RESUBM, RECIRCM, NM, CI2EM and CE2EM are what a packet takes along on its path.
parser IngressParser<H, M, RESUBM, RECIRCM>(
    packet_in buffer,
    out H parsed_hdr,
    inout M user_meta,
    in psa_ingress_parser_input_metadata_t istd,
    in RESUBM resubmit_meta,
    in RECIRCM recirculate_meta);

control Ingress<H, M>(
    inout H hdr,
    inout M user_meta,
    in psa_ingress_input_metadata_t istd,
    inout psa_ingress_output_metadata_t ostd);

control IngressDeparser<H, M, CI2EM, RESUBM, NM>(
    packet_out buffer,
    out CI2EM clone_i2e_meta,
    out RESUBM resubmit_meta,
    out NM normal_meta,
    inout H hdr,
    in M meta,
    in psa_ingress_output_metadata_t istd);

parser EgressParser<H, M, NM, CI2EM, CE2EM>(
    packet_in buffer,
    out H parsed_hdr,
    inout M user_meta,
    in psa_egress_parser_input_metadata_t istd,
    in NM normal_meta,
    in CI2EM clone_i2e_meta,
    in CE2EM clone_e2e_meta);

control Egress<H, M>(
    inout H hdr,
    inout M user_meta,
    in psa_egress_input_metadata_t istd,
    inout psa_egress_output_metadata_t ostd);

control EgressDeparser<H, M, CE2EM, RECIRCM>(
    packet_out buffer,
    out CE2EM clone_e2e_meta,
    out RECIRCM recirculate_meta,
    inout H hdr,
    in M meta,
    in psa_egress_output_metadata_t istd,
    in psa_egress_deparser_input_metadata_t edstd);

package IngressPipeline<IH, IM, NM, CI2EM, RESUBM, RECIRCM>(
    IngressParser<IH, IM, RESUBM, RECIRCM> ip,
    Ingress<IH, IM> ig,
    IngressDeparser<IH, IM, CI2EM, RESUBM, NM> id);

package EgressPipeline<EH, EM, NM, CI2EM, CE2EM, RECIRCM>(
    EgressParser<EH, EM, NM, CI2EM, CE2EM> ep,
    Egress<EH, EM> eg,
    EgressDeparser<EH, EM, CE2EM, RECIRCM> ed);

package PSA_Switch<IH, IM, EH, EM, NM, CI2EM, CE2EM, RESUBM, RECIRCM>(
    IngressPipeline<IH, IM, NM, CI2EM, RESUBM, RECIRCM> ingress,
    PacketReplicationEngine pre,
    EgressPipeline<EH, EM, NM, CI2EM, CE2EM, RECIRCM> egress,
    BufferingQueueingEngine bqe);

#endif
`,
  "psa_dpdk.p4": `// PSA with the methods that DPDK's software switch adds: counts and meters of a length that the program gives. Programs
// include it as dpdk/psa.p4.

#define _DPDK_METHODS_
#include "psa.p4"
`,
  "pna.p4": `// The Portable NIC Architecture, as the open compiler declares it; its specification is a draft. Names, signatures, parameter names and the
// annotations that reach P4Info are those of the public declarations. pna_bmv2.p4 has the form of BMv2's pna_nic, pna_dpdk.p4 that of DPDK.

#ifndef _PORTABLE_NIC_ARCHITECTURE_P4_
#define _PORTABLE_NIC_ARCHITECTURE_P4_

#include <core.p4>

// The widths of values inside the device. A program does arithmetic with the ...Uint_t forms.
typedef bit<32> PortIdUint_t;
typedef bit<32> InterfaceIdUint_t;
typedef bit<32> MulticastGroupUint_t;
typedef bit<16> MirrorSessionIdUint_t;
typedef bit<8> MirrorSlotIdUint_t;
typedef bit<8> ClassOfServiceUint_t;
typedef bit<16> PacketLengthUint_t;
typedef bit<16> MulticastInstanceUint_t;
typedef bit<64> TimestampUint_t;
typedef bit<32> FlowIdUint_t;
typedef bit<8> ExpireTimeProfileIdUint_t;
typedef bit<3> PassNumberUint_t;
typedef bit<32> SecurityAssocIdUint_t;

@p4runtime_translation("p4.org/pna/v1/PortId_t", 32)
type PortIdUint_t PortId_t;
@p4runtime_translation("p4.org/pna/v1/InterfaceId_t", 32)
type InterfaceIdUint_t InterfaceId_t;
@p4runtime_translation("p4.org/pna/v1/MulticastGroup_t", 32)
type MulticastGroupUint_t MulticastGroup_t;
@p4runtime_translation("p4.org/pna/v1/MirrorSessionId_t", 16)
type MirrorSessionIdUint_t MirrorSessionId_t;
@p4runtime_translation("p4.org/pna/v1/MirrorSlotId_t", 8)
type MirrorSlotIdUint_t MirrorSlotId_t;
@p4runtime_translation("p4.org/pna/v1/ClassOfService_t", 8)
type ClassOfServiceUint_t ClassOfService_t;
@p4runtime_translation("p4.org/pna/v1/PacketLength_t", 16)
type PacketLengthUint_t PacketLength_t;
@p4runtime_translation("p4.org/pna/v1/MulticastInstance_t", 16)
type MulticastInstanceUint_t MulticastInstance_t;
@p4runtime_translation("p4.org/pna/v1/Timestamp_t", 64)
type TimestampUint_t Timestamp_t;
@p4runtime_translation("p4.org/pna/v1/FlowId_t", 32)
type FlowIdUint_t FlowId_t;
@p4runtime_translation("p4.org/pna/v1/ExpireTimeProfileId_t", 8)
type ExpireTimeProfileIdUint_t ExpireTimeProfileId_t;
@p4runtime_translation("p4.org/pna/v1/PassNumber_t", 8)
type PassNumberUint_t PassNumber_t;
@p4runtime_translation("p4.org/pna/v1/SecurityAssocId_t", 64)
type SecurityAssocIdUint_t SecurityAssocId_t;
typedef error ParserError_t;

const InterfaceId_t PNA_PORT_CPU = (InterfaceId_t) 0xfffffffd;
const MirrorSessionId_t PNA_MIRROR_SESSION_TO_CPU = (MirrorSessionId_t) 0;

// The same values in headers between the device and a controller: whole bytes.
typedef bit<32> PortIdInHeaderUint_t;
typedef bit<32> InterfaceIdInHeaderUint_t;
typedef bit<32> MulticastGroupInHeaderUint_t;
typedef bit<16> MirrorSessionIdInHeaderUint_t;
typedef bit<8> MirrorSlotIdInHeaderUint_t;
typedef bit<8> ClassOfServiceInHeaderUint_t;
typedef bit<16> PacketLengthInHeaderUint_t;
typedef bit<16> MulticastInstanceInHeaderUint_t;
typedef bit<64> TimestampInHeaderUint_t;
typedef bit<32> FlowIdInHeaderUint_t;
typedef bit<8> ExpireTimeProfileIdInHeaderUint_t;
typedef bit<8> PassNumberInHeaderUint_t;
typedef bit<32> SecurityAssocIdInHeaderUint_t;

@p4runtime_translation("p4.org/pna/v1/PortIdInHeader_t", 32)
type PortIdInHeaderUint_t PortIdInHeader_t;
@p4runtime_translation("p4.org/pna/v1/InterfaceIdInHeader_t", 32)
type InterfaceIdInHeaderUint_t InterfaceIdInHeader_t;
@p4runtime_translation("p4.org/pna/v1/MulticastGroupInHeader_t", 32)
type MulticastGroupInHeaderUint_t MulticastGroupInHeader_t;
@p4runtime_translation("p4.org/pna/v1/MirrorSessionIdInHeader_t", 16)
type MirrorSessionIdInHeaderUint_t MirrorSessionIdInHeader_t;
@p4runtime_translation("p4.org/pna/v1/MirrorSlotIdInHeader_t", 8)
type MirrorSlotIdInHeaderUint_t MirrorSlotIdInHeader_t;
@p4runtime_translation("p4.org/pna/v1/ClassOfServiceInHeader_t", 8)
type ClassOfServiceInHeaderUint_t ClassOfServiceInHeader_t;
@p4runtime_translation("p4.org/pna/v1/PacketLengthInHeader_t", 16)
type PacketLengthInHeaderUint_t PacketLengthInHeader_t;
@p4runtime_translation("p4.org/pna/v1/MulticastInstanceInHeader_t", 16)
type MulticastInstanceInHeaderUint_t MulticastInstanceInHeader_t;
@p4runtime_translation("p4.org/pna/v1/TimestampInHeader_t", 64)
type TimestampInHeaderUint_t TimestampInHeader_t;
@p4runtime_translation("p4.org/pna/v1/FlowIdInHeader_t", 32)
type FlowIdInHeaderUint_t FlowIdInHeader_t;
@p4runtime_translation("p4.org/pna/v1/ExpireTimeProfileIdInHeader_t", 8)
type ExpireTimeProfileIdInHeaderUint_t ExpireTimeProfileIdInHeader_t;
@p4runtime_translation("p4.org/pna/v1/PassNumberInHeader_t", 8)
type PassNumberInHeaderUint_t PassNumberInHeader_t;
@p4runtime_translation("p4.org/pna/v1/SecurityAssocIdInHeader_t", 64)
type SecurityAssocIdInHeaderUint_t SecurityAssocIdInHeader_t;

PortId_t pna_PortId_header_to_int(in PortIdInHeader_t x) {
    return (PortId_t) (PortIdUint_t) (PortIdInHeaderUint_t) x;
}
InterfaceId_t pna_InterfaceId_header_to_int(in InterfaceIdInHeader_t x) {
    return (InterfaceId_t) (InterfaceIdUint_t) (InterfaceIdInHeaderUint_t) x;
}
MulticastGroup_t pna_MulticastGroup_header_to_int(in MulticastGroupInHeader_t x) {
    return (MulticastGroup_t) (MulticastGroupUint_t) (MulticastGroupInHeaderUint_t) x;
}
MirrorSessionId_t pna_MirrorSessionId_header_to_int(in MirrorSessionIdInHeader_t x) {
    return (MirrorSessionId_t) (MirrorSessionIdUint_t) (MirrorSessionIdInHeaderUint_t) x;
}
ClassOfService_t pna_ClassOfService_header_to_int(in ClassOfServiceInHeader_t x) {
    return (ClassOfService_t) (ClassOfServiceUint_t) (ClassOfServiceInHeaderUint_t) x;
}
PacketLength_t pna_PacketLength_header_to_int(in PacketLengthInHeader_t x) {
    return (PacketLength_t) (PacketLengthUint_t) (PacketLengthInHeaderUint_t) x;
}
MulticastInstance_t pna_MulticastInstance_header_to_int(in MulticastInstanceInHeader_t x) {
    return (MulticastInstance_t) (MulticastInstanceUint_t) (MulticastInstanceInHeaderUint_t) x;
}
Timestamp_t pna_Timestamp_header_to_int(in TimestampInHeader_t x) {
    return (Timestamp_t) (TimestampUint_t) (TimestampInHeaderUint_t) x;
}
FlowId_t pna_FlowId_header_to_int(in FlowIdInHeader_t x) {
    return (FlowId_t) (FlowIdUint_t) (FlowIdInHeaderUint_t) x;
}
ExpireTimeProfileId_t pna_ExpireTimeProfileId_header_to_int(in ExpireTimeProfileIdInHeader_t x) {
    return (ExpireTimeProfileId_t) (ExpireTimeProfileIdUint_t) (
        ExpireTimeProfileIdInHeaderUint_t) x;
}
PassNumber_t pna_PassNumber_header_to_int(in PassNumberInHeader_t x) {
    return (PassNumber_t) (PassNumberUint_t) (PassNumberInHeaderUint_t) x;
}
PortIdInHeader_t pna_PortId_int_to_header(in PortId_t x) {
    return (PortIdInHeader_t) (PortIdInHeaderUint_t) (PortIdUint_t) x;
}
InterfaceIdInHeader_t pna_InterfaceId_int_to_header(in InterfaceId_t x) {
    return (InterfaceIdInHeader_t) (InterfaceIdInHeaderUint_t) (InterfaceIdUint_t) x;
}
MulticastGroupInHeader_t pna_MulticastGroup_int_to_header(in MulticastGroup_t x) {
    return (MulticastGroupInHeader_t) (MulticastGroupInHeaderUint_t) (MulticastGroupUint_t) x;
}
MirrorSessionIdInHeader_t pna_MirrorSessionId_int_to_header(in MirrorSessionId_t x) {
    return (MirrorSessionIdInHeader_t) (MirrorSessionIdInHeaderUint_t) (MirrorSessionIdUint_t) x;
}
ClassOfServiceInHeader_t pna_ClassOfService_int_to_header(in ClassOfService_t x) {
    return (ClassOfServiceInHeader_t) (ClassOfServiceInHeaderUint_t) (ClassOfServiceUint_t) x;
}
PacketLengthInHeader_t pna_PacketLength_int_to_header(in PacketLength_t x) {
    return (PacketLengthInHeader_t) (PacketLengthInHeaderUint_t) (PacketLengthUint_t) x;
}
MulticastInstanceInHeader_t pna_MulticastInstance_int_to_header(in MulticastInstance_t x) {
    return (MulticastInstanceInHeader_t) (MulticastInstanceInHeaderUint_t) (
        MulticastInstanceUint_t) x;
}
TimestampInHeader_t pna_Timestamp_int_to_header(in Timestamp_t x) {
    return (TimestampInHeader_t) (TimestampInHeaderUint_t) (TimestampUint_t) x;
}
FlowIdInHeader_t pna_FlowId_int_to_header(in FlowId_t x) {
    return (FlowIdInHeader_t) (FlowIdInHeaderUint_t) (FlowIdUint_t) x;
}
ExpireTimeProfileIdInHeader_t pna_ExpireTimeProfileId_int_to_header(in ExpireTimeProfileId_t x) {
    return (ExpireTimeProfileIdInHeader_t) (ExpireTimeProfileIdInHeaderUint_t) (
        ExpireTimeProfileIdUint_t) x;
}
PassNumberInHeader_t pna_PassNumber_int_to_header(in PassNumber_t x) {
    return (PassNumberInHeader_t) (PassNumberInHeaderUint_t) (PassNumberUint_t) x;
}

// Values of the table property pna_idle_timeout. The last one is for entries that the data plane adds.
enum PNA_IdleTimeout_t {
    NO_TIMEOUT,
    NOTIFY_CONTROL,
    AUTO_DELETE
}

match_kind {
    range,
    selector, // input of an action selector's hash; no part of the lookup
    optional  // exactly the value, or any
}
enum PNA_HashAlgorithm_t {
    IDENTITY,
    CRC32,
    CRC32_CUSTOM,
    CRC16,
    CRC16_CUSTOM,
    ONES_COMPLEMENT16, // the checksum of IPv4, TCP and UDP
    TOEPLITZ,
    TARGET_DEFAULT
}

extern Hash<O> {
    Hash(PNA_HashAlgorithm_t algo);
    @pure
    O get_hash<D>(in D data);
    // base + hash % max
    @pure
    O get_hash<T, D>(in T base, in D data, in T max);
}

// Checksums are empty whenever the parser or control around them begins.
extern Checksum<W> {
    Checksum(PNA_HashAlgorithm_t hash);
    void clear();
    void update<T>(in T data);
    @noSideEffects
    W get();
}
extern InternetChecksum {
    InternetChecksum();
    void clear();
    // Data are whole words of 16 bits.
    void add<T>(in T data);
    void subtract<T>(in T data);
    @noSideEffects
    bit<16> get();
    // For set_state, of this instance or another.
    @noSideEffects
    bit<16> get_state();
    void set_state(in bit<16> checksum_state);
}

enum PNA_CounterType_t {
    PACKETS,
    BYTES,
    PACKETS_AND_BYTES
}

@noWarn("unused")
extern Counter<W, S> {
    Counter(bit<32> n_counters, PNA_CounterType_t type);
    void count(in S index, @optional in bit<32> increment);
}
// Of a table with the property pna_direct_counter.
@noWarn("unused")
extern DirectCounter<W> {
    DirectCounter(PNA_CounterType_t type);
    void count(@optional in bit<32> increment);
}

enum PNA_MeterType_t {
    PACKETS,
    BYTES
}
enum PNA_MeterColor_t {
    RED,
    GREEN,
    YELLOW
}

// Two rates, three colors (RFC 2698). With a color, the result is never better than it.
extern Meter<S> {
    Meter(bit<32> n_meters, PNA_MeterType_t type);
    PNA_MeterColor_t execute(in S index, in PNA_MeterColor_t color);
    PNA_MeterColor_t execute(in S index);
#ifdef _DPDK_METHODS_
    PNA_MeterColor_t dpdk_execute(in S index, in PNA_MeterColor_t color, in bit<32> pkt_len);
    PNA_MeterColor_t dpdk_execute(in S index, in bit<32> pkt_len);
#endif
}
// Of a table with the property pna_direct_meter.
extern DirectMeter {
    DirectMeter(PNA_MeterType_t type);
    PNA_MeterColor_t execute(in PNA_MeterColor_t color, @optional in bit<32> pkt_len);
    PNA_MeterColor_t execute(@optional in bit<32> pkt_len);
#ifdef _DPDK_METHODS_
    PNA_MeterColor_t dpdk_execute(in PNA_MeterColor_t color, in bit<32> pkt_len);
    PNA_MeterColor_t dpdk_execute(in bit<32> pkt_len);
#endif
}

extern Register<T, S> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    @noSideEffects
    T read(in S index);
    void write(in S index, in T value);
}

// Both bounds are possible results.
extern Random<T> {
    Random(T min, T max);
    T read();
}

// Of tables with the property pna_implementation.
extern ActionProfile {
    ActionProfile(bit<32> size);
}
extern ActionSelector {
    ActionSelector(PNA_HashAlgorithm_t algo, bit<32> size, bit<32> outputWidth);
}

extern Digest<T> {
    Digest();
    void pack(in T data);
}

// Which way a packet goes through the device.
enum PNA_Direction_t {
    NET_TO_HOST,
    HOST_TO_NET
}

enum PNA_PacketPath_t {
    FROM_NET_PORT,
    FROM_NET_LOOPEDBACK,
    FROM_NET_RECIRCULATED,
    FROM_HOST,
    FROM_HOST_LOOPEDBACK,
    FROM_HOST_RECIRCULATED
}

#ifdef _PNA_NIC_
struct pna_main_parser_input_metadata_t {
    bool recirculated;
    PortId_t input_port;
}

struct pna_main_input_metadata_t {
    bool recirculated;
    Timestamp_t timestamp;
    ParserError_t parser_error;
    ClassOfService_t class_of_service;
    PortId_t input_port;
}
#else
struct pna_pre_input_metadata_t {
    PortId_t input_port;
    ParserError_t parser_error;
    PNA_Direction_t direction;
    PassNumber_t pass;
    bool loopedback;
}

struct pna_pre_output_metadata_t {
    bool decrypt;
    SecurityAssocId_t said;
    bit<16> decrypt_start_offset;
}

// Of the pass of a packet, the first is 0.
struct pna_main_parser_input_metadata_t {
    PNA_Direction_t direction;
    PassNumber_t pass;
    bool loopedback;
    PortId_t input_port;
}

struct pna_main_input_metadata_t {
    PNA_Direction_t direction;
    PassNumber_t pass;
    bool loopedback;
    Timestamp_t timestamp;
    ParserError_t parser_error;
    ClassOfService_t class_of_service;
    PortId_t input_port;
}
#endif

struct pna_main_output_metadata_t {
    ClassOfService_t class_of_service; // 0
}

// A packet is dropped unless send_to_port says otherwise; of drop_packet and send_to_port the last one counts.
extern void drop_packet();
extern void send_to_port(in PortId_t dest_port);
// A copy of the packet as the deparser emits it, one for each slot.
extern void mirror_packet(MirrorSlotId_t mirror_slot_id, MirrorSessionId_t mirror_session_id);
// One more pass, whatever else is asked for.
extern void recirculate();

// In the default action of a table with add_on_miss: adds an entry for the key that was not found.
extern bool add_entry<T>(
    string action_name,
    in T action_params,
    in ExpireTimeProfileId_t expire_time_profile_id);
extern FlowId_t allocate_flow_id();
extern void set_entry_expire_time(in ExpireTimeProfileId_t expire_time_profile_id);
extern void restart_expire_timer();

// The first value from the net to the host, else the second.
@pure
extern T SelectByDirection<T>(in PNA_Direction_t direction, in T n2h_value, in T h2n_value);

#ifdef _DPDK_METHODS_
enum ipsec_status {
    IPSEC_SUCCESS,
    IPSEC_ERROR
}

extern ipsec_accelerator {
    ipsec_accelerator();
    void set_sa_index<T>(in T sa_index);
    void set_ip_header_offset<T>(in T offset);
    void enable();
    void disable();
    bool from_ipsec(out ipsec_status status);
}
#endif

parser MainParserT<MH, MM>(
    packet_in pkt,
    out MH main_hdr,
    inout MM main_user_meta,
    in pna_main_parser_input_metadata_t istd);

control MainControlT<MH, MM>(
    inout MH main_hdr,
    inout MM main_user_meta,
    in pna_main_input_metadata_t istd,
    inout pna_main_output_metadata_t ostd);

#ifdef _PNA_NIC_
control MainDeparserT<MH, MM>(
    packet_out pkt,
    inout MH main_hdr,
    in MM main_user_meta,
    in pna_main_output_metadata_t ostd);

package PNA_NIC<MH, MM>(
    MainParserT<MH, MM> main_parser,
    MainControlT<MH, MM> main_control,
    MainDeparserT<MH, MM> main_deparser);
#else
control PreControlT<PH, PM>(
    in PH pre_hdr,
    inout PM pre_user_meta,
    in pna_pre_input_metadata_t istd,
    inout pna_pre_output_metadata_t ostd);

control MainDeparserT<MH, MM>(
    packet_out pkt,
    in MH main_hdr,
    in MM main_user_meta,
    in pna_main_output_metadata_t ostd);

package PNA_NIC<PH, PM, MH, MM>(
    MainParserT<MH, MM> main_parser,
    PreControlT<PH, PM> pre_control,
    MainControlT<MH, MM> main_control,
    MainDeparserT<MH, MM> main_deparser);
#endif

#endif
`,
  "pna_dpdk.p4": `// PNA with the methods that DPDK's software switch adds. Programs include it as dpdk/pna.p4.

#define _DPDK_METHODS_
#include "pna.p4"
`,
  "pna_bmv2.p4": `// PNA as BMv2's pna_nic has it: no pre control, and other metadata. Programs include it as bmv2/pna.p4.

#define _PNA_NIC_
#include "pna.p4"

// Ports of the switch are ports of the net; the controller's is the host's.
extern bool is_host_port(in PortId_t p);
extern bool is_net_port(in PortId_t p);
`,
  "tna.p4": `// The Tofino Native Architecture. '__TARGET_TOFINO__' is the generation of the chip that the program is compiled for;
// without one it is the first. A program for this architecture also compiles for the second generation, which has other
// widths (tofino2_specs.p4) under the same blocks and externs.

#ifndef _TOFINO1_NATIVE_ARCHITECTURE_
#define _TOFINO1_NATIVE_ARCHITECTURE_

#ifndef __TARGET_TOFINO__
#define __TARGET_TOFINO__ 1
#endif

#if __TARGET_TOFINO__ == 1
#include "tofino1_specs.p4"
#elif __TARGET_TOFINO__ == 2
#include "tofino2_specs.p4"
#else
#error tna.p4 is for Tofino 1 and 2: __TARGET_TOFINO__ has to be 1 or 2
#endif

#include "tofino1_arch.p4"

#endif
`,
  "t2na.p4": `// The native architecture of the second Tofino generation: it adds ghost controls, registers with up to four results
// and stacks, packet generation by the deparser. '__TARGET_TOFINO__' is 2, also where it is not given.

#ifndef _TOFINO2_NATIVE_ARCHITECTURE_
#define _TOFINO2_NATIVE_ARCHITECTURE_

#ifndef __TARGET_TOFINO__
#define __TARGET_TOFINO__ 2
#endif

#if __TARGET_TOFINO__ == 2
#include "tofino2_specs.p4"
#else
#error t2na.p4 is for Tofino 2: __TARGET_TOFINO__ has to be 2, as --arch t2na sets it
#endif

#include "tofino2_arch.p4"

#endif
`,
  "tofino1_specs.p4": `// What the first Tofino generation fixes: widths of identifiers, bits of port metadata.

#ifndef _TOFINO1_P4_SPECS_
#define _TOFINO1_P4_SPECS_

#include <core.p4>

#define PORT_ID_WIDTH 9
#define MULTICAST_GROUP_ID_WIDTH 16
#define QUEUE_ID_WIDTH 5
#define MIRROR_TYPE_WIDTH 3
#define MIRROR_ID_WIDTH 10
#define RESUBMIT_TYPE_WIDTH 3
#define DIGEST_TYPE_WIDTH 3
#define REPLICATION_ID_WIDTH 16
#define L1_EXCLUSION_ID_WIDTH 16
#define L2_EXCLUSION_ID_WIDTH 9

#include "tofino_types.p4"

// Bits of metadata of the port in front of each packet in the ingress parser.
@noWarn("unused")
const bit<32> PORT_METADATA_SIZE = 32w64;

#endif
`,
  "tofino2_specs.p4": `// What the second Tofino generation fixes: widths of identifiers, bits of port metadata.

#ifndef _TOFINO2_P4_SPECS_
#define _TOFINO2_P4_SPECS_

#include <core.p4>

#define PORT_ID_WIDTH 9
#define MULTICAST_GROUP_ID_WIDTH 16
#define QUEUE_ID_WIDTH 7
#define MIRROR_TYPE_WIDTH 4
#define MIRROR_ID_WIDTH 8
#define RESUBMIT_TYPE_WIDTH 3
#define DIGEST_TYPE_WIDTH 3
#define REPLICATION_ID_WIDTH 16
#define L1_EXCLUSION_ID_WIDTH 16
#define L2_EXCLUSION_ID_WIDTH 9

#include "tofino_types.p4"

// The old name of MirrorType_t.
@noWarn("unused")
typedef MirrorType_t CloneId_t;

// Bits of metadata of the port in front of each packet in the ingress parser.
@noWarn("unused")
const bit<32> PORT_METADATA_SIZE = 32w192;

#endif
`,
  "tofino_types.p4": `// Names of the types whose widths the file of a generation sets (tofino1_specs.p4, tofino2_specs.p4).

#ifndef _TOFINO_P4_TYPES_
#define _TOFINO_P4_TYPES_

@noWarn("unused")
typedef bit<PORT_ID_WIDTH> PortId_t; // a port of the device: pipe in the upper bits, port of the pipe in the lower seven
@noWarn("unused")
typedef bit<MULTICAST_GROUP_ID_WIDTH> MulticastGroupId_t;
@noWarn("unused")
typedef bit<QUEUE_ID_WIDTH> QueueId_t;
@noWarn("unused")
typedef bit<MIRROR_TYPE_WIDTH> MirrorType_t; // which Mirror of a deparser
@noWarn("unused")
typedef bit<MIRROR_ID_WIDTH> MirrorId_t; // a session of mirroring
@noWarn("unused")
typedef bit<RESUBMIT_TYPE_WIDTH> ResubmitType_t; // which Resubmit of a deparser
@noWarn("unused")
typedef bit<DIGEST_TYPE_WIDTH> DigestType_t; // which Digest of a deparser
@noWarn("unused")
typedef bit<REPLICATION_ID_WIDTH> ReplicationId_t;
@noWarn("unused")
typedef bit<L1_EXCLUSION_ID_WIDTH> L1ExclusionId_t;
@noWarn("unused")
typedef bit<L2_EXCLUSION_ID_WIDTH> L2ExclusionId_t;
@noWarn("unused")
typedef error ParserError_t;

// Both parts of a port's number.
#define DEVPORT_PIPE_MASK 0x180
#define DEVPORT_PIPE(port) (port)[8:7]
#define DEVPORT_PORT_MASK 0x7f
#define DEVPORT_PORT(port) (port)[6:0]

#endif
`,
  "tofino_shared.p4": `// What both Tofino generations declare alike and what depends on no other extern: constants, enumerations, errors,
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
`,
  "tofino_selection.p4": `// Externs that both Tofino generations declare alike and that need registers or hashes: selection of actions, what
// deparsers send beside the packet, algorithmic match tables.

#ifndef _TOFINO_P4_SELECTION_
#define _TOFINO_P4_SELECTION_

extern ActionProfile {
    ActionProfile(bit<32> size);
}

extern ActionSelector {
    ActionSelector(
        ActionProfile action_profile,
        Hash<_> hash,
        SelectorMode_t mode,
        bit<32> max_group_size,
        bit<32> num_groups
    );
    // The bits of members that are up stand in the register, which a SelectorAction can change.
    ActionSelector(
        ActionProfile action_profile,
        Hash<_> hash,
        SelectorMode_t mode,
        Register<bit<1>, _> reg,
        bit<32> max_group_size,
        bit<32> num_groups
    );
    @deprecated("write ActionSelector with an ActionProfile of its own")
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode);
    @deprecated("write ActionSelector with an ActionProfile of its own")
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode, Register<bit<1>, _> reg);
}

extern SelectorAction {
    SelectorAction(ActionSelector sel);
    bit<1> execute(@optional in bit<32> index);
    @synchronous(execute)
    abstract void apply(inout bit<1> value, @optional out bit<1> rv);
}

// A second copy of the packet: in ingress as it came, in egress as it leaves, with hdr in front.
extern Mirror {
    @deprecated("give Mirror the value of mirror_type for which it acts")
    Mirror();
    Mirror(MirrorType_t mirror_type);
    void emit(in MirrorId_t session_id);
    void emit<T>(in MirrorId_t session_id, in T hdr);
}

// Sends the packet through ingress once more, with up to 64 bits of metadata.
extern Resubmit {
    @deprecated("give Resubmit the value of resubmit_type for which it acts")
    Resubmit();
    Resubmit(ResubmitType_t resubmit_type);
    void emit();
    void emit<T>(in T hdr);
}

// A message to the control plane.
extern Digest<T> {
    @deprecated("give Digest the value of digest_type for which it acts")
    Digest();
    Digest(DigestType_t digest_type);
    void pack(in T data);
}

// As property 'implementation' of a table: algorithmic TCAM, with a key of kind atcam_partition_index.
extern Atcam {
    Atcam(@optional bit<32> number_partitions);
}

// As property 'implementation' of a table: algorithmic longest prefix match.
extern Alpm {
    Alpm(
        @optional bit<32> number_partitions,
        @optional bit<32> subtrees_per_partition,
        @optional bit<32> atcam_subset_width,
        @optional bit<32> shift_granularity
    );
}

#endif
`,
  "tofino1_base.p4": `// Metadata, headers and externs of the first Tofino generation where it differs from the second.

#ifndef _TOFINO1_P4_BASE_
#define _TOFINO1_P4_BASE_

#include "tofino_shared.p4"

@noWarn("unused")
const bit<16> PARSER_ERROR_SRC_EXT = 16w0x0020;
@noWarn("unused")
const bit<16> PARSER_ERROR_DST_CONT = 16w0x0040;

// What ingress tells its deparser. drop_ctl: bit 0 no unicast, multicast and resubmission, bit 1 no copy to the CPU.
@__intrinsic_metadata
struct ingress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;
    DigestType_t digest_type;
    ResubmitType_t resubmit_type;
    MirrorType_t mirror_type;
}

// In front of each packet in the egress parser, from the traffic manager. Depths in cells, times in nanoseconds.
@__intrinsic_metadata
header egress_intrinsic_metadata_t {
    @padding
    bit<(8 - PORT_ID_WIDTH % 8)> _pad0;
    PortId_t egress_port;
    @padding
    bit<5> _pad1;
    bit<19> enq_qdepth;
    @padding
    bit<6> _pad2;
    bit<2> enq_congest_stat;
    @padding
    bit<14> _pad3;
    bit<18> enq_tstamp;
    @padding
    bit<5> _pad4;
    bit<19> deq_qdepth;
    @padding
    bit<6> _pad5;
    bit<2> deq_congest_stat;
    bit<8> app_pool_congest_stat; // two bits a pool
    @padding
    bit<14> _pad6;
    bit<18> deq_timedelta; // between enqueue and dequeue
    bit<16> egress_rid;    // which replica of a multicast group
    @padding
    bit<7> _pad7;
    bit<1> egress_rid_first;
    @padding
    bit<(8 - QUEUE_ID_WIDTH % 8)> _pad8;
    QueueId_t egress_qid;
    @padding
    bit<5> _pad9;
    bit<3> egress_cos;
    @padding
    bit<7> _pad10;
    bit<1> deflection_flag; // 1 for a packet that deflect_on_drop saved
    bit<16> pkt_length;     // in bytes
#if __TARGET_TOFINO__ == 2
    // The second generation sends one byte more.
    @padding
    bit<8> _pad11;
#endif
}

// What egress tells its deparser. drop_ctl: bit 0 no packet, bit 1 no copy to the CPU, bit 2 no mirroring.
@__intrinsic_metadata
struct egress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;
    MirrorType_t mirror_type;
    bit<1> coalesce_flush;  // sends the mirror buffer
    bit<7> coalesce_length; // bytes of this packet for the mirror buffer
}

// In front of packets of the packet generator, one header a kind of trigger. Batches and packets count from 0.
header pktgen_timer_header_t {
    @padding
    bit<3> _pad1;
    bit<2> pipe_id;
    bit<3> app_id;
    @padding
    bit<8> _pad2;
    bit<16> batch_id;
    bit<16> packet_id;
}

header pktgen_port_down_header_t {
    @padding
    bit<3> _pad1;
    bit<2> pipe_id;
    bit<3> app_id;
    @padding
    bit<(16 - PORT_ID_WIDTH % 8)> _pad2;
    PortId_t port_num;
    bit<16> packet_id;
}

header pktgen_recirc_header_t {
    @padding
    bit<3> _pad1;
    bit<2> pipe_id;
    bit<3> app_id;
    bit<24> key; // from the recirculated packet
    bit<16> packet_id;
}

// The parser's 8-bit signed counter, for stacks and headers of variable length.
extern ParserCounter {
    ParserCounter();
    void set<T>(in T value);
    // ((field rotated right by 'rotate') & (2^(mask + 1) - 1)) + add; a field above 'max' is an error.
    void set<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<3> mask, in bit<8> add);
    bool is_zero();
    bool is_negative();
    void increment(in bit<8> value);
    void decrement(in bit<8> value);
}

// dst is the lower half of (src1 ++ src2) shifted right. The number of bits is a constant.
extern void funnel_shift_right<T>(inout T dst, in T src1, in T src2, int shift_amount);

// Counters, indexed or one an entry of a table. adjust_byte_count is subtracted from the bytes counted.
@noWarn("unused")
extern Counter<W, I> {
    Counter(bit<32> size, CounterType_t type);
    void count(in I index, @optional in bit<32> adjust_byte_count);
}

@noWarn("unused")
extern DirectCounter<W> {
    DirectCounter(CounterType_t type);
    void count(@optional in bit<32> adjust_byte_count);
}

// Two-rate three-colour meters (RFC 2698); red, yellow and green are the answers where other than MeterColor_t.
extern Meter<I> {
    Meter(bit<32> size, MeterType_t type);
    Meter(bit<32> size, MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green);
    bit<8> execute(in I index, in MeterColor_t color, @optional in bit<32> adjust_byte_count);
    bit<8> execute(in I index, @optional in bit<32> adjust_byte_count);
}

extern DirectMeter {
    DirectMeter(MeterType_t type);
    DirectMeter(MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green);
    bit<8> execute(in MeterColor_t color, @optional in bit<32> adjust_byte_count);
    bit<8> execute(@optional in bit<32> adjust_byte_count);
}

// Cells of a T, or of a struct of two equal T; I is the type of the index.
extern Register<T, I> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    T read(in I index);
    T write(in I index, in T value);
}

// One cell an entry of a table.
extern DirectRegister<T> {
    DirectRegister();
    DirectRegister(T initial_value);
    T read();
    T write(in T value);
}

// A program of the stateful ALU of a register: 'apply' reads and writes the cell, rv is what 'execute' returns.
@noWarn("unused")
extern RegisterAction<T, I, U> {
    RegisterAction(Register<_, _> reg);
    U execute(in I index);
    // At the next index each time.
    U execute_log();
    @synchronous(execute, execute_log)
    abstract void apply(inout T value, @optional out U rv);
    // Which of the comparisons hold, four bits.
    U predicate(@optional in bool cmplo, @optional in bool cmphi);
}

extern DirectRegisterAction<T, U> {
    DirectRegisterAction(DirectRegister<T> reg);
    U execute();
    @synchronous(execute)
    abstract void apply(inout T value, @optional out U rv);
    U predicate(@optional in bool cmplo, @optional in bool cmphi);
}

#include "tofino_selection.p4"

#endif
`,
  "tofino2_base.p4": `// Metadata, headers and externs of the second Tofino generation where it differs from the first.

#ifndef _TOFINO2_P4_BASE_
#define _TOFINO2_P4_BASE_

#include "tofino_shared.p4"

@noWarn("unused")
const bit<16> PARSER_ERROR_CSUM_MBE = 16w0x1000;

match_kind {
    dleft_hash // of a table that a LearnAction fills
}

// What ingress tells its deparser. drop_ctl: bit 0 no unicast, multicast and resubmission, bit 1 no copy to the CPU. The
// fields mirror_... from mirror_hash on replace what the session of mirroring says.
@__intrinsic_metadata
struct ingress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;
    DigestType_t digest_type;
    ResubmitType_t resubmit_type;
    MirrorType_t mirror_type;
    bit<1> mirror_io_select; // mirrors the packet as it came or as it leaves
    bit<13> mirror_hash;
    bit<3> mirror_ingress_cos;
    bit<1> mirror_deflect_on_drop;
    bit<1> mirror_multicast_ctrl;
    PortId_t mirror_egress_port;
    QueueId_t mirror_qid;
    bit<8> mirror_coalesce_length; // in units of four bytes
    bit<32> adv_flow_ctl;          // flow control of the traffic manager
    bit<14> mtu_trunc_len;
    bit<1> mtu_trunc_err_f;
    bit<1> pktgen; // generates a packet; not together with a resubmission
    bit<14> pktgen_address;
    bit<10> pktgen_length;
}

// What a ghost control sees of a queue.
@__intrinsic_metadata
@__ghost_metadata
header ghost_intrinsic_metadata_t {
    bit<1> ping_pong; // which of two versions to write
    bit<18> qlength;
    bit<11> qid;
    bit<2> pipe_id;
}

// In front of each packet in the egress parser, from the traffic manager. Depths in cells, times in nanoseconds.
@__intrinsic_metadata
header egress_intrinsic_metadata_t {
    @padding
    bit<(8 - PORT_ID_WIDTH % 8)> _pad0;
    PortId_t egress_port;
    @padding
    bit<5> _pad1;
    bit<19> enq_qdepth;
    @padding
    bit<6> _pad2;
    bit<2> enq_congest_stat;
    bit<32> enq_tstamp;
    @padding
    bit<5> _pad3;
    bit<19> deq_qdepth;
    @padding
    bit<6> _pad4;
    bit<2> deq_congest_stat;
    bit<8> app_pool_congest_stat; // two bits a pool
    bit<32> deq_timedelta;        // between enqueue and dequeue
    bit<16> egress_rid;           // which replica of a multicast group
    @padding
    bit<7> _pad5;
    bit<1> egress_rid_first;
    @padding
    bit<(8 - QUEUE_ID_WIDTH % 8)> _pad6;
    QueueId_t egress_qid;
    @padding
    bit<5> _pad7;
    bit<3> egress_cos;
    @padding
    bit<7> _pad8;
    bit<1> deflection_flag; // 1 for a packet that deflect_on_drop saved
    bit<16> pkt_length;     // in bytes
    @padding
    bit<8> _pad9;
}

// What egress tells its deparser. drop_ctl: bit 0 no packet, bit 1 no copy to the CPU, bit 2 no mirroring.
@__intrinsic_metadata
struct egress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;
    MirrorType_t mirror_type;
    bit<1> coalesce_flush;  // sends the mirror buffer
    bit<7> coalesce_length; // bytes of this packet for the mirror buffer
    bit<1> mirror_io_select;
    bit<13> mirror_hash;
    bit<3> mirror_ingress_cos;
    bit<1> mirror_deflect_on_drop;
    bit<1> mirror_multicast_ctrl;
    PortId_t mirror_egress_port;
    QueueId_t mirror_qid;
    bit<8> mirror_coalesce_length;
    bit<32> adv_flow_ctl;
    bit<14> mtu_trunc_len;
    bit<1> mtu_trunc_err_f;
}

// In front of packets of the packet generator, one header a kind of trigger. Batches and packets count from 0.
header pktgen_timer_header_t {
    @padding
    bit<2> _pad1;
    bit<2> pipe_id;
    bit<4> app_id;
    @padding
    bit<8> _pad2;
    bit<16> batch_id;
    bit<16> packet_id;
}

header pktgen_port_down_header_t {
    @padding
    bit<2> _pad1;
    bit<2> pipe_id;
    bit<4> app_id;
    @padding
    bit<(16 - PORT_ID_WIDTH % 8)> _pad2;
    PortId_t port_num;
    bit<16> packet_id;
}

header pktgen_recirc_header_t {
    @padding
    bit<2> _pad1;
    bit<2> pipe_id;
    bit<4> app_id;
    @padding
    bit<8> _pad2;
    bit<16> batch_id;
    bit<16> packet_id;
}

header pktgen_deparser_header_t {
    @padding
    bit<2> _pad1;
    bit<2> pipe_id;
    bit<4> app_id;
    @padding
    bit<8> _pad2;
    bit<16> batch_id;
    bit<16> packet_id;
}

header pktgen_pfc_header_t {
    @padding
    bit<2> _pad1;
    bit<2> pipe_id;
    bit<4> app_id;
    @padding
    bit<40> _pad2;
}

// The parser's 8-bit signed counter, for stacks and headers of variable length, with a stack of four values for
// options within options.
extern ParserCounter {
    ParserCounter();
    void set<T>(in T value);
    // ((field rotated right by 'rotate') & mask) + add; a field above 'max' is an error.
    void set<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<8> mask, in bit<8> add);
    // update_with_top: what changes the top changes the pushed value, too.
    void push<T>(in T value, @optional bool update_with_top);
    void push<T>(
        in T field,
        in bit<8> max,
        in bit<8> rotate,
        in bit<8> mask,
        in bit<8> add,
        @optional bool update_with_top
    );
    void pop();
    bool is_zero();
    bool is_negative();
    void increment(in bit<8> value);
    void decrement(in bit<8> value);
}

// As a property of a table: its entries age.
extern IdleTimeout {
    IdleTimeout();
}

// dst is the lower half of (src1 ++ src2) shifted right. The number of bits is a constant.
extern void funnel_shift_right<T>(out T dst, in T src1, in T src2, int shift_amount);

// Counters, indexed or one an entry of a table. adjust_byte_count is subtracted from the bytes counted;
// true_egress_accounting counts the bytes that the egress deparser sends.
@noWarn("unused")
extern Counter<W, I> {
    Counter(bit<32> size, CounterType_t type, @optional bool true_egress_accounting);
    void count(in I index, @optional in bit<32> adjust_byte_count);
}

@noWarn("unused")
extern DirectCounter<W> {
    DirectCounter(CounterType_t type, @optional bool true_egress_accounting);
    void count(@optional in bit<32> adjust_byte_count);
}

// Two-rate three-colour meters (RFC 2698); red, yellow and green are the answers where other than MeterColor_t.
extern Meter<I> {
    Meter(bit<32> size, MeterType_t type, @optional bool true_egress_accounting);
    Meter(
        bit<32> size,
        MeterType_t type,
        bit<8> red,
        bit<8> yellow,
        bit<8> green,
        @optional bool true_egress_accounting
    );
    bit<8> execute(in I index, in MeterColor_t color, @optional in bit<32> adjust_byte_count);
    bit<8> execute(in I index, @optional in bit<32> adjust_byte_count);
}

extern DirectMeter {
    DirectMeter(MeterType_t type, @optional bool true_egress_accounting);
    DirectMeter(MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green,
                @optional bool true_egress_accounting);
    bit<8> execute(in MeterColor_t color, @optional in bit<32> adjust_byte_count);
    bit<8> execute(@optional in bit<32> adjust_byte_count);
}

// Cells of a T, or of a struct of up to four equal T; I is the type of the index.
extern Register<T, I> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    T read(in I index);
    T write(in I index, in T value);
    // Writes all cells.
    void clear(in T value, @optional in T busy);
}

// One cell an entry of a table.
extern DirectRegister<T> {
    DirectRegister();
    DirectRegister(T initial_value);
    T read();
    T write(in T value);
    void clear(in T value, @optional in T busy);
}

// Programs of the stateful ALU of a register: 'apply' reads and writes the cell and gives up to four results, the first
// as the value of 'execute'. The forms with a number have results of different types. 'overflow' and 'underflow' run
// where a queue or stack in the register is full or empty.
//
// What the stateful ALU offers inside 'apply', to be assigned to a result: the address of the cell, the comparisons that
// hold as one bit each, the smallest and the largest of the bytes or 16-bit words that a mask leaves, with their place.
#define _TOFINO2_ALU_PLACE \\
    U address(@optional bit<1> subword); \\
    U predicate(@optional in bool cmp0, @optional in bool cmp1, \\
        @optional in bool cmp2, @optional in bool cmp3);
#define _TOFINO2_ALU_PLACE_OF \\
    U address<U>(@optional bit<1> subword); \\
    U predicate<U>(@optional in bool cmp0, @optional in bool cmp1, \\
        @optional in bool cmp2, @optional in bool cmp3);
#define _TOFINO2_ALU_EXTREMES \\
    bit<8> min8<I>(in I val, in bit<16> mask, @optional out bit<4> index); \\
    bit<8> max8<I>(in I val, in bit<16> mask, @optional out bit<4> index); \\
    bit<16> min16<I>(in I val, in bit<8> mask, @optional out bit<3> index); \\
    bit<16> max16<I>(in I val, in bit<8> mask, @optional out bit<3> index);
#define _TOFINO2_ALU_CELL_EXTREMES(postmod_width) \\
    bit<8> min8(in bit<128> val, in bit<16> mask, @optional out bit<4> index, \\
        @optional in int<postmod_width> postmod); \\
    bit<8> max8(in bit<128> val, in bit<16> mask, @optional out bit<4> index, \\
        @optional in int<postmod_width> postmod); \\
    bit<16> min16(in bit<128> val, in bit<8> mask, @optional out bit<3> index, \\
        @optional in int<postmod_width> postmod); \\
    bit<16> max16(in bit<128> val, in bit<8> mask, @optional out bit<3> index, \\
        @optional in int<postmod_width> postmod);

extern DirectRegisterAction<T, U> {
    DirectRegisterAction(DirectRegister<T> reg);
    U execute(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    @synchronous(execute)
    abstract void apply(
        inout T value,
        @optional out U rv,
        @optional out U rv2,
        @optional out U rv3,
        @optional out U rv4
    );
    _TOFINO2_ALU_PLACE
    _TOFINO2_ALU_EXTREMES
}

extern DirectRegisterAction2<T, U1, U2> {
    DirectRegisterAction2(DirectRegister<T> reg);
    U1 execute(out U2 rv2);
    @synchronous(execute)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_EXTREMES
}

extern DirectRegisterAction3<T, U1, U2, U3> {
    DirectRegisterAction3(DirectRegister<T> reg);
    U1 execute(out U2 rv2, out U3 rv3);
    @synchronous(execute)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_EXTREMES
}

extern DirectRegisterAction4<T, U1, U2, U3, U4> {
    DirectRegisterAction4(DirectRegister<T> reg);
    U1 execute(out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(execute)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_EXTREMES
}

@noWarn("unused")
extern RegisterAction<T, H, U> {
    RegisterAction(Register<_, _> reg);
    U execute(@optional in H index, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    U execute_log(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    U enqueue(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    U dequeue(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    U push(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    U pop(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    void sweep(@optional in U busy);
    @synchronous(execute, execute_log, enqueue, dequeue, push, pop, sweep)
    abstract void apply(
        inout T value,
        @optional out U rv1,
        @optional out U rv2,
        @optional out U rv3,
        @optional out U rv4
    );
    @synchronous(enqueue, push)
    @optional
    abstract void overflow(
        @optional inout T value,
        @optional out U rv1,
        @optional out U rv2,
        @optional out U rv3,
        @optional out U rv4
    );
    @synchronous(dequeue, pop)
    @optional
    abstract void underflow(
        @optional inout T value,
        @optional out U rv1,
        @optional out U rv2,
        @optional out U rv3,
        @optional out U rv4
    );
    _TOFINO2_ALU_PLACE
    _TOFINO2_ALU_EXTREMES
}

extern RegisterAction2<T, H, U1, U2> {
    RegisterAction2(Register<_, _> reg);
    U1 execute(in H index, out U2 rv2);
    U1 execute_log(out U2 rv2);
    U1 enqueue(out U2 rv2);
    U1 dequeue(out U2 rv2);
    U1 push(out U2 rv2);
    U1 pop(out U2 rv2);
    @synchronous(execute, execute_log, enqueue, dequeue, push, pop)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2);
    @synchronous(enqueue, push)
    @optional
    abstract void overflow(@optional inout T value, out U1 rv1, out U2 rv2);
    @synchronous(dequeue, pop)
    @optional
    abstract void underflow(@optional inout T value, out U1 rv1, out U2 rv);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_EXTREMES
}

extern RegisterAction3<T, H, U1, U2, U3> {
    RegisterAction3(Register<_, _> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3);
    U1 execute_log(out U2 rv2, out U3 rv3);
    U1 enqueue(out U2 rv2, out U3 rv3);
    U1 dequeue(out U2 rv2, out U3 rv3);
    U1 push(out U2 rv2, out U3 rv3);
    U1 pop(out U2 rv2, out U3 rv3);
    @synchronous(execute, execute_log, enqueue, dequeue, push, pop)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3);
    @synchronous(enqueue, push)
    @optional
    abstract void overflow(@optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3);
    @synchronous(dequeue, pop)
    @optional
    abstract void underflow(@optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_EXTREMES
}

extern RegisterAction4<T, H, U1, U2, U3, U4> {
    RegisterAction4(Register<_, _> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3, out U4 rv4);
    U1 execute_log(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 enqueue(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 dequeue(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 push(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 pop(out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(execute, execute_log, enqueue, dequeue, push, pop)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(enqueue, push)
    @optional
    abstract void overflow(@optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(dequeue, pop)
    @optional
    abstract void underflow(@optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3,
                            out U4 rv4);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_EXTREMES
}

// Programs that also see the digest of a table with a dleft_hash key, and whether the packet is to be learned.
extern LearnAction<T, H, D, U> {
    LearnAction(Register<T, H> reg);
    U execute(in H index, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    @synchronous(execute)
    abstract void apply(
        inout T value,
        in D digest,
        in bool learn,
        @optional out U rv1,
        @optional out U rv2,
        @optional out U rv3,
        @optional out U rv4
    );
    _TOFINO2_ALU_PLACE
    _TOFINO2_ALU_EXTREMES
}

extern LearnAction2<T, H, D, U1, U2> {
    LearnAction2(Register<T, H> reg);
    U1 execute(in H index, out U2 rv2);
    @synchronous(execute)
    abstract void apply(inout T value, in D digest, in bool learn, out U1 rv1, out U2 rv2);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_EXTREMES
}

extern LearnAction3<T, H, D, U1, U2, U3> {
    LearnAction3(Register<T, H> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3);
    @synchronous(execute)
    abstract void apply(inout T value, in D digest, in bool learn, out U1 rv1, out U2 rv2,
                        out U3 rv3);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_EXTREMES
}

extern LearnAction4<T, H, D, U1, U2, U3, U4> {
    LearnAction4(Register<T, H> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(execute)
    abstract void apply(inout T value, in D digest, in bool learn, out U1 rv1, out U2 rv2,
                        out U3 rv3, out U4 rv4);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_EXTREMES
}

// Programs that see 128 bits of cells at once. postmod is added to the extreme cell.
extern MinMaxAction<T, H, U> {
    MinMaxAction(Register<T, _> reg);
    U execute(@optional in H index, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    @synchronous(execute)
    abstract void apply(
        inout bit<128> value,
        @optional out U rv1,
        @optional out U rv2,
        @optional out U rv3,
        @optional out U rv4
    );
    _TOFINO2_ALU_PLACE
    _TOFINO2_ALU_CELL_EXTREMES(8)
}

extern MinMaxAction2<T, H, U1, U2> {
    MinMaxAction2(Register<T, _> reg);
    U1 execute(@optional in H index, out U2 rv2);
    @synchronous(execute)
    abstract void apply(inout bit<128> value, out U1 rv1, out U2 rv2);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_CELL_EXTREMES(9)
}

extern MinMaxAction3<T, H, U1, U2, U3> {
    MinMaxAction3(Register<T, _> reg);
    U1 execute(@optional in H index, out U2 rv2, out U3 rv3);
    @synchronous(execute)
    abstract void apply(inout bit<128> value, out U1 rv1, out U2 rv2, out U3 rv3);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_CELL_EXTREMES(9)
}

extern MinMaxAction4<T, H, U1, U2, U3, U4> {
    MinMaxAction4(Register<T, _> reg);
    U1 execute(@optional in H index, out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(execute)
    abstract void apply(inout bit<128> value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);
    _TOFINO2_ALU_PLACE_OF
    _TOFINO2_ALU_CELL_EXTREMES(9)
}

#undef _TOFINO2_ALU_PLACE
#undef _TOFINO2_ALU_PLACE_OF
#undef _TOFINO2_ALU_EXTREMES
#undef _TOFINO2_ALU_CELL_EXTREMES

#include "tofino_selection.p4"

// A packet of the packet generator at the end of ingress, with up to 128 bits in front.
extern Pktgen {
    Pktgen();
    void emit<T>(in T hdr);
}

#endif
`,
  "tofino1_arch.p4": `// The blocks of a program for the first Tofino generation and the packages that join them. A block may leave out the
// last of its intrinsic metadata.

#ifndef _TOFINO1_P4_ARCH_
#define _TOFINO1_P4_ARCH_

#include "tofino1_base.p4"

parser IngressParserT<H, M>(
    packet_in pkt,
    out H hdr,
    out M ig_md,
    @optional out ingress_intrinsic_metadata_t ig_intr_md,
    @optional out ingress_intrinsic_metadata_for_tm_t ig_intr_md_for_tm,
    @optional out ingress_intrinsic_metadata_from_parser_t ig_intr_md_from_prsr
);

parser EgressParserT<H, M>(
    packet_in pkt,
    out H hdr,
    out M eg_md,
    @optional out egress_intrinsic_metadata_t eg_intr_md,
    @optional out egress_intrinsic_metadata_from_parser_t eg_intr_md_from_prsr,
    @optional out egress_intrinsic_metadata_for_deparser_t eg_intr_md_for_dprsr
);

control IngressT<H, M>(
    inout H hdr,
    inout M ig_md,
    @optional in ingress_intrinsic_metadata_t ig_intr_md,
    @optional in ingress_intrinsic_metadata_from_parser_t ig_intr_md_from_prsr,
    @optional inout ingress_intrinsic_metadata_for_deparser_t ig_intr_md_for_dprsr,
    @optional inout ingress_intrinsic_metadata_for_tm_t ig_intr_md_for_tm
);

control EgressT<H, M>(
    inout H hdr,
    inout M eg_md,
    @optional in egress_intrinsic_metadata_t eg_intr_md,
    @optional in egress_intrinsic_metadata_from_parser_t eg_intr_md_from_prsr,
    @optional inout egress_intrinsic_metadata_for_deparser_t eg_intr_md_for_dprsr,
    @optional inout egress_intrinsic_metadata_for_output_port_t eg_intr_md_for_oport
);

control IngressDeparserT<H, M>(
    packet_out pkt,
    inout H hdr,
    in M metadata,
    @optional in ingress_intrinsic_metadata_for_deparser_t ig_intr_md_for_dprsr,
    @optional in ingress_intrinsic_metadata_t ig_intr_md
);

control EgressDeparserT<H, M>(
    packet_out pkt,
    inout H hdr,
    in M metadata,
    @optional in egress_intrinsic_metadata_for_deparser_t eg_intr_md_for_dprsr,
    @optional in egress_intrinsic_metadata_t eg_intr_md,
    @optional in egress_intrinsic_metadata_from_parser_t eg_intr_md_from_prsr
);

package Pipeline<IH, IM, EH, EM>(
    IngressParserT<IH, IM> ingress_parser,
    IngressT<IH, IM> ingress,
    IngressDeparserT<IH, IM> ingress_deparser,
    EgressParserT<EH, EM> egress_parser,
    EgressT<EH, EM> egress,
    EgressDeparserT<EH, EM> egress_deparser
);

// One program for each pipe of the chip, or the first for all.
@pkginfo(arch = "TNA", version = "2.0.1")
@noWarn("unused")
package Switch<IH0, IM0, EH0, EM0, IH1, IM1, EH1, EM1, IH2, IM2, EH2, EM2, IH3, IM3, EH3, EM3>(
    Pipeline<IH0, IM0, EH0, EM0> pipe0,
    @optional Pipeline<IH1, IM1, EH1, EM1> pipe1,
    @optional Pipeline<IH2, IM2, EH2, EM2> pipe2,
    @optional Pipeline<IH3, IM3, EH3, EM3> pipe3
);

// A parser for each port of a pipe.
package IngressParsers<H, M>(
    IngressParserT<H, M> prsr0,
    @optional IngressParserT<H, M> prsr1,
    @optional IngressParserT<H, M> prsr2,
    @optional IngressParserT<H, M> prsr3,
    @optional IngressParserT<H, M> prsr4,
    @optional IngressParserT<H, M> prsr5,
    @optional IngressParserT<H, M> prsr6,
    @optional IngressParserT<H, M> prsr7,
    @optional IngressParserT<H, M> prsr8,
    @optional IngressParserT<H, M> prsr9,
    @optional IngressParserT<H, M> prsr10,
    @optional IngressParserT<H, M> prsr11,
    @optional IngressParserT<H, M> prsr12,
    @optional IngressParserT<H, M> prsr13,
    @optional IngressParserT<H, M> prsr14,
    @optional IngressParserT<H, M> prsr15,
    @optional IngressParserT<H, M> prsr16,
    @optional IngressParserT<H, M> prsr17
);

package EgressParsers<H, M>(
    EgressParserT<H, M> prsr0,
    @optional EgressParserT<H, M> prsr1,
    @optional EgressParserT<H, M> prsr2,
    @optional EgressParserT<H, M> prsr3,
    @optional EgressParserT<H, M> prsr4,
    @optional EgressParserT<H, M> prsr5,
    @optional EgressParserT<H, M> prsr6,
    @optional EgressParserT<H, M> prsr7,
    @optional EgressParserT<H, M> prsr8,
    @optional EgressParserT<H, M> prsr9,
    @optional EgressParserT<H, M> prsr10,
    @optional EgressParserT<H, M> prsr11,
    @optional EgressParserT<H, M> prsr12,
    @optional EgressParserT<H, M> prsr13,
    @optional EgressParserT<H, M> prsr14,
    @optional EgressParserT<H, M> prsr15,
    @optional EgressParserT<H, M> prsr16,
    @optional EgressParserT<H, M> prsr17
);

package MultiParserPipeline<IH, IM, EH, EM>(
    IngressParsers<IH, IM> ig_prsr,
    IngressT<IH, IM> ingress,
    IngressDeparserT<IH, IM> ingress_deparser,
    EgressParsers<EH, EM> eg_prsr,
    EgressT<EH, EM> egress,
    EgressDeparserT<EH, EM> egress_deparser
);

@pkginfo(arch = "TNA", version = "2.0.1")
@noWarn("unused")
package MultiParserSwitch<IH0, IM0, EH0, EM0, IH1, IM1, EH1, EM1,
    IH2, IM2, EH2, EM2, IH3, IM3, EH3, EM3>(
        MultiParserPipeline<IH0, IM0, EH0, EM0> pipe0,
        @optional MultiParserPipeline<IH1, IM1, EH1, EM1> pipe1,
        @optional MultiParserPipeline<IH2, IM2, EH2, EM2> pipe2,
        @optional MultiParserPipeline<IH3, IM3, EH3, EM3> pipe3
    );

#endif
`,
  "tofino2_arch.p4": `// The blocks of a program for the second Tofino generation and the packages that join them.

#ifndef _TOFINO2_P4_ARCH_
#define _TOFINO2_P4_ARCH_

#include "tofino2_base.p4"

parser IngressParserT<H, M>(
    packet_in pkt,
    out H hdr,
    out M ig_md,
    out ingress_intrinsic_metadata_t ig_intr_md,
    @optional out ingress_intrinsic_metadata_for_tm_t ig_intr_md_for_tm,
    @optional out ingress_intrinsic_metadata_from_parser_t ig_intr_md_from_prsr
);

parser EgressParserT<H, M>(
    packet_in pkt,
    out H hdr,
    out M eg_md,
    out egress_intrinsic_metadata_t eg_intr_md,
    @optional out egress_intrinsic_metadata_from_parser_t eg_intr_md_from_prsr,
    @optional out egress_intrinsic_metadata_for_deparser_t eg_intr_md_for_dprsr
);

control IngressT<H, M>(
    inout H hdr,
    inout M ig_md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_intr_md_from_prsr,
    inout ingress_intrinsic_metadata_for_deparser_t ig_intr_md_for_dprsr,
    inout ingress_intrinsic_metadata_for_tm_t ig_intr_md_for_tm,
    @optional in ghost_intrinsic_metadata_t gh_intr_md
);

// Runs beside the pipeline for each change of a queue's length.
control GhostT(in ghost_intrinsic_metadata_t gh_intr_md);

control EgressT<H, M>(
    inout H hdr,
    inout M eg_md,
    in egress_intrinsic_metadata_t eg_intr_md,
    in egress_intrinsic_metadata_from_parser_t eg_intr_md_from_prsr,
    inout egress_intrinsic_metadata_for_deparser_t eg_intr_md_for_dprsr,
    inout egress_intrinsic_metadata_for_output_port_t eg_intr_md_for_oport
);

control IngressDeparserT<H, M>(
    packet_out pkt,
    inout H hdr,
    in M metadata,
    in ingress_intrinsic_metadata_for_deparser_t ig_intr_md_for_dprsr,
    @optional in ingress_intrinsic_metadata_t ig_intr_md
);

control EgressDeparserT<H, M>(
    packet_out pkt,
    inout H hdr,
    in M metadata,
    in egress_intrinsic_metadata_for_deparser_t eg_intr_md_for_dprsr,
    @optional in egress_intrinsic_metadata_t eg_intr_md,
    @optional in egress_intrinsic_metadata_from_parser_t eg_intr_md_from_prsr
);

package Pipeline<IH, IM, EH, EM>(
    IngressParserT<IH, IM> ingress_parser,
    IngressT<IH, IM> ingress,
    IngressDeparserT<IH, IM> ingress_deparser,
    EgressParserT<EH, EM> egress_parser,
    EgressT<EH, EM> egress,
    EgressDeparserT<EH, EM> egress_deparser,
    @optional GhostT ghost
);

// One program for each pipe of the chip, or the first for all.
@pkginfo(arch = "T2NA", version = "1.0.1")
@noWarn("unused")
package Switch<IH0, IM0, EH0, EM0, IH1, IM1, EH1, EM1, IH2, IM2, EH2, EM2, IH3, IM3, EH3, EM3>(
    Pipeline<IH0, IM0, EH0, EM0> pipe0,
    @optional Pipeline<IH1, IM1, EH1, EM1> pipe1,
    @optional Pipeline<IH2, IM2, EH2, EM2> pipe2,
    @optional Pipeline<IH3, IM3, EH3, EM3> pipe3
);

#endif
`,
};
