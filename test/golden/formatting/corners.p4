/* Places where the formatter has a choice. It need not compile. */
#include <core.p4>
#define  COUNT(a, b)   a.count(b)
# define go x();
#define LONG(a) \
    a + \
    1

extern  register_of<T, I>  { register_of(bit<32> size, bool   is_a_register_whose_constructor_has_a_long_list_of_parameters); T read(in I index); void write(in I index, in T value_that_is_written_into_the_register_at_the_index); }
typedef bit<48>  mac_t; type bit<9> port_t;   typedef register_of<bit<32>, bit<32>> counters_t;
const bit<(8 + 8) * 2> MASK = (bit<32>)0xffff << 16 | ~(bit<32>)(1 << 3) ^ 0x0f ++ 8w1 & -1;
const bool LONG_CONDITION = a_first_name_that_is_long == 1 ? a_second_name_that_is_long > 2 : a_third_name_that_is_long != 3 || b;
const bit<32> SUM_OF_MANY = first_of_the_summands * second_of_the_factors + third_of_the_summands / fourth - fifth % sixth_one;
const bit<32> SATURATING = first_of_the_summands_that_saturate |+| second_of_the_summands_that_saturate |-| third_of_the_summands;
const bit<32> SHIFTED = a_value_with_a_long_name_of_its_own_that_takes_room << first_offset >> second_offset_of_its_own << 1;
const tuple<bit<8>, bit<16>, list<bit<32>>> LISTED = { 8w1, 16w2, { 32w1_000_000, 32w2_000_000, 32w3_000_000, 32w4_000_000 } };
enum bit<8> kind_t { A_KIND_WITH_A_LONG_NAME_1 = 1, A_KIND_WITH_A_LONG_NAME_2 = 2, A_KIND_WITH_A_LONG_NAME_3 = 3, D = 4 }
enum small_t { A, B } error { NoRoom, TooLong } match_kind { special }
@controller_header("packet_in") header packet_in_t { bit<9> port; bit<7> pad; }
header_union either_t { one_t one; two_t two; }
struct  headers_t  {
	ethernet_t	ethernet; // with a tab before it

	// a comment of its own
	@name("other")   ipv4_t[4]  ipv4;   // the second
	bit<8>   last; /* in a block */ // and in a line
}

parser p(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) (bit<8> most) {
    value_set<bit<16>>(4) types;
    state start { packet.extract(hdr.ethernet); transition select(hdr.ethernet.type, packet.lookahead<bit<8>>()[7:4]) {
        (0x800, 4 .. 6) : ipv4; (types, _): more; (0x8100 &&& 0xefff, default): reject; default: accept; } }
    state ipv4 { packet.extract(hdr.ipv4.next); verify(hdr.ipv4.last.ihl >= 5, error.TooLong); transition accept; }
    state more { transition select(1) { 1: accept; } }
}

control c(inout headers_t hdr)(port_t first, @optional port_t second) {
    counter(16, CounterType.packets) hits; direct_meter<bit<2>>(MeterType.bytes) colours;
    action nothing() {} action one(bit<8> x) { hdr.a = x; } action two(in bit<8> x, bit<9> port) { hdr.a = x; hdr.port = port; /* both */ }
    action last() {
    }
    @defaultonly @name("the.table") table t { key = { hdr.a[7:0] : exact @name("a"); hdr.b.isValid(): ternary; hdr.c + 1: lpm; }
        actions = { one; two(1); @tableonly @name("x") nothing; }
        const entries = { (1, true, 8 &&& 12): one(1); const priority = 10: (_, _, _): two(1, 2); (1 .. 2, default, 3): nothing(); }
        default_action = one(8w1); size = 1 << 10; implementation = action_selector(HashAlgorithm.crc16, 32w128, 32w14, a_name_of_some_length); }
    apply {
        if (hdr.a == 1) one(1); else if (hdr.b == 2) { two(1, 2); } else if (hdr.c == 3) nothing(); else { if (!hdr.d) last(); }
        if (hdr.a.isValid() && (hdr.b == 1 || hdr.c == 2)) // why
            one(2);
        else // why not
            two(2, 3);
        switch (t.apply().action_run) { one: { nothing(); } two: nothing: { return; } default: { exit; } }
        switch (hdr.a) { 1: 2: { x = 1; } }
        if (t.apply().hit) { } else { }
        COUNT(hits, 1)
        go
        LONG(2); ; ;
        {
        }
        { x = 1; { y = 2; } }
#if A > 1
        hits.count((bit<32>)standard_metadata.ingress_port);
#elif defined(B)
        hits.count(1);
    #else
        hits.count(2);
# endif
        /* before */ x = /* between */ y /* after */; // end
        a_call_of_a_function_with_a_long_name(an_argument_with_a_long_name, { first_of_a_list, second_of_a_list }, third + fourth);
        an_object_with_a_long_name.a_method_with_a_long_name.apply_it_to_the(the_only_argument_which_is_also_a_long_one_indeed);
        hash(meta.index, HashAlgorithm.crc32, 32w0, { hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol, hdr.tcp.src, hdr.tcp.dst }, 32w1024);
        meta.a_field_with_a_long_name = hdr.one_header.isValid() ? hdr.one_header.a_field_of_it : (bit<32>)hdr.other.another_field[31:0];
        some_array_with_a_long_name_of_its_own[an_index_with_a_long_name + another_index_with_a_long_name_too] = a_value_with_a_name;
        register_of<bit<32>, a_type_with_a_long_name<bit<32>, bit<16>>>(32w1024, true) an_instance_with_a_name_that_is_long_enough;
        f<bit<8>, _>(x = 1, y = _, z = (bit<8>) -1, w = !a, v = ~b, u = a < b, t = a > b, s = a >> b, r = (a > (b)));
        log_msg("a text that is long { } ( and has brackets, commas and operators + - in it, {}", { standard_metadata.ingress_port });
        while_like = a; x = x |+| 1; x = x ++ y; x = x &&& y; x += 1; x <<= 2; x |-|= 3;
        @atomic { x = 1; y = 2; }
        return
          ;
    }
}
bit<8> f(in bit<8> a) { return a + 1; } bit<8> g<T>(in T a) { if (a) { return 1; } return 2; }
@pragma stage 1
@pragma pack 2
table_like<headers_t, metadata_t>(p(8w4), c(1, 2), deparser()) main_of_a_package_that_has_a_long_name_and_several_arguments;
V1Switch(p(), c(), deparser()) main;  // the end
