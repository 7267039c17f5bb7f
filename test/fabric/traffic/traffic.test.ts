import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DiagnosticError, Random, SourceFile } from "../../../src/base/index.js";
import {
  drawClientPort,
  PairDrawer,
  type PairPattern,
  type Place,
  readSizeDistribution,
  SizeDistribution,
} from "../../../src/fabric/traffic/index.js";

const data = join(import.meta.dirname, "../..", "..", "data", "cdf");

function load(name: string) {
  const path = join(data, name);
  return readSizeDistribution(new SourceFile(path, readFileSync(path, "utf8")));
}

describe("flow size distributions", () => {
  // Means as the anchors of the generators give them: bytes.
  it.each([
    ["web_search", 1.711e6],
    ["data_mining", 12.66e6],
    ["hadoop", 120e3],
    ["hadoop_all", 569e3],
    ["web_server", 91.4e3],
    ["cache_follower", 610e3],
    ["storage", 40.9e3],
    ["rpc", 2.9e3],
    ["p4te_web_search", 55_531_520 / 113],
    ["p4te_data_mining", 36_720_640 / 160],
  ])("of the package have the mean of the source: %s", (name, mean) => {
    expect(load(`${name}.txt`).mean / mean).toBeCloseTo(1, 2);
  });

  it("scale: mean, quantiles and shares are those of the sizes, times the factor", () => {
    const sizes = load("p4te_web_search.txt");
    const eighth = sizes.scaled(0.125);
    expect(eighth.mean).toBe(sizes.mean / 8);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        expect(eighth.quantile(share)).toBe(sizes.quantile(share) / 8);
        expect(eighth.share(sizes.quantile(share) / 8)).toBe(sizes.share(sizes.quantile(share)));
      }),
    );
    expect(SizeDistribution.fixed(3).scaled(0.1).sample(new Random(1))).toBe(1);
  });

  it.each([
    ["web_search.txt", 1],
    ["web_search.txt", 1e-4],
    ["web_search.txt", 1e-7],
    ["web_search.txt", 1e-9],
    ["p4te_web_search.txt", 1e-5],
    ["rpc.txt", 0.01],
  ])("know the mean of the whole bytes that they draw: %s, times %f", (name, factor) => {
    const sizes = load(name).scaled(factor);
    const count = 200_000;
    // Stratified, so that the sum over shares is the integral.
    const draw = (i: number) => sizes.sample({ float: () => (i + 0.5) / count } as Random);
    let sum = 0;
    for (let i = 0; i < count; i++) sum += draw(i);
    expect(sizes.drawnMean / (sum / count)).toBeCloseTo(1, 2);
  });

  it("of the package are all of these, each with its source", () => {
    const names = readdirSync(data);
    expect(names.length).toBe(10);
    for (const name of names) {
      const text = readFileSync(join(data, name), "utf8");
      expect(text).toMatch(/^# .*bytes, percent of flows that are|^# .*bytes, percent of messages that are/m);
      expect(text).toMatch(/github\.com\//);
      // Kolmogorov-Smirnov: a distance above 1.95 / sqrt(n) has a probability of 0.1 %.
      const sizes = readSizeDistribution(new SourceFile(name, text));
      const random = new Random(11);
      const count = 200_000;
      const drawn = Array.from({ length: count }, () => sizes.quantile(random.float())).sort((a, b) => a - b);
      let distance = 0;
      for (const [i, bytes] of drawn.entries()) {
        // At a step of the distribution many draws are equal: only the last of them says how many there are.
        if (drawn[i + 1] === bytes) continue;
        distance = Math.max(distance, Math.abs((i + 1) / count - sizes.share(bytes)));
      }
      expect(distance, name).toBeLessThan(1.95 / Math.sqrt(count));
    }
  });

  it("give the share of the flows that are at most so large", () => {
    const sizes = readSizeDistribution(new SourceFile("x", "100 20\n300 40\n300 60\n1000 100\n"));
    expect(
      [99, 100, 200, 299.999, 300, 650, 1000, 5000].map((bytes) => Number(sizes.share(bytes).toFixed(4))),
    ).toEqual([0, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1]);
  });

  it("may be one size, or all sizes of a range, equally likely", () => {
    const random = new Random(1);
    expect([SizeDistribution.fixed(512).mean, SizeDistribution.fixed(512).sample(random)]).toEqual([
      512, 512,
    ]);
    const uniform = SizeDistribution.uniform(10, 20);
    expect(uniform.mean).toBe(15);
    const drawn = Array.from({ length: 2000 }, () => uniform.sample(random));
    expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([10, 20]);
  });

  it("have the means and quantiles that are published for them", () => {
    const webSearch = load("web_search.txt");
    expect(webSearch.mean / 1e6).toBeCloseTo(1.711, 2);
    expect(webSearch.quantile(0.53)).toBe(80_000);
    expect(webSearch.quantile(0.9)).toBe(5_000_000);
    const hadoop = load("hadoop.txt");
    expect(hadoop.mean / 1e3).toBeCloseTo(120, -1);
    expect(hadoop.quantile(0.5)).toBe(700);
    expect(hadoop.quantile(0.9)).toBe(120_000);
  });

  it("interpolate linearly", () => {
    expect(load("web_search.txt").quantile(0.125 / 2 + 0.0125)).toBeCloseTo(5000, 6);
    expect(load("web_search.txt").quantile(0.35)).toBeCloseTo(40_000, 6);
  });

  it("give samples with the distribution's mean", () => {
    const sizes = load("hadoop.txt");
    const random = new Random(7);
    let sum = 0;
    const n = 200_000;
    for (let i = 0; i < n; i++) sum += sizes.sample(random);
    expect(Math.abs(sum / n / sizes.mean - 1)).toBeLessThan(0.03);
  });

  it("interpolate between the points around a share, and stay at the first size below the first share", () => {
    const sizes = readSizeDistribution(new SourceFile("x", "100 20 # first\n\n300 40\n300 60\n1000 100\n"));
    expect(
      [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].map((share) => Math.round(sizes.quantile(share))),
    ).toEqual([100, 100, 100, 200, 300, 300, 300, 650, 1000]);
    // 20 % of 100, 20 % around 200, 20 % of 300, 40 % around 650.
    expect(sizes.mean).toBeCloseTo(20 + 40 + 60 + 260, 9);
  });

  it("give the smaller size where two sizes have one share", () => {
    const sizes = readSizeDistribution(new SourceFile("x", "100 50\n500   50\n1000 100\n"));
    expect(sizes.quantile(0.5)).toBe(100);
    expect(sizes.quantile(0.75)).toBe(750);
  });

  it("point at the line that is wrong, and say what the last share is", () => {
    const wrong = (text: string) => {
      try {
        readSizeDistribution(new SourceFile("x", text));
      } catch (error) {
        const { span, message } = (error as DiagnosticError).diagnostics[0]!;
        return [text.slice(span!.start, span!.end), message];
      }
      return undefined;
    };
    expect(wrong("10 0\n20 1 2 # x\n")).toEqual(["20 1 2 # x", 'expected "bytes percent", got "20 1 2"']);
    expect(wrong("10 0\n20 50\n")).toEqual(["20 50", "the last point must be 100 percent, got 50"]);
    expect(wrong("")).toEqual(["", "the last point must be 100 percent, got 0"]);
  });

  it("give whole sizes of at least 1 byte", () => {
    const sizes = readSizeDistribution(new SourceFile("x", "0 0\n3 100\n"));
    const random = new Random(2);
    const drawn = new Set(Array.from({ length: 400 }, () => sizes.sample(random)));
    expect([...drawn].sort()).toEqual([1, 2, 3]);
  });

  it.each([
    ["10 0\n20 fifty\n", "P42301", 2],
    ["10 0\n20 50\n15 100\n", "P42302", 3],
    ["10 0\n20 50\n30 40\n40 100\n", "P42302", 3],
    ["10 0\n20 100 5\n", "P42301", 2],
    ["10 0\n20\n", "P42301", 2],
    ["-1 0\n20 100\n", "P42301", 1],
    ["# sizes\n10 0\n20 50\n", "P42303", 3],
    ["# nothing\n", "P42303", 1],
  ])("reject %j with %s", (text, code, line) => {
    const file = new SourceFile("sizes.txt", text);
    try {
      readSizeDistribution(file);
      expect.unreachable();
    } catch (error) {
      const [diagnostic] = (error as DiagnosticError).diagnostics;
      expect(diagnostic!.code).toBe(code);
      expect(file.position(diagnostic!.span!.start).line).toBe(line);
    }
  });
});

describe("pairs", () => {
  const places: Place[] = [0, 1, 2, 3, 4, 5, 6, 7].map((host) => ({
    host,
    rack: host >> 1,
    pod: host >> 2,
  }));

  it("are the ones of a list of all pairs, by the same draw", () => {
    const apart: Record<PairPattern, (a: Place, b: Place) => boolean> = {
      any: (a, b) => a.host !== b.host,
      inter_rack: (a, b) => a.rack !== b.rack,
      inter_pod: (a, b) => a.pod !== b.pod,
    };
    const hosts = fc.array(fc.record({ rack: fc.nat(4), pod: fc.nat(2) }), { maxLength: 12 });
    const patterns = fc.constantFrom<PairPattern>("any", "inter_rack", "inter_pod");
    fc.assert(
      fc.property(hosts, patterns, fc.integer(), (list, pattern, seed) => {
        const some = list.map(({ rack, pod }, host) => ({ host, rack: rack + 5 * pod, pod }));
        const all = some.flatMap((a) => some.filter((b) => apart[pattern](a, b)).map((b) => [a, b]));
        const drawer = new PairDrawer(some, pattern);
        expect(drawer.pairs).toBe(all.length);
        const random = new Random(seed);
        const reference = new Random(seed);
        for (let i = 0; i < 5; i++)
          expect(drawer.draw(random)).toEqual(all.length === 0 ? undefined : reference.pick(all));
      }),
    );
  });

  it("are uniform", () => {
    const counts = new Map<string, number>();
    const random = new Random(3);
    const pairs = new PairDrawer(places, "inter_pod");
    for (let i = 0; i < 32_000; i++) {
      const [a, b] = pairs.draw(random)!;
      const key = `${a.host}-${b.host}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(32);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(160);
  });

  it("reach the last of more than 2^32 pairs", () => {
    const many: Place[] = Array.from({ length: 70_000 }, (_, host) => ({ host, rack: host, pod: 0 }));
    const drawer = new PairDrawer(many, "any");
    expect(drawer.pairs).toBe(70_000 * 69_999);
    const drawn = (share: number) =>
      drawer.draw({ float: () => share } as unknown as Random)!.map(({ host }) => host);
    expect(drawn(0)).toEqual([0, 1]);
    expect(drawn(0.5)).toEqual([35_000, 0]);
    expect(drawn(1 - 2 ** -40)).toEqual([69_999, 69_998]);
  });

  it("do not exist where all hosts are in one pod", () => {
    expect(new PairDrawer(places.slice(0, 4), "inter_pod").draw(new Random(1))).toBeUndefined();
  });

  it("use client ports", () => {
    const random = new Random(5);
    for (let i = 0; i < 1000; i++) {
      const port = drawClientPort(random);
      expect(port).toBeGreaterThanOrEqual(32768);
      expect(port).toBeLessThanOrEqual(60999);
    }
  });
});
