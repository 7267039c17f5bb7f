extern counter_t {
    counter(bit<32> size);
    void count(in bit<32> index);
}
