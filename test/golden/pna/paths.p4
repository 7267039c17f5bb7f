// Every path of a packet through PNA. The first byte says what the main control does.
#include <core.p4>
#include <pna.p4>

header h_t { bit<8> op; bit<8> passes; bit<8> pass; bit<8> direction; bit<16> value; }
header tail_t { bit<8> mark; }
struct headers_t { h_t h; tail_t tail; }
struct meta_t { bit<8> pre; }

parser P(packet_in pkt, out headers_t hdr, inout meta_t meta, in pna_main_parser_input_metadata_t istd) {
    state start { pkt.extract(hdr.h); transition accept; }
}
control Pre(in headers_t hdr, inout meta_t meta, in pna_pre_input_metadata_t istd,
            inout pna_pre_output_metadata_t ostd) {
    apply { meta.pre = 7; }
}
control Main(inout headers_t hdr, inout meta_t meta, in pna_main_input_metadata_t istd,
             inout pna_main_output_metadata_t ostd) {
    apply {
        hdr.h.passes = hdr.h.passes + 1;
        hdr.h.pass = (bit<8>) (PassNumberUint_t) istd.pass;
        hdr.h.direction = SelectByDirection(istd.direction, 8w1, 8w2);
        switch (hdr.h.op) {
            1: { send_to_port((PortId_t) 2); }
            2: { send_to_port((PortId_t) 2); drop_packet(); }
            3: { drop_packet(); send_to_port((PortId_t) 3); }
            4: { mirror_packet((MirrorSlotId_t) 1, (MirrorSessionId_t) 5); }
            5: { if (!istd.loopedback) recirculate(); else send_to_port((PortId_t) 2); }
            6: { hdr.tail.setValid(); hdr.tail.mark = meta.pre; send_to_port((PortId_t) 2); }
            7: { send_to_port((PortId_t) 2); mirror_packet((MirrorSlotId_t) 0, (MirrorSessionId_t) 5); }
            8: { send_to_port((PortId_t) 0xfffffffd); }
        }
        if (istd.parser_error != error.NoError) send_to_port((PortId_t) 9);
    }
}
control D(packet_out pkt, in headers_t hdr, in meta_t meta, in pna_main_output_metadata_t ostd) {
    apply {
        pkt.emit(hdr.h);
        if (hdr.tail.isValid() && hdr.tail.mark == 7) pkt.emit(hdr.tail);
    }
}
PNA_NIC(P(), Pre(), Main(), D()) main;
