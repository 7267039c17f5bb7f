/** A generated test as STF. */
import { toHex } from "../../base/index.js";
import type { GeneratedTest } from "./generate.js";
import type { Expected } from "./replay.js";

export function stfOf({ stimulus, expected }: GeneratedTest, title: string): string {
  const lines = [`# ${title}`, ...stimulus.lines, `packet ${stimulus.port} ${toHex(stimulus.bytes)}`];
  lines.push(...expected.map(({ port, nibbles }) => `expect ${port} ${patternOf(nibbles)} $`));
  return `${lines.join("\n")}\n`;
}

function patternOf(nibbles: Expected["nibbles"]): string {
  return nibbles.map((nibble) => (nibble === undefined ? "*" : nibble.toString(16))).join("");
}
