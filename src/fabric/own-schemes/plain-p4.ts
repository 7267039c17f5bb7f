/**
 * `scheme: p4`: a scheme without code. One P4 program for all switches, or one by role or by switch; entries as the tutorials'
 * `sN-runtime.json` or as command text of simple_switch_CLI; hosts that stay on one selector.
 */
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { Diagnostics, didYouMean, fail, type Locate, type Span } from "../../base/index.js";
import { SELECTOR_FIELDS } from "../../base/packets/index.js";
import { readRuntimeFile, runCommands } from "../../toolchain/control/index.js";
import { type Device, deviceView, type Update } from "../../toolchain/device/index.js";
import type { ProgramPlan } from "../../toolchain/generate/index.js";
import { loadProgram, readSource } from "../../toolchain/loading/index.js";
import { P4InfoIndex, type Program } from "../../toolchain/program/index.js";
import { Switch } from "../../toolchain/switch/index.js";
import { type FabricPlan, fixedHosts, type Scheme } from "../schemes/index.js";
import { switchesOf, type Topology, type TopologyNode } from "../topology/index.js";
import { CODES } from "./codes.js";

/** Its name in experiment files. */
export const PLAIN_NAME = "p4";

const path = z.string().min(1);
const paths = z.union([path, z.array(path).min(1)], { error: "expected a path, or a list of paths" });

export const plainParameters = z.strictObject({
  /** P4 source for all switches, or by role or name. Paths start at the experiment file's folder. */
  program: z.union([path, z.record(z.string(), path)], {
    error: "expected a path, or a map from roles or switches to paths",
  }),
  /** Files of entries by role or name of a switch: `.json` is a runtime.json, all else command text. */
  entries: z.record(z.string(), paths).default({}),
  field: z.enum(SELECTOR_FIELDS).default("dscp"),
  /** Selector of every packet of the hosts. */
  selector: z.number().int().min(0).max(0x3ffffff).default(0),
});

type PlainParameters = z.output<typeof plainParameters>;

/**
 * The scheme for one entry of a file: its plan is made in advance, because reading entries needs a compiler and a switch. Throws
 * DiagnosticError: errors of compiling and reading entries, P40001 for a file that cannot be read, at the path in the
 * experiment's file, P43405 for a name that is no role and no switch, or a switch without a program.
 */
export async function planPlain(
  topology: Topology,
  parameters: PlainParameters,
  folder: string,
  locate: Locate,
): Promise<FabricPlan> {
  const nodes = switchesOf(topology);
  checkNames(nodes, parameters, locate);
  const diagnostics = new Diagnostics();
  const loaded = new Map<string, Promise<{ name: string; program: Program; plan: ProgramPlan }>>();
  const load = (file: string, from: Span | undefined) => {
    let known = loaded.get(file);
    if (known === undefined) {
      const name = programName(file, loaded.size);
      known = compileOwn(file, name, diagnostics, from);
      loaded.set(file, known);
    }
    return known;
  };
  const switches = [];
  for (const node of nodes) {
    const own = programOf(node, parameters, locate);
    const { name, program } = await load(resolve(folder, own.path), own.from);
    const files = entriesOf(node, parameters, locate);
    const updates = await updatesOf(
      program,
      files.map(({ path, from }) => ({ path: resolve(folder, path), from })),
    );
    switches.push({ node: node.index, program: name, updates });
  }
  const programs = await Promise.all(loaded.values());
  return {
    scheme: PLAIN_NAME,
    field: parameters.field,
    programs: programs.map(({ plan }) => plan),
    switches,
    hosts: { kind: "fixed", selector: parameters.selector },
    repaths: false,
  };
}

function checkNames(nodes: readonly TopologyNode[], parameters: PlainParameters, locate: Locate): void {
  const known = new Set(nodes.flatMap(({ name, role }) => [name, role as string]));
  const check = (key: "program" | "entries", names: readonly string[]) => {
    for (const name of names)
      if (!known.has(name))
        fail(
          CODES.programs,
          locate([key, name], true) ?? locate([key]),
          `"${name}" is neither a role nor a switch of the topology${didYouMean(name, known, '"')}`,
          `roles: ${[...new Set(nodes.map(({ role }) => role))].join(", ")}; switches: ${listed(nodes)}`,
        );
  };
  if (typeof parameters.program !== "string") check("program", Object.keys(parameters.program));
  check("entries", Object.keys(parameters.entries));
}

const MOST_LISTED = 12;

function listed(nodes: readonly TopologyNode[]): string {
  const names = nodes.slice(0, MOST_LISTED).map(({ name }) => name);
  return names.join(", ") + (nodes.length > MOST_LISTED ? ", ..." : "");
}

/** A path, and its place in the experiment's file. */
interface NamedFile {
  readonly path: string;
  readonly from: Span | undefined;
}

function programOf({ name, role }: TopologyNode, { program }: PlainParameters, locate: Locate): NamedFile {
  if (typeof program === "string") return { path: program, from: locate(["program"]) };
  for (const key of [name, role]) {
    const path = program[key];
    if (path !== undefined) return { path, from: locate(["program", key]) };
  }
  return fail(
    CODES.programs,
    locate(["program"]),
    `no program for ${name}, whose role is ${role}`,
    `write program: { ${role}: FILE }, or one path for all switches`,
  );
}

/** The files of a switch's role, then those of the switch. */
function entriesOf({ name, role }: TopologyNode, { entries }: PlainParameters, locate: Locate): NamedFile[] {
  return [role, name].flatMap((key): NamedFile[] => {
    const own = entries[key] ?? [];
    return typeof own === "string"
      ? [{ path: own, from: locate(["entries", key]) }]
      : own.map((path, i) => ({ path, from: locate(["entries", key, i]) }));
  });
}

function programName(file: string, index: number): string {
  const base = /([^/]*?)(?:\.p4)?$/.exec(file)![1]!.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return index === 0 ? base : `${base}-${index + 1}`;
}

async function compileOwn(path: string, name: string, diagnostics: Diagnostics, from: Span | undefined) {
  const { program } = await loadProgram(
    { path, include: [dirname(path)], define: [] },
    diagnostics,
    "ignore",
    from,
  );
  const plan: ProgramPlan = {
    name,
    template: path,
    values: {},
    own: { file: readSource(path, from), kind: "source" },
  };
  return { name, program, plan };
}

/** The writes of the files, in their order: the files run on a temporary switch that records its writes. */
async function updatesOf(program: Program, files: readonly NamedFile[]): Promise<Update[]> {
  const device = new Switch(undefined, {
    clock: { now: () => 0, at: () => () => {} },
    seed: 1,
    transmit: () => {},
  });
  await device.load(program);
  const updates: Update[] = [];
  const recorder = new Proxy<Device>(device, {
    get(target, name) {
      if (name === "write")
        return async (...call: Parameters<Device["write"]>) => {
          await target.write(...call);
          updates.push(...call[0]);
        };
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  for (const { path, from } of files) {
    const diagnostics = new Diagnostics();
    const source = readSource(path, from);
    if (path.endsWith(".json")) {
      const runtime = readRuntimeFile(source, diagnostics);
      const own = runtime?.updates(new P4InfoIndex(deviceView(program).p4info), diagnostics) ?? [];
      diagnostics.throwIfErrors();
      await recorder.write(own);
    } else {
      await runCommands(recorder, source, diagnostics);
      diagnostics.throwIfErrors();
    }
  }
  return updates;
}

/** What {@link planPlain} makes depends on this: the switches and the parameters. */
export function planKey(topology: Topology, parameters: PlainParameters): string {
  return JSON.stringify([
    switchesOf(topology).map(({ index, name, role }) => [index, name, role]),
    parameters,
  ]);
}

/** The scheme `p4` with plans that were made in advance, by {@link planKey}. */
export function plainScheme(plans: ReadonlyMap<string, FabricPlan>): Scheme<PlainParameters> {
  return {
    name: PLAIN_NAME,
    title: "P4",
    summary: "a P4 program with entries, and hosts that stay on their path",
    parameters: plainParameters,
    plan: (topology, parameters) => {
      const plan = plans.get(planKey(topology, parameters));
      if (plan === undefined) throw new Error("the plan of scheme p4 is made before the file is checked");
      return plan;
    },
    hosts: fixedHosts,
  };
}
