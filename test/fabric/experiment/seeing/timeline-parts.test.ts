/** The parts of a recording by themselves: bins that grow, lists that end, paths of data. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignBins, Bins, EventLog } from "../../../../src/fabric/experiment/seeing/timeline/event-log.js";
import { FlowPath } from "../../../../src/fabric/experiment/seeing/timeline/flow-table.js";

const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);

describe("bins", () => {
  const span = fc.tuple(fc.nat(1_000_000), fc.nat(50_000), fc.nat(1000));

  it("keep every amount, at its time, however long the run becomes", () => {
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 20 }), (spans) => {
        const bins = new Bins(1, 16, "sum");
        for (const [from, length, amount] of spans) bins.add(0, from, from + length, amount);
        const end = Math.max(...spans.map(([from, length]) => from + length)) + 1;
        const values = bins.of(0, end);
        expect(sum(values)).toBeCloseTo(sum(spans.map(([, , amount]) => amount)), 6);
        // What came before the border of a bin stands before it; what lies on both sides is divided evenly.
        for (let border = 1; border < values.length; border++) {
          const at = border * bins.binNs;
          const before = spans.map(([from, length, amount]) => {
            if (length === 0) return from < at ? amount : 0;
            return (amount * Math.max(0, Math.min(from + length, at) - from)) / length;
          });
          expect(sum(values.subarray(0, border))).toBeCloseTo(sum(before), 4);
        }
      }),
    );
  });

  it("keep the greatest value of each bin", () => {
    const bins = new Bins(2, 4, "max");
    bins.raise(0, 0, 1024, 5);
    bins.raise(0, 2048, 2048, 9);
    bins.raise(0, 3000, 9000, 3);
    expect(bins.binNs).toBe(4096);
    expect([...bins.of(0, 9001)]).toEqual([9, 3, 3]);
    expect([...bins.of(1, 9001)]).toEqual([0, 0, 0]);
  });

  it("get one length", () => {
    const [short, long] = [new Bins(1, 4, "sum"), new Bins(1, 4, "sum")];
    short.add(0, 1500, 1500, 1);
    long.add(0, 30_000, 30_000, 1);
    alignBins([short, long], 20_000);
    expect([short.binNs, long.binNs]).toEqual([8192, 8192]);
    expect([...short.of(0, 20_000)]).toEqual([1, 0, 0]);
  });
});

describe("the list of events", () => {
  it("ends at its limit, counts what comes after, and says so", () => {
    const log = new EventLog(8, 2);
    for (const at of [10, 20, 30, 5000]) log.add({ at, kind: "timeout", text: "t" });
    log.add({ at: 15, kind: "write", text: "w" });
    expect(log.listed().map(({ at }) => at)).toEqual([10, 15, 20]);
    expect([...log.counts(6000).timeout!]).toEqual([3, 0, 0, 0, 1, 0]);
    expect(log.notes()).toEqual([
      'The first 2 events of the kind "timeout" are listed; 2 later ones are only counted.',
    ]);
  });

  it("joins what comes again soon at the same place", () => {
    const log = new EventLog(8, 2);
    for (const at of [0, 50, 100, 101]) log.addJoined({ at, kind: "drop", text: "d", node: 1 }, 100);
    log.addJoined({ at: 102, kind: "drop", text: "d", node: 2 }, 100);
    log.addJoined({ at: 103, kind: "drop", text: "d", node: 2, count: 4 }, 100);
    expect(log.listed()).toEqual([
      { at: 0, kind: "drop", text: "d", node: 1, count: 3 },
      { at: 101, kind: "drop", text: "d", node: 1 },
    ]);
    expect(log.notes()[0]).toContain("; 5 later ones");
    expect(sum(log.counts(200).drop!)).toBe(9);
  });
});

describe("the path of a flow", () => {
  // Nodes 0 to 5: 0 - 1, then by 2 or by 3 to 4, then 5. Directed links by their ends.
  const links = ["01", "12", "24", "13", "34", "45"];
  const at = (name: string) => links.indexOf(name);
  const ends = {
    from: (direction: number) => Number(links[direction]![0]),
    to: (direction: number) => Number(links[direction]![1]),
  };
  const names = (path: FlowPath) =>
    path.paths.map(([time, hops]) => [time, hops.map((one) => links[one]).join(" ")]);

  it("is known when its first data arrive, and changes where later data leave it", () => {
    const path = new FlowPath(ends, 5);
    for (const [i, hop] of ["01", "12", "24", "45"].entries()) path.arrived(at(hop), i);
    expect(names(path)).toEqual([[0, "01 12 24 45"]]);
    expect(path.arrived(at("01"), 10)).toBeUndefined();
    expect(path.arrived(at("13"), 11)).toBe(1);
    expect(path.arrived(at("34"), 12)).toBeUndefined();
    path.arrived(at("45"), 13);
    expect(names(path)).toEqual([
      [0, "01 12 24 45"],
      [11, "01 13 34 45"],
    ]);
    expect(path.moves).toBe(1);
  });

  it("takes no link of data that are still on the old way", () => {
    const path = new FlowPath(ends, 5);
    for (const hop of ["01", "12", "24", "45", "01", "12", "01", "13", "24", "34", "45"])
      path.arrived(at(hop), 0);
    expect(names(path).map(([, hops]) => hops)).toEqual(["01 12 24 45", "01 13 34 45"]);
  });

  it("keeps 32 paths, and counts all changes", () => {
    const path = new FlowPath(ends, 5);
    for (let i = 0; i < 50; i++)
      for (const hop of i % 2 === 0 ? ["01", "12", "24", "45"] : ["01", "13", "34", "45"])
        path.arrived(at(hop), i);
    expect(path.paths).toHaveLength(32);
    expect(path.moves).toBe(49);
  });
});
