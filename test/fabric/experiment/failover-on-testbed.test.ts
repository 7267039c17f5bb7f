/** Failover runs on real switches, up to what the agents are told: the flows are predicted on a model of the switches. */
import { describe, expect, it } from "vitest";
import { FAILOVER_ON_TESTBED } from "../../../src/fabric/experiment/kinds/failover/on-testbed.js";
import type { Series } from "../../../src/fabric/experiment/kinds/failover/results.js";
import type { TestbedStage } from "../../../src/fabric/experiment/kinds/kind.js";
import { experimentWith, modelFabric } from "./model-fabric.js";

const SEED = 5;

async function prepared(keys: Record<string, string>) {
  const experiment = experimentWith({ schemes: "[pecmp]", failures: "[leaf]", ...keys });
  const [scheme] = experiment.schemes;
  const boot = async () => modelFabric(experiment, scheme!);
  const state = await FAILOVER_ON_TESTBED.prepare(experiment, scheme!, SEED, boot);
  return { experiment, scheme: scheme!, state };
}
type Prepared = Awaited<ReturnType<typeof prepared>>["state"];

describe("a flow on a testbed", () => {
  it.each(["4", "6"])("is predicted with its paths, the same connection the same, IPv%s", async (ip) => {
    const { experiment, state } = await prepared({ traffic: `{ ip: ${ip} }`, selector: "dscp" });
    const [leaf] = experiment.failures;
    const uses = [0, 1, 2, 3, 4, 5].map((use) => state.predictor.run(leaf!, 0, use));
    for (const { source, destination, paths, elements } of uses) {
      expect([paths.data[0], paths.data.at(-1)]).toEqual([source, destination]);
      expect([paths.acks[0], paths.acks.at(-1)]).toEqual([destination, source]);
      expect([...paths.data, ...paths.acks]).toContain(elements[0]!.index);
    }
    expect(state.predictor.run(leaf!, 0, 1)).toEqual(uses[1]);
  });

  it.each([4, 6] as const)("goes to the address of its peer in IPv%i", async (ip) => {
    const { experiment, scheme, state } = await prepared({ traffic: `{ ip: ${ip} }`, selector: "dscp" });
    const told: { to: bigint; ipVersion: number; clientPort: number }[] = [];
    const flow = (options: (typeof told)[number]) => {
      told.push(options);
      throw new Error("enough");
    };
    const listening: number[] = [];
    const stage = {
      fabric: {
        scheme,
        run: {
          journal: { write: () => {} },
          testbed: { usage: async () => ({}) },
          stop: new AbortController().signal,
        },
        agent: async () => ({ flow }),
        listen: async (node: number) => void listening.push(node),
      },
      controllers: { start: async () => {}, stop: async () => {} },
      prepared: state,
      stepDone: async () => {},
    } as unknown as TestbedStage<Prepared>;
    const unit = { scheme, failure: experiment.failures[0]!, name: "leaf", steps: 1 };
    await expect(FAILOVER_ON_TESTBED.run(experiment, unit as never, stage)).rejects.toThrow("enough");
    const first = state.predictor.run(experiment.failures[0]!, 0, 0);
    const peer = experiment.topology.nodes[first.destination]!.host!;
    expect(listening).toEqual([first.destination]);
    expect(told).toMatchObject([
      { to: ip === 4 ? peer.ipv4 : peer.ipv6, ipVersion: ip, clientPort: first.clientPort },
    ]);
  });

  it("is no result of the network where the machine was saturated", () => {
    const load = (saturated: boolean) => ({
      load: { machine: 0.97, busiestSwitch: 0.5, hosts: 0.1, lostFrames: 3, saturated },
    });
    const warnings = (...saturated: readonly boolean[][]) =>
      FAILOVER_ON_TESTBED.warnings(
        saturated.map((runs) => ({ samples: runs.map(load) }) as unknown as Series),
      );
    expect(warnings([false, false], [false])).toEqual([]);
    expect(warnings([false, true], [true])).toEqual([
      expect.stringMatching(/^The machine was saturated in 2 of 3 runs \(machine up to 97 % busy/),
    ]);
  });
});
