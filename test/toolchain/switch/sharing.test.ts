/** Switches that run one program share its code, but none of their state. */
import { describe, expect, it } from "vitest";
import type { Bmv2Program } from "../../../src/toolchain/program/index.js";
import { createP4Info } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { goldenJson, ManualClock } from "./golden.js";

describe("200 switches of one program", () => {
  const program = { bmv2: goldenJson<Bmv2Program>("l3", "l3.json"), p4info: createP4Info() };
  const devices = Array.from(
    { length: 200 },
    () => new Switch(program, { clock: new ManualClock(), transmit: () => {} }),
  );
  const of = (device: Switch) => device.internals.instance;

  it("share its code and its P4Info", () => {
    const { specialised, p4 } = of(devices[0]!);
    expect(new Set(devices.map((device) => of(device).specialised)).size).toBe(1);
    expect(new Set(devices.map((device) => of(device).specialised.code)).size).toBe(1);
    expect(new Set(devices.map((device) => of(device).p4)).size).toBe(1);
    expect(specialised.program).toBe(program.bmv2);
    expect(p4.tables.list).toEqual([]);
  });

  it("have tables and packets of their own", () => {
    const [one, two] = devices as [Switch, Switch];
    expect(new Set(devices.map((device) => device.internals.forwarder.state.phv)).size).toBe(200);
    one.apply([
      {
        type: "insert",
        entity: {
          kind: "multicastGroup",
          groupId: 1,
          replicas: [{ port: 1, instance: 1 }],
        },
      },
    ]);
    expect(one.query([{ kind: "multicastGroup" }])).toHaveLength(1);
    expect(two.query([{ kind: "multicastGroup" }])).toEqual([]);
  });

  it("do not share with the same program read again", () => {
    const again = { bmv2: goldenJson<Bmv2Program>("l3", "l3.json"), p4info: program.p4info };
    const other = new Switch(again, { clock: new ManualClock(), transmit: () => {} });
    expect(of(other).specialised).not.toBe(of(devices[0]!).specialised);
    expect(of(other).p4).not.toBe(of(devices[0]!).p4);
  });
});
