/** The statements of the shell on the embedded switch: what they do, what they print, what they refuse. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { completions, Interpreter } from "../../../src/toolchain/control/index.js";
import { DeviceError } from "../../../src/toolchain/device/index.js";
import { createP4Info, P4InfoIndex } from "../../../src/toolchain/program/index.js";
import { MemoryDevice } from "../p4runtime/memory-device.js";
import { goldenJson, type Stimulus } from "../switch/golden.js";
import { start } from "./start.js";

describe("entries", () => {
  it("are written by name or by order, and printed as statements", async () => {
    const { say } = start("l3");
    const { lines, messages } = await say(
      [
        "insert routes4 dst=10.0.1.0/24 => route next_hop=1",
        "insert routes4 10.0.2.0/24 => route 0x2   # values in their order",
        "insert table TheIngress.routes4 hdr.ipv4.dst=10.0.3.3 => unreachable",
        "insert acl src=10.1.0.0/16 ports.dst=80->90 protocol=6 => mark 46 priority=10",
        "insert acl priority=9 src=10.1.2.3&&&255.0.255.0 => deny",
        "modify routes4 10.0.2.0/24 => route 3",
        "default routes4 => route 7",
        "dump routes4",
        "dump acl",
      ].join("\n"),
    );
    expect(messages).toEqual([]);
    expect(lines).toEqual([
      "insert TheIngress.routes4 hdr.ipv4.dst=10.0.1.0/24 => TheIngress.route next_hop=1  # 0 packets, 0 bytes",
      "insert TheIngress.routes4 hdr.ipv4.dst=10.0.2.0/24 => TheIngress.route next_hop=3  # 0 packets, 0 bytes",
      "insert TheIngress.routes4 hdr.ipv4.dst=10.0.3.3/32 => TheIngress.unreachable  # 0 packets, 0 bytes",
      "default TheIngress.routes4 => TheIngress.route next_hop=7",
      "insert TheIngress.acl hdr.ipv4.src=10.1.0.0&&&255.255.0.0 meta.protocol=6 hdr.ports.dst=80->90 => TheIngress.mark dscp=46 priority=10  # 0 packets, 0 bytes",
      "insert TheIngress.acl hdr.ipv4.src=10.0.2.0&&&255.0.255.0 => TheIngress.deny priority=9  # 0 packets, 0 bytes",
      "default TheIngress.acl => NoAction",
    ]);
  });

  it("are found by the values that they match", async () => {
    const { say } = start("l3");
    await say(
      "insert routes4 10.0.0.0/8 => route 1\ninsert routes4 10.1.0.0/16 => route 2\ninsert routes4 11.0.0.0/8 => route 3\n" +
        "insert acl ports.dst=80->90 => deny priority=5\ninsert acl src=10.0.0.0/8 => permit priority=4",
    );
    const found = async (text: string) => (await say(text)).lines.filter((line) => line.startsWith("insert"));
    expect(await found("dump routes4 dst=10.1.2.3")).toHaveLength(2);
    expect(await found("dump routes4 dst=10.9.0.0/16")).toHaveLength(1);
    expect(await found("dump acl ports.dst=91")).toHaveLength(1);
    expect(await found("dump acl ports.dst=85 src=11.0.0.1")).toHaveLength(1);
    expect(await found("dump acl")).toHaveLength(2);
  });

  it("go one by one, or all of a table but those of the program", async () => {
    const { say, device } = start("l3");
    const { messages, lines } = await say(
      "insert routes4 10.0.0.0/8 => route 1\ninsert routes4 11.0.0.0/8 => route 1\ndelete routes4 10.0.0.0/8\nclear routes4\nclear classes\ndefault routes4 => route 5\ndefault routes4 reset\ndefault routes4",
    );
    expect(messages).toEqual([]);
    expect(lines).toEqual([
      "# 1 deleted",
      "# 0 deleted",
      "default TheIngress.routes4 => TheIngress.unreachable",
    ]);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.classes" }])).toHaveLength(6);
  });

  it("have data for programs, in the form of the runtime file", async () => {
    const { say } = start("l3");
    const { data } = await say(
      "insert acl src=10.1.0.0/16 ports.dst=80->90 => mark dscp=46 priority=10\ndump acl src=10.1.1.1\ntable routes4",
    );
    expect(data).toEqual([
      {
        table: "TheIngress.acl",
        match: { "hdr.ipv4.src": ["10.1.0.0", "255.255.0.0"], "hdr.ports.dst": [80, 90] },
        priority: 10,
        action_name: "TheIngress.mark",
        action_params: { dscp: 46 },
        packets: 0,
        bytes: 0,
      },
      { table: "TheIngress.acl", default_action: true, action_name: "NoAction", action_params: {} },
      expect.objectContaining({ table: "TheIngress.routes4", size: 256 }),
    ]);
  });

  it.each([
    ["insert rutes4 10.0.0.0/8 => route 1", "P43203", "did you mean `routes4`?"],
    ["insert routes4 dts=10.0.0.0/8 => route 1", "P43203", "did you mean `dst`?"],
    ["insert routes4 10.0.0.0/8 => rout 1", "P43203", "did you mean `route`?"],
    ["insert routes4 10.0.0.0/8 => route nexthop=1", "P43203", "there are: next_hop"],
    ["insert routes4 10.0.0.0/8 => route", "P43202", "lacks 1 parameter: next_hop"],
    ["insert routes4 10.0.0.0/8 => route 1 2", "P43202", "value is too many"],
    ["insert routes4 10.0.0.0/8 11.0.0.0/8 => route 1", "P43202", "value is too many"],
    ["insert routes4 dst=1.2.3.4 ipv4.dst=1.2.3.4 => route 1", "P43202", "given twice"],
    ["insert routes4 10.0.0.0/8", "P43202", "`=> ACTION PARAMETERS`"],
    ["insert routes4 10.0.0.0/40 => route 1", "P43204", "0 to 32"],
    ["insert routes4 10.0.0.0/8 => route 70000", "P43204", "does not fit 16 bits"],
    ["insert next_hops => drop 1", "P43202", "lacks meta.next_hop"],
    ["insert acl src=1.2.3.4 => deny", "P43202", "`priority=` above 0"],
    ["insert routes4 10.0.0.0/8 => route 1 priority=3", "P43202", "have no priority"],
    ["insert routes4 10.0.0.0/8 timeout=4 => route 1", "P43204", "500ms"],
    ["delete routes4 10.0.0.0/8", "P43206", "NOT_FOUND"],
    ["isnert routes4", "P43201", "did you mean `insert`?"],
    ["default routes4 to", "P43202", "extra word"],
    ["dump routes4 10.0.0.1", "P43202", "give `field=value`"],
    ["help ruotes4", "P43203", "did you mean `routes4`?"],
    ["load a.p4", "P43207", "no files"],
    ["watch packets", "P43207", "no clock"],
  ])("%s: %s", async (text, code, part) => {
    const { messages, diagnostics } = await start("l3").say(text);
    expect(diagnostics.list.map((one) => one.code)).toEqual([code]);
    expect(messages.join("\n")).toContain(part);
  });
});

describe("members, groups and sets of actions", () => {
  const TEXT = [
    "insert member TheIngress.spread 1 => TheIngress.use port=6",
    "insert member TheIngress.spread 2 => TheIngress.drop",
    "insert group TheIngress.spread 5 => 1*3@7 2 max=8",
    "insert TheIngress.paths meta.vlan=8 => group 5",
    "insert TheIngress.paths meta.vlan=9 => member 2",
  ];

  it("read back as they were printed", async () => {
    const { say } = start("cpu");
    expect((await say(TEXT.join("\n"))).messages).toEqual([]);
    const { lines } = await say("members\ngroups spread\ndump paths");
    expect(lines.slice(0, 5)).toEqual(TEXT);
    expect((await say("delete group spread 5")).messages[0]).toContain("FAILED_PRECONDITION");
    expect(
      (await say("delete paths 8\ndelete group spread 5\ndelete member spread 1\ngroups")).lines,
    ).toEqual(["# none"]);
  });

  it("are in one entry with weights", async () => {
    const { say } = start("cpu");
    const text =
      "insert TheIngress.paths meta.vlan=7 => TheIngress.use port=3 weight=2 watch=3 | TheIngress.drop weight=1";
    expect((await say(text)).messages).toEqual([]);
    expect((await say("dump paths")).lines[0]).toBe(text);
    expect((await say("dump paths")).data[0]).toMatchObject({
      action_set: [{ action_name: "TheIngress.use", weight: 2, watch_port: 3 }, { weight: 1 }],
    });
  });
});

describe("everything else", () => {
  it("is written and read: replication, counters, meters, registers", async () => {
    const { say } = start("memory");
    const text = [
      "write register TheIngress.r9[2]=300",
      "write register r48[0] 5",
      "write meter by_packets[1] => cir=10 cburst=1 pir=20 pburst=2",
      "write counter TheIngress.visits[0] => packets=3 bytes=64",
      "insert multicast 1 => 1 2 3/1",
      "insert clone 5 => 3 length=100",
      "modify multicast 1 => 4",
      "read r9",
      "read r48[0]",
      "read by_packets",
      "read counter visits[0]",
      "multicast",
      "clone",
      "write register r9[*]=1",
      "read r9[7]",
      "write meter by_packets[1] => default",
      "read meter by_packets[1]",
    ];
    const { lines, messages } = await say(text.join("\n"));
    expect(messages).toEqual([]);
    expect(lines.map((line) => line.replace(/^# \d+ .*/, "# ..."))).toEqual([
      "write register TheIngress.r9[2]=300",
      "# ...",
      "write register TheIngress.r48[0]=5",
      "write meter TheIngress.by_packets[1] => cir=10 cburst=1 pir=20 pburst=2",
      "# ...",
      "write counter TheIngress.visits[0] => packets=3 bytes=64",
      "insert multicast 1 => 4",
      "insert clone 5 => 3 length=100",
      "write register TheIngress.r9[7]=1",
      "write meter TheIngress.by_packets[1] => default",
    ]);
  });

  it("of table entries goes by their key", async () => {
    const { say } = start("memory");
    const { lines, messages } = await say(
      [
        "insert kinds 3 => sort_of",
        "write meter direct 3 => cir=1 cburst=2 pir=3 pburst=4",
        "read direct",
      ].join("\n"),
    );
    expect(messages).toEqual([]);
    expect(lines[0]).toMatch(/^write meter TheIngress\.direct \S+=3 => cir=1 cburst=2 pir=3 pburst=4$/);
    const l3 = start("l3");
    const counted = await l3.say(
      "insert routes4 10.0.0.0/8 => route 1\nwrite counter routes4 10.0.0.0/8 => packets=7 bytes=9\nread counter routes4",
    );
    expect(counted.messages).toEqual([]);
    expect(counted.lines).toEqual([
      "write counter TheIngress.route_hits hdr.ipv4.dst=10.0.0.0/8 => packets=7 bytes=9",
    ]);
  });

  it("of parser value sets has parts", async () => {
    const { say } = start("parse");
    const { lines, messages } = await say(
      "write value-set single => 0x1234 7\nwrite value-set pairs => 5,0x1111\nvalue-sets",
    );
    expect(messages).toEqual([]);
    expect(lines.sort()).toEqual([
      "write value-set TheParser.pairs => 5,4369",
      "write value-set TheParser.single => 4660 7",
    ]);
  });

  it.each([
    ["read nothing", "P43203", "no counter, meter or register"],
    ["read r9[8]", "P43205", "0 to 7"],
    ["write register r9=1", "P43202", "name the element"],
    ["write register r9[0]=512", "P43204", "9 bits"],
    ["write table r9[0]=1", "P43202", "none of counter"],
    ["write meter by_packets[0] => cir=1", "P43202", "`cburst=` is missing"],
    ["insert group spread 1", "P43203", "no action profile"],
    ["insert multicast 0 => 1", "P43204", "from 1"],
    ["insert multicast 1 => 600", "P43204", "0 to 511"],
    ["insert digest d", "P43203", "no digest"],
    ["packet-out 123", "P43204", "whole bytes"],
    ["packet-out zz", "P43204", "not hexadecimal"],
  ])("%s: %s", async (text, code, part) => {
    const { messages, diagnostics } = await start("memory").say(text);
    expect(diagnostics.list.map((one) => one.code)).toEqual([code]);
    expect(messages.join("\n")).toContain(part);
  });
});

/** A promise and what fulfils it. */
function gate<T>(): { opened: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open: (value) => open(value) };
}

describe("watching", () => {
  /** A clock that runs as soon as everybody waits. */
  function waits() {
    const wait = (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      });
    return { wait };
  }

  it("reports packets, with the fields of their header, up to a number", async () => {
    const { say, device } = start("cpu", waits(), { cpuPort: 255 });
    const watching = say("watch packets events=1");
    await Promise.resolve();
    await say(`packet-out egress_port=255 ${"02".repeat(20)}`);
    device.receive(1, new Uint8Array(20));
    expect((await watching).lines[0]).toMatch(/^packet-in .*[0-9a-f]{4}$/);
  });

  it("switches digests on while it watches, and acknowledges them", async () => {
    const { say, device, play, clock } = start("cpu", waits(), { cpuPort: 255 });
    const watching = say("watch digests events=1");
    while ((await device.read([{ kind: "digest" }])).length === 0) await Promise.resolve();
    for (const { in: input } of goldenJson<Stimulus[]>("cpu", "packets.json")) {
      play(input.port, input.hex);
      clock.advance(clock.time + 1_000_000);
    }
    const { lines, data } = await watching;
    expect(lines[0]).toMatch(/^digest \S+ list=\d+( \S+=\S+)+$/);
    expect(data[0]).toMatchObject({ kind: "digest" });
    expect(await device.read([{ kind: "digest" }])).toEqual([]);
  });

  it("leaves nothing behind when digests cannot be switched on", async () => {
    const signals: AbortSignal[] = [];
    const { say, device } = start("cpu", {
      wait: (_, signal) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    let watchers = 0;
    const watch = device.watch.bind(device);
    device.watch = (listener) => {
      watchers++;
      const stop = watch(listener);
      return () => {
        watchers--;
        stop();
      };
    };
    device.write = () => Promise.reject(new DeviceError("UNAVAILABLE", "gone \x1b[2J"));
    const { diagnostics, messages } = await say("watch digests");
    expect(diagnostics.list).toMatchObject([{ code: "P43206", message: expect.stringContaining("gone") }]);
    expect(messages[0]).toContain("gone \\x1b[2J");
    expect(watchers).toBe(0);
    expect(signals.filter(({ aborted }) => !aborted)).toEqual([]);
  });

  it("reports ports, and ends when it is stopped", async () => {
    const waiting = gate<void>();
    const { wait } = waits();
    const { say, device } = start("l3", {
      wait: (milliseconds, signal) => {
        waiting.open();
        return wait(milliseconds, signal);
      },
    });
    const stop = new AbortController();
    const watching = say("watch ports\ninfo", stop.signal);
    await waiting.opened;
    device.setPortState(3, false);
    stop.abort();
    expect((await watching).lines).toEqual(["port 3 is down"]);
  });

  it("reports the changes of a table", async () => {
    let looked = gate<() => void>();
    const wait = (milliseconds: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
        // the pause before the next look at the table
        if (milliseconds < 10_000) looked.open(resolve);
      });
    const { say } = start("l3", { wait });
    const watching = say("watch routes4 events=3");
    const step = async (text: string) => {
      const look = await looked.opened;
      looked = gate();
      await say(text);
      look();
    };
    await step("insert routes4 10.0.0.0/8 => route 1");
    await step("modify routes4 10.0.0.0/8 => route 2");
    await step("delete routes4 10.0.0.0/8");
    const { lines } = await watching;
    expect(lines.map((line) => line.slice(0, 1))).toEqual(["+", "~", "-"]);
  });
});

describe("names and messages of a switch", () => {
  it("are printed without control characters", async () => {
    const name = "I.t\x1b[2J\x9b1m";
    const index = new P4InfoIndex(
      createP4Info({ tables: [{ preamble: { id: 0x02000001, name }, size: 4n }] }),
    );
    const device = Object.assign(new MemoryDevice(), { index });
    const lines: string[] = [];
    const diagnostics = new Diagnostics();
    await new Interpreter(device).run(new SourceFile("shell", "tables\ntable rubbish\n"), diagnostics, {
      print: (line) => lines.push(line),
    });
    expect(lines.join("\n")).toContain("I.t\\x1b[2J\\x9b1m");
    const shown = [...lines, ...diagnostics.list.map(formatDiagnostic)].join("\n");
    for (const control of ["\x1b", "\x9b"]) expect(shown).not.toContain(control);
    expect(completions("table ", 6, index).candidates).toEqual([]);
  });
});

describe("sessions", () => {
  it("run files, which may run files, but not for ever", async () => {
    const files: Record<string, string> = {
      "a.txt": "source b.txt\ninfo",
      "b.txt": "insert routes4 10.0.0.0/8 => route 1",
      "loop.txt": "source loop.txt",
      "r.json":
        '{"table_entries":[{"table":"routes4","match":{"dst":["11.0.0.0",8]},"action_name":"route","action_params":{"next_hop":1}}]}',
    };
    const { say, device } = start("l3", { readFile: (path) => new SourceFile(path, files[path]!) });
    expect((await say("source a.txt\nsource r.json")).messages).toEqual([]);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }])).toHaveLength(2);
    const again = await say("source r.json");
    expect(again.messages[0]).toMatch(/^r\.json:1:19: error\[P43206\].*ALREADY_EXISTS/);
    expect((await say("source loop.txt")).messages[0]).toContain("more than 16 files");
  });

  it("end with exit", async () => {
    const { say, interpreter } = start("l3");
    expect((await say("exit\ninfo")).lines).toEqual([]);
    expect(interpreter.ended).toBe(true);
  });

  it("explain statements, tables and actions", async () => {
    const { say } = start("l3");
    const help = (await say("help")).lines.join("\n");
    expect(help).toMatchSnapshot();
    const words = new Set(help.split(/\s+/));
    for (const name of completions("", 0, undefined).candidates) expect(words).toContain(name);
    expect((await say("help routes4\nhelp route\nhelp table_add")).lines).toEqual([
      "insert TheIngress.routes4 hdr.ipv4.dst=VALUE/LENGTH => ACTION",
      "  TheIngress.route(next_hop: 16)",
      "  TheIngress.unreachable()",
      "TheIngress.route(next_hop: 16)",
      "table_add <table> <action> <key> => <parameters> [priority]",
      "  add an entry; the smaller priority wins",
    ]);
  });
});
