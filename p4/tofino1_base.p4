// Metadata, headers and externs of the first Tofino generation where it differs from the second.

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
