/** P4TE's event rules, path choice and FACKs on the embedded switch; `test/parity` plays the same scenarios on BMv2. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { ManualClock } from "../../../toolchain/switch/golden.js";
import { byPort, scenarios } from "./scenarios.js";

describe("P4TE's programs", () => {
  it.each(scenarios())("$name", async ({ role, plan, updates, packets, queueRate, sent }) => {
    const text = renderProgram(templates, plan.programs.find(({ name }) => name === role)!);
    const diagnostics = new Diagnostics();
    const result = compile({ file: new SourceFile(`${role}.p4`, text) }, diagnostics);
    diagnostics.throwIfErrors();
    const clock = new ManualClock();
    const out: { port: number; frame: Uint8Array }[] = [];
    const device = new Switch(undefined, {
      clock,
      seed: 1,
      transmit: (port, frame) => out.push({ port, frame: Uint8Array.from(frame) }),
      queue: {},
    });
    await device.load(result!.program);
    await device.write(updates);
    if (queueRate !== undefined) await device.settings.setQueueRate(queueRate.pps, { port: queueRate.port });
    clock.advance(1_000_000);
    for (const { port, frame } of packets) device.receive(port, Uint8Array.from(frame));
    clock.advance(10_000_000);
    expect(byPort(out)).toEqual(byPort(sent));
  });
});
