/** A path with values: the packet, its port, and the commands that give the switch what the path needs. */
import { defined } from "../../base/index.js";
import { bmv2Hash, bmv2WideHash } from "../hash/index.js";
import type { bmv2 } from "../program/index.js";
import { Evaluator, type Model, type Solver, type Term } from "../solver/index.js";
import {
  byteName,
  type Copies,
  LENGTH,
  LENGTH_BITS,
  type Opaque,
  type Path,
  PORT,
  PORT_BITS,
} from "../symbolic/index.js";

export interface Stimulus {
  readonly port: number;
  readonly bytes: Uint8Array;
  /** Of simple_switch_CLI. */
  readonly commands: readonly string[];
  /** The values of the path's variables. */
  readonly model: Model;
}

/** Bytes behind what the path looks at. */
const PAYLOAD = 6;
/** Length of an Ethernet header: interfaces carry no shorter frame. */
const ETHERNET = 14;
/** Ports below this are tried first. */
const PORTS = 16;
/** Most attempts to find a packet whose hashes are those that the path assumed. */
const ATTEMPTS = 4;

/** Undefined: no packet was found whose hashes lead along the path. */
export function stimulusOf(path: Path, solver: Solver): Stimulus | undefined {
  let conditions = withPreferences(path, solver);
  let model = filled(solver.solve(conditions).model);
  for (let attempt = 0; ; attempt++) {
    const wrong = path.situation.opaque.filter((opaque) => !isTrue(opaque, model));
    if (wrong.length === 0) return concrete(path, model);
    if (attempt === ATTEMPTS) return undefined;
    // The inputs stay as they are, and the results are what the functions give.
    const pinned = wrong.flatMap((opaque) => pins(opaque, model, solver));
    const found = solver.solve([...path.conditions, ...pinned]);
    if (found.answer === "yes") model = filled(found.model);
    else {
      // Another input, as far from this one as the solver finds it.
      const [one] = wrong as [Opaque];
      const same = solver.terms.equal(
        one.input,
        solver.terms.constant(numberOf(one.input, model), one.input.width),
      );
      conditions = [...conditions, solver.terms.not(same)];
      const other = solver.solve(conditions);
      if (other.answer !== "yes") return undefined;
      model = filled(other.model);
    }
  }
}

/** With a value for each byte of the packet: those that the path does not decide differ from each other. */
function filled(model: Model): Model {
  const length = Number(model.get(LENGTH) ?? 0n);
  const bytes = Array.from({ length }, (_, i) => [byteName(i), BigInt((37 * i + 11) & 0xff)] as const);
  return new Map([...bytes, ...model]);
}

function numberOf(term: Term, model: Model): bigint {
  return new Evaluator(model).valueOf(term);
}

function pins(opaque: Opaque, model: Model, { terms }: Solver): Term[] {
  const { input, variable } = opaque;
  return [
    terms.equal(input, terms.constant(numberOf(input, model), input.width)),
    terms.equal(variable, terms.constant(resultOf(opaque, model) ?? 0n, variable.width)),
  ];
}

/** A result of a function with the payload in it is not checked: the packet decides it, whatever it is. */
function isTrue(opaque: Opaque, model: Model): boolean {
  const result = resultOf(opaque, model);
  return (
    result === undefined || !model.has(opaque.variable.name) || numberOf(opaque.variable, model) === result
  );
}

/** Undefined: the function, or its input, is not known. */
function resultOf({ algorithm, input, payload }: Opaque, model: Model): bigint | undefined {
  if (payload !== undefined) return undefined;
  const bytes = bytesOf(
    numberOf(input, model) << BigInt((8 - (input.width % 8)) % 8),
    (input.width + 7) >> 3,
  );
  const wide = bmv2WideHash(algorithm);
  if (wide !== undefined) {
    const low = wide.low(bytes, bytes.length);
    return (BigInt(wide.high >>> 0) << 32n) | BigInt(low >>> 0);
  }
  const hash = bmv2Hash(algorithm);
  return hash === undefined ? undefined : BigInt(hash(bytes, bytes.length) >>> 0);
}

function bytesOf(value: bigint, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, i) => Number((value >> BigInt(8 * (count - 1 - i))) & 0xffn));
}

/** The conditions of the path, with those preferences that they allow: a short packet, low ports. */
function withPreferences(path: Path, solver: Solver): Term[] {
  const { terms } = solver;
  const low = (term: Term) => terms.less(term, terms.constant(PORTS, term.width));
  const length = terms.variable(LENGTH, LENGTH_BITS);
  const shortest = 1 + Math.max(-1, ...bytesNamed(path));
  const wished = terms.constant(Math.max(ETHERNET, shortest + PAYLOAD), LENGTH_BITS);
  const preferences = [
    terms.not(terms.less(wished, length)),
    terms.not(terms.less(length, wished)),
    low(terms.variable(PORT, PORT_BITS)),
    ...path.situation.copies.map(({ port }) => low(port)),
    ...path.situation.copies.map(({ id }) => low(id)),
    // P4Runtime has no group and no session 0, and simple_switch_grpc takes no copy for port 0.
    ...path.situation.copies
      .flatMap(({ id, port }) => [id, port])
      .map((term) => terms.not(terms.equal(term, terms.constant(0, term.width)))),
    ...(path.outcome.kind === "sent" ? [low(path.outcome.port)] : []),
    terms.less(length, terms.constant(1500, LENGTH_BITS)),
  ];
  const together = [...path.conditions, ...preferences];
  if (solver.solve(together).answer === "yes") return together;
  const kept = [...path.conditions];
  for (const preference of preferences)
    if (solver.solve([...kept, preference]).answer === "yes") kept.push(preference);
  return kept;
}

/** Numbers of the bytes that the path's conditions and output name. */
function bytesNamed({ conditions, outcome, situation }: Path): number[] {
  const seen = new Set<Term>([
    ...conditions,
    ...situation.entries.flatMap(({ key }) => key),
    ...(outcome.kind === "sent" ? [outcome.front] : []),
  ]);
  // A set gives what is added while it is walked.
  for (const term of seen) for (const arg of term.args) seen.add(arg);
  return [...seen].flatMap(({ op, name }) => {
    const match = op === "var" ? /^packet\[(\d+)\]$/.exec(name) : null;
    return match === null ? [] : [Number(match[1])];
  });
}

function concrete(path: Path, model: Model): Stimulus {
  const evaluator = new Evaluator(model);
  const value = (term: Term) => evaluator.valueOf(term);
  const length = Number(model.get(LENGTH) ?? 0n);
  const bytes = Uint8Array.from({ length }, (_, i) => Number(model.get(byteName(i)) ?? 0n));
  return { port: Number(model.get(PORT) ?? 0n), bytes, commands: commandsOf(path, value), model };
}

function commandsOf({ situation }: Path, value: (term: Term) => bigint): string[] {
  const members = new Map<string, number>();
  const commands: string[] = [];
  const call = (terms: readonly Term[]) => terms.map((term) => hex(value(term)));
  for (const { table, action, parameters } of situation.defaults)
    commands.push(["table_set_default", table.name, action.name, ...call(parameters)].join(" "));
  for (const { table, key, action, parameters } of situation.entries) {
    const keys = table.key.map((part, i) => keyText(part, value(defined(key[i])), defined(key[i]).width));
    const priority = table.match_type === "ternary" || table.match_type === "range" ? ["1"] : [];
    if (table.type === "simple") {
      commands.push(
        ["table_add", table.name, action.name, ...keys, "=>", ...call(parameters), ...priority].join(" "),
      );
      continue;
    }
    const profile = table.action_profile ?? "";
    const member = members.get(profile) ?? 0;
    members.set(profile, member + 1);
    commands.push(
      ["act_prof_create_member", profile, action.name, ...call(parameters)].join(" "),
      ["table_indirect_add", table.name, ...keys, "=>", String(member), ...priority].join(" "),
    );
  }
  // Two requests of one path may name the same group or session.
  const made: Copies[] = [];
  const parts = ({ id, port, instance }: Copies) => [id, port, instance].map(value).join();
  for (const copies of situation.copies) {
    if (made.some((one) => one.kind === copies.kind && parts(one) === parts(copies))) continue;
    commands.push(...copyCommands(copies, value, made));
    made.push(copies);
  }
  return commands;
}

function copyCommands(
  { kind, id, port, instance }: Copies,
  value: (term: Term) => bigint,
  earlier: readonly Copies[],
): string[] {
  if (kind === "session") return [`mirroring_add ${value(id)} ${value(port)}`];
  const node = earlier.filter((one) => one.kind === "group").length;
  return [
    `mc_mgrp_create ${value(id)}`,
    `mc_node_create ${value(instance)} ${value(port)}`,
    `mc_node_associate ${value(id)} ${node}`,
  ];
}

function keyText({ match_type }: bmv2.TableKey, value: bigint, width: number): string {
  const text = hex(value);
  switch (match_type) {
    case "lpm":
      return `${text}/${width}`;
    case "ternary":
    case "optional":
      return `${text}&&&${hex((1n << BigInt(width)) - 1n)}`;
    case "range":
      return `${text}->${text}`;
    default:
      return text;
  }
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
