/** Objects by the names that people type: the full name, its alias, or an end of it behind a dot that is unique. */
import { fail } from "../base/index.js";
import { CODES } from "./codes.js";
import type { Word } from "./words.js";

export interface Named {
  readonly name: string;
  readonly alias?: string;
}

/** Names that a note lists at most. */
const LISTED = 8;

/** Those that a name means: the one of this name, else all that end in it. */
export function candidatesFor<T extends Named>(things: Iterable<T>, name: string): T[] {
  const list = [...things];
  const exact = list.find((thing) => thing.name === name) ?? list.find((thing) => thing.alias === name);
  return exact !== undefined ? [exact] : list.filter((thing) => thing.name.endsWith(`.${name}`));
}

/** The thing of that name; fails at the word with what there is. `owner` has the things: "the program". */
export function findNamed<T extends Named>(
  kind: string,
  things: Iterable<T>,
  word: Word,
  owner = "the program",
  code: string = CODES.name,
): T {
  const list = [...things];
  const found = candidatesFor(list, word.text);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const names = found.map(({ name }) => name);
    fail(code, word.span, `${kind} \`${word.text}\` may be ${names.join(" or ")}`, "write more of the name");
  }
  const names = list.map(({ name }) => name);
  const near = closest(word.text, names.flatMap(endsOf));
  fail(
    code,
    word.span,
    `${owner} has no ${kind} \`${word.text}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`,
    names.length === 0 ? `it has no ${kind} at all` : `there are: ${shortList(names)}`,
  );
}

function shortList(names: readonly string[]): string {
  const more = names.length - LISTED;
  return names.slice(0, LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** A name and all its ends behind a dot: `a.b.c`, `b.c`, `c`. */
export function endsOf(name: string): string[] {
  const parts = name.split(".");
  return parts.map((_, i) => parts.slice(i).join("."));
}

/** The shortest end of a name that no other name has; the full name where another is an end of it. */
export function shortestName(name: string, names: readonly string[]): string {
  const others = names.filter((other) => other !== name);
  return (
    endsOf(name)
      .reverse()
      .find((end) => !others.some((other) => other === end || other.endsWith(`.${end}`))) ?? name
  );
}

/** The likeliest of the candidates for a mistyped word, if one is near: a third of its letters may differ. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.floor(word.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Letters to change, add, leave out or swap with the next one. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same);
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && i > 1)
        least = Math.min(least, before[j - 2]! + 1);
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
