/** Memory that a paper counts for a switch, beside what our program of the same sizes takes on chips. */
import { type Block, block, type RunDocument, script } from "../block.js";
import { fixed, table } from "../text.js";

interface Memory {
  readonly name: string;
  readonly srams: number;
  readonly tcams: number;
}

interface Row {
  readonly what: string;
  readonly target: string;
  readonly verdict: string;
  readonly stages: number;
  readonly of: number;
  readonly blockBits: number;
  readonly memories: readonly Memory[];
}

const TARGETS = { rmt: "RMT", tofino: "Tofino" };
const BITS_OF_A_KB = 8 * 1024;

/** Columns between the sizes and the chips: of arithmetic, by the text of the sizes. */
interface Arithmetic {
  readonly title: string;
  readonly of: (what: string) => string;
}

/** The block of a paper: a row for each size, the arithmetic beside the blocks of each chip. */
export function memory(
  paper: string,
  sizes: string,
  arithmetic: readonly Arithmetic[],
  names: Readonly<Record<string, string>>,
): Block {
  return block({
    runs: { programs: script("tools/figures/measure/paper-memory.ts", paper) },
    pick: {
      programs: (document: RunDocument): Row[] =>
        // biome-ignore lint/suspicious/noExplicitAny: what the script prints.
        document.map(({ what, target, verdict, stages, of, block_bits, memories }: any) => ({
          ...{ what, target, verdict, stages, of, memories },
          blockBits: block_bits,
        })),
    },
    inputs: ["data/targets/rmt.yaml", "data/targets/tofino.yaml"],
    render: ({ programs }) => {
      const rows = [...new Set(programs.map(({ what }) => what))];
      const title = (name: string) => `${name}: ${Object.values(names).join(" + ")}, SRAM blocks`;
      return table(
        [
          sizes,
          ...arithmetic.map((one) => one.title),
          ...Object.values(TARGETS).flatMap((name) => [title(name), "program"]),
        ],
        rows.map((what) => [
          what,
          ...arithmetic.map((one) => one.of(what)),
          ...Object.keys(TARGETS).flatMap((target) => {
            const row = programs.find((one) => one.what === what && one.target === target)!;
            return [blocksOf(row, Object.keys(names)), `${row.verdict}, ${row.stages} of ${row.of} stages`];
          }),
        ]),
      );
    },
  });
}

/** `5 + 5 + 40 = 50 (800 KB)`. */
function blocksOf({ memories, blockBits }: Row, names: readonly string[]): string {
  const counts = names.map((name) => memories.find((one) => one.name === name)!.srams);
  const all = counts.reduce((sum, count) => sum + count, 0);
  return `${counts.join(" + ")} = ${all} (${fixed((all * blockBits) / BITS_OF_A_KB)} KB)`;
}
