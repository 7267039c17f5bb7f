/** Clove's weights and choices against a model that works them out anew from a trace: drawn marks and flowlets, and a transfer over two relays of which one marks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../src/base/index.js";
import { type HostPolicy, type PathChooser, restingHost } from "../../src/fabric/hosts/index.js";
import { WeightedPaths } from "../../src/fabric/schemes/clove/weighted-paths.js";
import { SCHEMES } from "../../src/fabric/schemes/index.js";
import { pairOfHosts } from "../fabric/sim/packet/relay.js";
import { markCe } from "../fabric/sim/tcp/script.js";
import { type CloveRules, type Mark, mayTake, weightsAfter } from "../models/clove.js";

const event = fc.record({
  /** -1: a flowlet; otherwise a mark of this path. */
  path: fc.integer({ min: -1, max: 5 }),
  later: fc.integer({ min: 0, max: 60 }),
});

const rules = fc.record({
  paths: fc.integer({ min: 1, max: 6 }),
  relay: fc.integer({ min: 0, max: 100 }),
  memory: fc.integer({ min: 0, max: 200 }),
  reduction: fc.constantFrom(1 / 3, 0.5, 0.9),
});

/** Plays events; every choice must be one of the model's, every weight the model's. */
function replay(events: readonly { readonly path: number; readonly at: number }[], own: CloveRules): void {
  const selectors = Array.from({ length: own.paths }, (_, path) => 3 * path + 1);
  const paths = new WeightedPaths(selectors, {
    feedback: "ecn",
    relayNs: own.relay,
    memoryNs: own.memory,
    reduction: own.reduction,
  });
  const marks: Mark[] = [];
  const history: { weights: number[]; path: number }[] = [];
  for (const { path, at } of events) {
    if (path >= own.paths) continue;
    if (path >= 0) {
      marks.push({ path, at });
      paths.report(selectors[path]!, at);
    } else {
      const weights = weightsAfter(marks, own);
      const allowed = mayTake(history, weights);
      const taken = selectors.indexOf(paths.next(new Random(1)));
      expect(allowed).toContain(taken);
      history.push({ weights, path: taken });
    }
    for (const [i, weight] of weightsAfter(marks, own).entries())
      expect(paths.weights[i]).toBeCloseTo(weight, 9);
  }
  // Their sum stays 1, and no path is owed a flowlet or more.
  expect([...paths.weights].reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 9);
}

describe("clove", () => {
  it("has the weights and takes the paths of the model, for drawn marks and flowlets", () => {
    fc.assert(
      fc.property(rules, fc.array(event, { maxLength: 60 }), (own, events) => {
        let at = 0;
        replay(
          events.map(({ path, later }) => {
            at += later;
            return { path, at };
          }),
          own,
        );
      }),
      { numRuns: 200 },
    );
  });

  it("chooses as the model does in a transfer over two relays of which one marks, by the trace of its packets", () => {
    const rtt = 1e6;
    const clock = { ns: () => 0, now: () => clock.ns(), at: () => () => {} };
    const trace: { at: number; sent?: number; mark?: number }[] = [];
    const watched = (policy: HostPolicy): HostPolicy => ({
      ...policy,
      nic: (_flow, selector, nics) => selector % nics,
      open: (...ends) => {
        const inner = policy.open(...ends);
        const chooser: PathChooser = {
          get selector() {
            return inner.selector;
          },
          selectorFor: (segment) => {
            const sent = inner.selectorFor!(segment);
            trace.push({ at: segment.nowNs, sent });
            return sent;
          },
          onTimeout: (attempt) => inner.onTimeout(attempt),
          onData: (marks, duplicate) => inner.onData(marks, duplicate),
          onAck: (marks) => {
            if (marks.marked === true) trace.push({ at: clock.now(), mark: marks.echo });
            inner.onAck(marks);
          },
        };
        return chooser;
      },
    });
    const own = { paths: 2, relay: rtt / 2, memory: rtt, reduction: 1 / 3 };
    const description = {
      kind: "clove",
      feedback: "ecn",
      gapNs: rtt / 10,
      relayNs: own.relay,
      memoryNs: own.memory,
      reduction: own.reduction,
      masks: false,
      hosts: [
        ["a000001", "20010db8000000000000000000000001"],
        ["a000002", "20010db8000000000000000000000002"],
      ],
      ipv4: [
        [[], [0, 1]],
        [[0, 1], []],
      ],
      ipv6: [
        [[], [0, 1]],
        [[0, 1], []],
      ],
    };
    const make = () => SCHEMES["clove"]!.hosts(description, { ...restingHost("h", 2), clock });
    const net = pairOfHosts([
      watched(make()),
      { ...make(), nic: (_flow, selector, nics) => selector % nics },
    ]);
    clock.ns = () => net.network.simulation.now;
    // The second relay marks each segment of data that passes it, as a full queue would.
    net.network.observer = (channel, frame) => {
      if (channel.target !== net.b || channel.source !== net.relays[1] || frame[23] !== 6) return;
      if ((frame[15]! & 3) !== 2) return;
      markCe(frame);
    };
    const [sender] = net.connect({ windowSegments: 3 });
    for (let burst = 0; burst < 60; burst++) {
      sender.send(300);
      net.network.simulation.run(net.network.simulation.now + 1.7 * rtt);
    }
    expect(sender.bytesAcknowledged).toBe(60 * 300);

    const marks: Mark[] = [];
    // The chooser took its first path when it was opened.
    const history = [{ weights: [0.5, 0.5], path: trace[0]!.sent! }];
    let [sentAt, path] = [0, trace[0]!.sent!];
    let flowlets = 0;
    for (const { at, sent, mark } of trace) {
      if (mark !== undefined) marks.push({ path: mark, at });
      if (sent === undefined) continue;
      if (at - sentAt > description.gapNs) {
        flowlets++;
        const weights = weightsAfter(marks, own);
        expect(mayTake(history, weights)).toContain(sent);
        history.push({ weights, path: sent });
        path = sent;
      }
      expect(sent).toBe(path);
      sentAt = at;
    }
    expect(flowlets).toBeGreaterThan(40);
    expect(marks.length).toBeGreaterThan(5);
    // The relay that marks has got less and less.
    const late = history.slice(-30).filter((one) => one.path === 1);
    expect(late.length).toBeLessThan(6);
  });
});
