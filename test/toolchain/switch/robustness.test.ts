/** Any bytes on any port: no program falls over, and the same bytes give the same output. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/index.js";
import { runs } from "../../fuzz-seed.js";
import { goldenJson, type Stimulus, startGolden } from "./golden.js";

const PROGRAMS = [
  "l3",
  "parse",
  "control",
  "memory",
  "cpu",
  "replicate",
  "queue",
  "hash",
  "selector",
  "arith_misc",
];

describe.each(PROGRAMS)("%s", (name) => {
  const recorded = goldenJson<Stimulus[]>(name, "packets.json");
  /** Pure noise, or a good frame with some bytes changed and its end cut. */
  const frame = fc.oneof(
    fc.uint8Array({ maxLength: 120 }).map(toHex),
    fc
      .record({
        pick: fc.nat(recorded.length - 1),
        changes: fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 4 }),
        length: fc.nat(200),
      })
      .map(({ pick, changes, length }) => {
        let hex = recorded[pick]!.in.hex;
        for (const [at, value] of changes)
          if (2 * at < hex.length)
            hex = hex.slice(0, 2 * at) + value.toString(16).padStart(2, "0") + hex.slice(2 * at + 2);
        return hex.slice(0, 2 * length);
      }),
  );

  it("takes any frames, twice with the same result", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(511), frame), { maxLength: 30 }), async (frames) => {
        const [one, two] = [await startGolden(name), await startGolden(name)];
        for (const [port, hex] of frames) expect(one.play(port, hex)).toEqual(two.play(port, hex));
        const { received, transmitted } = one.device.stats;
        expect(received).toBe(frames.length);
        expect(transmitted).toBeGreaterThanOrEqual(0);
      }),
      runs(30),
    );
  });
});
