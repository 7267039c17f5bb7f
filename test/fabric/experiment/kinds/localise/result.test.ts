/** How a finding counts: against one failed element, and against two. */
import { expect, it } from "vitest";
import { resultOf, resultsOf } from "../../../../../src/fabric/experiment/kinds/localise/result.js";
import type { Finding, NetworkElement } from "../../../../../src/fabric/paths/index.js";

const [a, b, c] = [1, 2, 3].map(
  (number): NetworkElement => ({ kind: "link", name: `l${number}`, number }),
) as [NetworkElement, NetworkElement, NetworkElement];
/** The same number, but another element. */
const switchOne: NetworkElement = { kind: "switch", name: "s1", number: 1 };
const named = (...elements: NetworkElement[]): Finding => ({ kind: "named", elements, pairs: [] });
const pairs = (...sets: [NetworkElement, NetworkElement][]): Finding => ({
  kind: "several",
  sets: sets.map((elements) => ({ elements, confidence: 1 / sets.length })),
});

it.each([
  [{ kind: "open" }, [a], "unnamed"],
  [named(a), [a], "right"],
  [named(a, b), [a], "set"],
  [named(b), [a], "wrong"],
  [named(switchOne), [a], "wrong"],
  [pairs([a, b]), [a], "several"],
  [{ kind: "open" }, [a, b], "unnamed"],
  [pairs([b, a]), [a, b], "right"],
  [pairs([a, c], [a, b]), [a, b], "set"],
  [pairs([a, c]), [a, b], "wrong"],
  [named(a), [a, b], "part"],
  [named(c), [a, b], "wrong"],
  [{ kind: "named", elements: [c], pairs: [[a, b]] }, [a, b], "set"],
] satisfies [Finding, NetworkElement[], string][])("%j of %j is %s", (finding, failed, result) => {
  expect(resultOf(finding, failed)).toBe(result);
  expect(resultsOf(failed.length)).toContain(result);
});
