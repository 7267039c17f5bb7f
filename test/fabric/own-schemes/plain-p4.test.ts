/** The plan of `scheme: p4`: which program and which entries each switch gets. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  DiagnosticError,
  formatDiagnostic,
  type Locate,
  SourceFile,
  type Span,
} from "../../../src/base/index.js";
import {
  plainParameters,
  plainScheme,
  planKey,
  planPlain,
} from "../../../src/fabric/own-schemes/plain-p4.js";
import { switchesOf } from "../../../src/fabric/topology/index.js";
import { build } from "../topology/load.js";

const plain = resolve(import.meta.dirname, "../../../examples/schemes/plain");
const program = readFileSync(join(plain, "ecmp.p4"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "p4loom-plain-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
write("ecmp.p4", program);
write("two words.p4", program);
write("own.inc", "#define SIZE 8\n");
write("with.p4", `#include <own.inc>\n${program}`);
write("one.txt", "table_add PlainIngress.routes PlainIngress.to_port 10.0.0.1/32 => 1 02:00:00:00:00:05\n");
write("two.txt", "table_add PlainIngress.routes PlainIngress.to_port 10.0.0.2/32 => 2 02:00:00:00:00:06\n");
write(
  "three.json",
  JSON.stringify({
    target: "bmv2",
    table_entries: [
      {
        table: "PlainIngress.routes",
        match: { "hdr.ipv4.dst_addr": ["10.0.0.3", 32] },
        action_name: "PlainIngress.to_port",
        action_params: { port: 3, mac: "02:00:00:00:00:07" },
      },
    ],
  }),
);

const topology = build({
  kind: "leaf_spine",
  tors: 2,
  leaves: 1,
  homing: "single",
  hosts_per_rack: 1,
} as never);
const [tor0, tor1, leaf] = ["tor0-0", "tor0-1", "leaf0-0"];
const names = switchesOf(topology).map(({ name }) => name);

/** A place of its own for each path that is asked for. */
const file = new SourceFile("plain.yaml", "");
const asked: string[] = [];
const locate: Locate = (path, atKey): Span => {
  asked.push(`${path.join(".")}${atKey === true ? " (key)" : ""}`);
  return { file, start: 0, end: 0 };
};

const planOf = (parameters: object) => planPlain(topology, plainParameters.parse(parameters), folder, locate);

async function messageOf(parameters: object): Promise<string> {
  const error: unknown = await planOf(parameters).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DiagnosticError);
  return formatDiagnostic((error as DiagnosticError).diagnostics[0]!);
}

/** By switch: the ports to which its routes lead, in the order of the updates. */
async function portsOf(parameters: object): Promise<Record<string, unknown[]>> {
  const plan = await planOf(parameters);
  return Object.fromEntries(
    plan.switches.map(({ node, updates }) => [
      topology.nodes[node]!.name,
      updates.map(({ type, entity }) => {
        expect(type).toBe("insert");
        if (entity.kind !== "tableEntry" || entity.action?.kind !== "action") throw new Error(entity.kind);
        return [...Object.values(entity.action.params)].map(Number).find((value) => value < 16);
      }),
    ]),
  );
}

describe("the plan of a P4 program", () => {
  it("has one program for all switches, in the order of the topology", async () => {
    expect(names).toEqual(expect.arrayContaining([tor0, tor1, leaf]));
    const plan = await planOf({ program: "ecmp.p4", field: "flow_label", selector: 9 });
    expect(plan).toMatchObject({
      scheme: "p4",
      field: "flow_label",
      hosts: { kind: "fixed", selector: 9 },
      repaths: false,
    });
    expect(plan.switches).toEqual(
      switchesOf(topology).map(({ index }) => ({ node: index, program: "ecmp", updates: [] })),
    );
    expect(plan.programs).toMatchObject([
      { name: "ecmp", template: join(folder, "ecmp.p4"), values: {}, own: { kind: "source" } },
    ]);
    expect(plan.programs[0]!.own!.file.text).toBe(program);
  });

  it("has a program a role or a switch, the switch first; each file is compiled once", async () => {
    const plan = await planOf({ program: { tor: "ecmp.p4", leaf: "two words.p4", [tor1!]: "with.p4" } });
    const byName = Object.fromEntries(
      plan.switches.map(({ node, program: name }) => [topology.nodes[node]!.name, name]),
    );
    expect(Object.keys(byName)).toHaveLength(3);
    // The second and third program have their number, so that equal names of files differ.
    expect(byName[tor0!]).toBe(plan.programs.find(({ template }) => basename(template) === "ecmp.p4")!.name);
    expect(plan.programs.map(({ name }) => name.replace(/-\d$/, "")).sort()).toEqual([
      "ecmp",
      "two_words",
      "with",
    ]);
    expect(plan.programs.map(({ name }) => /-(\d)$/.exec(name)?.[1] ?? "1")).toEqual(["1", "2", "3"]);
  });

  it("includes files of the program's folder", async () => {
    await expect(planOf({ program: "with.p4" })).resolves.toMatchObject({ programs: [{ name: "with" }] });
  });

  it("has the entries of the role before those of the switch, of command text and of runtime.json", async () => {
    const entries = { tor: ["one.txt", "three.json"], [tor1!]: "two.txt" };
    expect(await portsOf({ program: "ecmp.p4", entries })).toEqual({
      [tor0!]: [1, 3],
      [tor1!]: [1, 3, 2],
      [leaf!]: [],
    });
  });

  it("asks for the place of each path", async () => {
    asked.length = 0;
    await planOf({
      program: { tor: "ecmp.p4", leaf: "ecmp.p4" },
      entries: { tor: ["one.txt"], [tor1!]: "two.txt" },
    });
    expect([...new Set(asked)].sort()).toEqual([
      "entries.tor.0",
      `entries.${tor1}`,
      "program.leaf",
      "program.tor",
    ]);
  });

  it("refuses names that are neither roles nor switches, at the name, and lists both", async () => {
    asked.length = 0;
    const message = await messageOf({ program: { spine: "ecmp.p4", tor: "ecmp.p4" } });
    expect(message).toContain('"spine" is neither a role nor a switch of the topology');
    expect(message).toMatch(/roles: (tor, leaf|leaf, tor); switches: /);
    for (const name of names) expect(message).toContain(name);
    expect(message).not.toContain("...");
    expect(asked).toEqual(["program.spine (key)"]);
    await messageOf({ program: "ecmp.p4", entries: { tor9: "one.txt" } });
    expect(asked.at(-1)).toBe("entries.tor9 (key)");
  });

  it("lists at most twelve switches", async () => {
    const large = build({
      kind: "leaf_spine",
      tors: 12,
      leaves: 1,
      homing: "single",
      hosts_per_rack: 1,
    } as never);
    const wrong = plainParameters.parse({ program: { spine: "ecmp.p4" } });
    const error: unknown = await planPlain(large, wrong, folder, locate).catch((thrown: unknown) => thrown);
    const message = formatDiagnostic((error as DiagnosticError).diagnostics[0]!);
    const listed = /switches: (.*)/.exec(message)![1]!.split(", ");
    expect(listed).toHaveLength(13);
    expect(listed[12]).toBe("...");
    expect(listed[11]).toBe(switchesOf(large)[11]!.name);
  });

  it("refuses a switch without a program", async () => {
    asked.length = 0;
    const message = await messageOf({ program: { [tor0!]: "ecmp.p4", tor: "ecmp.p4" } });
    expect(message).toContain(`no program for ${leaf}, whose role is leaf`);
    expect(message).toContain("write program: { leaf: FILE }, or one path for all switches");
    expect(asked.at(-1)).toBe("program");
  });

  it("refuses entries that the program does not have", async () => {
    write("wrong.json", JSON.stringify({ target: "bmv2", table_entries: [{ table: "none" }] }));
    expect(await messageOf({ program: "ecmp.p4", entries: { tor: "wrong.json" } })).toMatch(
      /wrong\.json:1:\d+: error/,
    );
    write("wrong.txt", "table_add none to => 1\n");
    expect(await messageOf({ program: "ecmp.p4", entries: { tor: "wrong.txt" } })).toMatch(
      /wrong\.txt:1:\d+: error/,
    );
  });
});

describe("plans that are made in advance", () => {
  const parameters = (selector: number) => plainParameters.parse({ program: "ecmp.p4", selector });

  it("are found by switches and parameters", async () => {
    const plan = await planOf(parameters(1));
    const scheme = plainScheme(new Map([[planKey(topology, parameters(1)), plan]]));
    expect(scheme.plan(topology, parameters(1))).toBe(plan);
    expect(() => scheme.plan(topology, parameters(2))).toThrow(/is made before the file is checked/);
    const other = build({
      kind: "leaf_spine",
      tors: 3,
      leaves: 1,
      homing: "single",
      hosts_per_rack: 1,
    } as never);
    expect(() => scheme.plan(other, parameters(1))).toThrow(/is made before the file is checked/);
  });
});
