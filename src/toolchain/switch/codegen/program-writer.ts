/** The code of a program, part by part: calculations, actions, tables, pipelines, parser, deparser, checksums, field lists. */
import { defined, fail, given } from "../../../base/index.js";
import { bmv2Hash, bmv2HashNames, bmv2WideHash, csum16, isOwnHash } from "../../hash/index.js";
import type { Bmv2Program, bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import { INTRINSIC } from "../state/intrinsic.js";
import { type AnyHash, OWN_NAMES, type OwnParts, ownPlace } from "../state/own-state.js";
import { bigOf, mathUnit, modulo64, parameterWords, type Resources, writeAction } from "./action.js";
import { getBits, loadVarbit, putBits, putVarbit } from "./bit-string.js";
import { writeCalculation } from "./calculation.js";
import { CountPoints } from "./count-points.js";
import { writeDeparser } from "./deparser.js";
import { Emitter } from "./emitter.js";
import { ExpressionWriter, phv, Unsupported } from "./expression.js";
import { earlyDrop, lowPass } from "./filters.js";
import { copyFrame, newFrame } from "./frames.js";
import { frontStates } from "./front.js";
import { type Layout, layOut } from "./layout.js";
import { extractedBy, Loads } from "./loads.js";
import { writeLookup } from "./lookup.js";
import { type Num, NumberWriter, TooWide, word } from "./number.js";
import { type ParserCode, writeParser } from "./parser.js";
import { tableShape, writePipeline } from "./pipeline.js";
import type { Code, ProfileInfo, Specialised, TableInfo } from "./specialised.js";
import { StoreWriter, shiftStack } from "./store.js";
import type { TracePoints } from "./trace-points.js";
import { divideWords, multiplyWords, shiftWordsLeft, shiftWordsRight } from "./wide.js";

/** Runs a part of the code generation; unsupported constructs become diagnostics with their place. */
function within<T>(what: string, source: bmv2.SourceInfo | undefined, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Unsupported) && !(error instanceof TooWide)) throw error;
    const place = source === undefined ? "" : ` (${source.filename}:${source.line}:${source.column + 1})`;
    fail(
      CODES.unsupported,
      undefined,
      `the switch cannot run this program: ${what}${place}: ${error.message}`,
    );
  }
}

/** Where generated code finds a hash: in the switch if each switch has its own, otherwise in the code. */
function hashPlace(algorithm: string, number: number): string {
  return `${isOwnHash(algorithm) ? "s.own.hashes" : "F"}[${number}]`;
}

/** Functions that the code calls by these names, in addition to the hashes of the program. */
const HELPERS = {
  multiplyWords,
  divideWords,
  shiftWordsLeft,
  shiftWordsRight,
  shiftStack,
  modulo64,
  bigOf,
  csum16,
  mathUnit,
  lowPass,
  earlyDrop,
  putBits,
  getBits,
  newFrame,
  copyFrame,
  putVarbit,
  loadVarbit,
};
const EXPORTS =
  "clear, clearPairs, parse, verifyChecksums, ingress, egress, updateChecksums, deparse, copyFieldList, makeOwn, stages, ghosts";

/** Words that a packet keeps between ingress and egress where no field of the program goes from one to the other. */
const TM_WORDS = 8;

/** Pieces of work, in the unit of `Pace`, of one action or table, and of a part that cannot be divided. */
const SMALL = 5;
const LARGE = 50;

/** The states that read the metadata in front of a packet, with their places, and the bytes of the metadata. */
interface Front {
  states: ReadonlyMap<string, number> | undefined;
  bytes: number;
}

/** Whether a packet passes through one parser, ingress, egress, one deparser. */
function isSimpleSwitch({ architecture, portable }: Bmv2Program): boolean {
  return architecture === undefined && portable === undefined;
}

/** The algorithm of a calculation that only gathers its input. */
const BYTES = "bytes";

export class ProgramWriter {
  readonly #layout: Layout;
  readonly #resources: Resources;
  readonly #loads: Loads | undefined;
  readonly #texts: string[] = [];
  readonly #hashes: string[] = [];
  readonly #fixed: (AnyHash | undefined)[] = [];
  #hashBytes = 0;
  /** Names of the headers that parsers extract; those of stacks are not among them. */
  readonly #extracted: ReadonlySet<string>;
  readonly #actions: ReadonlyMap<number, bmv2.Bmv2Action>;
  readonly #tables: TableInfo[] = [];
  readonly #profiles: ProfileInfo[] = [];
  /** Names of the functions that hash for the selectors, by profile. */
  readonly #selectorHashes = new Map<string, string>();

  constructor(
    private readonly program: Bmv2Program,
    private readonly trace: TracePoints | undefined,
  ) {
    this.#layout = layOut(program);
    this.#extracted = new Set(program.parsers.flatMap((one) => one.parse_states.flatMap(extractedBy)));
    // Who looks at a trace sees all fields.
    this.#loads = trace === undefined || trace instanceof CountPoints ? this.#loadsOf() : undefined;
    this.#resources = resourcesOf(program, this.#layout, trace, this.#loads);
    this.#actions = new Map(program.actions.map((action) => [action.id, action]));
  }

  /** Writes and compiles the code. After each part it yields the number of pieces of work that the part was. */
  *write(): Generator<number, Specialised, void> {
    const { program } = this;
    this.#calculations();
    for (const action of program.actions) {
      within(`action ${action.name}`, action.primitives[0]?.source_info, () => {
        this.#texts.push(writeAction(`action${action.id}`, action, this.#resources));
      });
      yield SMALL;
    }
    for (const pipeline of program.pipelines) {
      for (const profile of pipeline.action_profiles) this.#profile(profile, pipeline);
      for (const table of pipeline.tables) {
        within(`table ${table.name}`, table.source_info, () => this.#table(table));
        yield SMALL;
      }
    }
    const actionNumbers = new Map<string, number>();
    for (const { name } of program.actions)
      if (!actionNumbers.has(name)) actionNumbers.set(name, actionNumbers.size);
    const { architecture } = program;
    const isSimple = isSimpleSwitch(program);
    for (const name of ["ingress", "egress"] as const) {
      if (isSimple) this.#pipeline(name, actionNumbers);
      else this.#texts.push(`function ${name}(s) {}`);
      yield LARGE;
    }
    this.#parser(isSimple ? program.parsers[0] : undefined, "parse");
    yield LARGE;
    this.#texts.push(...writeChecksums(program, this.#resources), writeFieldLists(program, this.#layout));
    if (!isSimple) yield* this.#stages(actionNumbers);
    // The deparser comes last, since it writes what the other code may change.
    this.#deparser(isSimple ? program.deparsers[0] : undefined, "deparse");
    if (isSimple) this.#texts.push("const stages = [], ghosts = [];");
    // Fields of headers keep their values in BMv2's simple_switch; elsewhere they are 0 at first.
    this.#texts.push(
      writeClear(isSimple ? this.#layout.cleared : this.#layout.words),
      writeClearPairs(isSimple ? [] : this.#clearedWords()),
      writeOwn(this.#ownCounts()),
    );
    yield LARGE;
    const source = `"use strict";\n${this.#texts.join("\n")}\nreturn { ${EXPORTS} };`;
    const code = this.#compile(source);
    yield LARGE;
    return {
      program,
      layout: this.#layout,
      code,
      source,
      tables: this.#tables,
      profiles: this.#profiles,
      actionNumbers,
      hashes: this.#hashes,
      hashBytes: this.#hashBytes,
      copyWords: architecture === undefined ? this.#layout.words : TM_WORDS,
      points: this.trace?.list,
      counted:
        this.trace instanceof CountPoints ? { points: this.trace.counted, size: this.trace.size } : undefined,
    };
  }

  #hash(name: string, algorithm: string, list: readonly bmv2.CalculationInput[], hash: string): void {
    const guarded = isSimpleSwitch(this.program);
    const made = writeCalculation(this.#layout, { name, algorithm, list, hash, guarded });
    this.#texts.push(made.text);
    this.#hashBytes = Math.max(this.#hashBytes, made.bytes);
  }

  /** Text that runs a new hash of an algorithm. */
  #running(algorithm: string): string {
    const number = this.#hashes.push(algorithm) - 1;
    // No hash: the bytes stay in the input, and the answer is how many there are.
    if (algorithm === BYTES && this.program.architecture !== undefined) return "LENGTH";
    const wide = bmv2WideHash(algorithm);
    const found = wide ?? bmv2Hash(algorithm);
    if (found === undefined)
      throw new Unsupported(`the hash algorithm ${algorithm}; known are ${bmv2HashNames.join(", ")}`);
    this.#fixed[number] = isOwnHash(algorithm) ? undefined : found;
    return `${hashPlace(algorithm, number)}${wide === undefined ? "" : ".low"}(H, LENGTH)`;
  }

  #calculations(): void {
    this.program.calculations.forEach((calculation, i) => {
      within(`calculation ${calculation.name}`, calculation.source_info, () => {
        const { algo, input } = calculation;
        this.#hash(`calculation${i}`, algo, input, this.#running(algo));
      });
    });
  }

  /** Words of the parameters of any of these actions. */
  #stride(ids: readonly number[]): number {
    return Math.max(0, ...ids.map((id) => parameterWords(defined(this.#actions.get(id)))));
  }

  #recordWords({ type, action_ids }: bmv2.Bmv2Table): number {
    return type === "simple" ? 1 + this.#stride(action_ids) : 1;
  }

  #byName(ids: readonly number[]): ReadonlyMap<string, bmv2.Bmv2Action> {
    return new Map(ids.map((id) => [defined(this.#actions.get(id)).name, defined(this.#actions.get(id))]));
  }

  #profile(profile: bmv2.ActionProfile, pipeline: bmv2.Pipeline): void {
    const users = pipeline.tables.filter((table) => table.action_profile === profile.name);
    const ids = users.flatMap((table) => table.action_ids);
    this.#profiles.push({ profile, stride: this.#stride(ids), actions: this.#byName(ids) });
    const { selector } = profile;
    if (selector === undefined) return;
    within(`action selector ${profile.name}`, profile.source_info, () => {
      const name = `selector${this.#hashes.length}`;
      this.#selectorHashes.set(profile.name, name);
      const { algo } = selector;
      this.#hash(name, algo, selector.input as bmv2.CalculationInput[], this.#running(algo));
    });
  }

  #table(table: bmv2.Bmv2Table): void {
    const shape = tableShape(this.#resources, table);
    const record = this.#recordWords(table);
    if (shape.words > 0) this.#texts.push(writeLookup(`lookup${this.#tables.length}`, shape, record));
    const { action_ids: ids } = table;
    this.#tables.push({ table, shape, stride: this.#stride(ids), record, actions: this.#byName(ids) });
  }

  #pipeline(
    name: string,
    actionNumbers: ReadonlyMap<string, number>,
    pipeline = this.program.pipelines.find((candidate) => candidate.name === name),
  ): void {
    const { program } = this;
    const context = {
      resources: this.#resources,
      actions: this.#actions,
      actionNumbers,
      guarded: isSimpleSwitch(program),
      tables: new Map(this.#tables.map(({ table }, i) => [table.name, i])),
      profiles: new Map(this.#profiles.map(({ profile }, i) => [profile.name, i])),
      meters: new Map(program.meter_arrays.map((meter) => [meter.name, meter])),
      shapes: this.#tables.map(({ shape }) => shape),
      recordWords: (table: bmv2.Bmv2Table) => this.#recordWords(table),
      profileWords: (profile: string) =>
        1 + defined(this.#profiles.find((info) => info.profile.name === profile)).stride,
      selectorHash: (profile: string) => defined(this.#selectorHashes.get(profile)),
    };
    within(`the ${name} pipeline`, pipeline?.source_info, () => {
      const text = pipeline === undefined ? `function ${name}(s) {}` : writePipeline(name, pipeline, context);
      this.#texts.push(text);
    });
  }

  /**
   * Gives what it reads.
   * @param front the states that do so, where they read it apart from the frame
   */
  #parser(parser: bmv2.Bmv2Parser | undefined, name: string, front?: Front): Omit<ParserCode, "text"> {
    const { program } = this;
    const valueSets = new Map(program.parse_vsets.map(({ name }, i) => [name, ownPlace("valueSets", i)]));
    return within("the parser", undefined, () => {
      if (parser === undefined) {
        this.#texts.push(`function ${name}(s) { return 0; }`);
        return { readsFront: false, readsFrame: false };
      }
      const context = { program, resources: this.#resources, valueSets, ...given({ front }) };
      const { text, ...reads } = writeParser(parser, name, context);
      this.#texts.push(text);
      return reads;
    });
  }

  #deparser(
    deparser: Pick<bmv2.Bmv2Deparser, "order" | "primitives" | "source_info"> | undefined,
    name: string,
  ): void {
    within("the deparser", deparser?.source_info, () => {
      this.#texts.push(writeDeparser(deparser ?? { order: [] }, this.#resources, name));
    });
  }

  /** Where the parsers of a stage read what a Tofino puts in front of a packet; undefined: they read none of it apart from the frame. */
  #frontOf(gress: bmv2.StageInfo, number: number): ((parser: number) => Front) | undefined {
    const { architecture, parsers } = this.program;
    if (architecture === undefined || (gress as bmv2.GressInfo).skipsIntrinsic) return undefined;
    const { ingressBytes, egressBytes } = INTRINSIC[architecture.name];
    const bytes = number % 2 === 0 ? ingressBytes : egressBytes;
    const layout = this.#layout;
    const fronts = gress.parsers.map((at) => frontStates(defined(parsers[at]), { layout, bytes }));
    return fronts.includes(undefined) ? undefined : (i) => ({ states: fronts[i], bytes });
  }

  #allStages(): readonly bmv2.StageInfo[] {
    const { architecture, portable } = this.program;
    const gresses = architecture?.pipes.flatMap(({ ingress, egress }) => [ingress, egress]);
    return portable?.stages ?? gresses ?? [];
  }

  /** The stages of a packet, of a Tofino the gresses of all pipes: parsers, control, statements of the deparser, its headers. */
  *#stages(actionNumbers: ReadonlyMap<string, number>): Generator<number, void, void> {
    const { program } = this;
    const stages: (() => string)[] = [];
    const emits: (() => void)[] = [];
    for (const [number, gress] of this.#allStages().entries()) {
      const front = this.#frontOf(gress, number);
      const isApart = front !== undefined;
      let [readsFront, readsFrame] = [false, false];
      const parsers = gress.parsers.map((at, i) => {
        const name = `parser${at}`;
        const parser = this.#parser(defined(program.parsers[at]), name, front?.(i));
        readsFront ||= parser.readsFront;
        readsFrame ||= parser.readsFrame;
        return name;
      });
      yield LARGE;
      this.#pipeline(`control${number}`, actionNumbers, defined(program.pipelines[gress.pipeline]));
      yield LARGE;
      const deparser = defined(program.deparsers[gress.deparser]);
      const { primitives = [], order, source_info } = deparser;
      within("the deparser", source_info, () => {
        const action = { name: deparser.name, id: 0, runtime_data: [], primitives };
        this.#texts.push(writeAction(`prepare${number}`, action, this.#resources));
      });
      emits.push(() => this.#deparser({ order, ...given({ source_info }) }, `emit${number}`));
      stages.push(
        () =>
          `{ parsers: [${parsers.join(", ")}], isApart: ${isApart}, readsFront: ${readsFront}, readsTime: ${this.#names(gress, "parser.global_tstamp")}, isIdle: ${!readsFrame && this.#isIdle(gress, number)}, control: control${number}, prepare: prepare${number}, emit: emit${number} }`,
      );
      yield LARGE;
    }
    const ghosts: string[] = [];
    for (const [i, { ghost }] of (program.architecture?.pipes ?? []).entries()) {
      const name = ghost === undefined ? "undefined" : `ghost${i}`;
      ghosts.push(name);
      if (ghost === undefined) continue;
      this.#pipeline(name, actionNumbers, defined(program.pipelines[ghost.pipeline]));
    }
    for (const write of emits) write();
    this.#texts.push(
      `const stages = [${stages.map((write) => write()).join(", ")}], ghosts = [${ghosts.join(", ")}];`,
    );
  }

  /** What parsers load. Headers in the metadata in front of a packet are not in its frame. */
  #loadsOf(): Loads {
    const { parsers } = this.program;
    const apart = this.#allStages().flatMap((gress, number) => {
      const front = this.#frontOf(gress, number);
      return gress.parsers.flatMap((at, i) => {
        const states = front?.(i).states;
        return defined(parsers[at]).parse_states.flatMap((state) =>
          states?.has(state.name) ? extractedBy(state) : [],
        );
      });
    });
    return new Loads(this.program, this.#layout, apart);
  }

  /**
   * The words that have to be 0 when a packet of a Tofino arrives: what no code changes is 0 for ever, and what no code reads may keep
   * what it has.
   */
  #clearedWords(): number[] {
    const { program } = this;
    const layout = this.#layout;
    const all = Array.from({ length: layout.words }, (_, at) => at);
    const loads = this.#loads;
    if (loads === undefined || program.architecture === undefined) return all;
    const { changes } = layout;
    const slots = [...layout.headers.values()].flatMap((slot) => {
      const isAny =
        changes.headers.has(slot) || (!slot.metadata && (slot.place < 0 || slot.union !== undefined));
      return slot.fields.flatMap((field) => {
        const isLoaded = this.#extracted.has(slot.name) && loads.has(field);
        if (!isAny && !isLoaded && !changes.fields.has(field.at)) return [];
        return Array.from({ length: field.words }, (_, i) => field.at + i);
      });
    });
    return [...all.slice(layout.metadata, layout.cleared), ...slots];
  }

  /**
   * Whether control and deparser of an egress do nothing: no table, no statement, no header that can be valid. The caller checks that the
   * parser reads nothing of the frame. False in traced and counted code, which reports that egress runs.
   */
  #isIdle(gress: bmv2.StageInfo, number: number): boolean {
    const { architecture, deparsers, pipelines } = this.program;
    if (architecture === undefined || number % 2 === 0 || this.trace !== undefined) return false;
    const { order, primitives = [] } = defined(deparsers[gress.deparser]);
    const isEmpty = defined(pipelines[gress.pipeline]).init_table === null && primitives.length === 0;
    return isEmpty && order.every((name) => !this.#extracted.has(name) && this.#staysInvalid(name));
  }

  /** Whether nothing but a parser makes a header valid. */
  #staysInvalid(name: string): boolean {
    const slot = defined(this.#layout.headers.get(name));
    return !this.#layout.changes.headers.has(slot) && slot.place >= 0 && slot.union === undefined;
  }

  /** Whether a field of a gress is named by the program itself; traced code shows all of them. */
  #names(gress: bmv2.StageInfo, name: string): boolean {
    const field = (gress as Partial<bmv2.GressInfo>).fields?.[name];
    const at = field === undefined ? undefined : this.#layout.field(field[0], field[1])?.at;
    return at !== undefined && this.#loads?.names(at) !== false;
  }

  /** Number of the resources of each kind. */
  #ownCounts(): Record<keyof OwnParts, number> {
    const { counter_arrays, meter_arrays, register_arrays, parse_vsets } = this.program;
    return {
      tables: this.#tables.length,
      indexes: this.#tables.length,
      profiles: this.#profiles.length,
      counters: counter_arrays.length,
      meters: meter_arrays.length,
      registers: register_arrays.length,
      valueSets: parse_vsets.length,
    };
  }

  #compile(source: string): Code {
    // F: hashes that all switches share. W: words that a calculation may write over.
    const helpers = { F: this.#fixed, W: new Int32Array(1024), ...HELPERS };
    const make = new Function(...Object.keys(helpers), source) as (...values: unknown[]) => Code;
    return make(...Object.values(helpers));
  }
}

/** Where the code finds the arrays and calculations of the program. */
function resourcesOf(
  program: Bmv2Program,
  layout: Layout,
  trace: TracePoints | undefined,
  loads: Loads | undefined,
): Resources {
  return {
    layout,
    ...given({ loads }),
    keepsFields: program.architecture !== undefined,
    ...given({ trace }),
    counters: new Map(program.counter_arrays.map(({ name }, i) => [name, ownPlace("counters", i)])),
    meters: new Map(program.meter_arrays.map(({ name }, i) => [name, ownPlace("meters", i)])),
    registers: new Map(
      program.register_arrays.map(({ name, bitwidth }, i) => [
        name,
        { place: ownPlace("registers", i), width: bitwidth },
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
}

/** Up to this number, words are cleared one by one, which is faster than a call of `fill`. */
const MAX_CLEARED = 128;

function writeClear(words: number): string {
  const all = Array.from({ length: words }, (_, i) => `P[${i}] = 0;`);
  return `function clear(P) { ${words > MAX_CLEARED ? `P.fill(0, 0, ${words});` : all.join(" ")} }`;
}

/** Clears words in pairs: half as many stores. */
function writeClearPairs(words: readonly number[]): string {
  const pairs = [...new Set(words.map((at) => at >> 1))].sort((a, b) => a - b);
  const last = pairs.at(-1) ?? 0;
  const each = pairs.map((i) => `Q[${i}] = 0;`).join(" ");
  return `function clearPairs(Q) { ${pairs.length > MAX_CLEARED ? `Q.fill(0, 0, ${last + 1});` : each} }`;
}

/** A class whose objects are the own states of the switches that run the program. */
function writeOwn(counts: Record<keyof OwnParts, number>): string {
  const out = new Emitter();
  out.open("class Own");
  out.open("constructor(parts, shared)");
  for (const kind of Object.keys(counts) as (keyof OwnParts)[])
    for (let i = 0; i < counts[kind]; i++) out.line(`this.${OWN_NAMES[kind]}${i} = parts.${kind}[${i}];`);
  for (const name of ["dropPort", "hashes", "random", "time", "onLog", "hits"])
    out.line(`this.${name} = shared.${name};`);
  out.close();
  out.close();
  out.line("function makeOwn(parts, shared) { return new Own(parts, shared); }");
  return out.toString();
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
        const place = defined(resources.calculations.get(checksum.calculation));
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
          const equal = expressions.scope.numbers.equal(expressions.field(checksum.target), sum);
          const traced = resources.trace?.call("checksum", { kind: "checksum", checksum }, low, equal);
          out.line(`if (!${traced ?? equal}) return 1;`);
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
