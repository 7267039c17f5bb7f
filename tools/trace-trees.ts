/**
 * Compares `p4loom trace --all` with the golden trace trees of 4ward (smolkaj/4ward, `e2e_tests/trace_tree`), which nobody here wrote:
 *
 *     TREES=DIR npx tsx tools/trace-trees.ts [--json]
 *
 * DIR has its `*.p4`, `*.stf` and `*.golden.txtpb`, which are fetched and not part of this project. For each program, a set of outcomes
 * is made from either tree: an outcome is what leaves by which port, or is dropped, when one branch is taken at each choice. The
 * sets must be the same. Exit status 0: all are; 1: one differs; without TREES the tool says so and ends with 0.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { Diagnostics, defined, fromHex } from "../src/base/index.js";
import type { ActionCall, Update } from "../src/toolchain/device/index.js";
import { loadProgram, readSource } from "../src/toolchain/loading/index.js";
import type { P4InfoIndex } from "../src/toolchain/program/index.js";
import { Switch, type TraceTree } from "../src/toolchain/switch/index.js";

/** An outcome: the ends of all copies, sorted. */
type Outcome = string;

const end = (port: number, bytes: string) => `port ${port}: ${bytes}`;

/** Every way to take one outcome of each part. */
function together(parts: readonly ReadonlySet<Outcome>[]): Set<Outcome> {
  let sums: string[][] = [[]];
  for (const part of parts)
    sums = sums.flatMap((sum) =>
      [...part].map((outcome) => [...sum, ...outcome.split(" + ").filter(Boolean)]),
    );
  return new Set(sums.map((ends) => ends.sort().join(" + ")));
}

function ours({ outcome, branches = [] }: TraceTree): Set<Outcome> {
  const copies = branches.filter(({ cause }) => cause !== "choice").map(ours);
  const choices = branches.filter(({ cause }) => cause === "choice").map(ours);
  if (choices.length > 0) copies.push(new Set(choices.flatMap((set) => [...set])));
  else if (outcome.kind === "transmit") copies.push(new Set([end(outcome.egress_port, outcome.bytes)]));
  // A clone or copy that is dropped leaves nothing.
  return together(copies);
}

/** A message of Protocol Buffers' text format: members by name. */
interface Message {
  [name: string]: (Message | string)[];
}

function parseText(text: string): Message {
  const words = [...text.matchAll(/"((?:[^"\\]|\\.)*)"|[\w.+-]+|[{}:]/g)];
  let at = 0;
  const message = (): Message => {
    const members: Message = {};
    for (let word = words[at]?.[0]; word !== undefined && word !== "}"; word = words[at]?.[0]) {
      at++;
      const list = members[word] ?? [];
      members[word] = list;
      if (words[at]?.[0] === ":") at++;
      const value = defined(words[at++]);
      if (value[0] !== "{") {
        list.push(value[1] === undefined ? value[0] : toBytes(value[1]));
        continue;
      }
      list.push(message());
      at++;
    }
    return members;
  };
  return message();
}

const LETTERS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, b: 8, f: 12, v: 11, a: 7 };

/** A string of the text format as hexadecimal bytes. */
function toBytes(text: string): string {
  const bytes = [...text.matchAll(/\\([0-7]{1,3})|\\(.)|([^\\])/gs)].map(([, octal, escaped, plain]) =>
    octal !== undefined
      ? Number.parseInt(octal, 8)
      : escaped !== undefined
        ? (LETTERS[escaped] ?? escaped.charCodeAt(0))
        : defined(plain).charCodeAt(0),
  );
  return Buffer.from(bytes).toString("hex");
}

const child = (message: Message | string | undefined, name: string): Message | undefined => {
  const value = typeof message === "object" ? message[name]?.[0] : undefined;
  return typeof value === "object" ? value : undefined;
};

function theirs(tree: Message): Set<Outcome> {
  const fork = child(tree, "fork_outcome");
  if (fork !== undefined) {
    const sets = (fork["branches"] ?? []).map((branch) => theirs(defined(child(branch, "subtree"))));
    if (fork["reason"]?.[0] === "ACTION_SELECTOR") return new Set(sets.flatMap((set) => [...set]));
    return together(sets);
  }
  const output = child(child(tree, "packet_outcome"), "output");
  if (output === undefined) return new Set([""]);
  const port = Number(output["dataplane_egress_port"]?.[0] ?? 0);
  return new Set([end(port, String(output["payload"]?.[0] ?? ""))]);
}

/** The statements of 4ward's test files, of which some are no STF of p4c. */
class Statements {
  readonly #profiles = new Map<string, string>();
  readonly packets: { port: number; bytes: Uint8Array }[] = [];
  #nodes: { instance: number; ports: number[] }[] = [];

  constructor(
    readonly device: Switch,
    readonly index: P4InfoIndex,
  ) {}

  run(line: string): void {
    const [verb = "", ...words] = line.trim().split(/\s+/);
    const [first = "", second = "", third = ""] = words;
    switch (verb) {
      case "member":
        this.#do({
          kind: "member",
          profile: this.#profile(first),
          memberId: Number(second),
          action: this.#action(third, words.slice(3)),
        });
        break;
      case "group": {
        const members = words.slice(2).map((id) => ({ memberId: Number(id), weight: 1 }));
        this.#do({
          kind: "group",
          profile: this.#profile(first),
          groupId: Number(second),
          members,
          maxSize: 0,
        });
        break;
      }
      case "add":
        this.#add(first, second, words.slice(2).join(" "));
        break;
      case "mc_mgrp_create":
        break;
      case "mc_node_create":
        this.#nodes.push({ instance: Number(first), ports: words.slice(1).map(Number) });
        break;
      case "mc_node_associate": {
        const { instance, ports } = defined(this.#nodes[Number(second)]);
        const replicas = ports.map((port) => ({ port, instance }));
        this.#do({ kind: "multicastGroup", groupId: Number(first), replicas });
        break;
      }
      case "mirroring_add": {
        const replicas = [{ port: Number(second), instance: 0 }];
        this.#do({
          kind: "cloneSession",
          sessionId: Number(first),
          replicas,
          classOfService: 0,
          packetLengthBytes: 0,
        });
        break;
      }
      case "packet":
        this.packets.push({ port: Number(first), bytes: defined(fromHex(words.slice(1).join(""))) });
        break;
      case "expect":
      case "":
        break;
      default:
        throw new Error(`a statement "${verb}"`);
    }
  }

  #do(entity: Update["entity"]): void {
    this.device.apply([{ type: "insert", entity }]);
  }

  /** A profile by its name, or by that of its table. */
  #profile(name: string): string {
    const found = this.index.actionProfiles.list.find(
      (one) => one.name === name || one.name.endsWith(`.${name}`),
    );
    return found?.name ?? defined(this.#profiles.get(name));
  }

  #action(name: string, values: readonly string[]): ActionCall {
    const action = defined(
      this.index.actions.list.find((one) => one.name === name || one.name.endsWith(`.${name}`)),
    );
    const params = action.params.list.map(({ name: param }, i) => [
      param,
      BigInt(defined(values[i]).replace(/^.*=/, "")),
    ]);
    return { action: action.name, params: Object.fromEntries(params) };
  }

  #add(name: string, key: string, action: string): void {
    const table = defined(
      this.index.tables.list.find((one) => one.name === name || one.name.endsWith(`.${name}`)),
    );
    const field = defined(table.fields.list[0]).name;
    const match = [{ kind: "exact", field, value: BigInt(key.replace(/^.*:/, "")) } as const];
    const [, group] = /^group=(\d+)$/.exec(action) ?? [];
    const [, called = "", values = ""] = /^(\w+)\((.*)\)$/.exec(action) ?? [];
    this.#do({
      kind: "tableEntry",
      table: table.name,
      match,
      priority: 0,
      action:
        group === undefined
          ? { kind: "action", ...this.#action(called, values.split(",").filter(Boolean)) }
          : { kind: "group", groupId: Number(group) },
    });
  }
}

const { TREES: folder } = process.env;
if (folder === undefined || !existsSync(folder)) {
  console.error("trace-trees: skipped; TREES is no folder with 4ward's e2e_tests/trace_tree");
  process.exit(0);
}
const verdicts: { program: string; outcomes: number; same: boolean }[] = [];
for (const file of readdirSync(folder).sort()) {
  if (!file.endsWith(".golden.txtpb")) continue;
  const name = basename(file, ".golden.txtpb");
  const { program } = await loadProgram(
    { path: join(folder, `${name}.p4`), include: [], define: [] },
    new Diagnostics(),
    "warning",
  );
  const device = new Switch(program, { clock: { now: () => 0, at: () => () => {} }, transmit: () => {} });
  const statements = new Statements(device, device.internals.instance.p4);
  for (const line of readSource(join(folder, `${name}.stf`)).text.split("\n"))
    if (!line.startsWith("#")) statements.run(line);
  const { port, bytes } = defined(statements.packets[0]);
  const found = ours(device.outcomes(port, bytes, { runs: 10_000 }).root);
  const golden = theirs(parseText(readSource(join(folder, file)).text));
  const same = found.size === golden.size && [...found].every((outcome) => golden.has(outcome));
  verdicts.push({ program: name, outcomes: found.size, same });
  if (!same) console.error(`${name}: ${JSON.stringify([...found])} is not ${JSON.stringify([...golden])}`);
}
console.log(JSON.stringify(verdicts, null, 2));
if (verdicts.some(({ same }) => !same)) process.exitCode = 1;
