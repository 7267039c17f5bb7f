/** Probes that cross two elements, counted once each, are those that a count of all probes finds. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { PairCounts } from "../../../src/fabric/paths/pair-counts.js";
import { ProbeRecord } from "../../../src/fabric/paths/probe-record.js";

const ELEMENTS = 6;

/** Links are elements here; a link that a probe crosses twice counts once. */
const placesOf = (links: ArrayLike<number>, out: Int32Array): number => {
  const places = [...new Set(Array.from(links))];
  out.set(places);
  return places.length;
};

const probe = fc.record({
  links: fc.array(fc.nat(ELEMENTS - 1), { maxLength: 5 }),
  arrived: fc.boolean(),
});
const pair = fc.tuple(fc.nat(ELEMENTS - 1), fc.nat(ELEMENTS - 1));
/** Probes, then a call for these pairs. */
const rounds = fc.array(fc.tuple(fc.array(probe, { maxLength: 12 }), fc.array(pair, { maxLength: 4 })), {
  maxLength: 8,
});

it("counts the same however the calls divide the probes and the pairs", () => {
  fc.assert(
    fc.property(rounds, (drawn) => {
      const record = new ProbeRecord();
      const counts = new PairCounts(ELEMENTS, record, placesOf);
      const all: { links: number[]; arrived: boolean }[] = [];
      for (const [probes, pairs] of drawn) {
        for (const one of probes) {
          record.add(one.links, one.arrived);
          all.push(one);
        }
        const expected = pairs.map(([a, b]) => {
          const both = all.filter(({ links }) => links.includes(a) && links.includes(b));
          return { sent: both.length, lost: both.filter(({ arrived }) => !arrived).length };
        });
        expect(counts.of(pairs)).toEqual(expected);
      }
    }),
  );
});
