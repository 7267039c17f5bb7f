// Metadata, headers and externs of the second Tofino generation where it differs from the first.

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
#define _TOFINO2_ALU_PLACE \
    U address(@optional bit<1> subword); \
    U predicate(@optional in bool cmp0, @optional in bool cmp1, \
        @optional in bool cmp2, @optional in bool cmp3);
#define _TOFINO2_ALU_PLACE_OF \
    U address<U>(@optional bit<1> subword); \
    U predicate<U>(@optional in bool cmp0, @optional in bool cmp1, \
        @optional in bool cmp2, @optional in bool cmp3);
#define _TOFINO2_ALU_EXTREMES \
    bit<8> min8<I>(in I val, in bit<16> mask, @optional out bit<4> index); \
    bit<8> max8<I>(in I val, in bit<16> mask, @optional out bit<4> index); \
    bit<16> min16<I>(in I val, in bit<8> mask, @optional out bit<3> index); \
    bit<16> max16<I>(in I val, in bit<8> mask, @optional out bit<3> index);
#define _TOFINO2_ALU_CELL_EXTREMES(postmod_width) \
    bit<8> min8(in bit<128> val, in bit<16> mask, @optional out bit<4> index, \
        @optional in int<postmod_width> postmod); \
    bit<8> max8(in bit<128> val, in bit<16> mask, @optional out bit<4> index, \
        @optional in int<postmod_width> postmod); \
    bit<16> min16(in bit<128> val, in bit<8> mask, @optional out bit<3> index, \
        @optional in int<postmod_width> postmod); \
    bit<16> max16(in bit<128> val, in bit<8> mask, @optional out bit<3> index, \
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
