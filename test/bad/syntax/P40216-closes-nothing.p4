control C(inout bit<8> x) {
    apply {
        x = 1;
    }
}
}
const bit<8> k = 3;
