// A program with declarations alone: there is nothing to draw.
const bit<8> PORTS = 32;
