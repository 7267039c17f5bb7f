/** Agents in two namespaces: kernel TCP through them, marks on the wire, and what choosers do about silent losses. */

import { spawnSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { FIELD_BITS, type SelectorField } from "../../../../src/base/packets/index.js";
import type { PolicyDescription } from "../../../../src/fabric/hosts/index.js";
import { type FanOuts, layOut } from "../../../../src/fabric/schemes/pecmp/layout.js";
import { offsetSet } from "../../../../src/fabric/schemes/pecmp/selectors.js";
import { startRequest } from "../../../../src/fabric/testbed/agent/config.js";
import {
  type Agent,
  type AgentConfig,
  type AgentFlow,
  type FlowEvent,
  localise,
  monotonicNs,
  runIperf3,
  startAgent,
} from "../../../../src/fabric/testbed/index.js";
import { agentCommand } from "../../../../src/toolchain/loading/index.js";
import { agentConfig, LEFT, networkMissing, pingMissing, RIGHT, TestNetwork } from "./networks.js";

const missing = networkMissing();
const noPing = pingMissing();
/** The reason for a test to be skipped. */
const noIperf3 = spawnSync("iperf3", ["--version"]).status !== 0;

const fixed = (selector: number): PolicyDescription => ({ kind: "fixed", selector });
const prr: PolicyDescription = { kind: "prr", values: 64 };

/** P-ECMP with control of offsets in a fabric whose groups have four next hops each. */
function pecmp(fanOuts: FanOuts = { tor: { least: 4, most: 4 } }): PolicyDescription {
  const offsets = offsetSet("odd", 4);
  const layout = layOut("offset", "dscp", "none", fanOuts, offsets.bits);
  return { kind: "pecmp", failover: "probe", layout, offsets, subflows: "none" };
}

/** The first event, past or to come, of a kind; rejects when the flow ends without one. */
async function first<K extends FlowEvent["kind"]>(flow: AgentFlow, kind: K) {
  for await (const event of flow) if (event.kind === kind) return event as Extract<FlowEvent, { kind: K }>;
  throw new Error(`the flow ended without an event ${kind}`);
}

/** A flow of one small segment at a time to port 5201 of the right host, with data in flight. */
async function openFlow(left: Agent, ipVersion: 4 | 6 = 4): Promise<AgentFlow> {
  // What PRR draws depends on it.
  const clientPort = 40_000;
  const to = ipVersion === 4 ? RIGHT.ipv4 : RIGHT.ipv6;
  const flow = left.flow({ to, ipVersion, port: 5201, clientPort, segmentBytes: 200, windowSegments: 1 });
  await first(flow, "connected");
  await new Promise((resolve) => setTimeout(resolve, 50));
  return flow;
}

describe.skipIf(missing !== undefined)(`agents on two hosts${missing ? ` (${missing})` : ""}`, () => {
  let network: TestNetwork;
  afterEach(() => network?.close());

  async function start(
    field: SelectorField,
    policy: PolicyDescription,
    more: Partial<AgentConfig> & { links?: number } = {},
  ): Promise<[Agent, Agent]> {
    network = await TestNetwork.make(field, more.links);
    return await Promise.all([
      startAgent(network.left, agentConfig("left", field, policy, more)),
      startAgent(network.right, agentConfig("right", field, policy, more)),
    ]);
  }

  it.skipIf(noPing !== undefined)(
    `pass ping, whose marks stay as ping sets them ${noPing ?? ""}`,
    async () => {
      await start("dscp", fixed(3));
      // DSCP 10
      const ping4 = await network.left.exec(["ping", "-c", "2", "-i", "0.2", "-Q", "40", "10.0.0.2"]);
      expect(ping4.stdout).toContain("2 received");
      const ping6 = await network.left.exec(["ping", "-c", "2", "-i", "0.2", "fd00::2"]);
      expect(ping6.stdout).toContain("2 received");
      const { right } = await network.seen();
      expect(Object.keys(right).sort()).toEqual(["0/0", "0/10"]);
      expect(right["0/10"]![0]).toBe(2);
    },
  );

  it.each([
    ["dscp", 4, 41],
    ["dscp", 6, 41],
    ["vlan", 4, 1234],
    ["vlan", 6, 1234],
    ["flow_label", 6, 0xabcde],
    ["dscp_flow_label", 6, 0x3abcdef],
  ] as const)("carry TCP with the selector in %s, IPv%i", async (field, ipVersion, selector) => {
    expect(selector).toBeLessThan(2 ** FIELD_BITS[field]);
    const [left, right] = await start(field, fixed(selector));
    await right.listen(5201);
    const to = ipVersion === 4 ? RIGHT.ipv4 : RIGHT.ipv6;
    const flow = left.flow({ to, ipVersion, port: 5201, bytes: 200_000 });
    const result = await flow.finished;
    expect(result).toMatchObject({ bytes: 200_000, stopped: false, timeouts: 0 });
    expect(result.fctNs).toBeGreaterThan(0);
    const seen = await network.seen();
    for (const side of [seen.right, seen.left]) {
      expect(Object.keys(side)).toEqual([`0/${selector}`]);
      // The echo of the last frame: behind the twenty bytes of TCP, as base/packets/segment.ts has it.
      const frame = side[`0/${selector}`]![1];
      const at = 2 * (14 + (field === "vlan" ? 4 : 0) + (ipVersion === 4 ? 20 : 40) + 20);
      expect(frame.slice(at, at + 16)).toBe(`fd085034${selector.toString(16).padStart(8, "0")}`);
    }
    expect(seen.right[`0/${selector}`]![0]).toBeGreaterThan(200_000 / 1400);
    const { lost, copies } = await left.statistics();
    expect({ lost, copies }).toEqual({ lost: 0, copies: 0 });
  });

  it.for([
    ["lose nothing in the queue of a NIC whose rate the TUN device has too", true],
    [
      "lose what the queue of the NIC has no room for where the kernel sends to the TUN device without a rate",
      false,
    ],
  ] as const)("%s", async ([, paced], { skip }) => {
    const rateBps = 20e6;
    const [left, right] = await start("dscp", fixed(3), paced ? { rateBps } : {});
    const shaper = [
      "qdisc add dev eth0 root handle 1: htb default 1",
      `class add dev eth0 parent 1: classid 1:1 htb rate ${rateBps}bit burst 16000 cburst 16000`,
      "qdisc add dev eth0 parent 1:1 handle 2: pfifo limit 50",
    ];
    const { status } = await network.left.exec(["tc", "-batch", "-"], { input: `${shaper.join("\n")}\n` });
    if (status !== 0) skip("this kernel has no htb");
    await right.listen(5201);
    const dropped = async () => {
      const { stdout } = await network.left.exec(["tc", "-s", "-j", "qdisc", "show", "dev", "eth0"]);
      const queues = JSON.parse(stdout) as { kind: string; drops: number }[];
      return queues.find(({ kind }) => kind === "pfifo")!.drops;
    };
    let drops = 0;
    // On a busy machine the agent may wait for a processor, and then forward at once what the kernel sent meanwhile.
    for (let tries = 0; tries < (paced ? 10 : 1); tries++) {
      const before = await dropped();
      const flows = Array.from({ length: 4 }, () =>
        left.flow({ to: RIGHT.ipv4, ipVersion: 4, port: 5201, bytes: 300_000, congestion: "reno" }),
      );
      await Promise.all(flows.map(({ finished }) => finished));
      drops = (await dropped()) - before;
      if (drops === 0) break;
    }
    if (paced) expect(drops).toBe(0);
    else expect(drops).toBeGreaterThan(0);
  });

  it.each(["right", "left"] as const)(
    "recover from a silent loss to the %s on P-ECMP's first re-path",
    async (direction) => {
      const [left, right] = await start("dscp", pecmp());
      await right.listen(5201);
      for (let run = 0; run < 3; run++) {
        const flow = await openFlow(left, run === 1 ? 6 : 4);
        const lostAt = Number(process.hrtime.bigint());
        // The failed switch is the one that all even offsets lead to.
        await network.drop({ [direction]: [0, 2] });
        const timeout = await first(flow, "timeout");
        expect(timeout.attempt).toBe(1);
        expect(timeout.selectors.length).toBe(2);
        // The new path first.
        expect(timeout.selectors[0]! % 2).toBe(1);
        expect(timeout.selectors[1]).toBe(0);
        const recovered = await first(flow, "recovered");
        expect(recovered.attempts).toBe(1);
        expect(recovered.triedAtNs).toBe(timeout.atNs);
        expect(recovered.triedAtNs).toBeGreaterThan(lostAt);
        expect(recovered.atNs).toBeGreaterThan(recovered.triedAtNs);
        // Data that were lost move to the new path; where acknowledgements were, both copies came.
        if (direction === "right") expect(recovered.selector).toBe(timeout.selectors[0]);
        else expect(timeout.selectors).toContain(recovered.selector);
        await network.drop({ [direction]: [] });
        const result = await flow.stop();
        expect(result.stopped).toBe(true);
        expect(result.timeouts).toBe(1);
        expect(result.tcp!.kernelTimeouts ?? 1).toBe(1);
      }
      const seen = await network.seen();
      expect(Object.keys(seen[direction]).length).toBeGreaterThan(1);
    },
  );

  it("let PRR try until both directions avoid the failure", async () => {
    const [left, right] = await start("dscp", prr);
    await right.listen(5201);
    const flow = await openFlow(left);
    const even = Array.from({ length: 32 }, (_, i) => 2 * i);
    await network.drop({ right: even });
    const recovered = await first(flow, "recovered");
    await flow.stop();
    const timeouts: number[] = [];
    for await (const event of flow) if (event.kind === "timeout") timeouts.push(event.attempt);
    expect(timeouts.slice(0, recovered.attempts)).toEqual(
      Array.from({ length: recovered.attempts }, (_, i) => i + 1),
    );
    expect(recovered.selector % 2).toBe(1);
  });

  it("see timeouts double where nothing re-paths, and the end of the failure", async () => {
    const [left, right] = await start("dscp", fixed(0));
    await right.listen(5201);
    const flow = await openFlow(left);
    await network.drop({ right: "all" });
    const at: number[] = [];
    for await (const event of flow) {
      if (event.kind === "timeout") at[event.attempt - 1] = event.atNs;
      if (at.length === 4) break;
    }
    const gaps = at.slice(1).map((time, i) => time - at[i]!);
    // Four times as long, less the time that a busy machine lets the agent wait.
    expect(gaps[2]!).toBeGreaterThan(gaps[0]! * 1.5);
    await network.drop({ right: [] });
    for await (const event of flow) {
      if (event.kind === "recovered" && event.attempts >= 4) break;
    }
    await flow.stop();
  });

  it("distinguish a lost segment from a failed path: a loss that duplicate acknowledgements repair is no timeout", async () => {
    const [left, right] = await start("dscp", prr);
    await right.listen(5201);
    // Lost between others, with a whole window in flight.
    await network.skip([40, 80, 81, 120]);
    const flow = left.flow({ to: RIGHT.ipv4, ipVersion: 4, port: 5201, bytes: 1_000_000 });
    const { timeouts, tcp } = await flow.finished;
    expect(tcp!.retransmissions).toBeGreaterThanOrEqual(4);
    expect(timeouts).toBeLessThanOrEqual(tcp!.kernelTimeouts ?? 0);
  });

  it.each([4, 6] as const)("carry data unharmed through losses, IPv%i", async (ipVersion) => {
    await start("dscp", prr);
    const [from, to] = ipVersion === 4 ? ["10.0.0.1", "10.0.0.2"] : ["fd00::1", "fd00::2"];
    const receiver = network.right.spawn(["python3", "-c", RECEIVE, to]);
    const lines: string[] = [];
    const received = new Promise<string>((resolve) => {
      receiver.onLine((line) => {
        lines.push(line);
        if (line !== "listening") resolve(line);
      });
    });
    await expect.poll(() => lines[0]).toBe("listening");
    // Losses close to each other: acknowledgements with as many SACK blocks as a header holds.
    await network.skip(Array.from({ length: 150 }, (_, i) => 12 + 7 * i));
    const sent = await network.left.exec(["python3", "-c", SEND, from, to]);
    expect(sent.stderr).toBe("");
    expect(await received).toBe(sent.stdout.trim());
    await receiver.kill();
  });

  it("use the NIC that the policy chooses", async () => {
    const policy = pecmp({ nic: { least: 2, most: 2 }, tor: { least: 4, most: 4 } });
    const [left, right] = await start("dscp", policy, { links: 2 });
    await right.listen(5201);
    const flow = await openFlow(left);
    const before = Object.keys((await network.seen()).right);
    expect(before.length).toBe(1);
    const link = Number(before[0]!.split("/")[0]);
    await network.drop({ right: [0, 2] });
    const { selector } = await first(flow, "recovered");
    expect(selector % 2).toBe(1);
    await flow.stop();
    // An odd offset leaves by the other NIC of two.
    expect(Object.keys((await network.seen()).right)).toContain(`${1 - link}/${selector}`);
  });

  it("locate a failure by probes, each direction for itself", async () => {
    const [left] = await start("dscp", fixed(0));
    await network.drop({ right: [2], left: [1, 3] });
    const selectors = [0, 1, 2, 3];
    const outcome = await left.probe({
      to: RIGHT.ipv4,
      ipVersion: 4,
      port: 7000,
      clientPort: 7001,
      forward: selectors,
      reverse: selectors,
      count: 4,
      timeoutNs: 300e6,
    });
    const counts = (list: readonly { sent: number; received: number }[]) =>
      list.map(({ sent, received }) => [sent, received]);
    expect(counts(outcome.forward)).toEqual([
      [4, 4],
      [4, 4],
      [4, 0],
      [4, 4],
    ]);
    expect(counts(outcome.reverse)).toEqual([
      [12, 12],
      [12, 0],
      [12, 12],
      [12, 0],
    ]);
    const path = (selector: number) => ["tor1", `leaf${selector % 2}`, `spine${selector}`, "tor2"];
    const observe = (list: typeof outcome.forward) =>
      localise(list.map((count) => ({ ...count, path: path(count.selector) })));
    expect(observe(outcome.forward).suspects).toEqual([["spine2"]]);
    expect(observe(outcome.reverse).suspects).toEqual([["leaf1"]]);
    // Nothing arrives: nothing is known of the way back.
    await network.drop({ right: "all" });
    const options = { to: RIGHT.ipv6, ipVersion: 6, port: 7000, clientPort: 7001 } as const;
    const none = await left.probe({ ...options, forward: [0], reverse: [0], timeoutNs: 50e6 });
    expect(none.forward[0]!.received).toBe(0);
    expect(none.reverse[0]!.sent).toBe(0);
    expect(none.minRttNs).toBeUndefined();
  });

  it("send flows at their times", async () => {
    const [left, right] = await start("dscp", pecmp());
    await Promise.all([left.listen(6001), right.listen(6000)]);
    const epoch = monotonicNs() + 100e6;
    const flows = [
      { from: left, to: RIGHT.ipv6, bytes: 50_000, port: 6000, startNs: epoch + 20e6 },
      { from: right, to: LEFT.ipv6, bytes: 1, port: 6001, startNs: epoch },
      { from: left, to: RIGHT.ipv6, bytes: 120_000, port: 6000, startNs: epoch },
    ];
    const sent = flows.map(({ from, startNs, ...rest }) =>
      from.flow({ ...rest, ipVersion: 6, startNs: Math.round(startNs) }),
    );
    for (const [i, flow] of sent.entries()) {
      const { bytes, startNs } = flows[i]!;
      const { fctNs, tcp, ...result } = await flow.finished;
      expect(result).toMatchObject({ bytes, stopped: false });
      expect(fctNs).toBeGreaterThan(0);
      expect(tcp!.rttUs).toBeGreaterThan(0);
      expect((await first(flow, "started")).atNs).toBeGreaterThanOrEqual(Math.round(startNs));
    }
  });

  it.skipIf(noIperf3)("carry a flow of iperf3", async () => {
    await start("dscp", pecmp());
    const [from, to] = [
      { host: network.left, address: LEFT.ipv6 },
      { host: network.right, address: RIGHT.ipv6 },
    ];
    const figures = await runIperf3(from, to, { ipVersion: 6, port: 6000, bytes: 50_000 });
    expect(figures.bytes).toBeGreaterThanOrEqual(50_000);
    expect(figures.fctNs).toBeGreaterThan(0);
    expect(figures.retransmissions).toBeGreaterThanOrEqual(0);
    const ends = [LEFT.ipv4, LEFT.ipv4].map((address, i) => ({
      host: i === 0 ? network.left : network.right,
      address,
    }));
    const refused = runIperf3(ends[0]!, ends[1]!, { ipVersion: 4, port: 6100, bytes: 1 });
    await expect(refused).rejects.toThrow(/P43173.*does not listen on right/s);
  });
});

describe.skipIf(missing !== undefined)(`an agent and its host${missing ? ` (${missing})` : ""}`, () => {
  let network: TestNetwork;
  beforeAll(async () => {
    network = await TestNetwork.make("dscp");
  });
  afterAll(() => network?.close());

  /** All that an agent changes: addresses, routes, neighbours and settings. */
  async function state(): Promise<string> {
    const shown = await network.left.exec([
      "sh",
      "-c",
      "ip -o addr; ip route; ip -6 route; ip neigh show nud permanent;" +
        "cat /proc/sys/net/ipv4/conf/eth0/* /proc/sys/net/ipv6/conf/eth0/disable_ipv6 /proc/sys/net/ipv4/tcp_*",
    ]);
    // Counters of valid addresses and of the kernel's memory move by themselves.
    return shown.stdout
      .split("\n")
      .filter((line) => !/fe80|ff00|multicast/.test(line))
      .join("\n");
  }

  it("gives the host back as it was", async () => {
    for (const words of [
      "address add 192.168.9.1/24 dev eth0",
      "address add fd09::1/64 dev eth0 nodad",
      "neighbour add 192.168.9.2 lladdr 02:00:00:00:00:99 nud permanent dev eth0",
      "route add default via 192.168.9.2 dev eth0",
    ])
      await network.left.exec(["ip", ...words.split(" ")]);
    const before = await state();
    const agent = await startAgent(network.left, agentConfig("left", "dscp", fixed(0)));
    const during = await state();
    expect(during).toContain("agent0");
    expect(during).not.toContain("192.168.9");
    await agent.stop();
    await agent.stop();
    expect(await state()).toBe(before);
    await expect(agent.listen(5201)).rejects.toThrow(/P43172.*was stopped/);
    await network.left.exec(["ip", "address", "flush", "dev", "eth0", "scope", "global"]);
  });

  it("reports which settings took effect", async () => {
    const agent = await startAgent(
      network.left,
      agentConfig("left", "dscp", fixed(0), { rtoMarginNs: 5e6, rtoCapNs: 200e6 }),
    );
    const effective = new Map(agent.settings.map((setting) => [setting.name, setting]));
    expect(effective.get("route.rto_min")).toMatchObject({ wanted: "5ms", effective: "5ms" });
    expect(effective.get("net.ipv4.tcp_early_retrans")).toMatchObject({ effective: "0" });
    // Linux caps timeouts at no less than a second, or not at all.
    const cap = effective.get("net.ipv4.tcp_rto_max_ms")!;
    expect(cap.wanted).toBe("200");
    expect(cap.effective).not.toBe("200");
    await agent.stop();
  });

  it.skipIf(noPing !== undefined)(
    `keeps its kernel silent: what comes by the NIC is the agent's alone ${noPing ?? ""}`,
    async () => {
      const { left, right } = network;
      const agent = left.spawn(["sh", "-c", `echo $$; exec ${agentCommand().join(" ")}`]);
      const lines: string[] = [];
      const ready = new Promise<void>((resolve) => {
        agent.onLine((line) => {
          if (lines.push(line) === 2) resolve();
        });
      });
      agent.write(JSON.stringify(startRequest(agentConfig("left", "dscp", fixed(0)))));
      await ready;
      expect(lines[1]).toContain('"ready"');
      for (const words of ["addr add 10.0.0.2/24 dev eth0", "addr add fd00::2/64 dev eth0 nodad"])
        await right.exec(["ip", ...words.split(" ")]);
      const ping = async (address: string) =>
        (await right.exec(["ping", "-c", "2", "-i", "0.2", "-W", "0.3", address])).stdout;
      // No host answers ARP.
      expect(await ping("10.0.0.1")).toContain("0 received");
      const toLeft = ["lladdr", "02:00:00:00:00:0a", "nud", "permanent", "dev", "eth0"];
      await right.exec(["ip", "neigh", "replace", "10.0.0.1", ...toLeft]);
      await right.exec(["ip", "neigh", "replace", "fd00::1", ...toLeft]);
      await right.exec(["ethtool", "-K", "eth0", "tx", "off"]);
      expect(await ping("10.0.0.1")).toContain("2 received");
      process.kill(Number(lines[0]), "SIGSTOP");
      expect(await ping("10.0.0.1")).toContain("0 received");
      expect(await ping("fd00::1")).toContain("0 received");
      process.kill(Number(lines[0]), "SIGCONT");
      await agent.kill();
      await right.exec(["ip", "addr", "flush", "dev", "eth0"]);
    },
  );

  it.each([
    ["a NIC that is not there", { nics: [{ name: "eth7", mac: 1n, gateway: 2n }] }, /eth7/],
    ["an unknown field", { field: "tos" }, /field: expected one of dscp, vlan.*got "tos"/],
    ["an unknown policy", { policy: { kind: "nobody" } }, /unknown kind of host policy "nobody"/],
    [
      "an MTU without room for the echo",
      { mtu: 1500 },
      /mtu: packets of 1500 bytes and the echo's 8 do not fit/,
    ],
    ["no address", { ipv4: undefined, ipv6: undefined }, /needs an IPv4 or an IPv6 address/],
    [
      "a timeout of no length",
      { rtoMarginNs: -1 },
      /rtoMinMs: expected a whole number from 1 to 120000, got/,
    ],
  ] as const)("does not start with %s", async (_what, wrong, message) => {
    const before = await state();
    const config = { ...agentConfig("left", "dscp", fixed(0)), ...wrong } as AgentConfig;
    const refusal = await startAgent(network.left, config).catch((error: unknown) => `${error}`);
    expect(refusal).toContain("error[P43170]: the agent on left does not start");
    expect(refusal).toMatch(message);
    expect(await state()).toBe(before);
  });

  it("refuses what is wrong, says why, and continues", async () => {
    const agent = await startAgent(
      network.left,
      agentConfig("left", "dscp", fixed(0), { ipv6: undefined } as never),
    );
    await agent.listen(5201);
    await agent.listen(5201);
    const blocked = network.left.spawn(["python3", "-c", BLOCK_PORT]);
    await new Promise<void>((resolve) => void blocked.onLine(() => resolve()));
    await expect(agent.listen(5999)).rejects.toThrow(/P43171.*in use/);
    await expect(agent.listen(0)).rejects.toThrow(
      /P43171.*port: expected a whole number from 1 to 65535, got 0/,
    );
    const flow = (more: object) => {
      return agent.flow({ to: RIGHT.ipv4, ipVersion: 4, port: 5201, ...more }).finished;
    };
    await expect(flow({ windowSegments: 2 })).rejects.toThrow(/P43172.*segmentBytes/);
    await expect(flow({ segmentBytes: 1390 })).rejects.toThrow(/segmentBytes: at most 1348 fit/);
    await expect(flow({ to: RIGHT.ipv6, ipVersion: 6 })).rejects.toThrow(/no address of the family/);
    await expect(flow({ to: LEFT.ipv4 })).rejects.toThrow(/to: 10.0.0.1 is this host itself/);
    const ports = { port: 7, clientPort: 8 };
    const probe = { to: RIGHT.ipv4, ipVersion: 4, ...ports } as const;
    await expect(agent.probe({ ...probe, forward: [64], reverse: [0] })).rejects.toThrow(
      /P43171.*forward: expected whole numbers below 64, got 64/,
    );
    await expect(agent.probe({ ...probe, forward: [1, 1], reverse: [0] })).rejects.toThrow(/twice/);
    expect((await agent.statistics()).lost).toBe(0);
    await agent.stop();
    await blocked.kill();
  });

  it("reports a flow that is not accepted, and its own end", async () => {
    const left = await startAgent(network.left, agentConfig("left", "dscp", fixed(0)));
    const right = await startAgent(network.right, agentConfig("right", "dscp", fixed(0)));
    const to = { to: RIGHT.ipv4, ipVersion: 4 } as const;
    await expect(left.flow({ ...to, port: 4000 }).finished).rejects.toThrow(/P43172.*refused/);
    await right.listen(5201);
    const flow = left.flow({ ...to, port: 5201, segmentBytes: 100, windowSegments: 1 });
    await first(flow, "connected");
    const probe = { ...to, port: 7, clientPort: 8, forward: [0], reverse: [0], timeoutNs: 60e9 };
    await network.drop({ right: "all" });
    const unanswered = left.probe(probe);
    const both = Promise.allSettled([flow.finished, unanswered]);
    await left.stop();
    for (const outcome of await both) {
      expect(outcome.status).toBe("rejected");
      expect(`${(outcome as PromiseRejectedResult).reason}`).toMatch(/P43172.*the agent on left was stopped/);
    }
    await network.drop({ right: [] });
    await right.stop();
  });

  it("takes lines that are no requests, and ends with its input", async () => {
    const config = JSON.stringify(startRequest(agentConfig("left", "dscp", fixed(0))));
    const done = await network.left.exec(agentCommand(), {
      input: `${config}\n{"op": "jump", "id": 3}\n[1]\nnot json\n`,
    });
    expect(done.stderr).toBe("");
    expect(done.status).toBe(0);
    const events = done.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string; id?: number; text?: string });
    expect(events.map(({ event }) => event)).toEqual(["ready", "error", "error", "error", "stopped"]);
    expect(events[1]).toMatchObject({ id: 3, text: expect.stringContaining('got "jump"') });
  });
});

const BLOCK_PORT = `
import socket, time
s = socket.socket()
s.bind(("10.0.0.1", 5999))
s.listen()
print("ready", flush=True)
time.sleep(60)
`;

const RECEIVE = `
import hashlib, socket, sys
s = socket.create_server((sys.argv[1], 5400), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
print("listening", flush=True)
c, _ = s.accept()
h = hashlib.sha256()
while True:
    data = c.recv(65536)
    if not data:
        break
    h.update(data)
print(h.hexdigest(), flush=True)
`;

const SEND = `
import hashlib, random, socket, sys
data = random.Random(5).randbytes(1500000)
c = socket.create_connection((sys.argv[2], 5400), source_address=(sys.argv[1], 0))
c.sendall(data)
c.close()
print(hashlib.sha256(data).hexdigest())
`;
