control C(inout bit<8> x) {
    acton set() { x = 1; }
    tabel t {
        kye = { x: exact; }
        actions = { set; }
    }
    aply { t.apply(); }
}
parsr P(out bit<8> x) {
    sate start { transition accept; }
}
