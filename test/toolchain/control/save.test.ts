/** What is printed can be read back: as statements on a fresh switch, and as a runtime file. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, maskOf, SourceFile } from "../../../src/base/index.js";
import { readRuntimeFile } from "../../../src/toolchain/control/index.js";
import type { ActionCall, Match, TableEntry, Update } from "../../../src/toolchain/device/index.js";
import { type FieldInfo, P4InfoIndex, type TableInfo } from "../../../src/toolchain/program/index.js";
import { p4infoOf, start } from "./start.js";

const number = (bits: number) => fc.bigInt({ min: 0n, max: maskOf(bits) });

function part({ name, kind, bitwidth: bits }: FieldInfo): fc.Arbitrary<Match | undefined> {
  const all = maskOf(bits);
  const open = (match: fc.Arbitrary<Match>) => fc.option(match, { nil: undefined });
  switch (kind) {
    case "exact":
      return number(bits).map((value) => ({ kind, field: name, value }));
    case "optional":
      return open(number(bits).map((value) => ({ kind, field: name, value })));
    case "lpm":
      return open(
        fc.tuple(number(bits), fc.integer({ min: 1, max: bits })).map(([value, prefixLength]) => ({
          kind,
          field: name,
          value: value & (all ^ maskOf(bits - prefixLength)),
          prefixLength,
        })),
      );
    case "ternary":
      return open(
        fc
          .tuple(
            number(bits),
            number(bits).filter((mask) => mask > 0n),
          )
          .map(([value, mask]) => ({ kind, field: name, value: value & mask, mask })),
      );
    default:
      return open(
        fc
          .tuple(number(bits), number(bits))
          .map(([a, b]) => ({ kind: "range" as const, field: name, low: a < b ? a : b, high: a < b ? b : a }))
          .filter(({ low, high }) => low > 0n || high < all),
      );
  }
}

function calls(table: TableInfo): fc.Arbitrary<ActionCall> {
  // actions for the default entry only cannot be those of others
  const actions = [...table.actions.values()].filter(({ scope }) => scope !== 2).map(({ action }) => action);
  return fc.constantFrom(...actions).chain(({ name, params }) =>
    fc.tuple(...params.list.map(({ bitwidth }) => number(bitwidth))).map((values) => ({
      action: name,
      params: Object.fromEntries(params.list.map((slot, i) => [slot.name, values[i]!])),
    })),
  );
}

function entries(table: TableInfo): fc.Arbitrary<TableEntry> {
  return fc
    .record({
      match: fc.tuple(...table.fields.list.map(part)),
      priority: table.hasPriority ? fc.integer({ min: 1, max: 0x7fffffff }) : fc.constant(0),
      action: calls(table),
      extra: fc.record(
        { controllerMetadata: number(64), metadata: fc.uint8Array({ minLength: 1, maxLength: 4 }) },
        { requiredKeys: [] },
      ),
    })
    .map(({ match, priority, action, extra }) => ({
      kind: "tableEntry",
      table: table.name,
      match: match.filter((one) => one !== undefined),
      priority,
      action: { kind: "action", ...action },
      ...extra,
    }));
}

const index = new P4InfoIndex(p4infoOf("l3"));
const tables = index.tables.list.filter(({ message }) => !message.isConstTable && message.size > 0n);
const someEntries = fc.array(fc.constantFrom(...tables).chain(entries), { maxLength: 12 });

async function written(list: readonly TableEntry[]) {
  const started = start("l3");
  const updates = list.map((entity): Update => ({ type: "insert", entity }));
  // keys that come twice are refused
  await started.device.write(updates).catch(() => {});
  return started;
}

const QUERIES = [
  { kind: "tableEntry" as const },
  { kind: "counter" as const },
  { kind: "multicastGroup" as const },
  { kind: "cloneSession" as const },
];

describe("save", () => {
  it("restores any entries on a fresh switch", async () => {
    await fc.assert(
      fc.asyncProperty(someEntries, async (list) => {
        const { device, say } = await written(list);
        const { lines } = await say("save");
        const fresh = start("l3");
        expect((await fresh.say(lines.join("\n"))).messages).toEqual([]);
        expect(fresh.device.query(QUERIES)).toEqual(device.query(QUERIES));
      }),
      { numRuns: 60 },
    );
  });

  it.each(["cpu", "selector", "replicate", "memory", "parse"])("restores the state of %s", async (name) => {
    const { goldenText } = await import("../switch/golden.js");
    const { say, device } = start(name);
    expect(
      (await say(goldenText(name, "config.txt")!.replace(/^mirroring_add 0 .*$/m, ""))).messages,
    ).toEqual([]);
    const { lines } = await say("save");
    const fresh = start(name);
    expect((await fresh.say(lines.join("\n"))).messages).toEqual([]);
    const all = [
      { kind: "tableEntry", meter: true },
      { kind: "member" },
      { kind: "group" },
      { kind: "meter" },
      { kind: "register" },
      { kind: "valueSet" },
      { kind: "multicastGroup" },
      { kind: "cloneSession" },
    ] as const;
    expect(fresh.device.query(all)).toEqual(device.query(all));
    expect((await fresh.say("save")).lines).toEqual(lines);
  });

  it("leaves out the default entries of tables with an action profile, which are constant", async () => {
    const { say } = start("cpu");
    const tables = new P4InfoIndex(p4infoOf("cpu")).tables.list;
    const { lines } = await say("save");
    const has = (name: string) =>
      lines.some((line) => line.replace("# const ", "").startsWith(`default ${name} `));
    for (const { name, profile } of tables) expect([name, has(name)]).toEqual([name, profile === undefined]);
  });

  it("goes to a file, and comes back from it", async () => {
    const files: Record<string, string> = {};
    const surroundings = {
      writeFile: (path: string, text: string) => {
        files[path] = text;
      },
      readFile: (path: string) => new SourceFile(path, files[path]!),
    };
    const { say, device } = start("l3", surroundings);
    await say("insert routes4 10.0.0.0/8 => route 1\nsave state.txt\nclear routes4\nsource state.txt");
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }])).toHaveLength(1);
  });
});

describe("data of entries", () => {
  it("is a runtime file", async () => {
    await fc.assert(
      fc.asyncProperty(someEntries, async (list) => {
        const plain = list.map(({ metadata: _, controllerMetadata: __, ...entry }) => entry);
        const { device, say } = await written(plain);
        const { data } = await say(tables.map(({ name }) => `dump ${name}`).join("\n"));
        const file = new SourceFile("s1-runtime.json", JSON.stringify({ table_entries: data }));
        const diagnostics = new Diagnostics();
        const updates = readRuntimeFile(file, diagnostics)!.updates(index, diagnostics);
        expect(diagnostics.list.filter(({ severity }) => severity === "error")).toEqual([]);
        const fresh = start("l3");
        fresh.device.apply(updates);
        expect(fresh.device.query(QUERIES)).toEqual(device.query(QUERIES));
      }),
      { numRuns: 60 },
    );
  });
});
