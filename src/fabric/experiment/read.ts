/**
 * From an experiment file to its points: opens the file once, finds its kind, and checks every value of every key. All errors of the file are
 * found here; errors that only a combination of values causes are found before a sweep starts. A file without the key `sweep` is one point.
 */
import { z } from "zod";
import {
  type Diagnostic,
  DiagnosticError,
  Diagnostics,
  defined,
  given,
  type SourceFile,
  type Span,
} from "../../base/index.js";
import {
  type EditedContents,
  loadDocument,
  type OpenDocument,
  openDocument,
} from "../../toolchain/documents/index.js";
import { ownSchemesOf } from "../own-schemes/index.js";
import { SCHEMES } from "../schemes/index.js";
import { CODES } from "./codes.js";
import type { CommonSettings, SchemeSet } from "./experiment.js";
import { readSource } from "./files.js";
import type { CheckedExperiment, Kind, Point, RegisteredKind, Unit } from "./kinds/kind.js";
import { checkedOf } from "./kinds/registered-kind.js";
import { KINDS } from "./kinds/registry.js";
import { FabricCache } from "./plan-schemes.js";
import type { PrintedResults } from "./results.js";
import type { RunOptions } from "./run.js";
import {
  type Assignment,
  counted,
  edited,
  pointName,
  SINGLE,
  type SweepSpace,
  spaceOf,
  sweepSchema,
} from "./sweep/space.js";
import type { Sweep } from "./sweep/sweep.js";

/** A checked experiment file, ready to run, whatever its kind is. */
export interface LoadedExperiment {
  readonly kind: string;
  /** Whether the kind accepts {@link RunOptions.runs}. */
  readonly takesRuns: boolean;
  /** Settings of the first point. */
  readonly settings: CommonSettings;
  /** The points of the file. */
  readonly sweep: Sweep;
  run(options: RunOptions): Promise<PrintedResults>;
}

export interface LoadOptions {
  /** Accepts a sweep of more than {@link MAX_RUNS}. */
  readonly many?: boolean;
  /** Another process has checked all values: only the first point is checked here. */
  readonly checked?: boolean;
}

/** Larger sweeps are refused without `many`: they are usually a mistake. */
const MAX_RUNS = 10_000;

type Kinds = readonly [RegisteredKind, ...RegisteredKind[]];

/** The text of an experiment file and its document, which all readers of the file share. */
export interface OpenExperiment {
  readonly source: SourceFile;
  readonly document: OpenDocument;
}

/** Reads a file, or takes a text that was read. Undefined after P43005 (cannot be read) and P43001 (no YAML). */
export function openExperiment(
  input: string | SourceFile,
  diagnostics: Diagnostics,
): OpenExperiment | undefined {
  const source = typeof input === "string" ? readSource(input, diagnostics) : input;
  const before = diagnostics.list.length;
  const document = source && openDocument(source, diagnostics);
  if (source?.path.endsWith(".p4"))
    diagnostics.list[before]?.notes.push({
      message: "an experiment file is YAML; `p4loom switch`, `trace` and `stf` run a P4 program",
    });
  return source === undefined || document === undefined ? undefined : { source, document };
}

/**
 * Reads and checks a file of one kind; undefined after errors, which `diagnostics` holds: P43001 to P43004 (the document's
 * form), P43005 to P43009 (its meaning), P43014, P43015 and P43020 to P43037 (flows and faults), P421xx and P422xx (topology and
 * schemes). The key `sweep` is checked and has no effect, which a warning says (P43040): {@link loadAnyKind} makes points of it.
 */
export function loadKind<
  V extends CommonSettings,
  E extends CheckedExperiment,
  U extends Unit,
  O,
  R extends object,
>(
  kind: Kind<V, E, U, O, R>,
  input: string | SourceFile,
  diagnostics: Diagnostics,
  schemes: SchemeSet = SCHEMES,
): E | undefined {
  const source = typeof input === "string" ? readSource(input, diagnostics) : input;
  const document = source && loadDocument(source, kind.schema(schemes), diagnostics);
  if (document?.value.sweep !== undefined)
    diagnostics.warning(
      CODES.sweepKey,
      document.locate(["sweep"], true),
      "the key `sweep` has no effect here: one experiment is loaded, with the values outside of it",
      "`loadExperimentFile` makes all points of the file",
    );
  return document && checkedOf(kind, { source: defined(source), ...document, diagnostics, schemes });
}

/**
 * Reads and checks an experiment file of any of these kinds; undefined after errors, as {@link loadKind} adds them, and P43040
 * and P43041 for the key `sweep`. The key `kind` gives the kind; without it, {@link kindOfFile} finds it from the file's keys and the
 * swept ones, or P43065 names the candidates.
 */
export function loadAnyKind(
  input: string | SourceFile,
  diagnostics: Diagnostics,
  kinds: Kinds,
  schemes: SchemeSet = SCHEMES,
  options: LoadOptions = {},
): LoadedExperiment | undefined {
  const opened = openExperiment(input, diagnostics);
  return opened && new ExperimentFile(opened, kinds, schemes, options).load(diagnostics);
}

/** As {@link loadAnyKind}, for the kinds of the package. */
export function loadExperimentFile(
  input: string | SourceFile,
  diagnostics: Diagnostics,
  options?: LoadOptions,
): LoadedExperiment | undefined {
  return loadAnyKind(input, diagnostics, KINDS, undefined, options);
}

/** As {@link loadExperimentFile}, with the schemes that the file defines itself. Throws what `ownSchemesOf` throws. */
export async function loadExperimentWithOwn(
  input: string | SourceFile,
  diagnostics: Diagnostics,
  options: LoadOptions = {},
): Promise<LoadedExperiment | undefined> {
  const opened = openExperiment(input, diagnostics);
  if (opened === undefined) return undefined;
  const schemes = await schemesOf(opened);
  return new ExperimentFile(opened, KINDS, schemes, options).load(diagnostics);
}

/** The schemes of the package, and those that a file defines itself. Throws what `ownSchemesOf` throws. */
export async function schemesOf({ source, document }: OpenExperiment): Promise<SchemeSet> {
  const own = await ownSchemesOf(source, document, (schemes) =>
    schemeVariants(document, { ...SCHEMES, ...schemes }),
  );
  return { ...SCHEMES, ...own };
}

/** A point of a file, checked by its kind. */
interface CheckedPoint {
  readonly kind: RegisteredKind;
  readonly point: Point;
}

/** An experiment file whose text has been read. */
class ExperimentFile {
  readonly #source: SourceFile;
  readonly #document: OpenDocument;
  readonly #cache = new FabricCache();

  constructor(
    { source, document }: OpenExperiment,
    readonly kinds: Kinds,
    readonly schemes: SchemeSet,
    readonly options: LoadOptions,
  ) {
    this.#source = source;
    this.#document = document;
  }

  load(diagnostics: Diagnostics): LoadedExperiment | undefined {
    const space = readSpace(this.#document, this.schemes, diagnostics);
    if (space === undefined) return undefined;
    // Before anything is made for each point.
    const refused = this.#tooMany(space, 1);
    if (refused !== undefined) {
      diagnostics.add(refused);
      return undefined;
    }
    const known = new Map<number, Point>();
    const checkAt = (number: number, list: Diagnostics) => {
      const contents =
        space === SINGLE ? undefined : edited(this.#document.contents, space.assignments(number));
      const checked = this.#check(contents, list);
      if (checked !== undefined) known.set(number, checked.point);
      return checked;
    };
    const first = this.options.checked ? checkAt(0, diagnostics) : checkStar(space, checkAt, diagnostics);
    if (first === undefined) return undefined;
    const { kind } = first;
    const { settings, until } = first.point;
    if (until !== undefined && space.givesSeeds) {
      diagnostics.error(
        CODES.untilAndSeeds,
        this.#document.locate(["sweep", "seeds"], true),
        "the file has seeds and `until`, which decides the number of seeds",
        "leave out one of them; until.max_runs is the most seeds of a point",
      );
      return undefined;
    }
    const sweep: Sweep = {
      source: this.#source,
      settings,
      space,
      isOneRun: kind.isOneRun && space === SINGLE,
      ...given({ until: until?.rule }),
      point: (number, runs) => {
        const list = new Diagnostics();
        const point = known.get(number) ?? checkAt(number, list)?.point;
        known.delete(number);
        if (point === undefined) throw new DiagnosticError(atPoint(list, pointName(space.values(number))));
        return runs === undefined ? point : point.withRuns(runs);
      },
      output: (finished) => kind.output(finished),
      checkNumber: (each) => {
        const one = this.#tooMany(space, each, until?.rule.most);
        if (one !== undefined) throw new DiagnosticError([one]);
      },
    };
    return {
      kind: kind.name,
      takesRuns: kind.takesRuns,
      settings,
      sweep,
      run: async (options) => (await import("./run.js")).runSweep(sweep, options),
    };
  }

  /** `each`: jobs of each point and seed. */
  #tooMany(space: SweepSpace, each: number, seeds = space.seedCount): Diagnostic | undefined {
    const jobs = space.points * seeds * each;
    if (this.options.many || jobs <= MAX_RUNS) return undefined;
    const factors = [counted(space.points, "point"), counted(seeds, "seed")];
    if (each > 1) factors.push(`${each} units of work (schemes, failures ...)`);
    return {
      severity: "error",
      code: CODES.tooManyRuns,
      message: `the sweep has ${counted(jobs, "run")}: ${factors.join(" x ")}; the limit is ${MAX_RUNS.toLocaleString("en")}`,
      ...given({ span: this.#document.locate(["sweep"]) }),
      notes: [{ message: "sweep fewer values, or accept the number with --many" }],
    };
  }

  /** Checks the file, or a version of it with other contents. Undefined after errors, which go to `diagnostics`. */
  #check(contents: EditedContents | undefined, diagnostics: Diagnostics): CheckedPoint | undefined {
    const { kinds, schemes } = this;
    let chosen: RegisteredKind = kinds[0];
    let unclear: Unclear | undefined;
    const schemaOf = (written: unknown): z.ZodType<unknown> => {
      if (typeof written !== "object" || written === null) return chosen.schema(schemes);
      const { kind } = written as { kind?: unknown };
      if (kind !== undefined) {
        const named = kinds.find(({ name }) => name === kind);
        chosen = named ?? chosen;
        return named === undefined ? unknownKind(kinds) : named.schema(schemes);
      }
      const found = kindOfFile(written as Record<string, unknown>, kinds, schemes);
      if ("candidates" in found) {
        unclear = found;
        return z.unknown();
      }
      chosen = found.kind;
      return chosen.schema(schemes);
    };
    const document = this.#document.check(schemaOf, diagnostics, contents);
    if (unclear !== undefined) {
      kindIsUnclear(unclear, document?.locate([unclear.key]), diagnostics);
      return undefined;
    }
    const point =
      document &&
      chosen.check({ source: this.#source, ...document, diagnostics, schemes, cache: this.#cache });
    return point && { kind: chosen, point };
  }
}

/** Accepts everything but the name of the kind, so that this is the only error. */
function unknownKind(kinds: Kinds): z.ZodType<unknown> {
  const names = kinds.map(({ name }) => name) as [string, ...string[]];
  return z.looseObject({ kind: z.enum(names, { error: `expected one of ${names.join(", ")}` }) });
}

function atPoint({ list }: Diagnostics, name: string): Diagnostic[] {
  return list.map((one) => ({ ...one, notes: [...one.notes, { message: `at the point ${name}` }] }));
}

/** Checks every value of every key once; an error that several points share is reported once. */
function checkStar(
  space: SweepSpace,
  check: (number: number, list: Diagnostics) => CheckedPoint | undefined,
  diagnostics: Diagnostics,
): CheckedPoint | undefined {
  const reported = new Set<string>();
  let first: CheckedPoint | undefined;
  for (const number of space.star()) {
    const list = new Diagnostics();
    const checked = check(number, list);
    if (number === 0) first = checked;
    for (const one of list.list) {
      const key = JSON.stringify([one.code, one.message, one.span?.start, one.span?.file.path]);
      if (reported.has(key)) continue;
      reported.add(key);
      diagnostics.add(one);
    }
  }
  return diagnostics.hasErrors ? undefined : first;
}

/** The space of the file's key `sweep`, or of one point. */
function readSpace(
  document: OpenDocument,
  schemes: SchemeSet,
  diagnostics: Diagnostics,
): SweepSpace | undefined {
  const { contents } = document;
  if (typeof contents !== "object" || contents === null || !("sweep" in contents)) return SINGLE;
  const read = document.check(z.looseObject({ sweep: sweepSchema }), diagnostics);
  if (read === undefined) return undefined;
  const nameOf = (scheme: string) =>
    Object.hasOwn(schemes, scheme) ? defined(schemes[scheme]).name : scheme;
  return spaceOf(document, read.value.sweep, nameOf, diagnostics);
}

/** Contents of points that together have all schemes of a sweep; schemes must be loaded before a file is checked. */
function* schemeVariants(document: OpenDocument, schemes: SchemeSet): Generator<EditedContents> {
  const space = readSpace(document, schemes, new Diagnostics());
  if (space === undefined) return;
  const decides = ({ path }: Assignment) => ["topology", "schemes", "selector"].includes(String(path[0]));
  // A larger number is refused later, or was accepted by the user.
  let left = MAX_RUNS;
  for (const number of space.combinations(decides)) {
    if (left-- === 0) return;
    yield edited(document.contents, space.assignments(number));
  }
}

type KindOfFile = { readonly kind: RegisteredKind } | Unclear;

/** `key`: the first key that leads to a kind, which other keys contradict. */
interface Unclear {
  readonly candidates: readonly [RegisteredKind, RegisteredKind, ...RegisteredKind[]];
  readonly key: string;
}

/**
 * Some keys of a file lead to a kind: those of the kind's list. The kind of the file is the one to which a key leads and that knows all such keys
 * of the file. The candidates are named where there is no such kind, or several, or where another kind fits the file better: it knows all
 * keys of the file, or it also finds all that it requires, and this kind does not. A file without such a key is of the first kind.
 */
export function kindOfFile(
  contents: Readonly<Record<string, unknown>>,
  kinds: Kinds,
  schemes: SchemeSet,
): KindOfFile {
  const leading = Object.keys(contents).filter((key) => kinds.some(({ keys }) => keys.includes(key)));
  const [key] = leading;
  if (key === undefined) return { kind: kinds[0] };
  const led = kinds.filter(({ keys }) => keys.some((one) => Object.hasOwn(contents, one)));
  const shapes = new Map(kinds.map((kind) => [kind, (kind.schema(schemes) as unknown as z.ZodObject).shape]));
  const owners = led.filter((kind) => leading.every((one) => Object.hasOwn(defined(shapes.get(kind)), one)));
  const closeness = (kind: RegisteredKind) => closenessOf(contents, defined(shapes.get(kind)));
  const best = Math.max(...kinds.map(closeness));
  const [first] = owners;
  const candidates =
    first === undefined
      ? led
      : owners.length > 1
        ? owners
        : closeness(first) === best
          ? [first]
          : [first, ...kinds.filter((kind) => closeness(kind) === best)];
  const [one, other, ...more] = candidates as [RegisteredKind, ...RegisteredKind[]];
  return other === undefined ? { kind: one } : { candidates: [one, other, ...more], key };
}

/** 2: the file has only keys of this shape, and all that it requires; 1: only keys of this shape; 0: others too. Values are not looked at. */
function closenessOf(contents: Readonly<Record<string, unknown>>, shape: z.ZodRawShape): number {
  if (!Object.keys(contents).every((key) => Object.hasOwn(shape, key))) return 0;
  const lacks = Object.entries(shape).some(
    ([key, value]) => !Object.hasOwn(contents, key) && !(value as z.ZodType).safeParse(undefined).success,
  );
  return lacks ? 1 : 2;
}

function kindIsUnclear({ candidates, key }: Unclear, span: Span | undefined, diagnostics: Diagnostics): void {
  const names = candidates.map(({ name }) => name);
  const [first, ...others] = candidates.map(
    ({ name, keys }) => `kind: ${name} (${keys.map((one) => `\`${one}\``).join(", ")})`,
  );
  diagnostics.error(
    CODES.unclearKind,
    span,
    `the file does not say its kind, and \`${key}\` does not decide: it may be of the kind ${names.join(" or ")}`,
    `write one of them, here with the keys that lead to it: ${[first, ...others].join("; ")}`,
  );
}
