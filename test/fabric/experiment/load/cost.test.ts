/** What drawn traffic costs, against what its workload then gives; and the limit. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { loadOf, read } from "./play.js";

const HEAD =
  "topology: { kind: leaf_spine, tors: 4, leaves: 4, homing: single, hosts_per_rack: 4, host_link: { rate: 10Gbps, delay: 1us } }\nschemes: [ecmp]\n";
const refused = (rest: string) => read(HEAD + rest).messages.join("\n");

describe("the cost of traffic", () => {
  it.each([
    ["load: 0.5\ntraffic: { sizes: { fixed: 1 }, duration: 100ms }\n", /1 billion flows of 1 byte on/],
    ["load: 0.5\ntraffic: { sizes: { fixed: 1 }, flows: 20000000 }\n", /20 million flows/],
    ["load: 1\ntraffic: { sizes: { fixed: 100GB }, flows: 100 }\n", /100 flows of 100 billion bytes/],
    [
      "load: 0.5\ntraffic: { duration: 1s, mix: [{ share: 0.5, sizes: web_search }, { share: 0.5, sizes: { fixed: 10 } }] }\n",
      /500 million flows/,
    ],
    [
      "traffic: { sizes: { fixed: 20KB }, flows: 30000000, pattern: { requests: { fan_out: 2, loop: { outstanding: 1, think: 0s } } } }\n",
      /30 million flows/,
    ],
  ])("is above the limit: %s", (rest, words) => {
    const text = refused(rest);
    expect(text).toContain("error[P43066]");
    expect(text).toMatch(words);
    expect(text).toContain("the limits are 10 million flows and 5 billion data packets");
  });

  it("names the key that ends the traffic", () => {
    const sized = "load: 0.5\ntraffic: { sizes: { fixed: 1 }, ";
    expect(refused(`${sized}flows: 20000000 }\n`)).toMatch(/check the units of `sizes` .*, and of `flows`/);
    expect(refused(`${sized}duration: 1s }\n`)).toMatch(/check the units of `sizes` .*, and of `duration`/);
    const mixed = "traffic: { flows: 20000000, mix: [{ share: 1, sizes: { fixed: 10 } }] }\n";
    expect(refused(`load: 0.5\n${mixed}`)).toMatch(/^l\.yaml:5:19: error/);
  });

  it.each([
    "load: 0.5\ntraffic: { sizes: { fixed: 1 }, flows: 10000000 }\n",
    "load: 0.5\ntraffic: { sizes: web_search, duration: 1s }\n",
    "traffic: { sizes: { fixed: 20KB }, duration: 1s, pattern: { requests: { fan_out: 2, loop: { outstanding: 1, think: 1ms } } } }\n",
  ])("is within it: %s", (rest) => {
    expect(refused(rest)).toBe("");
  });

  it("is what the workload gives", () => {
    const { traffic } = loadOf(
      `${HEAD}load: 0.5\ntraffic: { duration: 20ms, mix: [{ share: 0.7, sizes: { uniform: [10KB, 50KB] } }, { share: 0.3, sizes: { fixed: 2KB } }] }\n`,
    );
    const workload = traffic.workload(new Random(3));
    let [flows, bytes] = [0, 0];
    for (let flow = workload.next(); flow !== undefined; flow = workload.next()) {
      flows++;
      bytes += flow.bytes;
    }
    expect(flows / traffic.cost!.flows).toBeCloseTo(1, 1);
    expect(bytes / traffic.cost!.bytes).toBeCloseTo(1, 1);
  });
});
