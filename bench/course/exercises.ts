/**
 * The 13 exercises of the P4 tutorials, as their READMEs describe them: each solution in its folder, the network of
 * `p4loom net`, the exercise's own scripts and controllers. Nothing of the tutorials is part of this package:
 * P4LOOM_TUTORIALS names a checkout of p4lang/tutorials, P4LOOM_PYTHON a Python with scapy, grpc, and the modules p4 (with
 * p4.tmp) and p4runtime_sh. Needs root and a build. BMv2 is also measured if P4LOOM_BMV2 names it. Rewrites the
 * rows in docs/exercises.md.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SwitchEngine } from "../../src/fabric/testbed/index.js";
import type { Measurement } from "../benchmark.js";
import { writeRows } from "../toolchain/page-table.js";

const root = join(import.meta.dirname, "../..");
const MAX_MS = 180_000;

interface Exercise {
  readonly name: string;
  /** Lines for the prompt; `PY` is replaced by the Python interpreter. */
  readonly lines: readonly string[];
  /** Texts that the output contains if the exercise works, each with the fact that it proves. */
  readonly expect: Readonly<Record<string, RegExp>>;
}

/** Sends until the receiver's log has the expected text, because sniffing starts late on a busy machine. */
function sendUntil(host: string, send: string, log: string, pattern: string, tries = 12): string {
  const loop = `for i in $(seq ${tries}); do ${send}; sleep 0.5; grep -q '${pattern}' ${log} && break; done`;
  return `${host} ${loop}; cat ${log}`;
}

export const EXERCISES: readonly Exercise[] = [
  {
    name: "basic",
    lines: [
      "pingall",
      "h2 PY receive.py > h2.log 2>&1 &",
      sendUntil("h1", 'PY send.py 10.0.2.2 "P4 is cool"', "h2.log", "got a packet"),
    ],
    expect: {
      "all hosts reach each other": / 0% dropped \(12\/12/,
      "receive.py gets send.py's packet": /P4 is cool/,
    },
  },
  {
    name: "basic_tunnel",
    lines: [
      "h2 PY receive.py > h2.log 2>&1 &",
      sendUntil("h1", 'PY send.py 10.0.3.3 "P4 is cool" --dst_id 2', "h2.log", "MyTunnel"),
    ],
    expect: {
      "the tunnel's id decides, not the IP address": /got a packet[\s\S]*MyTunnel[\s\S]*dst_id\s*= 2/,
    },
  },
  {
    name: "calc",
    lines: ["h1 printf '40+2\\n40-2\\n40&2\\n40|2\\n40^2\\nquit\\n' | PY calc.py"],
    expect: {
      "all five operators are right": /40\+2\n.*42\n.*40-2\n.*38\n.*40&2\n.*0\n.*40\|2\n.*42\n.*40\^2\n.*42/,
    },
  },
  {
    name: "ecn",
    lines: [
      "h2 PY receive.py > h2.log 2>&1 &",
      "h22 iperf -s -u > /dev/null 2>&1 &",
      "h11 iperf -c 10.0.2.22 -t 30 -u -b 1M > /dev/null 2>&1 &",
      sendUntil("h1", 'PY send.py 10.0.2.2 "P4 is cool" 2', "h2.log", "tos *= 0x3", 12),
    ],
    expect: { "packets arrive unmarked": /tos\s*= 0x1/, "a full queue marks packets": /tos\s*= 0x3/ },
  },
  {
    name: "firewall",
    lines: ["pingall", "iperf h1 h3", "iperf h3 h1"],
    expect: {
      "pings pass": / 0% dropped \(12\/12/,
      "TCP passes from inside": /between h1 and h3\n\*\*\* Results: \['/,
      "TCP is stopped from outside": /between h3 and h1\n\*\*\* iperf3: /,
    },
  },
  {
    name: "flowcache",
    lines: [
      "sh PY ./mycontroller.py > controller.log 2>&1 & echo $! > controller.pid",
      "h1 for i in $(seq 20); do ping -c3 -W1 h2 && break; done",
      "sh kill -INT $(cat controller.pid); sleep 1; grep -ac 'PacketIn\\|Packet' controller.log; cat controller.log",
    ],
    expect: { "the controller's entries carry pings": /[1-3] received, (0|33\.3333|66\.6667)% packet loss/ },
  },
  {
    name: "link_monitor",
    lines: [
      "h1 PY send.py > /dev/null 2>&1 &",
      "h1 PY receive.py > h1.log 2>&1 &",
      "h1 for i in $(seq 40); do grep -q Mbps h1.log && break; sleep 0.5; done; cat h1.log",
    ],
    expect: { "probes report the use of links": /Switch \d+ - Port \d+: [\d.e-]+ Mbps/ },
  },
  {
    name: "load_balance",
    lines: [
      "h2 PY receive.py > h2.log 2>&1 &",
      "h3 PY receive.py > h3.log 2>&1 &",
      "h1 for i in $(seq 40); do PY send.py 10.0.0.1 P4; grep -q 'got a packet' h2.log && grep -q 'got a packet' h3.log && break; done",
      "h1 grep -c 'got a packet' h2.log h3.log",
    ],
    expect: { "flows go to both servers": /h2\.log:[1-9]\d*\nh3\.log:[1-9]/ },
  },
  {
    name: "mri",
    lines: [
      "h2 PY receive.py > h2.log 2>&1 &",
      "h22 iperf -s -u > /dev/null 2>&1 &",
      "h11 iperf -c 10.0.2.22 -t 30 -u -b 1M > /dev/null 2>&1 &",
      sendUntil("h1", 'PY send.py 10.0.2.2 "P4 is cool" 2', "h2.log", "qdepth *= [1-9]", 12),
    ],
    expect: {
      "packets list their switches": /swid\s*= 2[\s\S]*swid\s*= 1/,
      "queues have a depth": /qdepth\s*= [1-9]/,
    },
  },
  {
    name: "multicast",
    lines: ["pingall"],
    expect: { "all hosts reach each other": / 0% dropped/ },
  },
  {
    name: "p4runtime",
    lines: [
      "h1 ping -c1 -W1 h2",
      "sh PY ./mycontroller.py > controller.log 2>&1 & echo $! > controller.pid",
      "h1 for i in $(seq 20); do ping -c3 -W1 h2 && break; done",
      "s1 dump MyIngress.ipv4_lpm",
      "sh sleep 3; kill -INT $(cat controller.pid); sleep 1; cat controller.log",
    ],
    expect: {
      "nothing passes before the controller": /1 packets transmitted, 0 received/,
      "the controller's tunnels carry pings": /3 packets transmitted, [1-3] received/,
      "the controller reads its counters": /s1 MyIngress\.ingressTunnelCounter 100: [1-9]\d* packets/,
      "the prompt can read meanwhile": /insert MyIngress\.ipv4_lpm hdr\.ipv4\.dstAddr=10\.0\.2\.2\/32/,
    },
  },
  {
    name: "qos",
    lines: [
      "h2 PY receive.py > h2.log 2>&1 &",
      sendUntil("h1", 'PY send.py --p=UDP --des=10.0.2.2 --m="P4 is cool" --dur=1', "h2.log", "tos *= 0xb9"),
      sendUntil("h1", 'PY send.py --p=TCP --des=10.0.2.2 --m="P4 is cool" --dur=1', "h2.log", "tos *= 0xb1"),
    ],
    expect: { "UDP gets its class": /tos\s*= 0xb9/, "TCP gets its class": /tos\s*= 0xb1/ },
  },
  {
    name: "source_routing",
    lines: [
      "h2 PY receive.py > h2.log 2>&1 &",
      sendUntil("h1", "printf '2 3 2 2 1\\nq\\n' | PY send.py 10.0.2.2", "h2.log", "got a packet"),
    ],
    expect: { "five hops subtract five from the TTL": /got a packet[\s\S]*ttl\s*= 59/ },
  },
];

export interface ExerciseOutcome {
  /** The expected texts that the output does not contain. */
  readonly missing: readonly string[];
  readonly output: string;
}

/** Copies each file of the solution over the exercise's own, which may lie in the folder of the topology (`multicast`). */
function applySolution(folder: string): void {
  const folders = [folder, ...readdirSync(folder).map((name) => join(folder, name))];
  for (const file of readdirSync(join(folder, "solution"))) {
    const places = folders.filter((place) => !place.endsWith("solution") && existsSync(join(place, file)));
    for (const place of places.length > 0 ? places : [folder])
      cpSync(join(folder, "solution", file), join(place, file));
  }
}

/** Runs one exercise in a copy of its folder; `argv` starts p4loom. */
export async function runExercise(
  exercise: Exercise,
  engine: SwitchEngine,
  argv: readonly string[],
): Promise<ExerciseOutcome> {
  const tutorials = process.env["P4LOOM_TUTORIALS"]!;
  const python = process.env["P4LOOM_PYTHON"] ?? "python3";
  const copy = mkdtempSync(join(tmpdir(), "p4loom-exercise-"));
  try {
    for (const part of ["utils", `exercises/${exercise.name}`]) {
      cpSync(join(tutorials, part), join(copy, part), { recursive: true });
    }
    const folder = join(copy, "exercises", exercise.name);
    applySolution(folder);
    const bmv2 = process.env["P4LOOM_BMV2"];
    const words = ["net", "--engine", engine, ...(bmv2 === undefined ? [] : ["--bmv2", bmv2])];
    words.push("--no-pcap", "--quiet", "--allow-missing", "delay");
    for (const line of exercise.lines) words.push("--exec", line.replaceAll(/\bPY\b/g, python));
    const output = await outputOf([...argv, ...words], folder);
    const missing = Object.entries(exercise.expect).flatMap(([what, pattern]) =>
      pattern.test(output) ? [] : [what],
    );
    return { missing, output };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function outputOf([file, ...words]: readonly string[], cwd: string): Promise<string> {
  const child = spawn(file!, words, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
  }
  const late = setTimeout(() => void child.kill("SIGTERM"), MAX_MS);
  return new Promise((resolve) => {
    child.on("close", () => {
      clearTimeout(late);
      resolve(text);
    });
  });
}

/** The reason why the exercises cannot run here; undefined if they can. */
export function whyNoTutorials(): string | undefined {
  const path = process.env["P4LOOM_TUTORIALS"];
  if (path === undefined) return "P4LOOM_TUTORIALS names no checkout of p4lang/tutorials";
  return existsSync(join(path, "exercises/basic/solution")) ? undefined : `${path} has no exercises/basic`;
}

export async function run(report: (measurement: Measurement) => void): Promise<void> {
  const reason = whyNoTutorials();
  if (reason !== undefined) throw new Error(reason);
  const argv = [process.execPath, join(root, "dist/cli/main.js")];
  const wanted = process.env["P4LOOM_EXERCISES"]?.split(",");
  for (const exercise of EXERCISES) {
    if (wanted !== undefined && !wanted.includes(exercise.name)) continue;
    const checks = Object.keys(exercise.expect).length;
    const ours = await runExercise(exercise, "switch", argv);
    const theirs =
      process.env["P4LOOM_BMV2"] === undefined ? undefined : await runExercise(exercise, "bmv2", argv);
    for (const [engine, outcome] of [
      ["switch", ours],
      ["bmv2", theirs],
    ] as const) {
      for (const what of outcome?.missing ?? []) {
        console.error(`${exercise.name}, engine ${engine}: not so: ${what}\n${outcome!.output.slice(-4000)}`);
      }
    }
    report({
      name: `exercises/${exercise.name}`,
      unit: `checks of ${checks}`,
      value: checks - ours.missing.length,
      ...(theirs === undefined ? {} : { rival: { name: "BMv2", value: checks - theirs.missing.length } }),
    });
    const held = ({ missing }: ExerciseOutcome) => `${checks - missing.length}/${checks}`;
    writeRows(
      { page: "exercises.md", bench: "exercises", columns: ["exercise", "checked", "p4loom", "BMv2"] },
      [
        [
          `\`${exercise.name}\``,
          Object.keys(exercise.expect).join("; "),
          held(ours),
          theirs === undefined ? "not run" : held(theirs),
        ],
      ],
    );
  }
}
