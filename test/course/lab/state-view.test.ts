/** What a page sees of a switch: tables with entries, profiles, arrays and the rest, each with the statement that writes it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderProject, ROOT, TestLab } from "./wall.js";

async function labOf(program: string): Promise<TestLab> {
  const topology = {
    hosts: { h1: { ip: "10.0.1.1/24", mac: "08:00:00:00:01:11" } },
    switches: { s1: { program: "program.p4" } },
    links: [["h1", "s1-p1"]],
  };
  const files = {
    "topology.json": JSON.stringify(topology),
    "program.p4": readFileSync(join(ROOT, "test/golden/constructs", program), "utf8"),
  };
  return TestLab.open({ title: program, files, open: { kind: "exercise" } });
}

const run = async (lab: TestLab, text: string) => {
  const reply = await lab.reply({ op: "control.run", switch: "s1", text });
  expect(reply.diagnostics).toEqual([]);
};
const stateOf = (lab: TestLab, cells?: { array: string; from: number }) =>
  lab.ask({ op: "state.read", switch: "s1", ...(cells === undefined ? {} : { cells }) });

it("shows a table with its fields, actions, entries, counters and meters", async () => {
  const lab = await labOf("externs.p4");
  await run(lab, "insert macs 08:00:00:00:00:01 => seen");
  await run(lab, "write counter hits 08:00:00:00:00:01 => packets=3");
  await run(lab, "write meter rate 08:00:00:00:00:01 => cir=1 cburst=2 pir=3 pburst=4");
  const state = await stateOf(lab);
  expect([state.switch, state.program, state.undo]).toEqual(["s1", "program.p4", 3]);
  expect(state.tables).toEqual([
    {
      name: "I.macs",
      size: 32,
      fields: [{ name: "hdr.eth.src", match: "exact", bits: 48 }],
      actions: ["I.seen", "I.learn", "NoAction"].map((name) => ({ name, params: [] })),
      isConst: false,
      entries: [
        {
          key: { "hdr.eth.src": "08:00:00:00:00:01" },
          priority: 0,
          action: "I.seen",
          counter: { packets: "3", bytes: "0" },
          meter: "cir=1 cburst=2 pir=3 pburst=4",
          statement: expect.stringMatching(/^insert I\.macs hdr\.eth\.src=08:00:00:00:00:01 => I\.seen/),
          deletion: "delete I.macs hdr.eth.src=08:00:00:00:00:01",
        },
      ],
      defaultEntry: expect.objectContaining({
        key: {},
        action: "I.learn",
        statement: "default I.macs => I.learn",
      }),
      more: 0,
    },
  ]);
  expect(state.tables[0]!.defaultEntry).not.toHaveProperty("deletion");
});

it("shows at most 500 entries of a table, and how many more there are", async () => {
  const lab = await TestLab.open(folderProject("examples/exercise"));
  const lines = Array.from({ length: 500 }, (_, i) => `insert routes 10.7.${i >> 8}.${i & 255}/32 => drop`);
  await run(lab, lines.join("\n"));
  const [routes] = (await stateOf(lab)).tables;
  // Three are in the files of the exercise.
  expect([routes!.entries.length, routes!.more]).toEqual([500, 3]);
});

it("marks entries that the program fixes", async () => {
  const { tables } = await stateOf(await labOf("tables.p4"));
  const fixed = tables.filter(({ isConst }) => isConst);
  expect(fixed.length).toBeGreaterThan(0);
  for (const { entries } of fixed)
    for (const entry of entries) {
      expect(entry.isConst).toBe(true);
      expect(entry).not.toHaveProperty("deletion");
    }
  for (const { isConst, entries } of tables) if (entries.length === 0) expect(isConst).toBe(false);
});

it("shows members and groups of profiles, and which table has which", async () => {
  const lab = await labOf("profiles.p4");
  await run(
    lab,
    "insert member ways 1 => to 3\ninsert member ways 2 => mark 7\ninsert group ways 9 => 1*2 2",
  );
  await run(lab, "insert a 1 => group 9");
  const { profiles, tables } = await stateOf(lab);
  expect(profiles).toEqual([
    {
      name: "I.ways",
      members: [
        { id: 1, action: "I.to p=3", statement: "insert member I.ways 1 => I.to p=3" },
        { id: 2, action: "I.mark v=7", statement: "insert member I.ways 2 => I.mark v=7" },
      ],
      groups: [
        {
          id: 9,
          members: [
            { id: 1, weight: 2 },
            { id: 2, weight: 1 },
          ],
          statement: expect.stringMatching(/^insert group I\.ways 9 => 1\*2 2/),
        },
      ],
    },
    { name: "I.shared", members: [], groups: [] },
  ]);
  expect(tables.map(({ name, profile }) => [name, profile])).toEqual([
    ["I.a", "I.ways"],
    ["I.b", "I.shared"],
    ["I.c", "I.shared"],
  ]);
  expect(tables[0]!.entries[0]).toMatchObject({ action: "group 9" });
});

it("shows small arrays whole; of large ones the first eight cells and those in use, or the cells that were asked for", async () => {
  const lab = await labOf("externs.p4");
  await run(
    lab,
    "write counter I.ports[100] => packets=5 bytes=320\nwrite meter I.limits[3] => cir=1 cburst=2 pir=3 pburst=4",
  );
  await run(lab, "write register I.last[2]=77");
  const arraysOf = async (from?: number) => {
    const { arrays } = await stateOf(lab, from === undefined ? undefined : { array: "I.ports", from });
    return new Map(arrays.map((array) => [array.name, array]));
  };
  const arrays = await arraysOf();
  expect([...arrays.values()].map(({ cells, ...one }) => ({ ...one, cells: cells.length }))).toEqual([
    { kind: "counter", name: "I.ports", size: 128, unit: "both", cells: 9 },
    { kind: "counter", name: "I.bytes_of", size: 16, unit: "bytes", cells: 16 },
    { kind: "meter", name: "I.limits", size: 32, cells: 32 },
    { kind: "register", name: "I.last", size: 64, bits: 32, cells: 64 },
    { kind: "register", name: "I.small", size: 16, bits: 8, cells: 16 },
  ]);
  expect(arrays.get("I.ports")!.cells.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 100]);
  expect(arrays.get("I.ports")!.cells.at(-1)).toEqual({
    index: 100,
    value: "5 packets, 320 bytes",
    statement: "write counter I.ports[100] => packets=5 bytes=320",
  });
  expect(arrays.get("I.limits")!.cells.slice(2, 4)).toEqual([
    { index: 2, value: "default", statement: "write meter I.limits[2] => default" },
    {
      index: 3,
      value: "cir=1 cburst=2 pir=3 pburst=4",
      statement: "write meter I.limits[3] => cir=1 cburst=2 pir=3 pburst=4",
    },
  ]);
  expect(arrays.get("I.last")!.cells[2]).toEqual({
    index: 2,
    value: "77",
    statement: "write register I.last[2]=77",
  });
  const asked = (await arraysOf(60)).get("I.ports")!.cells;
  expect([asked.length, asked[0]!.index, asked.at(-1)!.index]).toEqual([64, 60, 123]);
});

it("shows multicast groups, clone sessions and digests", async () => {
  const lab = await labOf("externs.p4");
  await run(lab, "insert multicast 1 => 1 2 3/1\ninsert clone 5 => 3\ninsert digest learn_t");
  const { others } = await stateOf(lab);
  expect(others.map(({ kind, statement }) => `${kind}: ${statement}`)).toEqual([
    "multicastGroup: insert multicast 1 => 1 2 3/1",
    "cloneSession: insert clone 5 => 3",
    expect.stringMatching(/^digest: insert digest \S*learn_t/),
  ]);
});
