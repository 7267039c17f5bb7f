/**
 * Every calculation of BMv2, over inputs of several lengths, in checksums and in selectors: recorded from
 * simple_switch. v1model has no names for most of them; the algorithms were put into the JSON.
 */
import { describe, expect, it } from "vitest";
import type { Bmv2Program } from "../../../src/toolchain/program/index.js";
import { goldenJson, goldenText, type Stimulus, startProgram } from "./golden.js";

const bmv2 = goldenJson<Bmv2Program>("calculations", "calculations.json");
const stimuli = goldenJson<Stimulus[]>("calculations", "packets.json");

async function start() {
  const started = startProgram(bmv2);
  await started.run(goldenText("calculations", "config.txt")!);
  return started;
}

describe("calculations", () => {
  it("give what simple_switch gives, packet for packet", async () => {
    const { play } = await start();
    for (const { in: input, out } of stimuli)
      expect(play(input.port, input.hex), JSON.stringify(input)).toEqual(out);
  });

  it("that count do so for each switch on its own", async () => {
    const [one, two] = [await start(), await start()];
    for (const { in: input, out } of stimuli.slice(0, 20)) {
      expect(one.play(input.port, input.hex)).toEqual(out);
      expect(two.play(input.port, input.hex)).toEqual(out);
    }
  });
});

describe("parameters of calculations", () => {
  const crc = { polynomial: 0x1021n, initial: 0n, finalXor: 0n, reflectData: false, reflectRemainder: false };

  it("are refused where they do not fit", async () => {
    const { settings } = startProgram(bmv2).device;
    await expect(settings.setCrcParameters("calc_99", 16, crc)).rejects.toThrow(
      /no calculation calc_99; it has calc, calc_0, calc_1, /,
    );
    await expect(settings.setCrcParameters("calc_15", 32, crc)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    await expect(
      settings.setCrcParameters("calc_15", 16, { ...crc, polynomial: 0x11021n }),
    ).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(settings.setToeplitzKey("calc_15", new Uint8Array(4))).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    await expect(settings.setToeplitzKey("calc_47", new Uint8Array(5))).rejects.toThrow(/4, 8, 12/);
  });
});
