/** A path with values: the packet, its port, and the commands that give the switch what the path needs. */
import { bmv2Hash, bmv2WideHash } from "../hash/index.js";
import { Evaluator, type Model, type Solver, Substitution, type Term, type Terms } from "../solver/index.js";
import { isRecirculation } from "../switch/index.js";
import {
  byteName,
  LENGTH,
  LENGTH_BITS,
  type Opaque,
  type Path,
  PORT,
  PORT_BITS,
  TIME,
  TIME_BITS,
} from "../symbolic/index.js";
import { commandsOf, type Settings, type Target } from "./commands.js";
import { TIMES } from "./runs.js";

export interface Stimulus {
  readonly port: number;
  readonly bytes: Uint8Array;
  /** Of simple_switch_CLI. */
  readonly commands: readonly string[];
  /** The same in a packet test. */
  readonly lines: readonly string[];
  /** Ports of a Tofino that lead out here, and else back to ingress. */
  readonly leadsOut: ReadonlySet<number>;
  /** The values of the path's variables. */
  readonly model: Model;
}

/** Bytes behind what the path looks at. */
const PAYLOAD = 6;
/** Where a parser passes more than the path looks at, lengths up to these are tried. */
const LENGTHS = [64, 128, 256, 512];
/** Length of an Ethernet header: interfaces carry no shorter frame. */
const ETHERNET = 14;
/** Ports below this are tried first. */
const PORTS = 16;
/** Most attempts to find a packet whose hashes are those that the path assumed. */
const ATTEMPTS = 4;

/**
 * Undefined: no packet was found whose hashes lead along the path.
 * @param writesRegisters whether cells of registers get what the path reads of them
 */
export function stimulusOf(
  path: Path,
  solver: Solver,
  target: Target = "v1model",
  writesRegisters = target === "tofino",
): Stimulus | undefined {
  const settings = { target, writesRegisters };
  let conditions = withPreferences(path, solver, settings);
  let model = filled(solver.solve(conditions).model);
  for (let attempt = 0; ; attempt++) {
    const wrong = path.situation.opaque.filter((opaque) => !isTrue(opaque, model));
    if (wrong.length === 0) return concrete(path, model, settings);
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

/** The conditions of the path, with those preferences that they allow: a short packet, low ports, registers as they are at the start. */
function withPreferences(path: Path, solver: Solver, { target, writesRegisters }: Settings): Term[] {
  const { terms } = solver;
  const low = (term: Term) => terms.less(term, terms.constant(PORTS, term.width));
  const length = terms.variable(LENGTH, LENGTH_BITS);
  const shortest = 1 + Math.max(-1, ...bytesNamed(path));
  const wished = terms.constant(Math.max(ETHERNET, shortest + PAYLOAD), LENGTH_BITS);
  const preferences = [
    terms.not(terms.less(wished, length)),
    terms.not(terms.less(length, wished)),
    ...LENGTHS.map((most) => terms.not(terms.less(terms.constant(most, LENGTH_BITS), length))),
    low(terms.variable(PORT, PORT_BITS)),
    ...path.situation.copies.map(({ port }) => low(port)),
    ...path.situation.copies.map(({ id }) => low(id)),
    // P4Runtime has no group and no session 0, and simple_switch_grpc takes no copy for port 0.
    ...path.situation.copies
      .flatMap(({ id, port }) => [id, port])
      .map((term) => terms.not(terms.equal(term, terms.constant(0, term.width)))),
    ...(path.outcome.kind === "sent" ? [low(path.outcome.port)] : []),
    ...(writesRegisters ? path.situation.cells : []).map(({ value, start }) =>
      terms.equal(value, terms.constant(start, value.width)),
    ),
    terms.less(length, terms.constant(1500, LENGTH_BITS)),
  ];
  const conditions = target === "tofino" ? atAllTimes(path, solver) : path.conditions;
  const refuted = solver.refuted(conditions, preferences);
  const open = refuted === undefined ? [] : preferences.filter((one) => !refuted.has(one));
  return withThose(conditions, open, solver);
}

/** The conditions with each preference, in their order, that those before it allow: together where they hold together, else in halves. */
function withThose(conditions: readonly Term[], preferences: readonly Term[], solver: Solver): Term[] {
  const together = [...conditions, ...preferences];
  if (preferences.length === 0 || solver.solve(together).answer === "yes") return together;
  if (preferences.length === 1) return [...conditions];
  const half = preferences.length >> 1;
  const first = withThose(conditions, preferences.slice(0, half), solver);
  return withThose(first, preferences.slice(half), solver);
}

/** A Tofino's time in the first run of a test: what must hold on all paths. */
export function startOf(terms: Terms): Term {
  const [start = 0n] = TIMES;
  return terms.equal(terms.variable(TIME, TIME_BITS), terms.constant(start, TIME_BITS));
}

/** The conditions of a path, and the same ones at the times of the other runs where some packet meets all of them. */
function atAllTimes({ conditions }: Path, solver: Solver): readonly Term[] {
  const { terms } = solver;
  const start = startOf(terms);
  const time = terms.variable(TIME, TIME_BITS);
  const others = TIMES.slice(1).flatMap((value) => {
    const then = new Substitution(terms, time, terms.constant(value, TIME_BITS));
    return conditions.flatMap((one) => (one === start || then.of(one) === one ? [] : [then.of(one)]));
  });
  const all = [...conditions, ...others];
  return others.length > 0 && solver.solve(all).answer === "yes" ? all : conditions;
}

/** Numbers of the bytes that the path's conditions and output name. */
function bytesNamed({ conditions, outcome, situation }: Path): number[] {
  const seen = new Set<Term>([
    ...conditions,
    ...situation.entries.flatMap(({ key }) => key),
    ...situation.members.map(({ key }) => key),
    ...(outcome.kind === "sent" ? [outcome.front] : []),
  ]);
  // A set gives what is added while it is walked.
  for (const term of seen) for (const arg of term.args) seen.add(arg);
  return [...seen].flatMap(({ op, name }) => {
    const match = op === "var" ? /^packet\[(\d+)\]$/.exec(name) : null;
    return match === null ? [] : [Number(match[1])];
  });
}

function concrete(path: Path, model: Model, settings: Settings): Stimulus {
  const evaluator = new Evaluator(model);
  const value = (term: Term) => evaluator.valueOf(term);
  const length = Number(model.get(LENGTH) ?? 0n);
  const bytes = Uint8Array.from({ length }, (_, i) => Number(model.get(byteName(i)) ?? 0n));
  const all = commandsOf(path, value, settings);
  const commands = all.map(({ command }) => command);
  const lines = all.map(({ command, line }) => line ?? command);
  const { outcome } = path;
  const out = outcome.kind === "sent" && settings.target === "tofino" ? Number(value(outcome.port)) : 0;
  const leadsOut = new Set(isRecirculation(out) ? [out] : []);
  return { port: Number(model.get(PORT) ?? 0n), bytes, commands, lines, leadsOut, model };
}
