/**
 * The points of a sweep, by their numbers: a sweep of a million points needs only a few lists. The dimensions are the swept keys in the
 * order of the file, `points` being one of them; the last one varies first.
 */

import { z } from "zod";
import { type Diagnostics, defined, didYouMean } from "../../../base/index.js";
import type { EditedContents, OpenDocument } from "../../../toolchain/documents/index.js";
import { CODES } from "../codes.js";

// The key `sweep` of an experiment file: keys of the file with lists of values, which form a grid; `points`, assignments
// of several keys together; `seeds`.

const MAX_SEED = 2 ** 32 - 1;

const seedError = `expected a seed, a whole number from 0 to ${MAX_SEED}`;
const seedSchema = z.number({ error: seedError }).int(seedError).min(0, seedError).max(MAX_SEED, seedError);

const seedsError = "expected a number of seeds from 1 to 1000000000, or a list of seeds";

export const sweepSchema = z
  .object({
    /** Each point sets its keys together; it is combined with every combination of the other swept keys. */
    points: z
      .array(
        z
          .record(z.string(), z.unknown(), { error: "expected keys of the file with a value each" })
          .refine((one) => Object.keys(one).length > 0, "expected keys of the file with a value each"),
        { error: "expected a list of points, each with keys of the file and their values" },
      )
      .min(1, "expected at least one point")
      .optional(),
    /** A number of seeds, beginning with the file's; or a list of seeds. */
    seeds: z
      .union([z.number().int().min(1).max(1e9), z.array(seedSchema).min(1)], { error: seedsError })
      .optional(),
  })
  .catchall(
    z
      .array(z.unknown(), {
        error: "expected a list of values, as all keys of sweep but seeds and points have",
      })
      .min(1, "expected at least one value"),
  );

type SweepSettings = z.output<typeof sweepSchema>;

type Path = readonly PropertyKey[];

/** A swept key, set to one of its values. */
export interface Assignment {
  /** The key as in the file: names with dots between them. */
  readonly key: string;
  /** The key's path in the file; entries of the list `schemes` by their number. */
  readonly path: Path;
  readonly value: unknown;
  /** Position of the value in the file: a path below the key `sweep`. */
  readonly at: Path;
}

/** Why a key cannot be set. */
class NoPlace extends Error {}

/** The values of a dimension, in their order: assignments that are made together. */
type Dimension = readonly (readonly Assignment[])[];

/** Keys of a sweep that are no keys of the file. */
const OWN_KEYS = ["seeds", "points"];

/** Keys that all points must share, with what to write instead. */
const FIXED: Readonly<Record<string, string>> = {
  sweep: "a sweep has no sweep",
  name: "all points are one experiment",
  title: "all points are one experiment",
  kind: "all points are of one kind",
  output: "all points have one folder of results",
  engine: "write a file for each engine",
  until: "all points stop by one rule",
  seed: "write seeds: a number of seeds, or a list of them",
};

export class SweepSpace {
  constructor(
    /** The swept keys in the order of the columns. */
    readonly keys: readonly string[],
    readonly dimensions: readonly Dimension[],
    /** A number of seeds that begin with the file's, or a list of seeds. */
    private readonly seedsOfFile: number | readonly number[],
  ) {}

  get points(): number {
    return this.dimensions.reduce((product, { length }) => product * length, 1);
  }

  /** Whether the file gives seeds. */
  get givesSeeds(): boolean {
    return this.seedsOfFile !== 1;
  }

  get seedCount(): number {
    return typeof this.seedsOfFile === "number" ? this.seedsOfFile : this.seedsOfFile.length;
  }

  /** `base`: the file's seed, or the one that the user gives in place of it. */
  seeds(base: number): readonly number[] {
    if (typeof this.seedsOfFile !== "number") return this.seedsOfFile;
    return Array.from({ length: this.seedsOfFile }, (_, i) => (base + i) % 2 ** 32);
  }

  /** The assignments of the point with this number, from 0. */
  assignments(point: number): Assignment[] {
    return this.#at(this.#indexes(point));
  }

  /** The values of a point by their keys. */
  values(point: number): Readonly<Record<string, unknown>> {
    const set = this.assignments(point);
    // All points have the same keys in the same order, for tables; a key that a point does not set is absent.
    return Object.fromEntries(
      this.keys.flatMap((key) => {
        const one = set.find((assignment) => assignment.key === key);
        return one === undefined ? [] : [[key, one.value] as const];
      }),
    );
  }

  /** The first point, and those that differ from it in one dimension: they contain every value of every key. */
  *star(): Generator<number> {
    yield 0;
    let stride = 1;
    for (const { length } of [...this.dimensions].reverse()) {
      for (let i = 1; i < length; i++) yield i * stride;
      stride *= length;
    }
  }

  /** Points that contain all combinations of the values of keys that `chosen` accepts; other keys keep their first values. */
  *combinations(chosen: (assignment: Assignment) => boolean): Generator<number> {
    const strides = this.dimensions.map((_, i) =>
      this.dimensions.slice(i + 1).reduce((product, { length }) => product * length, 1),
    );
    const picked = this.dimensions.map((dimension) => dimension.some((set) => set.some(chosen)));
    const walk = function* (
      dimensions: readonly Dimension[],
      depth: number,
      point: number,
    ): Generator<number> {
      if (depth === dimensions.length) {
        yield point;
        return;
      }
      const size = picked[depth] ? defined(dimensions[depth]).length : 1;
      for (let i = 0; i < size; i++) yield* walk(dimensions, depth + 1, point + i * defined(strides[depth]));
    };
    yield* walk(this.dimensions, 0, 0);
  }

  #indexes(point: number): number[] {
    const indexes: number[] = [];
    let rest = point;
    for (const { length } of [...this.dimensions].reverse()) {
      indexes.unshift(rest % length);
      rest = Math.floor(rest / length);
    }
    return indexes;
  }

  #at(indexes: readonly number[]): Assignment[] {
    return this.dimensions.flatMap((dimension, i) => defined(dimension[defined(indexes[i])]));
  }
}

/** A sweep of one point, with the file's seed alone. */
export const SINGLE = new SweepSpace([], [], 1);

/**
 * The space of a file's key `sweep`. Adds P43040 for a key that cannot be swept, is set twice, or is not possible in the file, and for a
 * seed that is listed twice; undefined then.
 *
 * @param nameOf returns the name of a scheme that has no label, from its entry in the file
 */
export function spaceOf(
  document: OpenDocument,
  settings: SweepSettings,
  nameOf: (scheme: string) => string,
  diagnostics: Diagnostics,
): SweepSpace | undefined {
  const before = diagnostics.errorCount;
  const { contents, locate } = document;
  const refuse = (at: readonly PropertyKey[], message: string, ...notes: string[]) =>
    diagnostics.error(CODES.sweepKey, locate(at) ?? locate(["sweep"]), message, ...notes);
  /** `place`: position of the key, for its errors. */
  const assignment = (
    key: string,
    value: unknown,
    at: readonly PropertyKey[],
    place: readonly PropertyKey[],
  ): Assignment[] => {
    const top = defined(key.split(".")[0]);
    if (Object.hasOwn(FIXED, top)) {
      refuse(place, `"${key}" cannot be swept: ${FIXED[top]}`);
      return [];
    }
    const isNew = typeof contents === "object" && contents !== null && !Object.hasOwn(contents, key);
    const meant = isNew ? didYouMean(key, OWN_KEYS, '"') : "";
    if (meant !== "") {
      refuse(place, `sweep: the file has no key "${key}"${meant}`);
      return [];
    }
    try {
      const one = { key, value, at, path: pathOf(key, contents, nameOf) };
      edited(contents, [one]);
      return [one];
    } catch (error) {
      if (!(error instanceof NoPlace)) throw error;
      const known = typeof contents === "object" && contents !== null ? Object.keys(contents) : [];
      const like = known.includes(top) ? "" : didYouMean(top, known, '"');
      refuse(place, `sweep: "${key}" has no place in the file: ${error.message}${like}`);
      return [];
    }
  };

  const dimensions: Dimension[] = [];
  for (const [key, values] of Object.entries(settings)) {
    if (key === "seeds") continue;
    if (key === "points")
      dimensions.push(
        defined(settings.points).map((point, i) =>
          Object.entries(point).flatMap(([inner, value]) =>
            assignment(inner, value, ["sweep", "points", i, inner], ["sweep", "points", i, inner]),
          ),
        ),
      );
    // A key with a mistake has it in all of its values.
    else {
      const first = assignment(key, (values as unknown[])[0], ["sweep", key, 0], ["sweep", key]);
      dimensions.push(
        (values as unknown[]).map((value, i) =>
          first.map((one) => ({ ...one, value, at: ["sweep", key, i] })),
        ),
      );
    }
  }
  checkOverlaps(dimensions, refuse);
  const { seeds = 1 } = settings;
  if (typeof seeds !== "number")
    for (const [i, seed] of seeds.entries())
      if (seeds.indexOf(seed) < i) refuse(["sweep", "seeds", i], `seed ${seed} is listed twice`);
  if (diagnostics.errorCount > before) return undefined;
  const keys = dimensions.flatMap((dimension) => dimension.flatMap((set) => set.map(({ key }) => key)));
  return new SweepSpace([...new Set(keys)], dimensions, seeds);
}

/** No two keys of one point may set the same place, or a place and one below it. */
function checkOverlaps(
  dimensions: readonly Dimension[],
  refuse: (at: readonly PropertyKey[], message: string) => void,
): void {
  const reported = new Set<string>();
  const check = (one: Assignment, other: Assignment) => {
    const [outer, inner] = one.path.length <= other.path.length ? [one, other] : [other, one];
    const name = `${outer.key} ${inner.key}`;
    if (reported.has(name) || !outer.path.every((step, i) => step === inner.path[i])) return;
    reported.add(name);
    refuse(
      inner.at,
      outer.key === inner.key
        ? `"${outer.key}" is swept twice`
        : `"${inner.key}" is part of "${outer.key}", which is swept too`,
    );
  };
  for (const [d, dimension] of dimensions.entries()) {
    for (const set of dimension)
      for (const [i, one] of set.entries()) for (const other of set.slice(i + 1)) check(one, other);
    const distinct = (list: Dimension) => [
      ...new Map(list.flat().map((one) => [one.path.join("\0"), one])).values(),
    ];
    for (const later of dimensions.slice(d + 1))
      for (const one of distinct(dimension)) for (const other of distinct(later)) check(one, other);
  }
}

/**
 * The path of a swept key in the contents of a file. An entry of the list `schemes` is named by its label, or the name of its
 * scheme; an element of another list by its number from 0. Throws {@link NoPlace}.
 *
 * @param nameOf returns the name of a scheme that has no label, from its entry in the file
 */
function pathOf(key: string, contents: unknown, nameOf: (scheme: string) => string): Path {
  if (key === "schemes" || !key.startsWith("schemes.")) return key.split(".").map(indexOrKey);
  const entries = (contents as { schemes?: unknown } | null)?.schemes;
  const labels = Array.isArray(entries) ? entries.map((entry) => labelOf(entry, nameOf)) : [];
  const rest = key.slice("schemes.".length);
  // A label may contain dots: the longest label that fits is taken.
  const label = labels
    .filter((one): one is string => one !== undefined && rest.startsWith(`${one}.`))
    .sort((a, b) => b.length - a.length)[0];
  if (label === undefined)
    throw new NoPlace(
      `no scheme of the file is called "${rest.split(".")[0]}"; the key is schemes.LABEL.PARAMETER, with one of ${labels.filter((one) => one !== undefined).join(", ") || "no labels"}`,
    );
  const inner = rest.slice(label.length + 1).split(".");
  return ["schemes", labels.indexOf(label), ...inner.map(indexOrKey)];
}

function indexOrKey(word: string): PropertyKey {
  return /^(?:0|[1-9]\d*)$/.test(word) ? Number(word) : word;
}

function labelOf(entry: unknown, nameOf: (scheme: string) => string): string | undefined {
  if (typeof entry === "string") return nameOf(entry);
  if (typeof entry !== "object" || entry === null) return undefined;
  const { scheme, label } = entry as { scheme?: unknown; label?: unknown };
  if (typeof label === "string") return label;
  return typeof scheme === "string" ? nameOf(scheme) : undefined;
}

/** The contents with the assignments and without the key `sweep`. Throws {@link NoPlace}. */
export function edited(contents: unknown, assignments: readonly Assignment[]): EditedContents {
  const copy = structuredClone(withoutSweep(contents));
  for (const { path, value } of assignments) assign(copy, path, structuredClone(value));
  return {
    contents: copy,
    placeOf: (path, atKey) => {
      const set = assignments.find((one) => one.path.every((step, i) => String(step) === String(path[i])));
      if (set === undefined) return path;
      // All values of a swept key are in the list of that key.
      if (atKey && path.length === set.path.length && typeof set.at.at(-1) === "number")
        return set.at.slice(0, -1);
      return [...set.at, ...path.slice(set.path.length)];
    },
  };
}

/** Leaves out the key `sweep`, so that a list of many points is not copied for each of them. */
function withoutSweep(contents: unknown): unknown {
  if (typeof contents !== "object" || contents === null) return contents;
  const { sweep: _, ...others } = contents as { sweep?: unknown };
  return others;
}

function assign(root: unknown, path: Path, value: unknown): void {
  let parent = root as Record<PropertyKey, unknown>;
  for (const [depth, step] of path.entries()) {
    const where = path.slice(0, depth).join(".");
    if (Array.isArray(parent)) {
      if (typeof step !== "number" || step >= parent.length)
        throw new NoPlace(
          `${where} is a list of ${parent.length}: "${String(step)}" is no number from 0 to ${parent.length - 1}`,
        );
    } else if (typeof parent !== "object" || parent === null) {
      throw new NoPlace(`${where || "the file"} has no keys: ${JSON.stringify(parent)}`);
    }
    // The prototype belongs to all objects of the process.
    if (step === "__proto__") throw new NoPlace(`${where || "the file"} has no key "__proto__"`);
    if (depth === path.length - 1) {
      parent[step] = value;
      return;
    }
    let inner = Object.hasOwn(parent, step) ? parent[step] : undefined;
    // A scheme that is given by its name alone has default parameters.
    if (depth === 1 && path[0] === "schemes" && typeof inner === "string") inner = { scheme: inner };
    // The key is missing in the file, or empty.
    inner ??= {};
    parent[step] = inner;
    parent = inner as Record<PropertyKey, unknown>;
  }
}

/** `load: 0.5, transport.rto_cap: 1s`; empty for no values. */
export function pointName(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

/** `1 job`, `12,345 jobs`. */
export function counted(n: number, noun: string): string {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

/** A part of a file's name: letters, digits, dots, hyphens and underscores. */
export function fileWord(text: string): string {
  return text.replace(/[^\w.-]+/g, "-");
}
