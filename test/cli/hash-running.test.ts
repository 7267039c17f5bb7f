/** `p4loom hash linear --switch`: a switch over gRPC, probed as a user does it. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { hashSettings } from "../../src/cli/hash/hash-options.js";
import { linearOfSwitch } from "../../src/cli/hash/running.js";
import { type P4RuntimeServer, serve } from "../../src/toolchain/p4runtime/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { leafOf } from "../fabric/schemes/repac/leaf.js";

const leaf = leafOf("csum16");
const settings = hashSettings({
  input: "ipv4",
  group: "8",
  tests: "1",
  samples: "1000",
  seed: "1",
  tiers: "1",
  maxBits: "8",
  after: "0",
  draws: "0",
  field: "dscp",
  probes: "50",
  deviceId: "1",
  set: [],
});
let server: P4RuntimeServer;

beforeAll(async () => {
  const device = new Switch(undefined, {
    name: "leaf",
    clock: { now: () => 0, at: () => () => {} },
    seed: 1,
    cpuPort: 510,
    transmit: () => {},
  });
  await device.load(leaf.program);
  await device.write(leaf.updates);
  server = await serve(device, { address: "127.0.0.1:0" });
});
afterAll(() => server.close());

it("finds the choices of a switch, their offsets, and the one that is not linear", async () => {
  const report = await linearOfSwitch(server.address, settings);
  const rows = report.json as { route: string; ports: number[]; linear: boolean; offsets: number[] }[];
  expect(rows.map(({ route, ports, linear }) => [route, ports, linear])).toEqual([
    ["10.0.0.0/24", [1, 2], true],
    ["10.0.1.0/24", [3, 4], true],
    ["0.0.0.0/0", [5, 6, 7, 8], false],
  ]);
  const down = leaf.map.hops.find(({ hop }) => hop === "leaf down")!;
  // Bits of the source port, then of the field; the planner uses the low six of the sixteen.
  const probed = [...rows[0]!.offsets.slice(0, 6), ...rows[0]!.offsets.slice(16)];
  expect(probed).toEqual(down.offsets.map((offset) => offset % 2));
});
