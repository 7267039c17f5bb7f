/** Checks what RePaC requires of a fabric: linear choices, numbers of buckets that are powers of two, control bits that move the flows. */
import { fail, type Locate, toHex } from "../../../base/index.js";
import { type Linearity, linearityOf, memberBits } from "../../../toolchain/hash/index.js";
import type { HashModel } from "../../paths/index.js";
import { CODES } from "../codes.js";
import { powerOfTwo } from "./buckets.js";
import { controlBits } from "./control-bits.js";
import { computedPathmap, type RepacFabric } from "./definition.js";
import type { RepacParameters } from "./parameters.js";
import { mostChangedHops, type Pathmap, reachOf } from "./pathmap.js";

const TESTS = 256;
const SEED = 1;

/** The pathmap. Throws DiagnosticError P45300 to P45303 where hosts could not choose paths. */
export function checkedPathmap(fabric: RepacFabric, parameters: RepacParameters, locate: Locate): Pathmap {
  checkBuckets(fabric, locate);
  for (const { role, way, model } of fabric.hops) {
    const found = linearity(model, fabric.buckets).counterexample;
    if (found !== undefined)
      fail(
        CODES.notLinear,
        locate(["hash", role, way, "function"]) ?? locate([]),
        `the hash of ${role} ${way}, ${model.name}, is not linear: a change of the header does not move all flows by the same offset`,
        counterexample(found),
        "linear functions are crc16, crc32 and xor16",
      );
  }
  if (parameters.planning) checkPortRanges(parameters, locate);
  const map = computedPathmap(fabric);
  checkReach(map, parameters, locate);
  return map;
}

function linearity(model: HashModel, size: number): Linearity {
  const bytes = Math.ceil(model.input.reduce((sum, { bits }) => sum + bits, 0) / 8);
  const hash = (input: Uint8Array) => model.hash(input, input.length) >>> 0;
  const { name: text, affine } = model;
  return linearityOf({ hash: { text, family: "crc", affine, width: 32, hash }, size }, bytes, TESTS, SEED);
}

function counterexample({ x, delta, got, expected }: NonNullable<Linearity["counterexample"]>): string {
  return `for the hash input ${toHex(x)} the change ${toHex(delta)} leads to bucket ${got}; if the choice were linear, to bucket ${expected}`;
}

function checkBuckets({ buckets, hops, nicSizes }: RepacFabric, locate: Locate): void {
  const largest = Math.max(0, ...nicSizes, ...hops.flatMap(({ sizes }) => sizes));
  if (buckets < largest)
    fail(
      CODES.buckets,
      locate(["buckets"]),
      `${buckets} buckets for groups of up to ${largest} next hops: ${largest - buckets} next hops would have none`,
      `write ${powerOfTwo(largest)}, or leave buckets out`,
    );
  if (memberBits(buckets) !== undefined) return;
  const model = hops[0]?.model;
  const found = model && linearity(model, buckets).counterexample;
  fail(
    CODES.buckets,
    locate(["buckets"]),
    `${buckets} buckets are no power of two, so the choice of a bucket is not linear`,
    ...(found === undefined ? [] : [counterexample(found)]),
    `write ${powerOfTwo(buckets) / 2} or ${powerOfTwo(buckets)}`,
  );
}

function checkReach(map: Pathmap, { reach, field, planning }: RepacParameters, locate: Locate): void {
  const place = locate(["field"]) ?? locate(["reach"]) ?? locate([]);
  const { fieldBits, portBits } = map.control;
  const bits =
    portBits > 0
      ? `${fieldBits} bits of ${field} and ${portBits} of the source port`
      : `${fieldBits} bits of ${field}`;
  const wider = widerThan(fieldBits);
  const others = [...(wider === undefined ? [] : [wider]), "other hash functions for these tiers"];
  if (map.hops.length === 0) return;
  if (reach === "paths") {
    const { paths, reached } = reachOf(map);
    if (reached < paths)
      fail(
        CODES.controlBits,
        place,
        `the control bits (${bits}) reach ${reached} of the ${paths} paths through ${names(map)}`,
        `write ${[...others, ...(planning ? ["more port_bits"] : [])].join(", ")}, or reach: hops`,
      );
    return;
  }
  const most = mostChangedHops(map);
  if (reach === "any" ? most > 0 : most === map.hops.length) return;
  fail(
    CODES.controlBits,
    place,
    `${fieldBits} control bits of ${field} are too few: no change of them moves all flows at more than ${most} of the ${map.hops.length} hops ${names(map)}`,
    `write ${others.join(", or ")}${reach === "any" ? "" : "; with reach: any hosts use the changes that move most hops"}`,
  );
}

function names({ hops }: Pathmap): string {
  return hops.map(({ hop }) => hop).join(", ");
}

/** A field of which hosts use more bits; undefined: there is none. */
function widerThan(bits: number): string | undefined {
  const most = controlBits("vlan", 0).fieldBits;
  return bits < most ? `a field with more bits, for example vlan (${most})` : undefined;
}

function checkPortRanges({ port_ranges: ranges, port_bits: bits }: RepacParameters, locate: Locate): void {
  const block = 2 ** bits;
  for (const [i, [from, to]] of ranges.entries()) {
    const place = locate(["port_ranges", i]) ?? locate(["port_ranges"]);
    if (to < from)
      fail(
        CODES.portRanges,
        place,
        `the range of source ports from ${from} to ${to} is empty`,
        `write [${to}, ${from}]`,
      );
    if (from % block !== 0 || (to + 1) % block !== 0)
      fail(
        CODES.portRanges,
        place,
        `the source ports from ${from} to ${to} are no whole blocks of ${block}: with port_bits: ${bits} a planner needs all values of the low ${bits} bits`,
        `write [${Math.ceil(from / block) * block}, ${Math.max(1, Math.floor((to + 1) / block)) * block - 1}]`,
      );
    for (const [j, [first, last]] of ranges.slice(0, i).entries())
      if (from <= last && first <= to)
        fail(
          CODES.portRanges,
          place,
          `the source ports from ${from} to ${to} collide with those of range ${j + 1}, from ${first} to ${last}`,
          "a flow could get the port of another one: write ranges without common ports",
        );
  }
}
