parser P(in bit<8> x) {
    value_set<bit<8>, bit<8>>(4) set;
    state start {
        transition accept;
    }
}
