import { expect, test } from "vitest";
import { isTransient } from "../../tools/figures/pages/rivals.js";

const warning = (point: string, scheme = "LetFlow") =>
  `${point}: ${scheme}: the run ends in the transient: receivers get 80 % of the payload`;
const slow = { scheme: "letflow", load: 0.7, "topology.links.0.rate": "5Gbps" };

test("a row is marked by the warning of its own point, fabric and scheme alone", () => {
  const own = warning("faults: [], topology.links.0.rate: 5Gbps, load: 0.7, seed: all");
  expect(isTransient(slow, [own])).toBe(true);
  for (const [what, row, texts] of [
    ["another load", { ...slow, load: 0.5 }, [own]],
    ["another rate", { ...slow, "topology.links.0.rate": "10Gbps" }, [own]],
    ["another scheme", { ...slow, scheme: "ecmp" }, [own]],
    ["a fault, where the warning has none", { ...slow, "faults.0.loss": "1%" }, [own]],
    ["no fault, where the warning has one", slow, [own.replace("faults: []", "faults.0.loss: 1%")]],
    ["another warning", slow, [own.replace("the run ends in the transient", "the mean has not converged")]],
    ["no warning", slow, []],
  ] as const)
    expect(isTransient(row, texts), what).toBe(false);
});

test("a row of other traffic is marked by the warning of that traffic alone", () => {
  const traffic = { sizes: { fixed: 31250 }, pattern: { stride: 4 } };
  const row = { scheme: "spray", traffic, "topology.links.0.rate": "5Gbps" };
  const of = (value: object) =>
    warning(`faults: [], topology.links.0.rate: 5Gbps, traffic: ${JSON.stringify(value)}`, "Spraying");
  expect(isTransient(row, [of(traffic)])).toBe(true);
  expect(isTransient(row, [of({ ...traffic, pattern: "all_to_all" })])).toBe(false);
});
