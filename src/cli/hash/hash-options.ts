/** The options of `p4loom hash` as commander returns them, and their values. */
import { Argument, type Command } from "commander";
import { fail } from "../../base/index.js";
import { SELECTOR_FIELDS, type SelectorField } from "../../base/packets/index.js";
import { CODES } from "../codes.js";

const HASH_SUBJECTS = ["catalogue", "linear", "correlate", "collide", "delta", "assign", "pathmap"] as const;
export type HashSubject = (typeof HASH_SUBJECTS)[number];

export interface HashArguments {
  input: string;
  group: string;
  tests: string;
  samples: string;
  seed: string;
  tiers: string;
  maxBits: string;
  after: string;
  draws: string;
  switch?: string;
  field: string;
  probes: string;
  deviceId: string;
  set: string[];
  json?: boolean;
  html?: string;
}

export function defineHash(command: Command): Command {
  return command
    .description("analyse hash functions: linearity, correlation, collisions, control bits")
    .addArgument(new Argument("<what>", "the analysis").choices(HASH_SUBJECTS))
    .argument(
      "[functions...]",
      "NAME, NAME:seed=5, NAME:bits=3-7; `p4loom hash catalogue` lists the names; assign, pathmap: a topology file",
    )
    .option("--input <bytes>", "input of the hash: ipv4 or ipv6 (five-tuples), or a number of bytes", "ipv4")
    .option("--group <sizes>", "members of the groups, comma-separated", "8")
    .option("--tests <n>", "linear: random pairs of a header and a change", "1000000")
    .option("--samples <n>", "correlate, collide: random inputs where the result is not exact", "1000000")
    .option("--seed <n>", "seed of random inputs and draws", "1")
    .option("--tiers <bits>", "delta: next hops of each tier, as powers of two", "1,3,6")
    .option("--max-bits <n>", "delta: longest field of control bits", "1024")
    .option("--after <bytes>", "delta: bytes of the input after the field", "0")
    .option("--draws <n>", "delta: other sets of functions, drawn from the catalogue", "0")
    .option(
      "--switch <address>",
      "linear: probe the running P4Runtime switch at this address instead of functions",
    )
    .option(
      "--field <name>",
      "linear --switch: header field whose bits are probed in addition to the source port",
      "dscp",
    )
    .option("--probes <n>", "linear --switch: random pairs of a header and a change, for each choice", "1000")
    .option("--device-id <n>", "linear --switch: P4Runtime device id", "1")
    .option(
      "--set <name=value>",
      "assign: a parameter such as design=recombining; may be given several times",
      collect,
      [],
    )
    .option("--json", "print the report as JSON")
    .option("--html <file>", "write the report as a page");
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

/** The options with their numbers. */
export interface HashSettings {
  readonly input: string;
  readonly groups: readonly number[];
  readonly tests: number;
  readonly samples: number;
  readonly seed: number;
  readonly tiers: readonly number[];
  readonly maxBits: number;
  readonly after: number;
  readonly draws: number;
  readonly field: SelectorField;
  readonly probes: number;
  readonly deviceId: bigint;
  /** `NAME=VALUE`. */
  readonly set: readonly string[];
}

/** Fails with P40005 for a value that its option cannot have. */
export function hashSettings(args: HashArguments): HashSettings {
  return {
    input: args.input,
    groups: list("--group", args.group, 1, 4096),
    tests: number("--tests", args.tests, 1, 1e9),
    samples: number("--samples", args.samples, 1000, 1e9),
    seed: number("--seed", args.seed, 0, 2 ** 32 - 1),
    tiers: list("--tiers", args.tiers, 0, 16),
    maxBits: number("--max-bits", args.maxBits, 1, 4096),
    after: number("--after", args.after, 0, 4096),
    draws: number("--draws", args.draws, 0, 1000),
    field: selectorField(args.field),
    probes: number("--probes", args.probes, 1, 1e6),
    deviceId: BigInt(number("--device-id", args.deviceId, 0, Number.MAX_SAFE_INTEGER)),
    set: args.set,
  };
}

function number(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  return fail(
    CODES.wrongValue,
    undefined,
    `${option} ${text}: expected a whole number from ${least} to ${most}`,
  );
}

function list(option: string, text: string, least: number, most: number): number[] {
  return text.split(",").map((part) => number(option, part.trim(), least, most));
}

/** A field by its name. Fails with P40005. */
function selectorField(name: string): SelectorField {
  const field = SELECTOR_FIELDS.find((one) => one === name);
  if (field !== undefined) return field;
  return fail(CODES.wrongValue, undefined, `--field ${name}: expected ${SELECTOR_FIELDS.join(", ")}`);
}
