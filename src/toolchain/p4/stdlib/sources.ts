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
};
