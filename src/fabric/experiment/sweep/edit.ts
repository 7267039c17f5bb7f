/** Sets keys of an experiment file to other values, and finds the positions of these values in the file. */
import type { EditedContents } from "../../../toolchain/documents/index.js";

export type Path = readonly PropertyKey[];

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
export class NoPlace extends Error {}

/**
 * The path of a swept key in the contents of a file. An entry of the list `schemes` is named by its label, or the name of its
 * scheme; an element of another list by its number from 0. Throws {@link NoPlace}.
 *
 * @param nameOf returns the name of a scheme that has no label, from its entry in the file
 */
export function pathOf(key: string, contents: unknown, nameOf: (scheme: string) => string): Path {
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
    if (depth === path.length - 1) {
      parent[step] = value;
      return;
    }
    let inner = parent[step];
    // A scheme that is given by its name alone has default parameters.
    if (depth === 1 && path[0] === "schemes" && typeof inner === "string") inner = { scheme: inner };
    // The key is missing in the file, or empty.
    inner ??= {};
    parent[step] = inner;
    parent = inner as Record<PropertyKey, unknown>;
  }
}
