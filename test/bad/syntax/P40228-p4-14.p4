header_type ethernet_t { // <- here
    fields { etherType : 16; }
}
header ethernet_t ethernet;

parser start {
    extract(ethernet);
    return ingress;
}

control ingress { }
