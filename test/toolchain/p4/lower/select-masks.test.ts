import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rangeMasks } from "../../../../src/toolchain/p4/lower/select-masks.js";
import { compileParts } from "./v1model.js";

describe("rangeMasks", () => {
  it("covers exactly the range, with at most 2n - 2 masks", () => {
    const width = 7;
    const value = fc.integer({ min: 0, max: 127 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const blocks = rangeMasks(BigInt(low), BigInt(high), width);
        expect(blocks.length).toBeLessThanOrEqual(2 * width - 2);
        for (let v = 0; v < 128; v++) {
          const hits = blocks.filter((block) => {
            if (block.kind === "any") return true;
            const mask = block.kind === "mask" ? block.mask : 127n;
            return block.kind !== "range" && (BigInt(v) & mask) === (block.value & mask);
          });
          expect(hits.length).toBe(v >= low && v <= high ? 1 : 0);
        }
      }),
      { numRuns: 200, seed: 11 },
    );
  });
});

const headers = "h_t h; h_t[2] s;";
const top = "header h_t { bit<8> a; bit<4> b; bit<4> c; }";

describe("transitions", () => {
  it("pad each key to whole bytes and join value and mask", () => {
    const { program } = compileParts({
      top,
      headers,
      states: `state start {
          pkt.extract(hdr.h);
          transition select(hdr.h.b, hdr.h.a) {
            (3, 0x80 &&& 0xc0): one;
            (2..3, _): two;
            default: accept;
          }
        }
        state one { transition accept; }
        state two { transition accept; }`,
    });
    const { transitions } = program.bmv2.parsers[0]!.parse_states[0]!;
    expect(transitions).toEqual([
      { type: "hexstr", value: "0x0380", mask: "0x0fc0", next_state: "one" },
      { type: "hexstr", value: "0x0200", mask: "0x0e00", next_state: "two" },
      { type: "default", value: null, mask: null, next_state: null },
    ]);
  });

  it("select on a computed key by a variable", () => {
    const { program } = compileParts({
      top,
      headers,
      states: `state start {
          pkt.extract(hdr.h);
          transition select(hdr.h.b ++ hdr.h.c) { 0x12: accept; default: reject; }
        }`,
    });
    const [state] = program.bmv2.parsers[0]!.parse_states;
    expect(state!.parser_ops.map((one) => one.op)).toEqual(["extract", "set"]);
    expect(state!.transition_key).toEqual([{ type: "field", value: ["scalars", "tmp"] }]);
  });
});

describe("parser states", () => {
  it("are split at conditions", () => {
    const { program } = compileParts({
      top,
      headers,
      metadata: "bit<8> x;",
      states: `state start {
          pkt.extract(hdr.h);
          if (hdr.h.a == 1) { meta.x = 1; } else { meta.x = 2; }
          pkt.extract(hdr.s.next);
          transition accept;
        }`,
    });
    const states = new Map(program.bmv2.parsers[0]!.parse_states.map((state) => [state.name, state]));
    const next = (name: string, index: number): string => states.get(name)!.transitions[index]!.next_state!;
    const start = states.get("start")!;
    expect(start.transitions.map((one) => one.type)).toEqual(["hexstr", "default"]);
    for (const branch of [0, 1]) {
      const inside = states.get(next("start", branch))!;
      expect(inside.parser_ops).toMatchObject([
        { op: "set", parameters: [{}, { type: "hexstr", value: branch === 0 ? "0x01" : "0x02" }] },
      ]);
      expect(states.get(next(inside.name, 0))!.parser_ops).toMatchObject([{ op: "extract" }]);
    }
  });

  it("of a called parser become states of the caller", () => {
    const { program } = compileParts({
      top: `${top} parser Sub(packet_in p, out h_t h) {
          state start { p.extract(h); transition select(h.a) { 1: more; default: accept; } }
          state more { p.advance(8); transition accept; }
        }`,
      headers,
      parserLocals: "Sub() sub;",
      states:
        "state start { sub.apply(pkt, hdr.h); transition after; } state after { pkt.extract(hdr.s.next); transition accept; }",
    });
    const states = program.bmv2.parsers[0]!.parse_states;
    const names = states.map((state) => state.name);
    expect(names).toEqual(["start", "start_Sub_start", "start_Sub_more", "start_after_Sub", "after"]);
    const to = (name: string) =>
      states.find((state) => state.name === name)!.transitions.map((one) => one.next_state);
    expect(to("start_Sub_start")).toEqual(["start_Sub_more", "start_after_Sub"]);
    expect(to("start_Sub_more")).toEqual(["start_after_Sub"]);
    expect(to("start_after_Sub")).toEqual(["after"]);
  });
});
