/** The examples at the end of each command's help. */
import type { Command } from "commander";

/** By command: lines as they are typed, each with what it does. */
export const EXAMPLES: Readonly<Record<string, readonly (readonly [line: string, does: string])[]>> = {
  run: [
    ["p4loom run examples/flows.yaml --out out", "simulate, and write results and report into out/"],
    ["p4loom run examples/pecmp-failover.yaml --seed 7 --json", "another seed; the results on stdout"],
    [
      "sudo p4loom run examples/pecmp-testbed.yaml --engine switch",
      "on real switch processes and Linux hosts",
    ],
    ["p4loom run sweep.yaml --workers 8 --resume", "continue an interrupted sweep"],
    ['p4loom run sweep.yaml --slurm --slurm-options "--time=1:00:00"', "a sweep as an array job of Slurm"],
  ],
  rerun: [
    ["p4loom rerun out/websearch", "run it again from what it carries: the same bytes, or what differs"],
  ],
  figures: [
    ["p4loom figures out", "the figures of the results in out/"],
    ["p4loom figures out --paper --style acm.yaml", "all of them for a paper, into paper/"],
  ],
  generate: [
    ["p4loom generate pecmp -o out", "the P4 programs of P-ECMP, and the state of each switch"],
    ["p4loom generate pecmp --report --topology table2", "the cost of its tables on the paper's topologies"],
  ],
  lab: [
    ["p4loom lab examples/exercise", "the exercise's network in the browser, simulated"],
    ["p4loom lab basic.p4", "one switch that runs the program, with four hosts"],
    ["p4loom lab examples/compare/incast.yaml", "the topology of an experiment, with its first scheme"],
  ],
  new: [
    ["p4loom new scheme mine", "a folder mine/ with a scheme that runs: p4loom run mine/experiment.yaml"],
    ["p4loom new scheme mine --kind switch", "the same with a P4 template, in which switches decide"],
    [
      "p4loom new experiment mine --kind load",
      "a folder mine/ with an experiment of completion times, and its test",
    ],
    ["p4loom new exercise firewall", "a folder firewall/ with an exercise: p4loom grade firewall"],
    [
      "p4loom new course autumn 01-forwarding 02-lpm-ttl",
      "what students get of two exercises, graded at each push",
    ],
  ],
  compile: [
    ["p4loom compile basic.p4", "writes basic.json into the program's folder"],
    [
      "p4loom compile basic.p4 -o build/basic.json --p4runtime-files build/basic.p4info.txtpb",
      "with its P4Info",
    ],
    [
      "p4loom compile switch.p4 --bfrt bf-rt.json --p4runtime-files switch.p4info.txtpb",
      "of a Tofino program what its controllers read",
    ],
  ],
  check: [
    ["p4loom check basic.p4", "errors and warnings only"],
    ["p4loom check basic.p4 --json-diagnostics", "one JSON object a line, for an editor"],
  ],
  graph: [
    ["p4loom graph basic.p4", "all parsers and controls, for Graphviz"],
    ["p4loom graph basic.p4 --svg --out graphs", "a drawing of each in graphs/"],
    ["p4loom graph basic.p4 --svg --block MyIngress > ingress.svg", "one drawing"],
  ],
  coverage: [
    ["p4loom coverage basic.p4 basic.stf", "what the test reaches, and the places that it does not"],
    ["p4loom coverage basic.p4 *.stf --html coverage.html --min 90", "for a build, with the coloured source"],
    [
      "p4loom coverage load.yaml ecmp/tor.p4",
      "what the packets of an experiment reach of a scheme's program",
    ],
    ["p4loom coverage basic.p4 trace.pcap --port 1 --commands s1-commands.txt", "of recorded packets"],
  ],
  testgen: [
    ["p4loom testgen basic.p4 --out tests", "tests that reach every statement that a packet can reach"],
    ["p4loom testgen basic.p4 --max-paths 500 --json", "the same result on every machine"],
  ],
  equal: [
    ["p4loom equal before.p4 after.p4", "exit status 0: equal, 1: a packet shows a difference, 3: not known"],
    ["p4loom equal basic.p4 basic.json", "the output of another compiler, with its P4Info beside it"],
  ],
  explain: [
    ["p4loom explain P40305", "what the message means, with a wrong and a right program"],
    ["p4loom explain P440", "the messages of the fit checker"],
    ["p4loom explain", "the groups of messages"],
  ],
  fmt: [
    ["p4loom fmt --write .", "format every .p4 file of this folder and its subfolders"],
    ["p4loom fmt --check p4", "exit status 1 when a file is not formatted, for a build"],
    ["p4loom fmt --stdin < basic.p4", "as editors call it"],
  ],
  lsp: [
    ["p4loom lsp", "the command that an editor starts (docs/editors.md)"],
    ["p4loom lsp -I include --target tofino2", "with an include folder, and the stages of another chip"],
  ],
  stf: [
    ["p4loom stf basic.p4 basic.stf", "exit status 0 when every expected packet arrived"],
    ["p4loom stf basic.p4 basic.stf --trace -", "with the trace of every packet"],
  ],
  fit: [
    ["p4loom fit basic.p4", "the stages that a Tofino needs"],
    ["p4loom fit basic.p4 --target rmt --explain", "the limit of the program on RMT, and possible remedies"],
    ["p4loom fit basic.p4 --budget stages=10,sram=40%", "exit status 1 when it needs more"],
  ],
  hash: [
    [
      "p4loom hash correlate crc-16/arc crc-16/arc:seed=7 crc-16/usb",
      "the correlation of two switches on a path",
    ],
    ["p4loom hash linear crc-32/iso-hdlc pearson --group 8,12", "whether control bits move all flows alike"],
    ["p4loom hash delta --draws 20 --html delta.html", "the shortest field of control bits for three tiers"],
  ],
  trace: [
    ["p4loom trace trace.jsonl --dropped", "the packets of a trace file that were dropped"],
    [
      "p4loom trace basic.p4 --packet 08000000011108000000022208004500 --port 1",
      "one packet through a program",
    ],
  ],
  switch: [
    ["sudo p4loom switch basic.json -i 1@veth1 -i 2@veth3", "a P4Runtime switch at 127.0.0.1:9559"],
    ["p4loom switch basic.json -i 1@in -i 2@out --use-files 0 --exit-when-done", "packets of pcap files"],
  ],
  shell: [
    ["p4loom shell 9559", "statements at a prompt, for the switch on this machine"],
    [
      "p4loom shell 127.0.0.1:50051 --read-only -c 'dump ipv4_lpm'",
      "the entries of a table, without a claim",
    ],
    ["p4loom shell 9559 --script s1-runtime.json", "write the entries of a runtime file"],
  ],
  net: [
    ["sudo p4loom net", "the exercise in this folder, with a prompt"],
    ["sudo p4loom net --exec 'h1 ping -c1 h2' --exec pingall", "run two lines and end"],
    ["sudo p4loom net --no-p4", "switches without a program; mycontroller.py loads one"],
  ],
  grade: [
    ["p4loom grade .", "the tests of the exercise in this folder, on its own files"],
    [
      "p4loom grade 01-forwarding --submissions handed-in --out results",
      "many submissions, with results as files",
    ],
    [
      "p4loom grade 01-forwarding --submissions handed-in --format moodle --roster gradebook.csv > grades.csv",
      "the points as Moodle imports them",
    ],
    ["p4loom grade --audit 01-forwarding", "small changes of the solution that the tests do not detect"],
  ],
  doctor: [
    ["sudo p4loom doctor", "what this machine has, and what to install"],
    ["p4loom doctor --json", "the same as one JSON document"],
  ],
  clean: [["sudo p4loom clean", "remove namespaces and processes of runs that have ended"]],
  man: [["p4loom man > p4loom.1", "the page as a file, for man -l p4loom.1"]],
  completion: [
    ['eval "$(p4loom completion bash)"', "in ~/.bashrc; for zsh in ~/.zshrc, after compinit"],
    ["p4loom completion fish > ~/.config/fish/completions/p4loom.fish", "for fish"],
  ],
};

/** Adds examples to the help of every command, and to its errors the command that lists its options. */
export function addExamples(program: Command): void {
  for (const command of program.commands) {
    command.showHelpAfterError(`(p4loom ${command.name()} --help lists its options, with examples)`);
    const examples = EXAMPLES[command.name()] ?? [];
    const lines = examples.map(([line, does]) => `  ${line}\n      ${does}`);
    command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  }
}
