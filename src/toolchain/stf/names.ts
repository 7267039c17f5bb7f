/** Finds objects by the names that tests use: the full name, the alias, or the end of the name after a dot. */
import { defined, fail } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { Word } from "./script.js";

/** The object called `word`, or the only one whose full name ends in `.word`, or, as in p4c's runner, in `word`. Reports P41253. */
export function findByName<T extends { readonly name: string; readonly alias?: string }>(
  list: readonly T[],
  what: string,
  word: Word,
  owner = "the program",
): T {
  const exact = list.find((object) => object.name === word.text || object.alias === word.text);
  if (exact !== undefined) return exact;
  const afterDot = list.filter((object) => object.name.endsWith(`.${word.text}`));
  const bySuffix = afterDot.length > 0 ? afterDot : list.filter(({ name }) => name.endsWith(word.text));
  if (bySuffix.length === 1) return defined(bySuffix[0]);
  const names = (bySuffix.length > 1 ? bySuffix : list).slice(0, 8).map((object) => object.name);
  fail(
    CODES.unknownName,
    word.span,
    bySuffix.length > 1
      ? `${owner} has more than one ${what} that ends in \`${word.text}\``
      : `${owner} has no ${what} \`${word.text}\``,
    names.length === 0 ? `it has no ${what} at all` : `there are: ${names.join(", ")}`,
  );
}
