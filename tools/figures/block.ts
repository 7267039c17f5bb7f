/**
 * What a file in `tools/figures/pages` defines: the blocks of measured figures of one page, the runs that make them, and how
 * the page shows them. Example:
 *
 *     export default page("docs/papers/dahu.md", {
 *       cliques: block({
 *         runs: { gains: run("examples/dahu/clique-small.yaml", "--seed", "2") },
 *         pick: { gains: (document) => document.rows.map((row) => pickKeys(row, ["scheme", "gain"])) },
 *         render: ({ gains }) => table(["scheme", "gain"], gains.map((row) => [row.scheme, percent(row.gain)])),
 *         values: ({ gains }) => ({ best: percent(Math.max(...gains.map((row) => row.gain))) }),
 *       }),
 *     });
 */

/** What a run wrote, before `pick`: results.json, the output of `--json`, measurements of a benchmark, or text. */
// biome-ignore lint/suspicious/noExplicitAny: the schema of a document belongs to the command that writes it.
export type RunDocument = any;

/** How a run is started. `line` is the command as a reader types it. */
export interface Run {
  readonly kind: "run" | "p4loom" | "bench" | "script";
  readonly args: readonly string[];
  readonly line: string;
  /** Exit status of a good run; `fit` ends with 1 where a program does not fit, for example. */
  readonly exit: number;
  /** CSV files of a run that its document has, as `csv`: rows by the name of the file, cells by the name of the column. */
  readonly csv?: readonly string[];
}

/** An argument as one word of a shell. */
const word = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const started = (kind: Run["kind"], before: string, args: readonly string[]): Run => ({
  kind,
  args,
  line: [before, ...args.map(word)].join(" "),
  exit: 0,
});

/** `p4loom run FILE ...`; its document is results.json. */
export const run = (...args: readonly string[]): Run => started("run", "p4loom run", args);

/** The same run, whose document also has rows of these CSV files: `document.csv["queues.csv"]`. */
export const withCsv = (made: Run, ...names: readonly string[]): Run => ({ ...made, csv: names });

/** Another command of p4loom; its document is its output: parsed with `--json` among the arguments, else as text. */
export const p4loom = (...args: readonly string[]): Run => started("p4loom", "p4loom", args);

/** `npm run bench -- NAME ...`; its document is the list of measurements. */
export const bench = (...args: readonly string[]): Run => started("bench", "npm run bench --", args);

/** A TypeScript program of the project with arguments; its document is the JSON that it prints, or else its text. */
export const script = (...args: readonly string[]): Run => started("script", "npx tsx", args);

/** The same run, with another exit status than 0. */
export const exiting = (exit: number, made: Run): Run => ({ ...made, exit });

/** A block of figures. `R`: the picked results by key, as the store has them: JSON, small, and without times or paths. */
export interface Block<R extends object = object> {
  /** A run by key, or several, for example one for each seed. Equal runs of different blocks run once. */
  readonly runs: NoInfer<{ readonly [K in keyof R]: Run | readonly Run[] }>;
  /** Reduces the document of a run to what is stored; a list of runs gives a list of documents. */
  readonly pick: { readonly [K in keyof R]: (document: RunDocument) => R[K] };
  /** Lines of the page between the marks. A block without it has inline figures only. */
  readonly render?: (results: R) => readonly string[];
  /** Inline figures by name. */
  readonly values?: (results: R) => Readonly<Record<string, string>>;
  /** CI does not remake the block, however short its runs were. */
  readonly slow?: boolean;
  /** The figures depend on the machine: CI does not remake the block, and its rendering names the machine. */
  readonly timed?: boolean;
  /** Input files that neither the arguments nor the files that they name mention. */
  readonly inputs?: readonly string[];
}

/** Checks the types of a block, and hides the type of its results from the page. */
export function block<R extends object>(definition: Block<R>): Block {
  return definition as unknown as Block;
}

export interface Page {
  /** Path from the root of the project: `docs/papers/dahu.md`. */
  readonly path: string;
  readonly blocks: Readonly<Record<string, Block>>;
}

/** The blocks of the page at a path, by name. */
export function page(path: string, blocks: Readonly<Record<string, Block>>): Page {
  for (const name of Object.keys(blocks))
    if (!/^[A-Za-z][\w-]*$/.test(name))
      throw new Error(`${path}: "${name}" is no name of a block: letters, digits, - and _`);
  return { path, blocks };
}

/** Name of a page: its path below docs without .md (`papers/dahu`, `README`, `fit/accuracy`). */
export const pageName = (path: string): string => path.replace(/^docs\//, "").replace(/\.md$/, "");

/** The runs of a block by key, always as lists. */
export function runsOf(definition: Block): [key: string, runs: readonly Run[]][] {
  return Object.entries(definition.runs as Record<string, Run | readonly Run[]>).map(([key, runs]) => [
    key,
    Array.isArray(runs) ? (runs as readonly Run[]) : [runs as Run],
  ]);
}
