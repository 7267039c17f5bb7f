/** P-ECMP's updates (section 3.4) while packets are lost, switches restart and the controller is killed: every flow ends. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadOf, play } from "./play.js";

/** Two leaves go out of service at 4 ms and come back at 9 ms, while hosts of four racks send. */
function text(faults: readonly string[]): string {
  return `
topology:
  kind: leaf_spine
  tors: 4
  leaves: 4
  homing: dual
  hosts_per_rack: 2
  host_link: { rate: 2Gbps, delay: 10us }
  fabric_link: { rate: 2Gbps, delay: 10us }
schemes:
  - { scheme: pecmp, version_bit: overall, offsets: primes, update: { mode: transaction, drain: 1ms } }
commands:
  - { at: 4ms, scheme: pecmp, command: update, without: [leaf0-1] }
  - { at: 9ms, scheme: pecmp, command: update }
load: 0.7
traffic: { ip: 4, sizes: hadoop, pattern: all_to_all, duration: 12ms }
drain: 500ms
transport: { congestion_control: dctcp, segment_bytes: 1440, rto_margin: 5ms, rto_initial: 10ms }
control_channel: { delay: 100us }
queues: { packets: 250, ecn_threshold: 40 }
faults:
${faults.map((fault) => `  - ${fault}`).join("\n")}
`;
}

const ms = (tenths: number) => `${(tenths / 10).toFixed(1)}ms`;
interface AnyFault {
  element: string;
  at: number;
  length: number;
  loss: number;
}
const CONTROLLER = "controller: update";

/** A switch that restarts or loses packets, or a controller that is killed and started again. */
const anyFault: fc.Arbitrary<AnyFault> = fc.record({
  element: fc.constantFrom(
    "switch: leaf0-0",
    "switch: leaf0-2",
    "switch: leaf0-3",
    "switch: tor0-1",
    CONTROLLER,
  ),
  at: fc.integer({ min: 20, max: 100 }),
  length: fc.integer({ min: 2, max: 40 }),
  loss: fc.constantFrom(0, 5, 30, 100),
});

function linesOf({ element, at, length, loss }: AnyFault): string[] {
  const [from, to] = [`at: ${ms(at)}`, `at: ${ms(at + length)}`];
  if (element === CONTROLLER)
    return [`{ ${from}, ${element}, kind: kill }`, `{ ${to}, ${element}, kind: restart }`];
  const what = loss === 0 ? "kind: kill" : `loss: ${loss}%`;
  return [`{ ${from}, until: ${ms(at + length)}, ${element}, ${what} }`];
}

/** Numbers of flows, and of those that have not ended. */
async function flowsUnder(faults: readonly AnyFault[], seed: number) {
  const [outcome] = await play(loadOf(text(faults.flatMap(linesOf))), seed);
  return { started: outcome!.started, openAtEnd: outcome!.openAtEnd };
}

describe("an update", () => {
  it("leaves no flow behind where a leaf is dark for less than a timeout", async () => {
    for (const seed of [2, 3]) {
      const dark = { element: "switch: leaf0-2", at: 44, length: 8, loss: 100 };
      expect((await flowsUnder([dark], seed)).openAtEnd).toBe(0);
    }
  }, 60_000);

  it("leaves no flow behind, whatever is lost, restarts or is killed meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyFault, { minLength: 1, maxLength: 4, selector: ({ element }) => element }),
        fc.integer({ min: 1, max: 1000 }),
        async (faults, seed) => {
          const { started, openAtEnd } = await flowsUnder(faults, seed);
          expect(started).toBeGreaterThan(50);
          expect(openAtEnd).toBe(0);
        },
      ),
      { numRuns: 8 },
    );
  }, 120_000);
});
