import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { ipv4Text } from "../../../src/base/packets/index.js";
import type { RunningExercise } from "../../../src/course/exercise-network/exercise.js";
import { Prompt } from "../../../src/course/exercise-network/prompt.js";
import { readTopologyFile } from "../../../src/course/exercises/index.js";
import type { RunningHost } from "../../../src/fabric/testbed/testbed.js";
import { localHost } from "./local-host.js";

const path = resolve(import.meta.dirname, "../../../examples/exercise/topo/topology.json");
const topology = readTopologyFile(new SourceFile(path, readFileSync(path, "utf8")), new Diagnostics())!;

/** A prompt over a network with set answers: h3 cannot be reached. */
function open(files: Record<string, string> = {}) {
  const asked: string[] = [];
  const down = new Set<string>();
  const host = (name: string): RunningHost => ({
    ...localHost(name),
    exec: async (argv) => {
      asked.push(`${name}: ${argv.join(" ")}`);
      const lost = argv.at(-1) === "10.0.3.3" || name === "h3";
      if (argv[0] !== "ping") return { status: 127, stdout: "", stderr: "iperf3: not found" };
      return { status: lost ? 1 : 0, stdout: lost ? "" : "64 bytes: time=0.25 ms\n", stderr: "" };
    },
  });
  const exercise = {
    setup: { topology },
    lab: {
      hosts: new Map(topology.hosts.map(({ name }) => [name, host(name)])),
      switches: new Map(topology.switches.map(({ name }) => [name, {}])),
    },
    grpcPorts: new Map(topology.switches.map(({ name }, index) => [name, 50051 + index])),
    withAddresses: (command: string) =>
      command.replace(/\bh\d\b/g, (name) => ipv4Text(topology.hosts.find((one) => one.name === name)!.ipv4)),
    command: async (name: string, text: string, print: (line: string) => void) => {
      print(`${name} got ${text}`);
      return text === "nonsense" ? 1 : 0;
    },
    indexOf: () => undefined,
    linked: (a: string, b: string) => !(a.startsWith("h") && b.startsWith("h")),
    isDown: (a: string, b: string) => down.has([a, b].sort().join(" ")),
    setLink: async (a: string, b: string, up: boolean) => {
      const key = [a, b].sort().join(" ");
      if (up) down.delete(key);
      else down.add(key);
    },
    stopSwitch: async (name: string) => {
      asked.push(`stop ${name}`);
    },
    startSwitch: async (name: string) => {
      asked.push(`start ${name}`);
    },
  };
  let output = "";
  let clock = 0;
  const prompt = new Prompt(exercise as unknown as RunningExercise, {
    write: (text) => {
      output += text;
    },
    now: () => {
      clock += 250;
      return clock;
    },
    read: (name) => files[name],
    shell: async (line) => {
      asked.push(`here: ${line}`);
      return 0;
    },
  });
  onTestFinished(() => prompt.close());
  const say = async (line: string) => {
    output = "";
    const outcome = await prompt.run(line);
    return { outcome, output };
  };
  return { prompt, say, asked };
}

describe("the prompt", () => {
  it("runs commands in hosts, names standing for addresses", async () => {
    const { say } = open();
    expect(await say("h1 echo h2 and h3")).toEqual({ outcome: 0, output: "10.0.2.2 and 10.0.3.3\n" });
    expect((await say("h1 false")).outcome).toBe(1);
    expect((await say("h1")).output).toContain("give a command for h1");
  });

  it("speaks to switches", async () => {
    const { say } = open();
    expect(await say("s2 show_tables")).toEqual({ outcome: 0, output: "s2 got show_tables\n" });
    expect((await say("s2 nonsense")).outcome).toBe(1);
  });

  it("pings all, and counts what is lost", async () => {
    const { say, asked } = open();
    const { outcome, output } = await say("pingall");
    expect(output).toBe(
      [
        "*** Ping: testing ping reachability",
        "h1 -> h2 X ",
        "h2 -> h1 X ",
        "h3 -> X X ",
        "*** Results: 66% dropped (2/6 received)",
        "",
      ].join("\n"),
    );
    expect(outcome).toBe(1);
    expect(asked[0]).toBe("h1: ping -c1 -W 1 10.0.2.2");
    expect((await say("pingpair")).output).toContain("0% dropped (2/2 received)");
    expect((await say("pingallfull")).output).toContain(" h1->h2: 0.25 ms");
    expect((await say("pingall soon")).outcome).toBe(2);
  });

  it("lists what there is", async () => {
    const { say } = open();
    expect((await say("nodes")).output).toBe("available nodes are:\nh1 h2 h3 s1 s2 s3\n");
    expect((await say("net")).output).toContain("h1 h1-eth0:s1-eth1\n");
    expect((await say("net")).output).toContain("s1 s1-eth1:h1-eth0 s1-eth2:s2-eth3 s1-eth3:s3-eth2\n");
    expect((await say("dump")).output).toContain("<Host h1: eth0:10.0.1.1>\n");
    expect((await say("dump")).output).toContain("<Switch s2: P4Runtime 127.0.0.1:50052>\n");
    expect((await say("help")).output).toMatch(/pingall.*ping between all hosts/);
  });

  it("takes links down and brings them up", async () => {
    const { say } = open();
    expect((await say("link s1 s2 down")).outcome).toBe(0);
    expect((await say("links")).output).toContain("s1-eth2<->s2-eth3 (down down)");
    await say("link s2 s1 up");
    expect((await say("links")).output).not.toContain("down");
    expect((await say("link h1 h2 down")).output).toContain("h1 and h2 have no link");
    expect((await say("link s1 s2 sideways")).outcome).toBe(2);
  });

  it("stops and starts switches", async () => {
    const { say, asked } = open();
    await say("switch s1 stop");
    await say("switch s1 start");
    expect(asked).toEqual(["stop s1", "start s1"]);
    expect((await say("switch h1 stop")).output).toContain("no such switch: h1");
  });

  it("runs lines on this machine, and times lines", async () => {
    const { say, asked } = open();
    await say("sh ls logs");
    await say("!ls pcaps");
    expect(asked).toEqual(["here: ls logs", "here: ls pcaps"]);
    expect((await say("time h1 true")).output).toMatch(/Elapsed time: 0\.\d{6} secs/);
  });

  it("reads lines from files, and stops at exit", async () => {
    const { say } = open({
      good: "# comment\n\nnodes\nh1 false\n",
      left: "exit\nnodes\n",
      loop: "source loop\n",
    });
    const { outcome, output } = await say("source good");
    expect(outcome).toBe(1);
    expect(output).toContain("available nodes");
    expect(await say("source left")).toEqual({ outcome: "exit", output: "" });
    expect((await say("source loop")).output).toContain("files that name each other");
    expect((await say("source none")).output).toContain("cannot read none");
  });

  it("says why a word is not there", async () => {
    const { say } = open();
    expect((await say("xterm h1")).output).toContain("no windows");
    expect((await say("frobnicate")).output).toContain("Unknown command: frobnicate");
    expect((await say("constructor")).output).toContain("Unknown command: constructor");
    expect(await say("   ")).toEqual({ outcome: 0, output: "" });
  });

  it("says which hosts iperf is between", async () => {
    const { say } = open();
    expect((await say("iperf h1 s1")).outcome).toBe(2);
    expect((await say("iperf h1 h2 h3")).outcome).toBe(2);
  });

  it("completes words and nodes", () => {
    const { prompt } = open();
    expect(prompt.complete("pin")).toEqual({ from: 0, candidates: ["pingall", "pingallfull", "pingpair"] });
    expect(prompt.complete("h1 ping h")).toEqual({ from: 8, candidates: ["h1", "h2", "h3"] });
    expect(prompt.complete("s1")).toEqual({ from: 0, candidates: ["s1"] });
    const { from, candidates } = prompt.complete("s1 show_t");
    expect(from).toBe(3);
    expect(candidates.join()).toContain("show_tables");
  });
});
