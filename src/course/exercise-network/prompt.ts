/**
 * The prompt of an exercise, with Mininet's usual words. `h1 CMD` runs a command in a host, with names of hosts replaced by their
 * addresses; `s1 STATEMENT` runs a statement at a switch; the other words are about the whole network.
 */
import { DiagnosticError, didYouMean, formatDiagnostic, formatTable } from "../../base/index.js";
import { ipv4Text } from "../../base/packets/index.js";
import { type Completion, completions } from "../../toolchain/control/index.js";
import { DeviceError } from "../../toolchain/device/index.js";
import type { RunningExercise } from "./exercise.js";
import { iperf, ping, pingAll } from "./measure.js";
import { NodeShell } from "./node-shell.js";
import { INTERRUPTED, knownNodes, type PromptIo, type TypedInput } from "./prompt-io.js";

/** How a line ended; `exit`: the prompt is to be left. */
type Outcome = number | "exit";

interface Word {
  usage: string;
  help: string;
  run(prompt: Prompt, rest: string, stop: AbortSignal): Promise<Outcome> | Outcome;
}

const MAX_SOURCE_DEPTH = 10;

export class Prompt {
  readonly #shells = new Map<string, NodeShell>();
  /** Host whose shell runs a command. */
  #foreground: NodeShell | undefined;
  #typed: TypedInput | undefined;
  /** Ends the line that is running. */
  #line: AbortController | undefined;
  #sources = 0;

  constructor(
    readonly exercise: RunningExercise,
    readonly io: PromptIo,
  ) {}

  /**
   * Runs one line. An error of the line, or of the network, is printed; the status
   * is not 0 then.
   */
  async run(line: string): Promise<Outcome> {
    const outer = this.#line;
    const controller = outer ?? new AbortController();
    this.#line = controller;
    try {
      return await this.#run(line, controller.signal);
    } catch (error) {
      if (error instanceof DiagnosticError) {
        for (const diagnostic of error.diagnostics) this.io.write(`${formatDiagnostic(diagnostic)}\n`);
      } else if (error instanceof DeviceError) this.print(`*** ${error.message}`);
      else throw error;
      return 1;
    } finally {
      this.#line = outer;
    }
  }

  async #run(line: string, stop: AbortSignal): Promise<Outcome> {
    const [, first = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(line) ?? [];
    if (first === "" || first.startsWith("#")) return 0;
    if (stop.aborted) return INTERRUPTED;
    if (first.startsWith("!")) return this.io.shell(line.trim().slice(1), stop);
    if (this.exercise.lab.hosts.has(first)) return this.#inHost(first, rest);
    if (this.exercise.lab.switches.has(first)) return this.#atSwitch(first, rest, stop);
    const word = Object.hasOwn(WORDS, first) ? WORDS[first] : undefined;
    if (word !== undefined) return word.run(this, rest, stop);
    const because = REFUSED.get(first);
    this.print(because === undefined ? `*** ${this.#unknown(first, line.trim())}` : `*** ${because}`);
    return 2;
  }

  print(line: string): void {
    this.io.write(`${line}\n`);
  }

  /** A line for the program that runs in the foreground. */
  type(line: string): void {
    this.#typed?.write(line);
  }

  /** As Ctrl-D: the program in the foreground finds the end of its input. */
  endInput(): void {
    this.#typed?.end();
  }

  /** A line that starts with neither a word nor a node. */
  #unknown(first: string, line: string): string {
    const { hosts, switches } = this.exercise.lab;
    const nodes = [...hosts.keys(), ...switches.keys()];
    if (/^[A-Za-z]+\d+$/.test(first)) return `there is no host or switch ${first}; ${knownNodes(nodes)}`;
    return `Unknown command: ${line}${didYouMean(first, [...Object.keys(WORDS), ...nodes], "`")} (help lists them)`;
  }

  /** Whether a program is running that gets the typed text. */
  get takesInput(): boolean {
    return this.#typed !== undefined;
  }

  /** As Ctrl-C. */
  interrupt(): void {
    this.#foreground?.interrupt();
    this.#line?.abort();
  }

  /** Completions for the end of a line, from the character `from` on. */
  complete(line: string): Completion {
    const [, head = "", name = "", rest = ""] = /^(\s*(\S+)\s+)(.*)$/.exec(line) ?? [];
    if (this.exercise.lab.switches.has(name)) {
      const found = completions(rest, rest.length, this.exercise.indexOf(name));
      return { ...found, from: head.length + found.from };
    }
    const from = line.search(/\S*$/);
    const nodes = [...this.exercise.lab.hosts.keys(), ...this.exercise.lab.switches.keys()];
    const choices = head === "" ? [...nodes, ...Object.keys(WORDS)] : nodes;
    return { from, candidates: choices.filter((choice) => choice.startsWith(line.slice(from))).sort() };
  }

  async source(path: string): Promise<Outcome> {
    const text = this.io.read(path);
    if (text === undefined) {
      this.print(`*** cannot read ${path}`);
      return 1;
    }
    if (this.#sources >= MAX_SOURCE_DEPTH) {
      this.print(`*** ${path}: files that name each other`);
      return 1;
    }
    this.#sources++;
    try {
      let worst: number = 0;
      for (const line of text.split("\n")) {
        const outcome = await this.run(line);
        if (outcome === "exit") return outcome;
        worst = Math.max(worst, outcome);
      }
      return worst;
    } finally {
      this.#sources--;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shells.values()].map((shell) => shell.close()));
    this.#shells.clear();
  }

  async #inHost(name: string, command: string): Promise<number> {
    if (command === "") {
      this.print(`*** give a command for ${name}, as in ${name} ip addr`);
      return 2;
    }
    let shell = this.#shells.get(name);
    if (shell === undefined || shell.ended) {
      shell = new NodeShell(this.exercise.lab.hosts.get(name)!, (text) => this.io.write(text));
      this.#shells.set(name, shell);
    }
    this.#foreground = shell;
    this.#typed = this.io.input?.();
    try {
      return await shell.run(this.exercise.withAddresses(command), this.#typed?.path);
    } finally {
      this.#typed?.close();
      this.#typed = undefined;
      this.#foreground = undefined;
    }
  }

  async #atSwitch(name: string, statement: string, stop: AbortSignal): Promise<number> {
    if (statement === "") {
      this.print(`*** give a statement for ${name}, as in ${name} show_tables`);
      return 2;
    }
    return this.exercise.command(name, statement, (line) => this.print(line), stop);
  }
}

const exit: Word = { usage: "exit", help: "stop the network and leave", run: () => "exit" };

const WORDS: Readonly<Record<string, Word>> = {
  help: { usage: "help", help: "list these words", run: (prompt) => help(prompt) },
  nodes: {
    usage: "nodes",
    help: "names of hosts and switches",
    run: (prompt) => {
      const { hosts, switches } = prompt.exercise.lab;
      prompt.print(`available nodes are:\n${[...hosts.keys(), ...switches.keys()].join(" ")}`);
      return 0;
    },
  },
  net: { usage: "net", help: "what is linked to what", run: (prompt) => net(prompt) },
  links: { usage: "links", help: "all links, up or down", run: (prompt) => links(prompt) },
  dump: {
    usage: "dump",
    help: "addresses of hosts, controllers' addresses of switches",
    run: (prompt) => dump(prompt),
  },
  pingall: { usage: "pingall [SECONDS]", help: "ping between all hosts", run: pingAll },
  pingallfull: {
    usage: "pingallfull",
    help: "ping between all hosts, with times",
    run: (prompt, _rest, stop) => pingAll(prompt, "", stop, true),
  },
  pingpair: {
    usage: "pingpair",
    help: "ping between the first two hosts",
    run: (prompt, _rest, stop) => ping(prompt, 2, "", stop),
  },
  iperf: { usage: "iperf [HOST HOST]", help: "TCP throughput between two hosts (needs iperf3)", run: iperf },
  link: { usage: "link NODE NODE up|down", help: "take a link down, bring it up", run: link },
  switch: { usage: "switch SWITCH start|stop", help: "kill a switch's process, start it again", run: power },
  sh: {
    usage: "sh CMD",
    help: "a command on this machine",
    run: (prompt, rest, stop) => prompt.io.shell(rest, stop),
  },
  source: { usage: "source FILE", help: "lines of a file", run: (prompt, rest) => prompt.source(rest) },
  time: { usage: "time LINE", help: "how long a line takes", run: time },
  exit,
  quit: { ...exit, usage: "quit" },
  EOF: { ...exit, usage: "EOF" },
};

/** Words of Mininet that need a screen, its Python or its own switches. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ...["xterm", "gterm", "x", "wireshark"].map(
    (word) =>
      [word, `${word}: no windows are opened here; run h1 CMD, or h1 CMD & in the background`] as const,
  ),
  ...["py", "px"].map((word) => [word, `${word}: the network is not in Python here`] as const),
  ["dpctl", "dpctl: these are P4 switches; say s1 show_tables, or s1 help"],
]);

function help(prompt: Prompt): number {
  const rows = Object.values(WORDS).map((word) => [word.usage, word.help]);
  prompt.print(
    formatTable(
      ["word", "does"],
      [
        ["HOST CMD", "run a command in a host; names of hosts stand for their addresses"],
        ["SWITCH STATEMENT", "read and write a switch: s1 help"],
        ...rows,
      ],
    ),
  );
  return 0;
}

function net(prompt: Prompt): number {
  const { topology } = prompt.exercise.setup;
  for (const { name } of [...topology.hosts, ...topology.switches]) {
    const ends = topology.links.flatMap(({ a, b }) => [
      ...(a.node === name ? [[a, b] as const] : []),
      ...(b.node === name ? [[b, a] as const] : []),
    ]);
    const named = ends.map(([own, other]) => `${endName(own)}:${endName(other)}`);
    prompt.print([name, ...named].join(" "));
  }
  return 0;
}

/** As Mininet writes them: h1-eth0, s1-eth2. */
function endName({ node, port }: { node: string; port: number }): string {
  return `${node}-eth${port}`;
}

function links(prompt: Prompt): number {
  const { exercise } = prompt;
  for (const { a, b } of exercise.setup.topology.links) {
    const state = exercise.isDown(a.node, b.node) ? "down" : "OK";
    prompt.print(`${endName(a)}<->${endName(b)} (${state} ${state})`);
  }
  return 0;
}

function dump(prompt: Prompt): number {
  const { setup, grpcPorts } = prompt.exercise;
  for (const { name, ipv4 } of setup.topology.hosts) prompt.print(`<Host ${name}: eth0:${ipv4Text(ipv4)}>`);
  for (const [name, port] of grpcPorts) prompt.print(`<Switch ${name}: P4Runtime 127.0.0.1:${port}>`);
  return 0;
}

async function link(prompt: Prompt, rest: string): Promise<number> {
  const [a, b, state, ...more] = rest.split(/\s+/);
  const { exercise } = prompt;
  if (a === undefined || b === undefined || (state !== "up" && state !== "down") || more.length > 0) {
    prompt.print("*** link NODE NODE up|down");
    return 2;
  }
  if (!exercise.linked(a, b)) {
    prompt.print(`*** ${a} and ${b} have no link`);
    return 1;
  }
  await exercise.setLink(a, b, state === "up");
  return 0;
}

async function power(prompt: Prompt, rest: string): Promise<number> {
  const [name = "", what, ...more] = rest.split(/\s+/);
  if ((what !== "start" && what !== "stop") || more.length > 0) {
    prompt.print("*** switch SWITCH start|stop");
    return 2;
  }
  if (!prompt.exercise.lab.switches.has(name)) {
    prompt.print(`*** no such switch: ${name}`);
    return 1;
  }
  if (what === "stop") await prompt.exercise.stopSwitch(name);
  else await prompt.exercise.startSwitch(name);
  return 0;
}

async function time(prompt: Prompt, rest: string): Promise<Outcome> {
  const start = prompt.io.now();
  const outcome = await prompt.run(rest);
  prompt.print(`*** Elapsed time: ${((prompt.io.now() - start) / 1000).toFixed(6)} secs`);
  return outcome;
}
