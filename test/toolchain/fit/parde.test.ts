/** Parsers and deparsers of programs for a Tofino: closed forms of what they take. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import {
  checkBudget,
  difference,
  type FitResult,
  fitProgram,
  onePipe,
  parseBudget,
  toHtml,
  toJson,
  toText,
} from "../../../src/toolchain/fit/index.js";
import { pardeExceeded } from "../../../src/toolchain/fit/parde/check.js";
import { chunksUsed } from "../../../src/toolchain/fit/parde/deparser.js";
import { extractorsOf, rowsOf } from "../../../src/toolchain/fit/parde/machine.js";
import { lineRate } from "../../../src/toolchain/fit/parde/ways.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { loadTarget } from "./golden.js";
import { type PardeParts, pardeSource } from "./programs.js";

function fitOf(parts: PardeParts, chip: "tofino" | "tofino2" = "tofino"): FitResult {
  const diagnostics = new Diagnostics();
  const arch = chip === "tofino" ? ("tna" as const) : ("t2na" as const);
  const file = new SourceFile("test.p4", pardeSource({ arch, ...parts }));
  const defines = { __TARGET_TOFINO__: chip === "tofino" ? "1" : "2" };
  const made = compile({ file, resolveInclude: () => undefined, defines, form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  return fitProgram(onePipe(made!.program, "pipe"), loadTarget(chip));
}

const parserOf = (result: FitResult, gress = "ingress") =>
  result.parde!.parsers.find((one) => one.gress === gress)!;

/** A header of so many fields of 32 bits, and a state that extracts it. */
const words = (count: number): PardeParts => ({
  types: `header w_h { ${Array.from({ length: count }, (_, i) => `bit<32> f${i};`).join(" ")} }`,
  headers: "w_h w;",
  states: "state first { p.extract(h.w); transition accept; }",
});

describe("states of a parser", () => {
  it("take four containers of a size a cycle on Tofino 1, and ten of 32 bits on Tofino 2", () => {
    // All of it is touched, so that nothing is halved to go beside the pipeline, or goes past it.
    const touched = (count: number) =>
      Array.from({ length: count }, (_, i) => `h.w.f${i} = h.w.f${i} + 1;`).join(" ");
    for (const count of [1, 4, 5, 8, 9, 13]) {
      const { states } = parserOf(fitOf({ ...words(count), apply: touched(count) }));
      const own = states.filter(({ name }) => name.includes("first"));
      // The state of the chip's own metadata is one with the first part; it takes no container of 32 bits.
      expect(own).toHaveLength(Math.ceil(count / 4));
      for (const state of own)
        expect(extractorsOf(state, loadTarget("tofino").parde!.parser.extractors)[32]).toBeLessThanOrEqual(4);
    }
    // 20 extractors of 16 bits, but 32 bytes in sight.
    const own = parserOf(fitOf({ ...words(13), apply: touched(13) }, "tofino2")).states.filter(({ name }) =>
      name.includes("first"),
    );
    const before = 32;
    expect(own).toHaveLength(1 + Math.ceil((before + 52 - 32) / 32));
  });

  it("take a row a branch and entry of a value set, and none for what no case names", () => {
    const parts = (cases: string, sets = ""): PardeParts => ({
      ...words(1),
      locals: sets,
      states: `state first { p.extract(h.w); transition select(h.w.f0[7:0]) { ${cases} } } state next { transition accept; }`,
    });
    const rowsWith = (cases: string, sets?: string) => {
      const { states } = parserOf(fitOf(parts(cases, sets)));
      return rowsOf(states) - rowsOf([states[0]!]);
    };
    expect(rowsWith("1 : next; default : accept;")).toBe(2);
    expect(rowsWith("1 : next; 2 : accept;")).toBe(2);
    expect(rowsWith("vs : next; default : accept;", "value_set<bit<8>>(7) vs;")).toBe(8);
    // 1, 2-3, 4-5
    expect(rowsWith("1 .. 5 : next; default : accept;")).toBe(4);
  });

  it("are as many as a stack has elements", () => {
    for (const length of [1, 2, 5]) {
      const { states } = parserOf(
        fitOf({
          types: "header s_h { bit<7> x; bit<1> last; bit<24> y; }",
          headers: `s_h[${length}] s;`,
          states:
            "state first { p.extract(h.s.next); transition select(h.s.last.last) { 0 : first; 1 : accept; } }",
        }),
      );
      expect(states.filter(({ match }) => match.length > 0)).toHaveLength(length);
    }
  });

  it("hold the bytes that a later select tests, and no others", () => {
    const held = (masked: string) => {
      const { states, registers } = parserOf(
        fitOf({
          ...words(9),
          states: `state first { p.extract(h.w); transition select(h.w.f8) { 0 : second; default : accept; } }
            state second { transition select(h.w.f0) { ${masked} : accept; default : accept; } }`,
        }),
      );
      return Math.max(...states.map((_, id) => registers[id]!.held));
    };
    expect(held("1")).toBe(8);
    expect(held("0 &&& 0xff")).toBe(5);
    expect(held("0 &&& 0x00ffff00")).toBe(6);
  });
});

describe("match registers", () => {
  it("are free of a value until the state before the one that compares it", () => {
    const { registers } = parserOf(
      fitOf({
        types: "header w_h { bit<8> f; }",
        headers: "w_h w; w_h v;",
        states: `state first { p.extract(h.w); transition select(h.w.f) { 1 : second; default : accept; } }
          state second { p.extract(h.v); transition select(h.v.f) { 2 : third; default : accept; } }
          state third { transition accept; }`,
      }),
    );
    const slots = registers.map((use) => [...use.slots]);
    expect(slots.flat().sort()).toEqual(["h.v.f", "h.w.f"]);
    expect(Math.max(...slots.map(({ length }) => length))).toBe(1);
  });
});

describe("the ways of a parser", () => {
  it("keep up with a port as long as the smallest packet feeds all cycles", () => {
    // 100 Gbit/s are 10.25 bytes a cycle; a frame of 64 bytes is 73 with preamble and gap.
    expect(lineRate(7, 1.22, 100)).toMatchObject({ isKept: true, leastBytes: 73 });
    expect(lineRate(8, 1.22, 100)).toMatchObject({ isKept: false, leastBytes: 82 });
    // The figure of a published report of the compiler for ten states.
    expect(lineRate(10, 1.22, 100)).toMatchObject({ isKept: false, leastBytes: 103, millionPackets: 122 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }), (a, b) => {
        const [one, other] = [lineRate(Math.min(a, b), 1.22, 100), lineRate(Math.max(a, b), 1.22, 100)];
        return one.leastBytes <= other.leastBytes && one.millionPackets >= other.millionPackets;
      }),
    );
  });

  it("of egress read 65 bytes on Tofino 1, by states that are added", () => {
    // The chip's metadata are 27 bytes (28 on Tofino 2); a port gives 11 bytes a cycle.
    const egress = (bytes: number, chip?: "tofino2") =>
      parserOf(
        fitOf(
          {
            ...words(1),
            types: `header w_h { bit<32> f0; } header e_h { ${Array.from({ length: bytes }, (_, i) => `bit<8> b${i};`).join(" ")} }`,
            egressHeaders: "e_h e;",
            egressState: bytes === 0 ? "" : "p.extract(h.e);",
          },
          chip,
        ),
        "egress",
      ).padding;
    expect(egress(0)).toEqual({ states: 4, rows: 8, bytes: 44 });
    expect(egress(20)).toEqual({ states: 2, rows: 4, bytes: 22 });
    expect(egress(38).states).toBe(0);
    expect(egress(0, "tofino2").states).toBe(0);
  });
});

describe("checksum units of a parser", () => {
  const engines = (states: string) =>
    parserOf(
      fitOf({
        ...words(4),
        locals: "Checksum() a; Checksum() b;",
        metadata: "bit<16> x; bit<16> y;",
        states,
        apply: "h.w.f3[15:0] = m.x ^ m.y;",
      }),
    ).engines.units;

  it("are shared by engines of different ways, and by no engine whose sum nothing asks for", () => {
    expect(
      engines(
        "state first { p.extract(h.w); a.subtract({h.w.f0}); b.subtract({h.w.f1}); m.x = a.get(); m.y = b.get(); transition accept; }",
      ),
    ).toBe(2);
    expect(
      engines(`state first { p.extract(h.w); transition select(h.w.f2) { 1 : one; default : other; } }
        state one { a.subtract({h.w.f0}); m.x = a.get(); transition accept; }
        state other { b.subtract({h.w.f1}); m.y = b.get(); transition accept; }`),
    ).toBe(1);
    expect(
      engines(
        "state first { p.extract(h.w); a.subtract({h.w.f0}); b.subtract({h.w.f1}); m.x = a.get(); transition accept; }",
      ),
    ).toBe(1);
  });

  it("are shared by engines that begin alike and part with the ways of the packet", () => {
    const parting = (other: string, early = "") =>
      engines(`state first { p.extract(h.w); ${early} a.subtract({h.w.f0}); b.subtract({h.w.${other}}); transition select(h.w.f2) { 1 : one; default : other; } }
        state one { a.subtract({h.w.f1}); m.x = a.get(); transition accept; }
        state other { b.subtract({h.w.f3}); m.y = b.get(); transition accept; }`);
    expect(parting("f0")).toBe(1);
    expect(parting("f1")).toBe(2);
    expect(parting("f0", "a.subtract({h.w.f1});")).toBe(2);
    // The second begins while the first is at work, and no state has both.
    const late =
      engines(`state first { p.extract(h.w); a.subtract({h.w.f0}); transition select(h.w.f2) { 1 : second; default : accept; } }
      state second { b.subtract({h.w.f1}); transition select(h.w.f3) { 1 : third; default : accept; } }
      state third { m.x = a.get(); transition select(h.w.f1) { 1 : fourth; default : accept; } }
      state fourth { m.y = b.get(); transition accept; }`);
    expect(late).toBe(2);
  });

  it("are free again when a sum was asked for before another way goes on", () => {
    expect(
      engines(`state first { p.extract(h.w); a.subtract({h.w.f0}); m.x = a.get(); transition select(h.w.f2) { 1 : other; default : accept; } }
        state other { b.subtract({h.w.f1}); m.y = b.get(); transition accept; }`),
    ).toBe(1);
  });
});

describe("a deparser", () => {
  it("has an entry a container on Tofino 1, of words in the halves that the compiler makes", () => {
    // Words, entries and states of the open compiler (9.13.4) for these programs: a collection has four words, six halves and four bytes.
    const compiled = [
      [1, 1, 1],
      [3, 3, 1],
      [5, 6, 2],
      [8, 14, 2],
      [9, 15, 2],
      [13, 20, 3],
    ] as const;
    for (const [count, entries, states] of compiled) {
      const result = fitOf(words(count));
      const { deparsers } = result.parde!;
      expect(deparsers.ingress).toMatchObject({ entries, validityBits: 1, past: 0 });
      expect(parserOf(result).states.filter(({ name }) => name.includes("first"))).toHaveLength(states);
      expect(deparsers.egress).toMatchObject({ entries: 0, validityBits: 0 });
    }
  });

  it("has two entries for a checksum under a condition, and one for the checksum behind it", () => {
    const entries = (first: string) =>
      fitOf({
        types: "header s_h { bit<32> a; bit<16> x; bit<16> y; }",
        headers: "s_h s;",
        states: "state first { p.extract(h.s); transition accept; }",
        deparserLocals: "Checksum() one; Checksum() two;",
        deparser: `${first} h.s.y = two.update({ h.s.a });`,
      }).parde!.deparsers.ingress!.entries;
    const always = entries("h.s.x = one.update({ h.s.a });");
    expect(entries("if (h.s.isValid()) { h.s.x = one.update({ h.s.a }); }")).toBe(always + 1);
  });

  it("has chunks of eight bytes of one header on Tofino 2", () => {
    const chip = loadTarget("tofino2").parde!.deparser;
    const kept = (...bytes: number[]) => bytes.map((one) => ({ bytes: one, isPast: false }));
    const past = (...bytes: number[]) => bytes.map((one) => ({ bytes: one, isPast: true }));
    expect(chunksUsed([kept(4, 4), kept(2)], chip)).toBe(2);
    expect(chunksUsed([kept(4, 2, 4)], chip)).toBe(2);
    // Of a group of eight chunks, five are too few for the next piece of four; the next one begins a group.
    expect(chunksUsed([past(40), past(32)], chip)).toBe(12);
    // A group sends four pieces.
    expect(chunksUsed([past(8), past(8), past(8), past(8), past(8)], chip)).toBe(9);
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.constantFrom(1, 2, 4), { maxLength: 30 }), { maxLength: 10 }),
        (headers) => {
          const chunks = chunksUsed(
            headers.map((list) => kept(...list)),
            chip,
          );
          const bytes = headers.map((list) => list.reduce((sum, one) => sum + one, 0));
          const least = bytes.reduce((sum, one) => sum + Math.ceil(one / 8), 0);
          return least <= chunks && chunks <= 2 * least;
        },
      ),
    );
  });

  it("sends past the pipeline one of two headers that exclude each other", () => {
    const { past, pastOfPacket } = fitOf(
      {
        types: "header w_h { bit<32> a; bit<32> b; }",
        headers: "w_h w; w_h v;",
        states: `state first { transition select(p.lookahead<bit<8>>()) { 1 : one; default : other; } }
          state one { p.extract(h.w); transition accept; } state other { p.extract(h.v); transition accept; }`,
      },
      "tofino2",
    ).parde!.deparsers.ingress!;
    expect([past, pastOfPacket]).toEqual([2, 1]);
  });

  it("sends lists of digests, mirrors and resubmissions", () => {
    const { deparsers } = fitOf({
      ...words(2),
      types:
        "header w_h { bit<32> f0; bit<32> f1; } header m_h { bit<8> a; bit<16> b; } header r_h { bit<64> x; } struct d_t { bit<9> a; bit<32> b; }",
      metadata: "m_h mh; r_h r; bit<9> port;",
      deparserLocals: "Mirror() mi; Resubmit() rs; Digest<d_t>() dg;",
      deparser: `if (dp.mirror_type == 1) { mi.emit<m_h>(10w1, m.mh); } if (dp.mirror_type == 2) { mi.emit<m_h>(10w2, m.mh); }
        if (dp.resubmit_type == 1) { rs.emit(m.r); } if (dp.digest_type == 1) { dg.pack({m.port, h.w.f0}); }`,
      apply:
        "dp.mirror_type = 1; dp.resubmit_type = 1; dp.digest_type = 1; m.port = ig.ingress_port; m.r.x = 1; m.mh.a = 1;",
    }).parde!;
    expect(deparsers.ingress!.sent.map(({ kind, bytes }) => `${kind} ${bytes}`)).toEqual([
      "mirror 3",
      "mirror 3",
      "resubmit 8",
      "digest 6",
    ]);
  });
});

describe("the report", () => {
  const result = fitOf(words(9));

  it("has parsers and deparsers in all forms, with the limits of the chip", () => {
    const text = toText(result);
    expect(text).toMatch(/^parser +rows +states +cycles +bytes +match +checksums$/m);
    expect(text).toMatch(/^ingress +2 +2 +2 +52 +0 +0$/m);
    expect(text).toMatch(/^of +256 +160 \(egress\) +4 +2$/m);
    expect(text).toContain("4 of the states read up to 44 bytes more");
    expect(toHtml(result, [], { binding: "", advice: [] } as never)).toContain(
      "<h2>Parsers and deparsers</h2>",
    );
    const { parde } = toJson(result);
    expect(parde!.parsers[0]).toMatchObject({
      gress: "ingress",
      tcam_rows: 2,
      tcam_rows_limit: 256,
      longest_path_cycles: 2,
      longest_path_bytes: 52,
    });
    expect(parde!.deparsers[0]).toMatchObject({ gress: "ingress", fde_entries: 15, pov_bits: 1, clots: 0 });
  });
});

describe("what is too much", () => {
  const states = (count: number, branches: number) =>
    Array.from({ length: count }, (_, i) => {
      const cases = Array.from(
        { length: branches },
        (_, k) => `${k} : ${i + 1 < count ? `s${i + 1}` : "accept"};`,
      );
      return `state s${i} { p.extract(h.w${i}); transition select(h.w${i}.f0) { ${cases.join(" ")} default : accept; } }`;
    }).join("\n");
  const deep = (count: number, branches: number): PardeParts => ({
    types: "header w_h { bit<16> f0; }",
    headers: Array.from({ length: count }, (_, i) => `w_h w${i};`).join(" "),
    states: `state first { transition s0; } ${states(count, branches)}`,
  });
  const codes = (result: FitResult) =>
    result.diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);

  it("is refused at the first row too many, at the state that has the most", () => {
    expect(codes(fitOf(deep(4, 63)))).toEqual([]);
    const result = fitOf(deep(4, 64));
    expect([codes(result), result.verdict]).toEqual([["P44055"], "refused"]);
    expect(result.diagnostics[0]!.message).toContain("at least 260 branches");
    expect(result.diagnostics[0]!.span).toBeDefined();
    // Rows that the division of states adds are of these containers alone.
    const full = fitOf(deep(4, 63));
    expect(full.verdict).toBe(parserOf(full).rows > 256 ? "fits by counts" : "placed");
  });

  it("with the containers that were found begins behind each limit", () => {
    const target = loadTarget("tofino");
    const { parser, deparser } = target.parde!;
    const exceeded = (rows: number, held: number, entries: number) => {
      const parde = fitOf(words(1)).parde!;
      const [one] = parde.parsers;
      const registers = one!.registers.map((use) => ({ ...use, held }));
      const ingress = { ...parde.deparsers.ingress!, entries };
      const changed = {
        parsers: [{ ...one!, rows, registers }],
        deparsers: { ...parde.deparsers, ingress },
      };
      return pardeExceeded({ ...parde, ...changed }, target).map((text) => text.split(/[:]/)[0]);
    };
    const name = fitOf(words(1)).parde!.parsers[0]!.name;
    const [rows, held, entries] = [parser.rows, parser.held_bytes, deparser.entries!];
    expect(exceeded(rows, held, entries)).toEqual([]);
    expect(exceeded(rows + 1, held, entries)).toEqual([`parser ${name}`]);
    expect(exceeded(rows, held + 1, entries)).toEqual([`parser ${name}`]);
    expect(exceeded(rows, held, entries + 1)).toEqual(["deparser of ingress"]);
  });

  it("is not what a mask leaves out of a lookahead", () => {
    const looks = (bits: number, value: string) => {
      const result = fitOf({
        types: "header w_h { bit<16> f0; }",
        headers: "w_h w;",
        states: `state first { transition select(p.lookahead<bit<${bits}>>()) { ${value} : take; default : accept; } }
            state take { p.extract(h.w); transition accept; }`,
      });
      return codes(result).join() || result.verdict;
    };
    expect(looks(36, "0x123456780 &&& 0xfffffffff")).toBe("P44056");
    expect(looks(36, "0x123456780 &&& 0xffffffff0")).toBe("placed");
    expect(looks(36, "0x123456780 &&& 0xfffffff0f")).toBe("P44056");
    expect(looks(320, "0x1234 << 288 &&& 0xffff << 288")).toBe("placed");
    expect(looks(320, "0x1234 << 48 &&& 0xffff << 48")).toBe("P44057");
  });

  it("is told for the gress that has more, in a budget and a difference", () => {
    const result = fitOf(deep(2, 3));
    const [rows, entries, bits] = checkBudget(
      result,
      parseBudget("parser_rows=9,deparser_entries=2%,validity_bits=1"),
    );
    expect(rows).toMatchObject({ used: parserOf(result).rows, within: true });
    expect(entries).toMatchObject({
      used: Math.round((1000 * result.parde!.deparsers.ingress!.entries) / 192) / 10,
    });
    expect(bits).toMatchObject({ used: 2, within: false });
    const { measures } = difference(result, fitOf(deep(2, 5)));
    expect(measures.find(({ name }) => name === "parser_rows")).toMatchObject({
      before: rows!.used,
      after: rows!.used + 4,
    });
  });
});
