/** Ids, names and aliases of P4Info objects (P4Runtime specification 1.4, section 6.3): what counts as one object, and who gets an id that two want. */
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../../src/base/index.js";
import { nameHash, SymbolTable } from "../../../../src/toolchain/p4/emit/p4info-symbols.js";
import { tryCompile, v1model } from "../lower/v1model.js";

const file = new SourceFile("a.p4", "one two three four");
const other = new SourceFile("b.p4", "one two three four");
const at = (start: number, where = file) => ({ file: where, start, end: start + 3 });

/** The code with which a call fails. */
function codeOf(part: () => void): string | undefined {
  try {
    part();
    return undefined;
  } catch (error) {
    return (error as { diagnostics: { code: string }[] }).diagnostics[0]!.code;
  }
}

describe("a name that is declared twice", () => {
  it("is one digest, and one packet-in header", () => {
    const symbols = new SymbolTable();
    for (const start of [0, 4]) {
      symbols.add("digest", "d", undefined, at(start));
      symbols.add("controllerHeader", "h", undefined, at(start));
    }
    symbols.assign();
    expect(symbols.id("digest", "d") >>> 24).toBe(0x17);
    expect(symbols.id("controllerHeader", "h") >>> 24).toBe(0x04);
  });

  it("is one action where it is the same declaration", () => {
    const twice = (second: ReturnType<typeof at>) =>
      codeOf(() => {
        const symbols = new SymbolTable();
        symbols.add("action", "a", undefined, at(0));
        symbols.add("action", "a", undefined, second);
      });
    expect(twice(at(0))).toBeUndefined();
    expect(twice(at(4))).toBe("P40545");
    expect(twice(at(0, other))).toBe("P40545");
  });

  it("is a mistake for every other object, of one declaration too", () => {
    for (const kind of ["table", "counter", "register", "valueSet"] as const)
      for (const second of [at(0), at(4), at(0, other)])
        expect([
          kind,
          codeOf(() => {
            const symbols = new SymbolTable();
            symbols.add(kind, "a", undefined, at(0));
            symbols.add(kind, "a", undefined, second);
          }),
        ]).toEqual([kind, "P40545"]);
  });

  it("can be that of objects of different kinds", () => {
    const symbols = new SymbolTable();
    symbols.add("table", "a", undefined, at(0));
    symbols.add("action", "a", undefined, at(4));
    symbols.assign();
    expect([symbols.id("table", "a") >>> 24, symbols.id("action", "a") >>> 24]).toEqual([2, 1]);
    expect(symbols.id("table", "a") & 0xffffff).toBe(symbols.id("action", "a") & 0xffffff);
    expect(symbols.alias("a")).toBe("a");
  });

  it("is told with the places of the controls whose instances have one name", () => {
    const { diagnostics } = tryCompile(
      v1model({
        top: "control Sub(inout bit<8> x) { action a() {} table t { key = { x: exact; } actions = { a; } } apply { t.apply(); } }",
        metadata: "bit<8> x;",
        ingress: "Sub.apply(meta.x); if (meta.x == 1) { Sub.apply(meta.x); }",
      }),
    );
    const [first] = diagnostics.list.filter(({ code }) => code === "P40545");
    expect(first!.message).toBe("the control plane would see the name I.Sub.t twice");
    const notes = first!.notes.map(({ message, span }) => [message, span?.start]);
    expect(notes[0]![0]).toBe("it is also the name of this");
    expect(notes[0]![1]).toBeLessThan(first!.span!.start);
    expect(notes.at(-1)![0]).toContain("give each instance a name");
  });
});

describe("ids", () => {
  it("that two names want go to the first in the order of their bytes, whoever is declared first", () => {
    const seen = new Map<number, string>();
    let pair: [string, string] | undefined;
    for (let i = 0; pair === undefined; i++) {
      const name = `${i % 2 === 0 ? "T" : "a"}${i}`;
      const wanted = nameHash(name) & 0xffffff;
      const before = seen.get(wanted);
      if (before !== undefined) pair = before < name ? [before, name] : [name, before];
      seen.set(wanted, name);
    }
    const [low, high] = pair;
    for (const order of [
      [low, high],
      [high, low],
    ]) {
      const symbols = new SymbolTable();
      for (const name of order) symbols.add("table", name);
      symbols.assign();
      const id = 0x02000000 + (nameHash(low) & 0xffffff);
      expect([symbols.id("table", low), symbols.id("table", high)]).toEqual([id, id + 1]);
    }
  });

  it("can be given in full or without the first byte, but for one object only", () => {
    const add = (...ids: number[]) =>
      codeOf(() => {
        const symbols = new SymbolTable();
        for (const [i, id] of ids.entries()) symbols.add("table", `t${i}`, id, at(0));
      });
    expect(add(5, 0x02000006)).toBeUndefined();
    expect(add(5, 0x02000005)).toBe("P40541");
    expect(add(0x01000005)).toBe("P40540");
  });

  it("are known for declared objects only", () => {
    const symbols = new SymbolTable();
    symbols.add("table", "t");
    symbols.assign();
    expect(() => symbols.id("table", "u")).toThrow("u was never declared");
    expect(() => symbols.id("meter", "t")).toThrow("t was never declared");
  });
});

it("aliases are whole components from the end, the full name where no end is unique", () => {
  const symbols = new SymbolTable();
  for (const name of ["a.b.c", "x.b.c", "b.c", "y.z", "yz"]) symbols.add("table", name);
  expect(["a.b.c", "x.b.c", "b.c", "y.z", "yz"].map((name) => symbols.alias(name))).toEqual([
    "a.b.c",
    "x.b.c",
    "b.c",
    "z",
    "yz",
  ]);
});
