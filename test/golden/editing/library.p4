#ifndef LIBRARY
#define LIBRARY
/* Addresses
 * of Ethernet.
 */
typedef bit<48> mac_t;
@p4runtime_translation("example/port", 32) type bit<9> port_id_t; // a port
//
// A frame.
// ----
header ethernet_t {
    mac_t   dst; // to
    mac_t   src; /* from */
    bit<16> kind;
}
#endif
