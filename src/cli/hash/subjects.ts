/** The subjects of `p4loom hash` but `delta`: tables of what the room `hash` computes. */
import { claim, defined, fail, given } from "../../base/index.js";
import {
  collision,
  correlate,
  hashFunctions,
  linearityOf,
  memberBits,
  parseHash,
  parseInput,
  type SlicedHash,
} from "../../toolchain/hash/index.js";
import { CODES } from "../codes.js";
import type { HashSettings } from "./hash-options.js";
import type { HashReport } from "./report.js";

const DIGITS = new TextEncoder().encode("123456789");

const hex = (value: number, width: number) => value.toString(16).padStart(Math.ceil(width / 4), "0");
const bytesHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const round = (value: number) => Number(value.toPrecision(4));

/** All functions with the hash of the nine ASCII bytes "123456789", which is the check value of a CRC. */
export function catalogue(names: readonly string[]): HashReport {
  if (names.length > 0)
    fail(
      CODES.wrongValue,
      undefined,
      `hash catalogue: ${names.join(" ")} is too much: the catalogue lists all functions`,
      "to see what a function does, write p4loom hash linear FUNCTION",
    );
  const rows = hashFunctions.map(({ name, family, width, affine, make }) => ({
    name,
    family,
    width,
    affine,
    check: hex(make(0)(DIGITS), width),
  }));
  return {
    title: "Hash functions",
    tables: [
      {
        title: "",
        header: ["function", "family", "bits", "affine", 'hash of "123456789"'],
        rows: rows.map((row) => [
          row.name,
          row.family,
          row.width,
          row.affine ? "yes" : "no",
          `0x${row.check}`,
        ]),
      },
    ],
    notes: [
      "affine: made of shifts and XORs alone. A seed flips bits of the result and changes nothing else, except for toeplitz, whose seed is its key.",
    ],
    json: rows,
  };
}

/** Each function with each size of a group. */
export function linear(names: readonly string[], { groups, input, tests, seed }: HashSettings): HashReport {
  const hashes = needed("linear", names, 1);
  const { bytes, name } = parseInput(input);
  const rows = hashes.flatMap((hash) =>
    groups.map((size) => ({
      function: hash.text,
      group: size,
      ...linearityOf({ hash, size }, bytes, tests, seed),
    })),
  );
  const how = {
    construction: claim("linearByConstruction"),
    tests: claim("linearByTests"),
    counterexample: "no",
  };
  return {
    title: `Linearity over ${name}`,
    tables: [
      {
        title: "",
        header: ["function", "group", "affine", "tests", "rank", "counterexample"],
        rows: rows.map(({ function: text, group, by, tests: done, rank, counterexample: found }) => [
          text,
          group,
          how[by],
          done,
          rank,
          found &&
            `h(${bytesHex(found.x)} ^ ${bytesHex(found.delta)}) is ${found.got}, not ${found.expected}`,
        ]),
      },
    ],
    notes: ["rank: 2^rank members can be reached from any header by a change of its bits."],
    json: rows.map(({ counterexample: found, ...row }) => ({
      ...row,
      ...given({
        counterexample:
          found === undefined ? undefined : { ...found, x: bytesHex(found.x), delta: bytesHex(found.delta) },
      }),
    })),
  };
}

/** All pairs of the functions, the first of a pair at the first switch. `groups`: sizes at the first and second switch. */
export function correlateAll(names: readonly string[], settings: HashSettings): HashReport {
  const { groups, input, samples, seed } = settings;
  const hashes = needed("correlate", names, 2);
  if (groups.length > 2)
    fail(
      CODES.wrongValue,
      undefined,
      `--group ${groups.join(",")}: expected one size, or those of the first and second switch`,
    );
  const [m, n] = [defined(groups[0]), groups[1] ?? defined(groups[0])];
  const { bytes, name } = parseInput(input);
  const rows = pairs(hashes).map(([a, b]) => ({
    first: a.text,
    second: b.text,
    groups: [m, n],
    ...correlate({ hash: a, size: m }, { hash: b, size: n }, bytes, { samples, seed }),
  }));
  return {
    title: `Correlation over ${name}, groups of ${m} and ${n}`,
    tables: [
      {
        title: "",
        header: [
          "first",
          "second",
          "by",
          "shared bits",
          "correlation",
          "mutual information",
          "polarised share",
          "worst load",
        ],
        rows: rows.map((row) => [
          row.first,
          row.second,
          row.by,
          row.sharedBits,
          withNoise(row.correlation, row.noise?.correlation),
          withNoise(row.mutualInformation, row.noise?.mutualInformation),
          withNoise(row.polarisedShare, row.noise?.polarisedShare),
          round(row.worstLoad),
        ]),
      },
    ],
    notes: [
      "polarised share: share of the flows over one first member that use another second member than with independent hashes.",
      ...(rows.some(({ by }) => by === "sampled")
        ? [`sampled: ${samples} random inputs; in brackets what independent choices give in such a sample.`]
        : []),
    ],
    json: rows,
  };
}

function withNoise(value: number, noise: number | undefined): string {
  return noise === undefined ? String(round(value)) : `${round(value)} (${round(noise)})`;
}

/** P-ECMP, table 5, for these functions, or for the families of the paper. */
export function collide(
  names: readonly string[],
  { groups, input, samples, seed }: HashSettings,
): HashReport {
  const hashes = needed(
    "collide",
    names.length === 0 ? ["random", "xor16", "crc-16/arc", "pearson"] : names,
    2,
  );
  const { bytes, name } = parseInput(input);
  const rows = pairs(hashes).flatMap(([a, b]) =>
    groups.map((size) => ({
      first: a.text,
      second: b.text,
      group: size,
      ...collision({ hash: a, size }, { hash: b, size }, bytes, { samples, seed }),
    })),
  );
  const percent = (share: number) => (100 * share).toFixed(2);
  return {
    title: `Collisions over ${name}`,
    tables: [
      {
        title: "",
        header: ["first", "second", "group", "same member %", "1/group %", "by"],
        rows: rows.map((row) => [
          row.first,
          row.second,
          row.group,
          row.error === undefined
            ? percent(row.probability)
            : `${percent(row.probability)} +- ${percent(2 * row.error)}`,
          percent(1 / row.group),
          row.by,
        ]),
      },
    ],
    notes:
      memberBits(defined(groups[0])) === undefined
        ? ["No exact figure is known for groups that are no power of two."]
        : [],
    json: rows,
  };
}

function needed(subject: string, names: readonly string[], least: number): SlicedHash[] {
  if (names.length < least)
    fail(
      CODES.wrongValue,
      undefined,
      `hash ${subject}: ${names.length === 0 ? "no function" : "one function"} is named`,
      `name ${least === 1 ? "one function" : "two functions"} or more, for example crc-16/arc`,
    );
  return names.map(parseHash);
}

function pairs<T>(list: readonly T[]): [T, T][] {
  return list.flatMap((a, i) => list.slice(i + 1).map((b): [T, T] => [a, b]));
}
