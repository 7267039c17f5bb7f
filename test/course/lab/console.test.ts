/** The command line of a simulated host: what each command starts or prints, and why a line is refused. */
import { describe, expect, it } from "vitest";
import type { DiagnosticError } from "../../../src/base/index.js";
import type { Traffic } from "../../../src/course/lab/index.js";
import { type ConsoleContext, runHostLine } from "../../../src/course/lab/traffic/console.js";
import { folderProject, TestLab } from "./wall.js";

function startedBy(line: string): Traffic[] {
  const started: Traffic[] = [];
  const context = {
    lab: { host: () => ({ options: {}, arp: {} }) },
    host: "h1",
    print: () => {},
    start: (traffic: Traffic) => started.push(traffic),
    flows: new Set(),
  };
  runHostLine(line, context as unknown as ConsoleContext);
  return started;
}

function refusal(line: string): string {
  try {
    startedBy(line);
  } catch (error) {
    const [first] = (error as DiagnosticError).diagnostics as readonly { code: string; message: string }[];
    return `${first!.code} ${first!.message}`;
  }
  throw new Error(`${line} is accepted`);
}

const PING = { kind: "ping", from: "h1", to: "h2", count: 4, intervalNs: 1e9, bytes: 56, ttl: 64 };
const UDP = { kind: "udp", from: "h1", to: "h2", port: 5001, rateBps: 1e6, bytes: 1000, durationNs: 10e9 };
const TCP = { kind: "tcp", from: "h1", to: "h2", port: 5201, congestionControl: "cubic" };

it.each<[string, object]>([
  ["ping h2", PING],
  ["  ping   h2  ", PING],
  ["ping -c 2 h2 -i 0.5 -s 0 -t 1", { ...PING, count: 2, intervalNs: 0.5e9, bytes: 0, ttl: 1 }],
  [
    "ping h2 -c100000 -i1000 -s9000 -t255",
    { ...PING, count: 100_000, intervalNs: 1e12, bytes: 9000, ttl: 255 },
  ],
  ["ping h2 -c 1.4 -i 0.000001", { ...PING, count: 1, intervalNs: 1000 }],
  ["udp h2", UDP],
  ["udp h2 2Mbps 3", { ...UDP, rateBps: 2e6, durationNs: 3e9 }],
  ["udp h2 2Mbps 1.5 -p 7 -s 4", { ...UDP, rateBps: 2e6, durationNs: 1.5e9, port: 7, bytes: 4 }],
  ["udp h2 1Gbps 500ms -p 65535", { ...UDP, rateBps: 1e9, durationNs: 5e8, port: 65_535 }],
  ["tcp h2", TCP],
  ["tcp h2 10MB -C bbr -p 1", { ...TCP, bytes: 10_000_000, congestionControl: "bbr", port: 1 }],
])("%s", (line, traffic) => {
  expect(startedBy(line)).toEqual([traffic]);
});

it.each([
  ["pong h2", "P46007 there is no command pong; did you mean `ping`?"],
  ["ping", "P46007 ping: a host is missing"],
  ["ping h2 h3", "P46007 ping: h3 is not expected here"],
  ["tcp h2 1MB 2", "P46007 tcp: 2 is not expected here"],
  ["udp h2 1Mbps 2 3", "P46007 udp: 3 is not expected here"],
  ["ping h2 -x 3", "P46007 ping: there is no option -x"],
  ["ping h2 -p 3", "P46007 ping: there is no option -p"],
  ["udp h2 -C reno", "P46007 udp: there is no option -C"],
  ["ping h2 -", "P46007 ping: there is no option -"],
  ["ping h2 -c", "P46007 ping: -c needs a value"],
  ["ping h2 -c 0", "P46007 -c 0: expected a number from 1 to 100000"],
  ["ping h2 -c 100001", "P46007 -c 100001: expected a number from 1 to 100000"],
  ["ping h2 -t 256", "P46007 -t 256: expected a number from 1 to 255"],
  ["ping h2 -i Infinity", "P46007 -i Infinity: expected a number from 0.000001 to 1000"],
  ["ping h2 -s 9001", "P46007 -s 9001: expected a number from 0 to 9000"],
  ["udp h2 -s 3", "P46007 -s 3: expected a number from 4 to 9000"],
  ["udp h2 -p 65536", "P46007 -p 65536: expected a number from 1 to 65535"],
  ["udp h2 fast", "P46007 udp: fast is not a rate such as 1Mbps"],
  ["udp h2 1Mbps long", "P46007 udp: long is not a time such as 10 (seconds) or 500ms"],
  ["udp h2 1Mbps 0", "P46007 udp: 0 is not a time such as 10 (seconds) or 500ms"],
  ["udp h2 1Mbps 1.", "P46007 udp: 1. is not a time such as 10 (seconds) or 500ms"],
  ["tcp h2 many", "P46007 tcp: many is not a size such as 10MB"],
])("%s: %s", (line, message) => {
  expect(refusal(line)).toBe(message);
});

describe("a host of a lab", () => {
  const RING = folderProject("examples/exercise");
  const printedBy = async (...lines: string[]): Promise<string[]> => {
    const lab = await TestLab.open(RING);
    for (const line of lines) await lab.ask({ op: "host.command", host: "h1", line });
    await lab.run();
    await lab.wall.pass(3000);
    return lab.of("console").map(({ text }) => text.replace(/time=[\d.]+/, "time=T"));
  };

  it("tells its addresses and its ARP table", async () => {
    expect(await printedBy("ip", "arp", "")).toEqual([
      "eth0 08:00:00:00:01:11 inet 10.0.1.1",
      "10.0.1.254 08:00:00:00:01:00 permanent",
    ]);
  });

  it("lists its commands", async () => {
    const [text] = await printedBy("help");
    expect(text!.split("\n").map((line) => line.split(" ")[0])).toEqual([
      "ping",
      "udp",
      "tcp",
      "stop",
      "arp",
      "ip",
      "help",
    ]);
  });

  it("prints each reply of a ping, and what was lost", async () => {
    const text = (await printedBy("ping h2 -c 2 -i 0.1 -s 100")).join("\n").split("\n");
    expect(text.slice(0, 5)).toEqual([
      "PING h2 (10.0.2.2) 100 bytes of data.",
      "108 bytes from 10.0.2.2: icmp_seq=1 ttl=62 time=T ms",
      expect.stringMatching(/^108 bytes from 10\.0\.2\.2: icmp_seq=2 ttl=62 time=/),
      "--- h2 ping statistics ---",
      "2 packets transmitted, 2 received, 0% packet loss",
    ]);
    expect(text[5]).toMatch(/^rtt min\/avg\/max = \d+\.\d{3}\/\d+\.\d{3}\/\d+\.\d{3} ms$/);
  });

  it("stops what it sends, and what it sends alone", async () => {
    const lab = await TestLab.open(RING);
    await lab.ask({ op: "host.command", host: "h1", line: "ping h2 -c 100" });
    await lab.ask({ op: "host.command", host: "h1", line: "udp h3" });
    await lab.ask({ op: "host.command", host: "h2", line: "ping h3 -c 100" });
    await lab.run();
    await lab.wall.pass(500);
    await lab.ask({ op: "host.command", host: "h1", line: "stop" });
    const { flows } = await lab.ask({ op: "describe" });
    expect(flows.map(({ from, kind, state }) => `${from} ${kind} ${state}`)).toEqual([
      // It has had replies.
      "h1 ping completed",
      "h1 udp stopped",
      "h2 ping running",
    ]);
  });
});
