enum Kind {
    one = 1
}
