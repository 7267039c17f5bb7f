/** `p4loom hash delta`: the shortest field of control bits, over all ways to give hash functions to tiers (P-ECMP, appendix A). */
import { defined, fail, Random } from "../../base/index.js";
import {
  crcCatalogue,
  type DeltaOptions,
  type FieldLengths,
  fieldLengths,
  hashNamed,
  parseHash,
  type SlicedHash,
  sliced,
} from "../../toolchain/hash/index.js";
import { CODES } from "../codes.js";
import type { HashSettings } from "./hash-options.js";
import type { HashReport } from "./report.js";

/** Eight CRCs of each width that switches and network formats use; the paper does not name its own. */
const USUAL = [
  ...["smbus", "maxim-dow", "autosar", "bluetooth", "cdma2000", "darc", "dvb-s2", "rohc"].map(
    (name) => `crc-8/${name}`,
  ),
  ...["arc", "ibm-3740", "kermit", "xmodem", "cdma2000", "dect-r", "dnp", "t10-dif"].map(
    (name) => `crc-16/${name}`,
  ),
  ...["iso-hdlc", "bzip2", "cksum", "iscsi", "aixm", "autosar", "base91-d", "xfer"].map(
    (name) => `crc-32/${name}`,
  ),
];

const PER_WIDTH = 8;
const MAX_FUNCTIONS = 64;

export function delta(names: readonly string[], settings: HashSettings): HashReport {
  const { tiers, maxBits, after, draws, seed } = settings;
  const options: DeltaOptions = { tierBits: tiers, maxBits, bytesAfter: after };
  const hashes = (names.length === 0 ? USUAL : names).map(parseHash);
  check(hashes, options);
  const result = fieldLengths(hashes, options);
  const drawn = Array.from({ length: draws }, (_, i) => {
    const functions = drawFunctions(new Random(seed).fork(`draw ${i}`));
    return { functions: functions.map(({ text }) => text), lengths: fieldLengths(functions, options) };
  });
  const shares = cumulative(result);
  return {
    title: `Control bits that reach all paths of tiers with ${tiers.map((bits) => 2 ** bits).join(", ")} next hops`,
    tables: [
      {
        title: "Settings by the length of the shortest field",
        header: ["bits", "settings", "up to here %"],
        rows: shares.map(({ bits, settings: count, share }) => [bits, count, (100 * share).toFixed(2)]),
      },
      ...(drawn.length === 0
        ? []
        : [
            {
              title: "Other sets of functions",
              header: ["draw", "settings without a field", "of", "longest field"],
              rows: drawn.map(({ lengths }, i) => [
                i + 1,
                lengths.without,
                lengths.settings,
                longest(lengths),
              ]),
            },
          ]),
    ],
    notes: [
      `${result.without} of ${result.settings} settings have no field of up to ${maxBits} bits (the paper: 608 of 12144 for functions that it does not name).`,
      ...result.conflicts.map(
        ([a, b]) =>
          `${defined(hashes[a]).text} and ${defined(hashes[b]).text} never reach all paths on two tiers.`,
      ),
      ...(drawn.length === 0
        ? []
        : [
            `Eight functions of each width drawn ${draws} times: ${Math.min(...drawn.map(({ lengths }) => lengths.without))} to ${Math.max(...drawn.map(({ lengths }) => lengths.without))} settings without a field.`,
          ]),
    ],
    json: {
      functions: hashes.map(({ text }) => text),
      ...options,
      settings: result.settings,
      without: result.without,
      lengths: shares,
      conflicts: result.conflicts.map(([a, b]) => [defined(hashes[a]).text, defined(hashes[b]).text]),
      draws: drawn.map(({ functions, lengths: { settings: all, without } }) => ({
        functions,
        settings: all,
        without,
      })),
    },
    figures: [
      {
        svg: cdfSvg(shares, maxBits),
        caption: "Share of the settings whose shortest field is at most so long (P-ECMP, figure 10).",
      },
    ],
  };
}

function check(hashes: readonly SlicedHash[], { tierBits }: DeltaOptions): void {
  if (tierBits.reduce((sum, bits) => sum + bits, 0) > 32)
    fail(CODES.wrongValue, undefined, `--tiers ${tierBits.join(",")}: more than 32 bits over all tiers`);
  if (hashes.length < tierBits.length)
    fail(
      CODES.wrongValue,
      undefined,
      `hash delta: ${hashes.length} functions for ${tierBits.length} tiers`,
      "each tier has a function of its own",
    );
  if (hashes.length > MAX_FUNCTIONS)
    fail(CODES.wrongValue, undefined, `hash delta: ${hashes.length} functions`, `at most ${MAX_FUNCTIONS}`);
  for (const { text, affine, width } of hashes) {
    if (!affine)
      fail(
        CODES.notSteerable,
        undefined,
        `${text} is not affine`,
        "no field of control bits moves all flows by the same offset",
      );
    const most = Math.max(...tierBits);
    if (width < most)
      fail(
        CODES.notSteerable,
        undefined,
        `${text} has ${width} bits`,
        `a tier with ${2 ** most} next hops needs ${most}`,
      );
  }
}

function drawFunctions(random: Random): SlicedHash[] {
  return [8, 16, 32].flatMap((width) => {
    const names = crcCatalogue.filter((crc) => crc.width === width).map(({ name }) => name);
    return random
      .shuffle(names)
      .slice(0, PER_WIDTH)
      .map((name) => sliced(hashNamed(name)!, {}));
  });
}

interface Share {
  readonly bits: number;
  readonly settings: number;
  readonly share: number;
}

function cumulative({ byLength, settings }: FieldLengths): Share[] {
  let sum = 0;
  return [...byLength].map(([bits, count]) => {
    sum += count;
    return { bits, settings: count, share: sum / settings };
  });
}

function longest({ byLength }: FieldLengths): number | undefined {
  return [...byLength.keys()].at(-1);
}

/** A step curve of the shares; the part above it has no field. */
function cdfSvg(shares: readonly Share[], maxBits: number): string {
  const [width, height, left, bottom] = [640, 320, 50, 40];
  const last = Math.min(maxBits, Math.max(32, (shares.at(-1)?.bits ?? 0) + 4));
  const x = (bits: number) => left + ((width - left - 10) * bits) / last;
  const y = (share: number) => height - bottom - (height - bottom - 10) * share;
  const steps = shares.map(({ bits, share }) => `H${x(bits).toFixed(1)}V${y(share).toFixed(1)}`).join("");
  const ticks = Array.from({ length: Math.floor(last / 8) + 1 }, (_, i) => 8 * i)
    .map(
      (bits) =>
        `<text x="${x(bits).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle">${bits}</text>`,
    )
    .join("");
  const marks = [0, 0.25, 0.5, 0.75, 1]
    .map(
      (share) =>
        `<text x="${left - 8}" y="${(y(share) + 4).toFixed(1)}" text-anchor="end">${100 * share}%</text>`,
    )
    .join("");
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="cumulative share of settings by bits" font-size="12" fill="currentColor"><path d="M${x(0)} ${y(0)}${steps}H${x(last).toFixed(1)}" fill="none" stroke="currentColor" stroke-width="2"/>${ticks}${marks}<text x="${width / 2}" y="${height - 4}" text-anchor="middle">bits of the field</text></svg>`;
}
