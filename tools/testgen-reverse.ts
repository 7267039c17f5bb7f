/**
 * Counts the tests that `p4loom testgen` made by P4Testgen's own counter of statements, beside P4Testgen's:
 *
 *     P4C=DIR STORE=FILE npx tsx tools/testgen-reverse.ts
 *
 * Run it after tools/testgen-rival.ts with the same P4C and STORE. P4Testgen reads no tests. So each of our packets becomes an assumption at the
 * start of a copy of the program (`testgen_assume`, with its length and port), and P4Testgen makes its first test under it: the statements that it names
 * as not covered are those that the packet does not reach. Entries cannot be assumed: programs of which one of our tests has any are left out, and
 * counted. P4Testgen's own set is that of a run of the copy without an assumption.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const SECONDS = 30;
/** Widest number that p4c takes in one lookahead, in bytes. */
const MOST_BYTES = 250;

interface Packet {
  readonly port: number;
  readonly hex: string;
}

/** Statements that a set of runs leaves out, of all; undefined: P4Testgen makes no test. */
interface Counted {
  readonly all: number;
  readonly left: ReadonlySet<string>;
}

/** The packet of a test without entries. */
function packetOf(file: string): Packet | undefined {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (lines.some((line) => !/^(packet|expect) /.test(line))) return undefined;
  const [, port = "0", hex = ""] = lines.find((line) => line.startsWith("packet "))?.split(" ") ?? [];
  return { port: Number(port), hex };
}

/** The program with an assumption of the packet at the start of its parser; undefined where that is not found. */
function assuming(text: string, packet: Packet | undefined): string | undefined {
  const name = /\bV1Switch\s*(?:<[^;]*?>)?\s*\(\s*(\w+)/.exec(text)?.[1];
  const head = name === undefined ? null : new RegExp(`\\bparser\\s+${name}\\s*\\(([^)]*)\\)`).exec(text);
  const input = head === null ? undefined : /\bpacket_in\s+(\w+)/.exec(head[1] ?? "")?.[1];
  const metadata = head === null ? undefined : /\bstandard_metadata_t\s+(\w+)/.exec(head[1] ?? "")?.[1];
  if (head === null || input === undefined || metadata === undefined) return undefined;
  const start = /\bstate\s+start\s*\{/g;
  start.lastIndex = head.index;
  const found = start.exec(text);
  if (found === null) return undefined;
  const bits = packet === undefined ? 0 : 4 * packet.hex.length;
  const assumptions =
    packet === undefined
      ? []
      : [
          `testgen_assume(${metadata}.ingress_port == ${packet.port});`,
          ...(bits === 0
            ? []
            : [`testgen_assume(${input}.lookahead<bit<${bits}>>() == ${bits}w0x${packet.hex});`]),
        ];
  const at = found.index + found[0].length;
  return [
    text.slice(0, head.index),
    "extern void testgen_assume(in bool check);\n",
    text.slice(head.index, at),
    assumptions.join(" "),
    text.slice(at),
  ].join("");
}

function counted(p4c: string, path: string, more: readonly string[]): Counted | undefined {
  const folder = dirname(path);
  const { stdout, stderr } = spawnSync(
    "timeout",
    [
      ...[
        "-s",
        "INT",
        String(SECONDS),
        join(p4c, "build/p4testgen"),
        "--target",
        "bmv2",
        "--arch",
        "v1model",
      ],
      ...["--seed", "1", "--track-coverage", "STATEMENTS", "--print-coverage", "--test-backend", "STF"],
      ...[...more, "--out-dir", folder, "-I", join(p4c, "build/p4include"), path],
    ],
    { encoding: "utf8", maxBuffer: 1 << 28 },
  );
  const last = `${stdout}${stderr}`.split(/^=+ Test \d+: Nodes covered: /m).at(-1);
  const all = /^[\d.]+ \(\d+\/(\d+)\)/.exec(last ?? "")?.[1];
  if (last === undefined || all === undefined) return undefined;
  // Each copy has the assumptions in the line of its start.
  const left = [...last.matchAll(/^\t(.*)$/gm)]
    .map(([, node = ""]) => node)
    .filter((node) => !node.includes("testgen_assume"));
  return { all: Number(all), left: new Set(left) };
}

function compare(p4c: string, name: string): string {
  const text = readFileSync(join(p4c, "src/testdata/p4_16_samples", name), "utf8");
  const ours = join(p4c, "testgen", name, "ours");
  const files = readdirSync(ours).filter((file) => file.endsWith(".stf"));
  const packets = files.map((file) => packetOf(join(ours, file)));
  if (files.length === 0) return "no tests";
  if (packets.includes(undefined)) return "entries";
  if (packets.some((one) => one !== undefined && one.hex.length > 2 * MOST_BYTES)) return "long packets";
  const folder = join(p4c, "testgen", name, "reverse");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  const count = (packet: Packet | undefined, more: readonly string[]): Counted | undefined => {
    const copy = assuming(text, packet);
    if (copy === undefined) return undefined;
    writeFileSync(path, copy);
    return counted(p4c, path, more);
  };
  const greedy = [
    "--max-tests",
    "0",
    "--stop-metric",
    "MAX_NODE_COVERAGE",
    "--path-selection",
    "GREEDY_STATEMENT_SEARCH",
  ];
  const theirs = count(undefined, greedy);
  const each = packets.flatMap((packet) => {
    const bits = 4 * (packet?.hex.length ?? 0);
    const one = count(packet, ["--max-tests", "1", "--packet-size-range", `${bits}:${bits}`]);
    return one === undefined ? [] : [one];
  });
  if (theirs === undefined || each.length === 0) return "P4Testgen makes no test";
  const missed = [...each[0]!.left].filter((node) => each.every(({ left }) => left.has(node)));
  const more = missed.filter((node) => !theirs.left.has(node));
  const fewer = [...theirs.left].filter((node) => !missed.includes(node));
  for (const node of more) console.log(`${name}: only P4Testgen's tests reach ${node.split("\\").at(-1)}`);
  for (const node of fewer) console.log(`${name}: only our tests reach ${node.split("\\").at(-1)}`);
  return more.length > 0 ? "fewer" : fewer.length > 0 ? "more" : "the same";
}

const { P4C: p4c = "", STORE: store = join(p4c, "testgen.jsonl") } = process.env;
if (!existsSync(store)) console.log("skipped: STORE names no results of tools/testgen-rival.ts");
else {
  const lines = readFileSync(store, "utf8")
    .split("\n")
    .filter((line) => line.endsWith("}"));
  const sums = new Map<string, number>();
  for (const line of lines) {
    const { program, theirs } = JSON.parse(line) as { program: string; theirs: { tests: number } };
    const verdict = theirs.tests === 0 ? "P4Testgen makes no test" : compare(resolve(p4c), program);
    sums.set(verdict, (sums.get(verdict) ?? 0) + 1);
    console.error(program, verdict);
  }
  console.log("| statements of our tests by P4Testgen's counter | programs |\n|---|---:|");
  for (const [verdict, count] of sums) console.log(`| ${verdict} | ${count} |`);
}
