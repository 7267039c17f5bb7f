/** The files of a recording: the rows for programs, and the page with the same data. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { OutputFile } from "../../../../src/fabric/experiment/seeing/output-file.js";
import { updatesText } from "../../../../src/fabric/experiment/seeing/timeline/event-log.js";
import type { EVENT_KINDS, RunRecord } from "../../../../src/fabric/experiment/seeing/timeline/record.js";
import { timelinePage, writeTimeline } from "../../../../src/fabric/experiment/seeing/timeline/write.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-timeline-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** a - s - b, with the links 0 (a to s) and 1 (s to b). */
const RECORD: RunRecord = {
  ...{ title: "A <run>", scheme: "ecmp", engine: "sim", seed: 3, end: 2.5e6, binNs: 1e6, bins: 3 },
  nodes: [
    { name: "a", tier: 0, x: 0.25, y: 0.9 },
    { name: "b", tier: 0, x: 0.75, y: 0.9 },
    { name: "s", tier: 1, x: 0.5, y: 0.1 },
  ],
  links: [
    { a: 0, b: 2, rateBps: 1e9 },
    { a: 2, b: 1, rateBps: 2e9 },
  ],
  use: [Float64Array.of(0, 0.123456, 1), undefined, Float64Array.of(0.001, 0, 0.5), undefined],
  queues: [{ node: 2, port: 2, direction: 2, bytes: Float64Array.of(0, 3000, 1500) }],
  flows: [
    {
      ...{ number: 4, from: 0, to: 1, start: 10.4, end: 20.6, bytes: 500, timeouts: 1 },
      ...{ retransmissions: 2, moves: 1 },
      paths: [
        [10.4, [0, 2]],
        [15, [0, 2]],
      ],
    },
    {
      number: 9,
      from: 1,
      to: 0,
      start: 30,
      end: undefined,
      bytes: undefined,
      timeouts: 0,
      paths: [[30, [3, 1]]],
    },
  ],
  faults: [
    { text: "a link", from: 5.5, to: 7.5, link: 1 },
    { text: "a node", from: 6, to: undefined, node: 2 },
  ],
  events: [
    { at: 5.5, kind: "fault", text: "same", link: 1 },
    { at: 6, kind: "drop", text: "lost", node: 2, count: 3 },
    { at: 7, kind: "path", text: "same", node: 0, flow: 1 },
    { at: 8, kind: "order", text: "go </script>" },
  ],
  counts: { fault: Float64Array.of(1, 0, 0), drop: Float64Array.of(3, 0, 0) },
  notes: ["A note & more."],
};

function pageOf(record: RunRecord) {
  const page = timelinePage(record);
  const json = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)![1]!;
  return { page, data: JSON.parse(json) as Record<string, unknown> };
}
const levels = (text: unknown) => [...Buffer.from(text as string, "base64")];

describe("the rows", () => {
  const rowsOf = (record: RunRecord, name: string) => {
    writeTimeline(record, folder, name);
    return readFileSync(join(folder, "timelines", `${name}.jsonl`), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as object);
  };

  it("name nodes and links by their ends, and keep all figures", () => {
    expect(rowsOf(RECORD, "one")).toEqual([
      {
        ...{
          row: "run",
          title: "A <run>",
          scheme: "ecmp",
          engine: "sim",
          seed: 3,
          end_ns: 2.5e6,
          bin_ns: 1e6,
          bins: 3,
        },
        notes: ["A note & more."],
      },
      { row: "link", from: "a", to: "s", utilisation: [0, 0.1235, 1] },
      { row: "link", from: "s", to: "b", utilisation: [0.001, 0, 0.5] },
      { row: "queue", node: "s", port: 2, peer: "b", max_bytes: [0, 3000, 1500] },
      {
        ...{
          row: "flow",
          flow: 4,
          from: "a",
          to: "b",
          start_ns: 10.4,
          end_ns: 20.6,
          bytes: 500,
          timeouts: 1,
        },
        ...{ retransmissions: 2, path_changes: 1 },
        paths: [
          { at_ns: 10.4, nodes: ["a", "s", "b"] },
          { at_ns: 15, nodes: ["a", "s", "b"] },
        ],
      },
      {
        ...{ row: "flow", flow: 9, from: "b", to: "a", start_ns: 30, timeouts: 0 },
        paths: [{ at_ns: 30, nodes: ["b", "s", "a"] }],
      },
      { row: "fault", text: "a link", from_ns: 5.5, to_ns: 7.5, link: ["s", "b"] },
      { row: "fault", text: "a node", from_ns: 6, node: "s" },
      { row: "event", at_ns: 5.5, kind: "fault", text: "same", link: ["s", "b"], count: 1 },
      { row: "event", at_ns: 6, kind: "drop", text: "lost", node: "s", count: 3 },
      { row: "event", at_ns: 7, kind: "path", text: "same", node: "a", flow: 9, count: 1 },
      { row: "event", at_ns: 8, kind: "order", text: "go </script>", count: 1 },
    ]);
  });

  it("have no queues where the engine reports none", () => {
    const rows = rowsOf({ ...RECORD, queues: undefined }, "two") as { row: string }[];
    expect(rows.map(({ row }) => row)).not.toContain("queue");
    expect(rows).toHaveLength(11);
  });

  it("stand beside the page", () => {
    writeTimeline(RECORD, folder, "three");
    expect(readFileSync(join(folder, "timelines", "three.html"), "utf8")).toBe(timelinePage(RECORD));
  });
});

describe("the page", () => {
  it("has texts of the run as texts, not as markup", () => {
    const { page } = pageOf(RECORD);
    expect(page).toContain("<h1>A &lt;run&gt;</h1>");
    expect(page).toContain("ecmp · engine sim · seed 3 · 2.5 ms · 2 flows");
    expect(page).toContain("A note &amp; more.");
    expect(page).not.toContain("go </script>");
  });

  it("is one script without imports and exports", () => {
    const { page } = pageOf(RECORD);
    const script = /<script>"use strict";(.*?)<\/script>/s.exec(page)![1]!;
    expect(script).not.toMatch(/^(import|export) /m);
    expect(() => new Function(script)).not.toThrow();
  });

  it("has bins as levels of 255, of which a value above 0 never becomes 0", () => {
    const { data } = pageOf(RECORD);
    const [first, none, second] = data["use"] as unknown[];
    expect([levels(first), none, levels(second)]).toEqual([[0, 31, 255], 0, [1, 0, 128]]);
    const [[node, port, direction, most, text]] = data["queues"] as [
      [number, number, number, number, string],
    ];
    expect([node, port, direction, most, levels(text)]).toEqual([2, 2, 2, 3000, [0, 255, 128]]);
  });

  it("has flows as columns, with -1 for what is missing, and each way once", () => {
    const { data } = pageOf(RECORD);
    expect(data["flows"]).toEqual({
      ...{ number: [4, 9], from: [0, 1], to: [1, 0], start: [10, 30], end: [21, -1], bytes: [500, -1] },
      ...{ timeouts: [1, 0], retransmissions: [2, -1], moves: [1, -1] },
      paths: [
        [10, 0, 15, 0],
        [30, 1],
      ],
    });
    expect(data["ways"]).toEqual([
      [0, 2],
      [3, 1],
    ]);
  });

  it("has no column of figures that the engine does not report", () => {
    const flows = RECORD.flows.map(({ retransmissions: _, moves: __, paths: ___, ...flow }) => flow);
    const { data } = pageOf({ ...RECORD, flows, queues: undefined });
    expect(Object.keys(data["flows"] as object)).not.toContain("retransmissions");
    expect(Object.keys(data["flows"] as object)).not.toContain("moves");
    expect(data["flows"]).toMatchObject({ paths: [[], []] });
    expect(data["queues"]).toEqual([]);
  });

  it("has the network, faults and events by their indexes", () => {
    const { data } = pageOf(RECORD);
    expect(data["nodes"]).toEqual([
      ["a", 0, 0.25, 0.9],
      ["b", 0, 0.75, 0.9],
      ["s", 1, 0.5, 0.1],
    ]);
    expect(data["links"]).toEqual([
      [0, 2, 1e9],
      [2, 1, 2e9],
    ]);
    expect(data["faults"]).toEqual([
      { text: "a link", from: 6, to: 8, node: null, link: 1 },
      { text: "a node", from: 6, to: null, node: 2, link: null },
    ]);
    const kind = (name: (typeof EVENT_KINDS)[number]) => (data["kinds"] as string[]).indexOf(name);
    expect(data["texts"]).toEqual(["same", "lost", "go </script>"]);
    expect(data["events"]).toEqual([
      [6, kind("fault"), 0, -1, 1, -1, 1],
      [6, kind("drop"), 1, 2, -1, -1, 3],
      [7, kind("path"), 0, 0, -1, 1, 1],
      [8, kind("order"), 2, -1, -1, -1, 1],
    ]);
    expect(data["counts"]).toEqual({ fault: [1, 0, 0], drop: [3, 0, 0] });
    expect([data["end"], data["bins"], data["binNs"]]).toEqual([2.5e6, 3, 1e6]);
  });
});

describe("what a controller writes", () => {
  type Updates = Parameters<typeof updatesText>[0];
  const text = (...updates: object[]) => updatesText(updates as unknown as Updates);
  const entry = { kind: "tableEntry", table: "routes" };
  const group = { kind: "group", groupId: 3, members: [1, 2, 3, 4] };

  it("is told in detail if it is one update", () => {
    expect(text({ type: "insert", entity: entry })).toBe("insert table entry of routes");
    expect(text({ type: "modify", entity: group })).toBe("modify group 3 (4 members)");
    expect(text({ type: "delete", entity: { kind: "member" } })).toBe("delete member");
    expect(text({ type: "insert", entity: { kind: "digest" } })).toBe("insert digest");
  });

  it("is counted by its kind if it is more", () => {
    const inserts = new Array<object>(12).fill({ type: "insert", entity: entry });
    expect(text(...inserts)).toBe("insert table entry x 12");
    expect(text({ type: "modify", entity: group }, ...inserts, { type: "delete", entity: entry })).toBe(
      "modify group; insert table entry x 12; delete table entry",
    );
    expect(text()).toBe("");
  });
});

describe("an output file", () => {
  it("has all bytes that were written, in blocks and beyond, and makes its folder", () => {
    const path = join(folder, "deep", "er", "file");
    const file = new OutputFile(path);
    const pieces = [3, (1 << 20) - 4, 1, 2, 3 << 20, 0, 5].map((length, i) =>
      new Uint8Array(length).fill(i + 1),
    );
    for (const piece of pieces) file.write(piece);
    file.close();
    expect(Buffer.compare(readFileSync(path), Buffer.concat(pieces))).toBe(0);
  });

  it("that cannot be made is an error of the user", () => {
    expect(() => new OutputFile(join(folder, "plain", "x"))).not.toThrow();
    expect(() => new OutputFile(join(folder, "plain"))).toThrow();
    expect(() => new OutputFile(join(folder, "plain", "x", "y"))).toThrow(
      expect.objectContaining({ diagnostics: [expect.objectContaining({ code: "P43011" })] }),
    );
  });
});
