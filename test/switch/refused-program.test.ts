/** Programs that the switch cannot run are refused with what and why, before anything changes. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { createP4Info, readBmv2 } from "../../src/program/index.js";
import { Switch } from "../../src/switch/index.js";
import { ManualClock, startUnconfigured } from "./golden.js";

const bad = resolve(import.meta.dirname, "../bad/switch");

describe("a program that the switch cannot run", () => {
  it("is refused for its size before anything is made", () => {
    const text = readFileSync(resolve(bad, "P41102-too-many-registers.json"), "utf8");
    const bmv2 = readBmv2(new SourceFile("big.json", text), new Diagnostics())!;
    const options = { clock: new ManualClock(), transmit: () => {} };
    expect(() => new Switch({ bmv2, p4info: createP4Info() }, options)).toThrow(/P41102.*2048 MB.*1024 MB/);
  });

  it("is refused with what and why, and the one before stays", async () => {
    const diagnostics = new Diagnostics();
    const text = readFileSync(resolve(bad, "P41101-unknown-primitive.json"), "utf8");
    const bmv2 = readBmv2(new SourceFile("bad.json", text), diagnostics)!;
    const program = { bmv2, p4info: createP4Info() };
    expect(() => new Switch(program, { clock: new ManualClock(), transmit: () => {} })).toThrow(
      /P41101.*action a.*primitive sing/,
    );
    const { device } = startUnconfigured("l3");
    const before = device.program;
    await expect(device.load(program)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(device.verify(program)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(device.program).toBe(before);
  });
});
