import { describe, expect, it } from "vitest";
import { compileParts } from "../lower/v1model.js";

it("gives the program's entries as a controller would write them", () => {
  const { entries, program } = compileParts({
    metadata: "bit<8> x; bit<16> y;",
    locals: `action set(bit<8> a, bool b) { meta.x = a; }
      table wild {
        key = { meta.x : ternary; meta.y : range @name("y"); }
        actions = { set; NoAction; }
        const entries = {
          (0x0a &&& 0x0f, 5..9) : set(1, true);
          (_, 7) : set(2, false);
        }
      }
      table routes {
        key = { meta.y : lpm; }
        actions = { set; NoAction; }
        entries = { 0x1200 &&& 0xff00 : set(3, true); const 0x1234 : NoAction(); }
      }
      table ranked {
        key = { meta.x : optional; }
        actions = { set; NoAction; }
        largest_priority_wins = false;
        entries = { priority = 30 : 1 : set(4, true); priority = 10 : _ : NoAction(); }
      }`,
    ingress: "wild.apply(); routes.apply(); ranked.apply();",
  });
  const seen = entries.map(({ table, match, priority, action, isConst }) => ({
    table,
    match,
    priority,
    action,
    isConst,
  }));
  const set = (a: bigint, b: bigint) => ({ kind: "action", action: "I.set", params: { a, b } });
  expect(seen).toEqual([
    {
      table: "I.wild",
      match: [
        { kind: "ternary", field: "meta.x", value: 0x0an, mask: 0x0fn },
        { kind: "range", field: "y", low: 5n, high: 9n },
      ],
      priority: 2,
      action: set(1n, 1n),
      isConst: true,
    },
    {
      table: "I.wild",
      match: [{ kind: "range", field: "y", low: 7n, high: 7n }],
      priority: 1,
      action: set(2n, 0n),
      isConst: true,
    },
    {
      table: "I.routes",
      match: [{ kind: "lpm", field: "meta.y", value: 0x1200n, prefixLength: 8 }],
      priority: 0,
      action: set(3n, 1n),
      isConst: false,
    },
    {
      table: "I.routes",
      match: [{ kind: "lpm", field: "meta.y", value: 0x1234n, prefixLength: 16 }],
      priority: 0,
      action: { kind: "action", action: "NoAction", params: {} },
      isConst: true,
    },
    {
      table: "I.ranked",
      match: [{ kind: "optional", field: "meta.x", value: 1n }],
      priority: 10,
      action: set(4n, 1n),
      isConst: false,
    },
    {
      table: "I.ranked",
      match: [],
      priority: 30,
      action: { kind: "action", action: "NoAction", params: {} },
      isConst: false,
    },
  ]);
  // In BMv2's file the smaller number wins.
  const ranked = program.bmv2.pipelines[0]!.tables.find((table) => table.name === "I.ranked")!;
  expect(ranked.entries!.map((entry) => entry.priority)).toEqual([2, 1]);
});

/** Priorities and numbers of match fields of the entries of a table. */
function entriesOf(properties: string, key = "meta.x : ternary; meta.y : ternary;") {
  const { entries } = compileParts({
    metadata: "bit<8> x; bit<16> y;",
    locals: `table t { key = { ${key} } actions = { NoAction; } ${properties} }`,
    ingress: "t.apply();",
  });
  return entries.map(({ match, priority }) => [priority, match.length]);
}

describe("priorities that are not written (P4-16 section 14.2.1.4)", () => {
  it.each<[string, string, number[]]>([
    ["count down to 1", "", [3, 2, 1]],
    ["count down to 1 by priority_delta", "priority_delta = 10;", [21, 11, 1]],
  ])("%s where the largest wins", (_, delta, expected) => {
    const rows = "(1, 1) : NoAction(); (2, _) : NoAction(); _ : NoAction();";
    expect(entriesOf(`${delta} entries = { ${rows} }`)).toEqual(
      expected.map((priority, i) => [priority, 2 - i]),
    );
  });

  it("continue from a written one", () => {
    const rows =
      "priority = 30 : 1 : NoAction(); 2 : NoAction(); priority = 15 : 3 : NoAction(); 4 : NoAction();";
    expect(entriesOf(`priority_delta = 5; entries = { ${rows} }`, "meta.x : ternary;")).toEqual([
      [30, 1],
      [25, 1],
      [15, 1],
      [10, 1],
    ]);
  });
});
