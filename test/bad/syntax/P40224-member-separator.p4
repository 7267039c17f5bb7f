enum Kind {
    one;
    two
}
