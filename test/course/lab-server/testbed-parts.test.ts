/** What a lab asks of real hosts and switches: names, links, commands and shells. */
import { describe, expect, it } from "vitest";
import type { LabPlan } from "../../../src/course/lab/index.js";
import { commandsOf, endsOf, InterfaceNames, specOf } from "../../../src/course/lab-server/testbed/spec.js";
import { Terminals } from "../../../src/course/lab-server/testbed/terminals.js";
import type { RunningHost } from "../../../src/fabric/testbed/index.js";

const end = (node: string, port: number) => ({ node, port });
/** h1 has two links: to s1 and to s2. */
const PLAN: LabPlan = {
  hosts: [
    {
      name: "h1",
      mac: "08:00:00:00:00:01",
      ipv4: "10.0.0.1",
      ipv6: "2001:db8::1",
      prefixLength: 24,
      commands: ["x"],
    },
    { name: "h2", mac: "08:00:00:00:00:02", ipv4: "10.0.0.2", prefixLength: 16, commands: [] },
  ],
  switches: [
    { name: "s1", program: "a.p4", cpuPort: 255 },
    { name: "s2", priorityQueues: 8 },
  ],
  links: [
    { a: end("h1", 0), b: end("s1", 3), rateBps: 1e6, delayNs: 5 },
    { a: end("s1", 1), b: end("s2", 2) },
    { a: end("s2", 1), b: end("h1", 0) },
    { a: end("h2", 0), b: end("s2", 10) },
  ],
};

describe("names of interfaces", () => {
  it("are eth0, eth1 in hosts, in the order of their links, and those of Mininet in switches", () => {
    expect(endsOf(PLAN, new InterfaceNames(PLAN))).toEqual([
      { a: { node: "h1", interface: "eth0" }, b: { node: "s1", interface: "s1-eth3" } },
      { a: { node: "s1", interface: "s1-eth1" }, b: { node: "s2", interface: "s2-eth2" } },
      { a: { node: "s2", interface: "s2-eth1" }, b: { node: "h1", interface: "eth1" } },
      { a: { node: "h2", interface: "eth0" }, b: { node: "s2", interface: "s2-eth10" } },
    ]);
  });

  it("number the switches if one name with its longest port has more than 15 characters", () => {
    const namesOf = (name: string, port: number) => {
      const links = [{ a: end("b", 1), b: end(name, port) }];
      const names = new InterfaceNames({ hosts: [], switches: [{ name: "b" }, { name }], links });
      return [names.of("b", 1), names.of(name, port)];
    };
    expect(namesOf("x".repeat(10), 9)).toEqual(["b-eth1", "xxxxxxxxxx-eth9"]);
    expect(namesOf("x".repeat(10), 10)).toEqual(["s1-eth1", "s2-eth10"]);
    expect(namesOf("x".repeat(11), 9)).toEqual(["s1-eth1", "s2-eth9"]);
  });
});

it("the network has addresses at the first interface of a host, ports in order, and only the figures of the plan", () => {
  const { hosts, switches, links } = specOf(PLAN);
  expect(hosts).toEqual([
    {
      ...{ name: "h1", commands: [] },
      interfaces: [
        {
          ...{ name: "eth0", mac: 0x080000000001n, ipv4: { address: 0x0a000001n, length: 24 } },
          ipv6: { address: 0x20010db8000000000000000000000001n, length: 128 },
        },
        { name: "eth1", mac: 0x080000000001n },
      ],
    },
    {
      ...{ name: "h2", commands: [] },
      interfaces: [{ name: "eth0", mac: 0x080000000002n, ipv4: { address: 0x0a000002n, length: 16 } }],
    },
  ]);
  expect(switches).toEqual([
    {
      ...{ name: "s1", deviceId: 1n, cpuPort: 255 },
      ports: [
        { number: 1, interface: "s1-eth1" },
        { number: 3, interface: "s1-eth3" },
      ],
    },
    {
      ...{ name: "s2", deviceId: 2n, priorityQueues: 8 },
      ports: [
        { number: 1, interface: "s2-eth1" },
        { number: 2, interface: "s2-eth2" },
        { number: 10, interface: "s2-eth10" },
      ],
    },
  ]);
  expect(links[0]).toMatchObject({ rateBps: 1e6, delayNs: 5, a: { node: "h1" }, b: { node: "s1" } });
  for (const link of links.slice(1)) expect(Object.keys(link).sort()).toEqual(["a", "b"]);
});

describe("the commands of a host", () => {
  const host = PLAN.hosts[1]!;

  it("are those of the plan, the old ones as commands of iproute2", () => {
    const commands = ["route add default gw 10.0.1.254 dev eth0", "echo hello; route"];
    expect(commandsOf({ ...host, commands })).toEqual([
      "ip route add default via 10.0.1.254 dev eth0",
      "echo hello; route",
    ]);
  });

  it("of a host with a router lead to it, for both versions of IP that the host has", () => {
    const gateways = ["08:00:00:00:00:aa", "08:00:00:00:00:bb"];
    const v4 = [
      "ip neighbour replace 169.254.0.1 lladdr 08:00:00:00:00:aa nud permanent dev eth0",
      "ip route replace default via 169.254.0.1 onlink dev eth0",
    ];
    expect(commandsOf({ ...host, commands: ["x"], gateways })).toEqual(v4);
    expect(commandsOf({ ...host, ipv6: "2001:db8::2", gateways })).toEqual([
      ...v4,
      "ip -6 neighbour replace fe80::1 lladdr 08:00:00:00:00:aa nud permanent dev eth0",
      "ip -6 route replace default via fe80::1 onlink dev eth0",
    ]);
  });
});

describe("terminals", () => {
  /** A host whose shells say and end what the test says. */
  function shells() {
    const started: {
      argv: readonly string[];
      say(text: string): void;
      exit(status: number): void;
      typed: string[];
      killed: boolean;
    }[] = [];
    const ran: (readonly string[])[] = [];
    const host = {
      name: "h1",
      exec: async (argv: readonly string[]) => void ran.push(argv),
      spawn: (argv: readonly string[]) => {
        let said: (text: string) => void = () => {};
        let exit: (status: number) => void = () => {};
        const exited = new Promise<number>((resolve) => {
          exit = resolve;
        });
        const one = { argv, say: (text: string) => said(text), exit, typed: [] as string[], killed: false };
        started.push(one);
        return {
          exited,
          writeText: (text: string) => void one.typed.push(text),
          onText: (listener: (text: string) => void) => {
            said = listener;
            return () => {};
          },
          kill: async () => {
            one.killed = true;
            exit(143);
          },
        };
      },
    };
    const told: [string, number, string | number][] = [];
    const terminals = new Terminals({
      data: (id, text) => void told.push(["data", id, text]),
      ended: (id, status) => void told.push(["ended", id, status]),
    });
    const open = () => terminals.open(host as unknown as RunningHost, 100, 30);
    return { terminals, started, ran, told, open };
  }
  const DEVICE = "\ue0d2/dev/pts/7\ue0d3\r\n";

  it("are shells of their size, with a prompt that names the host", () => {
    const { open, started } = shells();
    expect([open(), open()]).toEqual([1, 2]);
    const shell = started[0]!.argv.at(-2)!;
    expect(shell).toContain("stty rows 30 columns 100");
    expect(shell).toContain("PS1='h1$ '");
  });

  it("show what their shells say, without the line that names the device, also where it comes in parts", () => {
    const { open, started, told } = shells();
    open();
    for (const text of [`early${DEVICE.slice(0, 5)}`, DEVICE.slice(5), "h1$ "]) started[0]!.say(text);
    expect(told).toEqual([
      ["data", 1, "early"],
      ["data", 1, "h1$ "],
    ]);
    open();
    started[1]!.say(`${DEVICE}h1$ `);
    started[1]!.say(DEVICE);
    expect(told.slice(2)).toEqual([
      ["data", 2, "h1$ "],
      ["data", 2, DEVICE],
    ]);
  });

  it("pass on what is typed, and their size once they have a device", async () => {
    const { terminals, open, started, ran } = shells();
    open();
    terminals.input(1, "ls\n");
    expect(started[0]!.typed).toEqual(["ls\n"]);
    await terminals.resize(1, 90, 20);
    expect(ran).toEqual([]);
    started[0]!.say(DEVICE);
    await terminals.resize(1, 90, 20);
    expect(ran).toEqual([["stty", "-F", "/dev/pts/7", "rows", "20", "columns", "90"]]);
  });

  it("tell when they end, and are then not open any more", async () => {
    const { terminals, open, started, told } = shells();
    open();
    started[0]!.exit(3);
    await Promise.resolve();
    await Promise.resolve();
    expect(told).toEqual([["ended", 1, 3]]);
    expect(() => terminals.input(1, "x")).toThrow("terminal 1 is not open");
    await expect(terminals.close(1)).rejects.toThrow("P46058");
    await expect(terminals.resize(9, 1, 1)).rejects.toThrow("P46058");
  });

  it("are at most 32 at the same time; all are closed with the lab", async () => {
    const { terminals, open, started } = shells();
    for (let i = 0; i < 32; i++) open();
    expect(open).toThrow("32 terminals are open");
    await terminals.close(5);
    expect(started.filter(({ killed }) => killed)).toEqual([started[4]]);
    expect(open()).toBe(33);
    await terminals.closeAll();
    expect(started.every(({ killed }) => killed)).toBe(true);
  });
});
