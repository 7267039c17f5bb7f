/**
 * Turns a program into JavaScript once: all switches that run the same BMv2 JSON object share the result. The code contains
 * numbers, never names of the program, so that a hostile file cannot inject code.
 */
import { fail } from "../../base/index.js";
import { bmv2Hash, bmv2HashNames, bmv2WideHash, isOwnHash } from "../../hash/index.js";
import type { Bmv2Program, bmv2 } from "../../program/index.js";
import type { AnyHash, PacketState } from "../state/packet-state.js";
import type { KeyShape } from "../tables/shape.js";
import { bigOf, modulo64, parameterWords, type Resources, writeAction } from "./action.js";
import { getBits, loadVarbit, putBits, putVarbit } from "./bit-string.js";
import { writeCalculation } from "./calculation.js";
import { writeDeparser } from "./deparser.js";
import { Emitter } from "./emitter.js";
import { ExpressionWriter, phv, Unsupported } from "./expression.js";
import { newFrame } from "./frames.js";
import { type Layout, layOut } from "./layout.js";
import { writeLookup } from "./lookup.js";
import { type Num, NumberWriter, TooWide, word } from "./number.js";
import { writeParser } from "./parser.js";
import { tableShape, writePipeline } from "./pipeline.js";
import { StoreWriter, shiftStack } from "./store.js";
import { type TracePoint, TracePoints } from "./trace-points.js";
import { divideWords, multiplyWords, shiftWordsLeft, shiftWordsRight } from "./wide.js";

/** The functions that a program becomes; all work on the packet that the state holds. */
export interface Code {
  /** Sets everything to 0 that starts each packet at 0. */
  clear(phv: Int32Array): void;
  /** Headers from the frame into the PHV; gives the parser error's number. */
  parse(state: PacketState): number;
  /** 1 when a checksum that is to be verified is wrong. */
  verifyChecksums(state: PacketState): number;
  ingress(state: PacketState): void;
  egress(state: PacketState): void;
  updateChecksums(state: PacketState): void;
  deparse(state: PacketState, limit: number): Uint8Array;
  /** Copies the fields of a field list between PHVs. */
  copyFieldList(to: Int32Array, from: Int32Array, list: number): void;
}

export interface TableInfo {
  readonly table: bmv2.Bmv2Table;
  readonly shape: KeyShape;
  /** Words of an action's parameters, and of an entry's record. */
  readonly stride: number;
  readonly record: number;
  /** Actions an entry or member may have, by name. */
  readonly actions: ReadonlyMap<string, bmv2.Bmv2Action>;
}

export interface ProfileInfo {
  readonly profile: bmv2.ActionProfile;
  readonly stride: number;
  readonly actions: ReadonlyMap<string, bmv2.Bmv2Action>;
}

export interface Specialised {
  readonly program: Bmv2Program;
  readonly layout: Layout;
  readonly code: Code;
  readonly source: string;
  readonly tables: readonly TableInfo[];
  readonly profiles: readonly ProfileInfo[];
  readonly actionNumbers: ReadonlyMap<string, number>;
  /** Algorithms by the number that the code knows them by: of the calculations, then of the selectors. */
  readonly hashes: readonly string[];
  /** Maximum length of hash inputs in bytes. */
  readonly hashBytes: number;
  /** The meaning of the numbers in calls of the tracer; absent in the variant that does not trace. */
  readonly points: readonly TracePoint[] | undefined;
}

const untraced = new WeakMap<Bmv2Program, Specialised>();
const traced = new WeakMap<Bmv2Program, Specialised>();

/**
 * Specialises a program; throws a DiagnosticError (P41101) that names what the switch cannot run. There are two variants,
 * each made when it is first needed: the traced variant reports what it does to `s.tracer`. Both have the same layout.
 */
export function specialise(program: Bmv2Program, trace = false): Specialised {
  const cache = trace ? traced : untraced;
  let specialised = cache.get(program);
  if (specialised === undefined) {
    specialised = build(program, trace ? new TracePoints() : undefined);
    cache.set(program, specialised);
  }
  return specialised;
}

/** Runs a part of the code generation; unsupported constructs become diagnostics with their place. */
function within<T>(what: string, source: bmv2.SourceInfo | undefined, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Unsupported) && !(error instanceof TooWide)) throw error;
    const place = source === undefined ? "" : ` (${source.filename}:${source.line}:${source.column + 1})`;
    fail("P41101", undefined, `the switch cannot run this program: ${what}${place}: ${error.message}`);
  }
}

/** Where generated code finds a hash: in the switch if each switch has its own, otherwise in the code. */
function hashPlace(algorithm: string, number: number): string {
  return `${isOwnHash(algorithm) ? "s.hashes" : "F"}[${number}]`;
}

function build(program: Bmv2Program, trace: TracePoints | undefined): Specialised {
  const layout = layOut(program);
  const texts: string[] = [];
  const hashes: string[] = [];
  const fixed: (AnyHash | undefined)[] = [];
  let hashBytes = 0;

  const resources: Resources = {
    layout,
    ...(trace === undefined ? {} : { trace }),
    counters: new Map(program.counter_arrays.map(({ name }, i) => [name, `s.counters[${i}]`])),
    meters: new Map(program.meter_arrays.map(({ name }, i) => [name, `s.meters[${i}]`])),
    registers: new Map(
      program.register_arrays.map(({ name, bitwidth }, i) => [
        name,
        { place: `s.registers[${i}]`, width: bitwidth },
      ]),
    ),
    calculations: new Map(
      program.calculations.map(({ name, algo }, i) => [
        name,
        {
          low: `calculation${i}`,
          high: bmv2WideHash(algo) === undefined ? undefined : `${hashPlace(algo, i)}.high`,
        },
      ]),
    ),
  };

  const hash = (name: string, algorithm: string, input: readonly bmv2.CalculationInput[], run: string) => {
    const made = writeCalculation(layout, name, algorithm, input, run);
    texts.push(made.text);
    hashBytes = Math.max(hashBytes, made.bytes);
  };
  /** Text that runs a new hash of an algorithm. */
  const running = (algorithm: string): string => {
    const number = hashes.push(algorithm) - 1;
    const wide = bmv2WideHash(algorithm);
    const found = wide ?? bmv2Hash(algorithm);
    if (found === undefined)
      throw new Unsupported(`the hash algorithm ${algorithm}; known are ${bmv2HashNames.join(", ")}`);
    fixed[number] = isOwnHash(algorithm) ? undefined : found;
    return `${hashPlace(algorithm, number)}${wide === undefined ? "" : ".low"}(H, LENGTH)`;
  };
  program.calculations.forEach((calculation, i) => {
    within(`calculation ${calculation.name}`, calculation.source_info, () => {
      hash(`calculation${i}`, calculation.algo, calculation.input, running(calculation.algo));
    });
  });

  const actions = new Map(program.actions.map((action) => [action.id, action]));
  const actionNumbers = new Map<string, number>();
  for (const { name } of program.actions)
    if (!actionNumbers.has(name)) actionNumbers.set(name, actionNumbers.size);
  for (const action of program.actions)
    within(`action ${action.name}`, action.primitives[0]?.source_info, () => {
      texts.push(writeAction(`action${action.id}`, action, resources));
    });

  const stride = (ids: readonly number[]) =>
    Math.max(0, ...ids.map((id) => parameterWords(actions.get(id)!)));
  const recordWords = ({ type, action_ids }: bmv2.Bmv2Table) =>
    type === "simple" ? 1 + stride(action_ids) : 1;
  const byName = (ids: readonly number[]) =>
    new Map(ids.map((id) => [actions.get(id)!.name, actions.get(id)!]));
  const tables: TableInfo[] = [];
  const profiles: ProfileInfo[] = [];
  const selectorHashes = new Map<string, string>();
  for (const pipeline of program.pipelines) {
    for (const profile of pipeline.action_profiles) {
      const users = pipeline.tables.filter((table) => table.action_profile === profile.name);
      const ids = users.flatMap((table) => table.action_ids);
      profiles.push({ profile, stride: stride(ids), actions: byName(ids) });
      const { selector } = profile;
      if (selector === undefined) continue;
      within(`action selector ${profile.name}`, profile.source_info, () => {
        const name = `selector${hashes.length}`;
        selectorHashes.set(profile.name, name);
        hash(name, selector.algo, selector.input as bmv2.CalculationInput[], running(selector.algo));
      });
    }
    for (const table of pipeline.tables)
      within(`table ${table.name}`, table.source_info, () => {
        const shape = tableShape(resources, table);
        const record = recordWords(table);
        if (shape.words > 0) texts.push(writeLookup(`lookup${tables.length}`, shape, record));
        tables.push({
          table,
          shape,
          stride: stride(table.action_ids),
          record,
          actions: byName(table.action_ids),
        });
      });
  }
  const context = {
    resources,
    actions,
    actionNumbers,
    tables: new Map(tables.map(({ table }, i) => [table.name, i])),
    profiles: new Map(profiles.map(({ profile }, i) => [profile.name, i])),
    meters: new Map(program.meter_arrays.map((meter) => [meter.name, meter])),
    shapes: tables.map(({ shape }) => shape),
    recordWords,
    selectorHash: (profile: string) => selectorHashes.get(profile)!,
  };
  for (const name of ["ingress", "egress"] as const) {
    const pipeline = program.pipelines.find((candidate) => candidate.name === name);
    within(`the ${name} pipeline`, pipeline?.source_info, () => {
      texts.push(pipeline === undefined ? `function ${name}(s) {}` : writePipeline(name, pipeline, context));
    });
  }
  const valueSets = new Map(program.parse_vsets.map(({ name }, i) => [name, `s.valueSets[${i}]`]));
  within("the parser", undefined, () => {
    const parser = program.parsers[0];
    texts.push(
      parser === undefined
        ? "function parse(s) { return 0; }"
        : writeParser(program, parser, resources, valueSets),
    );
  });
  texts.push(...writeChecksums(program, resources), writeFieldLists(program, layout));
  // The deparser comes last, since it writes what the other code may change.
  within("the deparser", program.deparsers[0]?.source_info, () => {
    const deparser = program.deparsers[0] ?? { name: "deparser", id: 0, order: [] };
    texts.push(writeDeparser(deparser, resources));
  });

  const helpers = {
    F: fixed,
    W: new Int32Array(1024),
    multiplyWords,
    divideWords,
    shiftWordsLeft,
    shiftWordsRight,
    shiftStack,
    modulo64,
    bigOf,
    putBits,
    getBits,
    newFrame,
    putVarbit,
    loadVarbit,
  };
  texts.push(writeClear(layout.cleared));
  const exports = "clear, parse, verifyChecksums, ingress, egress, updateChecksums, deparse, copyFieldList";
  const source = `"use strict";\n${texts.join("\n")}\nreturn { ${exports} };`;
  const make = new Function(...Object.keys(helpers), source) as (...values: unknown[]) => Code;
  const code = make(...Object.values(helpers));
  return {
    program,
    layout,
    code,
    source,
    tables,
    profiles,
    actionNumbers,
    hashes,
    hashBytes,
    points: trace?.list,
  };
}

/** Up to this number, words are cleared one by one, which is faster than a call of `fill`. */
const MAX_CLEARED = 128;

function writeClear(words: number): string {
  const all = Array.from({ length: words }, (_, i) => `P[${i}] = 0;`);
  return `function clear(P) { ${words > MAX_CLEARED ? `P.fill(0, 0, ${words});` : all.join(" ")} }`;
}

function writeChecksums(program: Bmv2Program, resources: Resources): string[] {
  const write = (name: string, wanted: (checksum: bmv2.Checksum) => boolean, verify: boolean) => {
    const out = new Emitter();
    const expressions = new ExpressionWriter({ layout: resources.layout, numbers: new NumberWriter(out) });
    const stores = new StoreWriter(out, expressions);
    out.open(`function ${name}(s)`);
    out.line("const P = s.phv;");
    for (const checksum of program.checksums.filter(wanted)) {
      within(`checksum ${checksum.name}`, checksum.source_info, () => {
        const place = resources.calculations.get(checksum.calculation);
        if (place === undefined) throw new Unsupported(`there is no calculation ${checksum.calculation}`);
        const header = resources.layout.headers.get(checksum.target[0]);
        const conditions = checksum.if_cond === null ? [] : [expressions.condition(checksum.if_cond)];
        if (verify && header !== undefined && !header.metadata)
          conditions.unshift(`P[${header.valid}] === 1`);
        out.open(conditions.length === 0 ? "" : `if (${conditions.join(" && ")})`);
        const low = out.hold(`${place.low}(s)`);
        const sum: Num =
          place.high === undefined
            ? word(low)
            : { kind: "words", words: [low, out.hold(place.high)], range: { width: 64, signed: false } };
        if (verify) {
          const field = expressions.field(checksum.target);
          if (field.kind !== "words") throw new Unsupported("a checksum in no field");
          const equal = expressions.scope.numbers.equal(field, sum);
          const told = resources.trace?.call("checksum", { kind: "checksum", checksum }, low, equal);
          out.line(`if (!${told ?? equal}) return 1;`);
        } else {
          resources.trace?.write(out, "checksum", { kind: "checksum", checksum }, low, "true");
          stores.assign({ type: "field", value: checksum.target }, sum);
        }
        out.close();
      });
    }
    if (verify) out.line("return 0;");
    out.close();
    return out.toString();
  };
  return [
    write("verifyChecksums", (checksum) => checksum.verify, true),
    write("updateChecksums", (checksum) => checksum.update, false),
  ];
}

function writeFieldLists(program: Bmv2Program, layout: Layout): string {
  const out = new Emitter();
  out.open("function copyFieldList(to, from, list)");
  out.open("switch (list)");
  for (const list of program.field_lists) {
    out.open(`case ${list.id}:`);
    for (const element of list.elements) {
      if (element.type !== "field") continue;
      const field = layout.field(element.value[0], element.value[1]);
      if (field === undefined) continue;
      for (let i = 0; i < field.words; i++) {
        const at = phv(field.at + i).slice(1);
        out.line(`to${at} = from${at};`);
      }
    }
    out.line("return;");
    out.close();
  }
  out.close();
  out.close();
  return out.toString();
}
