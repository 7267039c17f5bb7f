/** A leaf-spine of 2x2 switches and 4 hosts on real interfaces: every network, every engine that this machine has. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loadBetween, startTestbed, type Testbed, testbedOf } from "../../../src/fabric/testbed/index.js";
import { hostsOf } from "../../../src/fabric/topology/index.js";
import { DeviceError } from "../../../src/toolchain/device/index.js";
import {
  dotted,
  LABS,
  leafSpine,
  leftoversOf,
  loadEcmp,
  makeFolder,
  testbedOptions,
  whyNot,
} from "./machine.js";

const hosts = hostsOf(leafSpine).map((node) => ({ name: node.name, ipv4: dotted(node.host!.ipv4) }));
const [first, second, third] = hosts as [Host, Host, Host];

interface Host {
  readonly name: string;
  readonly ipv4: string;
}

/** Whether there is a process of that number that has not ended. */
function isRunning(pid: string): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid.trim()}/stat`, "utf8"));
  } catch {
    return false;
  }
}

for (const { network, engine, reason } of LABS) {
  const title = `${network}, engine ${engine}${reason === undefined ? "" : ` (not here: ${reason})`}`;
  describe.skipIf(reason !== undefined)(title, () => {
    const folder = makeFolder();
    let testbed: Testbed;
    let lines: string[];

    beforeAll(async () => {
      const options = await testbedOptions(network, engine, folder, { pcap: true });
      ({ lines } = options);
      testbed = await startTestbed(testbedOf(leafSpine, { rateScale: 0, delayScale: 0 }), options);
      await loadEcmp(testbed, leafSpine);
    });

    afterAll(async () => {
      await testbed?.close();
      expect(testbed === undefined ? [] : leftoversOf(testbed.id)).toEqual([]);
    });

    /** Whether a ping is answered: one of five, since a busy machine may lose some. */
    const reaches = async (from: Host, to: Host, tries = 5): Promise<boolean> => {
      const argv = ["ping", "-n", "-c", String(tries), "-i", "0.05", "-W", "1", to.ipv4];
      return (await testbed.hosts.get(from.name)!.exec(argv)).status === 0;
    };

    it("carries a ping between all pairs of hosts", async () => {
      const pairs = hosts.flatMap((from) => hosts.filter((to) => to !== from).map((to) => ({ from, to })));
      for (const { from, to } of pairs) {
        expect(await reaches(from, to), `${from.name} to ${to.name}`).toBe(true);
      }
      const ipv6 = "fd00:0:0:1::1";
      const { status } = await testbed.hosts
        .get(first.name)!
        .exec(["ping", "-6", "-n", "-c", "1", "-W", "2", ipv6]);
      expect(status).toBe(0);
    });

    const iperf3 = whyNot(network, engine, ["iperf3"]);
    it.skipIf(iperf3 !== undefined)(`carries an iperf3 transfer ${iperf3 ?? ""}`, async () => {
      const server = testbed.hosts.get(third.name)!.spawn(["iperf3", "-s", "-1", "--forceflush"]);
      await new Promise<void>((resolve) => {
        server.onLine((line) => {
          if (line.includes("listening")) resolve();
        });
      });
      const argv = ["iperf3", "-J", "-c", third.ipv4, "-n", "4M"];
      const { stdout } = await testbed.hosts.get(first.name)!.exec(argv, { timeoutMs: 50_000 });
      const { end } = JSON.parse(stdout) as { end: Record<"sum_sent" | "sum_received", { bytes: number }> };
      expect(end.sum_sent.bytes).toBeGreaterThanOrEqual(4 * 2 ** 20);
      // without what was still in flight when the sender had sent all
      expect(end.sum_received.bytes).toBeGreaterThan(2 ** 20);
      expect(await server.exited).toBe(0);
    });

    it("measures the processor time of hosts and switches", async () => {
      const before = await testbed.usage();
      // Busy until it is killed: the measurement follows it, however busy the machine is.
      const loop = testbed.hosts.get(first.name)!.spawn(["sh", "-c", "while :; do :; done"]);
      const busyShare = async () =>
        loadBetween(before, await testbed.usage()).hosts.get(first.name)!.processor;
      await vi.waitFor(async () => expect(await busyShare()).toBeGreaterThan(0), { timeout: 30_000 });
      const load = loadBetween(before, await testbed.usage());
      await loop.kill();
      expect(load.hosts.get(second.name)!.processor).toBe(0);
      expect(load.machine).toBeGreaterThan(0);
      expect([...load.switches.keys()]).toEqual([...testbed.switches.keys()]);
      for (const { unreadFrames } of load.switches.values())
        expect(unreadFrames).toEqual(engine === "bmv2" ? undefined : expect.any(Number));
      const times = [...(await testbed.usage()).switches.values()].flatMap(({ processes }) => [
        ...processes.values(),
      ]);
      expect(times).toHaveLength(testbed.switches.size);
      expect(Math.min(...times)).toBeGreaterThan(0);
    });

    it.skipIf(engine === "bmv2")(
      "counts the frames that a switch does not read in time",
      async () => {
        const before = await testbed.usage();
        const [pid] = before.switches.get("tor0-0")!.processes.keys();
        process.kill(pid!, "SIGSTOP");
        try {
          // More than the receive buffer of a port holds.
          const flood = [
            "ping",
            "-q",
            "-n",
            "-l",
            "30000",
            "-c",
            "30000",
            "-s",
            "1400",
            "-w",
            "1",
            third.ipv4,
          ];
          await testbed.hosts.get(first.name)!.exec(flood, { timeoutMs: 30_000 });
          const { switches } = loadBetween(before, await testbed.usage());
          expect(switches.get("tor0-0")!.unreadFrames).toBeGreaterThan(0);
          expect(switches.get("tor0-1")!.unreadFrames).toBe(0);
        } finally {
          process.kill(pid!, "SIGCONT");
        }
      },
      60_000,
    );

    it("takes a link down and up again, while the rest of the fabric continues", async () => {
      await testbed.setLink(second.name, "tor0-0", false);
      expect(await reaches(first, second, 1)).toBe(false);
      expect(await reaches(first, third)).toBe(true);
      await testbed.setLink("tor0-0", second.name, true);
      expect(await reaches(first, second)).toBe(true);
      await expect(testbed.setLink(first.name, "leaf0-0", false)).rejects.toThrow(
        "there is no link between host0-0-0 and leaf0-0",
      );
    });

    it("kills a switch and starts it again, with the same device", async () => {
      const tor = testbed.switches.get("tor0-1")!;
      await tor.kill();
      expect(await reaches(first, third, 1)).toBe(false);
      await expect(tor.device.read([{ kind: "tableEntry" }])).rejects.toThrow(
        new DeviceError("UNAVAILABLE", "switch tor0-1 is not running"),
      );
      await tor.restart();
      expect(await reaches(first, third, 1)).toBe(false);
      await loadEcmp(testbed, leafSpine, ["tor0-1"]);
      expect(await reaches(first, third)).toBe(true);
    });

    it("restarts a switch whose link is down, which works when the link is up again", async () => {
      await testbed.setLink(third.name, "tor0-1", false);
      await testbed.switches.get("tor0-1")!.restart();
      await loadEcmp(testbed, leafSpine, ["tor0-1"]);
      expect(await reaches(first, third, 1)).toBe(false);
      await testbed.setLink(third.name, "tor0-1", true);
      expect(await reaches(first, third)).toBe(true);
    });

    it("keeps logs and captures in the run's folder, and says what was done", async () => {
      const log = readFileSync(testbed.switches.get("leaf0-0")!.logFile, "utf8");
      expect(testbed.switches.get("leaf0-0")!.logFile).toBe(join(folder, "logs/leaf0-0.log"));
      expect(log).toContain("Server listening on unix:");
      expect(statSync(join(folder, "pcaps/tor0-0-eth1_in.pcap")).size).toBeGreaterThan(24);
      expect(lines).toContain(`run ${testbed.id}: 4 switches (${engine})`);
      expect(lines).toContain("link tor0-0-host0-0-1 is up");
      expect(lines.some((line) => line.includes("simple_switch_CLI"))).toBe(engine === "bmv2");
    });

    it("runs commands in hosts: status, both outputs, input, a limit of time", async () => {
      const host = testbed.hosts.get(first.name)!;
      expect(await host.exec(["sh", "-c", "cat; echo no >&2; exit 3"], { input: "in\n" })).toEqual({
        status: 3,
        stdout: "in\n",
        stderr: "no\n",
      });
      expect((await host.exec(["sh", "-c", "sleep 60 | cat"], { timeoutMs: 100 })).status).toBe(137);
      expect((await host.exec(["no-such-command"])).status).not.toBe(0);
      const echo = host.spawn(["cat"]);
      const line = new Promise<string>((resolve) => void echo.onLine(resolve));
      echo.write("hello");
      expect(await line).toBe("hello");
      await echo.kill();
      expect(await echo.exited).toBe(143);
    });

    it("does not wait for what a command or a shell leaves in the background", async () => {
      const host = testbed.hosts.get(first.name)!;
      const { status, stdout } = await host.exec(["sh", "-c", "sleep 1000 & echo $!"], { timeoutMs: 60_000 });
      expect(status).toBe(0);
      expect(isRunning(stdout)).toBe(true);
      process.kill(Number(stdout));

      const shell = host.spawn(["sh"]);
      let heard = "";
      shell.onText((text) => {
        heard += text;
      });
      shell.write("sleep 1000 &");
      shell.write("seq 20000; echo $!; exit 4");
      expect(await shell.exited).toBe(4);
      const lines = heard.trim().split("\n");
      expect(lines).toHaveLength(20_001);
      expect(isRunning(lines.at(-1)!)).toBe(true);
      process.kill(Number(lines.at(-1)));
      await shell.kill();

      const killed = host.spawn(["sh"]);
      const inBackground = new Promise<string>((resolve) => void killed.onLine(resolve));
      killed.write("sleep 1000 & echo $!; wait");
      const pid = await inBackground;
      expect(isRunning(pid)).toBe(true);
      await killed.kill();
      await vi.waitUntil(() => !isRunning(pid), { timeout: 10_000 });
    });

    it("gives hosts their names, addresses and no offloads", async () => {
      const host = testbed.hosts.get(first.name)!;
      const features = (await host.exec(["ethtool", "-k", "eth0"])).stdout;
      for (const name of [
        "tx-checksumming",
        "rx-checksumming",
        "scatter-gather",
        "tcp-segmentation-offload",
      ]) {
        expect(features).toContain(`${name}: off`);
      }
      const { stdout } = await host.exec(["ip", "-brief", "address", "show", "dev", "eth0"]);
      expect(stdout).toContain(`${first.ipv4}/32 fd00::1/128`);
      expect(stdout).not.toContain("fe80");
    });
  });
}
