// The core library of P4-16 (specification 1.2.5, appendix "P4 core library"). Names, signatures and
// parameter names are the standard's.

#ifndef _CORE_P4_
#define _CORE_P4_

// Errors of the built-in parser operations (section 12.4 onwards).
error {
    NoError,
    PacketTooShort,   // extract or lookahead past the end of the packet
    NoMatch,          // no case of a select matched
    StackOutOfBounds, // next or last outside the stack
    HeaderTooShort,   // more bits asked for than the varbit field holds
    ParserTimeout,
    ParserInvalidArgument // an argument the target cannot take, as bits that are no whole bytes
}

// The packet a parser reads (section 12.8).
extern packet_in {
    // Fills a header without varbit field, makes it valid and moves the cursor to its end.
    void extract<T>(out T hdr);
    // The same for a header with one varbit field, which takes the number of bits given.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    // The next bits as a value of type T; the cursor stays.
    T lookahead<T>();
    void advance(in bit<32> sizeInBits);
    // In bytes.
    bit<32> length();
}

// The packet a deparser builds (section 16).
extern packet_out {
    // Appends a header if it is valid; of a stack, union or struct, its valid headers in order.
    void emit<T>(in T hdr);
}

// In a parser: where the condition is false, sets the parser error and goes to reject (section 12.7).
extern void verify(in bool check, in error toSignal);

// Does nothing; the default action of a table that names none.
@noWarn("unused")
action NoAction() { }

match_kind {
    exact,
    ternary,
    lpm
}

// Stops the compilation with the message where the check, known at compile time, is false.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

#endif
