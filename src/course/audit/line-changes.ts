/**
 * Changes of files that are not P4, line by line: commands of a switch, and modules of a controller. A line that opens or closes a
 * bracket that another line closes or opens stays.
 */
import type { SourceFile } from "../../base/index.js";
import { type Mutant, mutatedText } from "../../toolchain/mutation/index.js";

const COMMENT = /^\s*(?:#|\/\/|\/?\*)/;
/** Decimal numbers that are no part of an address or a name. */
const NUMBER = /(?<![\w.:/-])\d+(?![\w.:/])/g;

/** What takes the place of a word in a module, with the kind of the change. */
const WORDS: readonly (readonly [RegExp, (word: string) => string, Mutant["kind"]])[] = [
  [/(?:===|!==)/g, (word) => (word === "===" ? "!==" : "==="), "operator"],
  [/\b(?:true|false)\b/g, (word) => (word === "true" ? "false" : "true"), "constant"],
  [/(?:&&|\|\|)/g, (word) => (word === "&&" ? "||" : "&&"), "condition"],
];

/** @param isModule whether the file is code, not a list of commands */
export function lineMutants(file: SourceFile, isModule: boolean): Mutant[] {
  const found: Omit<Mutant, "name">[] = [];
  for (const [index, start] of file.lineStarts.entries()) {
    const text = file.lineText(index + 1);
    if (text.trim() === "" || COMMENT.test(text)) continue;
    const shown = text.trim();
    const add = (kind: Mutant["kind"], from: number, to: number, replacement: string, change: string) =>
      found.push({
        kind,
        part: "",
        change,
        span: { file, start: start + from, end: start + to },
        replacement,
      });
    if (isWhole(text, isModule)) add("statement", 0, text.length, "", `\`${shown}\` left out`);
    for (const { index: at, 0: word } of text.matchAll(NUMBER)) {
      const other = String(BigInt(word) + 1n);
      add("constant", at, at + word.length, other, `\`${word}\` becomes \`${other}\` in \`${shown}\``);
    }
    for (const [pattern, other, kind] of isModule ? WORDS : [])
      for (const { index: at, 0: word } of text.matchAll(pattern))
        add(
          kind,
          at,
          at + word.length,
          other(word),
          `\`${word}\` becomes \`${other(word)}\` in \`${shown}\``,
        );
  }
  return named(found.filter((mutant) => mutatedText(mutant) !== file.text));
}

/** Each line of a program left out that is no comment: most such programs do not compile. */
export function lineDeletions(file: SourceFile): Mutant[] {
  const found = [...file.lineStarts.entries()].flatMap(([index, start]): Omit<Mutant, "name">[] => {
    const text = file.lineText(index + 1);
    if (text.trim() === "" || COMMENT.test(text)) return [];
    const span = { file, start, end: start + text.length };
    return [{ kind: "statement", part: "", change: `\`${text.trim()}\` left out`, span, replacement: "" }];
  });
  return named(found);
}

/** Equal changes get numbers. */
function named(changes: readonly Omit<Mutant, "name">[]): Mutant[] {
  const counts = new Map<string, number>();
  return changes.map((mutant) => {
    const count = (counts.get(mutant.change) ?? 0) + 1;
    counts.set(mutant.change, count);
    return { ...mutant, name: count === 1 ? mutant.change : `${mutant.change} (${count})` };
  });
}

/** Whether a line is a statement of its own. */
function isWhole(text: string, isModule: boolean): boolean {
  if (!isModule) return true;
  let depth = 0;
  for (const sign of text) {
    if ("([{".includes(sign)) depth++;
    if (")]}".includes(sign) && --depth < 0) return false;
  }
  return depth === 0 && /[;})]\s*$/.test(text) && !/^\s*(?:import|export)\b/.test(text);
}
