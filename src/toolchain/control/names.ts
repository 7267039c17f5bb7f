/** Objects by the names that people type: the full name, the alias, or a unique part of the full name after a dot. */
import { defined, didYouMean, fail } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { Word } from "./words.js";

export interface Named {
  readonly name: string;
  readonly alias?: string;
}

/** Maximum number of names in a note. */
const LISTED = 8;

/** The objects that a name can mean: the object with exactly this name, otherwise all whose name ends in it. */
export function candidatesFor<T extends Named>(things: Iterable<T>, name: string): T[] {
  const list = [...things];
  const exact = list.find((thing) => thing.name === name) ?? list.find((thing) => thing.alias === name);
  return exact !== undefined ? [exact] : list.filter((thing) => thing.name.endsWith(`.${name}`));
}

/**
 * The object of that name; fails at the word and lists the existing names. `owner` is what has the objects: "the
 * program".
 */
export function findNamed<T extends Named>(
  kind: string,
  things: Iterable<T>,
  word: Word,
  owner = "the program",
  code: string = CODES.name,
): T {
  const list = [...things];
  const found = candidatesFor(list, word.text);
  if (found.length === 1) return defined(found[0]);
  if (found.length > 1) {
    const names = found.map(({ name }) => name);
    fail(
      code,
      word.span,
      `${kind} \`${word.text}\` may be ${names.join(" or ")}`,
      "write a longer part of the name",
    );
  }
  const names = list.map(({ name }) => name);
  fail(
    code,
    word.span,
    `${owner} has no ${kind} \`${word.text}\`${didYouMean(word.text, names.flatMap(endsOf), "`")}`,
    names.length === 0 ? `it has no ${kind} at all` : `there are: ${shortList(names)}`,
    ...(word.text.includes("(")
      ? ["no brackets or commas: values follow the name with spaces between them"]
      : []),
  );
}

function shortList(names: readonly string[]): string {
  const more = names.length - LISTED;
  return names.slice(0, LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** A name and all its parts after a dot: `a.b.c`, `b.c`, `c`. */
export function endsOf(name: string): string[] {
  const parts = name.split(".");
  return parts.map((_, i) => parts.slice(i).join("."));
}

/** The shortest end of a name that no other name has; the full name when one of its ends is itself another name. */
export function shortestName(name: string, names: readonly string[]): string {
  const others = names.filter((other) => other !== name);
  return (
    endsOf(name)
      .reverse()
      .find((end) => !others.some((other) => other === end || other.endsWith(`.${end}`))) ?? name
  );
}
