/** The command line of `p4loom lab`. */
import type { Command } from "commander";

export interface LabArguments {
  port?: string;
  engine: string;
  open: boolean;
  seed: string;
  program?: string;
  scheme?: string;
  static?: string;
  language: string[];
  room?: string;
  address?: string;
  memory: string;
  idle: string;
}

export function defineLab(command: Command): Command {
  return command
    .description(
      "show a running network in a browser: an exercise folder, an experiment file, or one program",
    )
    .argument("[folders...]", "folder, topology.json, experiment (.yaml) or program (.p4, .json)", ["."])
    .option("--engine <engine>", "sim (no root needed), or testbed: real switches and hosts, as root", "sim")
    .option("--port <port>", "TCP port on 127.0.0.1 (default: a free one)")
    .option("--no-open", "print the address only; open no browser")
    .option("--program <file>", "program of switches that name none (default: the Makefile's DEFAULT_PROG)")
    .option("--scheme <label>", "scheme of an experiment file (default: its first)")
    .option(
      "--static <dir>",
      "write a folder for any web server instead; the lab then runs in the browser alone",
    )
    .option(
      "--language <file>",
      "words of the page in one more language, such as fr.json (may be repeated)",
      (file: string, files: string[]) => [...files, file],
      [],
    )
    .option(
      "--room <dir>",
      "a lab for each student of DIR/students.txt, and a page for the teacher (docs/lab.md)",
    )
    .option(
      "--address <url>",
      "of a room: its address at a reverse proxy, such as https://labs.example.org/p4/",
    )
    .option("--memory <mib>", "of a room: most memory of a student's session", "384")
    .option("--idle <minutes>", "of a room: time without a page after which a session is put away", "15")
    .option("--seed <n>", "seed of the simulator", "1");
}
