/** The record of a flow of a timeline on a testbed, from the events of an agent that the test plays. */
import { expect, it } from "vitest";
import type { TimelineFlow } from "../../../../src/fabric/experiment/kinds/timeline/flows.js";
import { record, TIMELINE_ON_TESTBED } from "../../../../src/fabric/experiment/kinds/timeline/on-testbed.js";
import { AgentFlow } from "../../../../src/fabric/testbed/index.js";

const MS = 1_000_000;
const START = 5000 * MS;
const flow = { start: 0, clientPort: 40_000, port: 5001, bytes: undefined } as TimelineFlow;
const TCP = {
  ...{ rttUs: 1, rttVarUs: 1, minRttUs: 1, rtoUs: 1, sendMss: 200, congestionWindow: 1 },
  ...{ retransmissions: 14, bytesRetransmitted: 2800, kernelTimeouts: 14 },
};

/** The record of a flow whose agent reports `reported` timeouts, and has counted `counted` at the end. */
async function recorded(reported: number, counted: number, recovers: boolean) {
  const real: AgentFlow = new AgentFlow({ to: 1n, ipVersion: 4, port: 5001 }, () =>
    real.take({
      ...{ event: "finished", id: 1, atNs: START + 13_000 * MS, stopped: true, bytes: 13_200 },
      ...{ fctNs: 13_000 * MS, timeouts: counted, tcp: TCP },
    }),
  );
  const finish = record(flow, real, START, 100 * MS);
  for (let attempt = 1; attempt <= reported; attempt++) {
    const atNs = START + (1000 + 100 * attempt) * MS;
    real.take({ event: "timeout", id: 1, atNs, attempt, selectors: [0] });
  }
  const atNs = START + 9000 * MS;
  const times = { atNs, triedAtNs: atNs, attempts: reported, selector: 0 };
  if (recovers) real.take({ event: "recovered", id: 1, ...times });
  return await finish();
}

it("has the outages that the agent reported", async () => {
  expect(await recorded(3, 3, true)).toMatchObject({
    bytes: 13_200,
    broken: undefined,
    outages: [{ from: 1000 * MS, firstTimeout: 1100 * MS, to: 9000 * MS, timeouts: 3 }],
  });
  expect(await recorded(0, 0, false)).toMatchObject({ broken: undefined, outages: [] });
});

it("says that they are not known where the agent counted more timeouts than it reported", async () => {
  const { broken } = await recorded(0, 14, false);
  expect(broken).toBe("14 timeouts, of which the host reported 0: the outages of this flow are not known");
  expect((await recorded(2, 3, true)).broken).toContain("reported 2");
});

it("names such a flow in a warning, and no other", async () => {
  const node = (name: string) => ({ name }) as TimelineFlow["from"];
  const named = { ...flow, from: node("host0-0-0"), to: node("host0-1-0") };
  const records = [await recorded(3, 3, true), await recorded(0, 14, false)];
  const series = {
    scheme: { title: "CONGA" },
    records: records.map((one) => ({ ...one, flow: named })),
  } as unknown as Parameters<typeof TIMELINE_ON_TESTBED.warnings>[0][number];
  expect(TIMELINE_ON_TESTBED.warnings([series])).toEqual([
    "CONGA: the flow host0-0-0 to host0-1-0, port 40000: 14 timeouts, of which the host reported 0: the outages of this flow are not known.",
  ]);
});
