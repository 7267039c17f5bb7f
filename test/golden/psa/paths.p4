// Every path of a packet through PSA. The first byte says what ingress does; egress writes the path, the class of service,
// the instance, and what the packet took along.
#include <core.p4>
#include <psa.p4>

struct empty_t {}
struct carried_t { bit<16> value; bool flag; }
header h_t { bit<8> op; bit<8> path; bit<8> passes; bit<8> service; bit<16> instance; bit<16> value; }
struct headers_t { h_t h; }
struct meta_t { bit<16> value; bool flag; PSA_PacketPath_t path; }

parser IP(packet_in pkt, out headers_t hdr, inout meta_t meta, in psa_ingress_parser_input_metadata_t istd,
          in carried_t resubmit_meta, in carried_t recirculate_meta) {
    state start {
        meta.path = istd.packet_path;
        transition select(istd.packet_path) {
            PSA_PacketPath_t.RESUBMIT: resubmitted;
            PSA_PacketPath_t.RECIRCULATE: recirculated;
            default: read;
        }
    }
    state resubmitted {
        meta.value = resubmit_meta.value;
        meta.flag = resubmit_meta.flag;
        transition read;
    }
    state recirculated {
        meta.value = recirculate_meta.value;
        meta.flag = recirculate_meta.flag;
        transition read;
    }
    state read {
        pkt.extract(hdr.h);
        transition accept;
    }
}

control IC(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd,
           inout psa_ingress_output_metadata_t ostd) {
    apply {
        hdr.h.passes = hdr.h.passes + 1;
        if (istd.packet_path == PSA_PacketPath_t.RESUBMIT) {
            send_to_port(ostd, (PortId_t) 3);
        } else if (istd.packet_path == PSA_PacketPath_t.RECIRCULATE) {
            send_to_port(ostd, (PortId_t) 4);
        } else if (istd.parser_error != error.NoError) {
            send_to_port(ostd, (PortId_t) 9);
        } else {
            meta.value = hdr.h.value;
            meta.flag = true;
            switch (hdr.h.op) {
                1: { send_to_port(ostd, (PortId_t) 2); }
                2: { multicast(ostd, (MulticastGroup_t) 1); }
                3: { ingress_drop(ostd); ostd.clone = true; ostd.clone_session_id = (CloneSessionId_t) 5; }
                4: { send_to_port(ostd, (PortId_t) 2); ostd.resubmit = true; meta.value = 0x1111; }
                5: { send_to_port(ostd, PSA_PORT_RECIRCULATE); }
                6: { send_to_port(ostd, (PortId_t) 2); }
                7: { send_to_port(ostd, (PortId_t) 2); ostd.class_of_service = (ClassOfService_t) 3; }
                9: { send_to_port(ostd, (PortId_t) 2); }
                10: { send_to_port(ostd, PSA_PORT_CPU); }
            }
        }
    }
}

control ID(packet_out pkt, out carried_t clone_i2e_meta, out carried_t resubmit_meta, out carried_t normal_meta,
           inout headers_t hdr, in meta_t meta, in psa_ingress_output_metadata_t istd) {
    apply {
        if (psa_resubmit(istd)) {
            resubmit_meta.value = meta.value;
            resubmit_meta.flag = meta.flag;
        }
        if (psa_clone_i2e(istd)) {
            clone_i2e_meta.value = meta.value + 1;
            clone_i2e_meta.flag = true;
        }
        if (psa_normal(istd)) {
            normal_meta.value = meta.value;
            normal_meta.flag = meta.flag;
        }
        pkt.emit(hdr.h);
    }
}

parser EP(packet_in pkt, out headers_t hdr, inout meta_t meta, in psa_egress_parser_input_metadata_t istd,
          in carried_t normal_meta, in carried_t clone_i2e_meta, in carried_t clone_e2e_meta) {
    state start {
        pkt.extract(hdr.h);
        transition select(istd.packet_path) {
            PSA_PacketPath_t.CLONE_I2E: from_ingress;
            PSA_PacketPath_t.CLONE_E2E: from_egress;
            default: normal;
        }
    }
    state from_ingress { meta.value = clone_i2e_meta.value; meta.flag = clone_i2e_meta.flag; transition accept; }
    state from_egress { meta.value = clone_e2e_meta.value; meta.flag = clone_e2e_meta.flag; transition accept; }
    state normal { meta.value = normal_meta.value; meta.flag = normal_meta.flag; transition accept; }
}

control EC(inout headers_t hdr, inout meta_t meta, in psa_egress_input_metadata_t istd,
           inout psa_egress_output_metadata_t ostd) {
    apply {
        if (istd.packet_path == PSA_PacketPath_t.NORMAL_UNICAST) hdr.h.path = 1;
        else if (istd.packet_path == PSA_PacketPath_t.NORMAL_MULTICAST) hdr.h.path = 2;
        else if (istd.packet_path == PSA_PacketPath_t.CLONE_I2E) hdr.h.path = 3;
        else if (istd.packet_path == PSA_PacketPath_t.CLONE_E2E) hdr.h.path = 4;
        hdr.h.service = (bit<8>) (ClassOfServiceUint_t) istd.class_of_service;
        hdr.h.instance = (EgressInstanceUint_t) istd.instance;
        hdr.h.value = meta.value;
        if (!meta.flag) hdr.h.value = 0xffff;
        if (hdr.h.op == 6 && istd.packet_path == PSA_PacketPath_t.NORMAL_UNICAST) {
            ostd.clone = true;
            ostd.clone_session_id = (CloneSessionId_t) 6;
        }
        if (hdr.h.op == 9) egress_drop(ostd);
    }
}

control ED(packet_out pkt, out carried_t clone_e2e_meta, out carried_t recirculate_meta, inout headers_t hdr,
           in meta_t meta, in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply {
        if (psa_clone_e2e(istd)) {
            clone_e2e_meta.value = meta.value + 2;
            clone_e2e_meta.flag = true;
        }
        if (psa_recirculate(istd, edstd)) {
            recirculate_meta.value = meta.value + 3;
            recirculate_meta.flag = true;
        }
        pkt.emit(hdr.h);
    }
}

IngressPipeline(IP(), IC(), ID()) ingress;
EgressPipeline(EP(), EC(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
