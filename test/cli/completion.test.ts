/** The completion scripts in the shells that this machine has, and the examples of every help. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completableCommands } from "../../src/cli/completion/model.js";
import { completionScript } from "../../src/cli/completion/scripts.js";
import { addExamples, EXAMPLES } from "../../src/cli/examples.js";
import { defineNet } from "../../src/cli/net/net-options.js";
import { defineRun } from "../../src/cli/run/run-options.js";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");

/** Commands of each kind: words, files, folders, no value. */
function program(): Command {
  const made = new Command("p4loom");
  defineRun(made.command("run"));
  defineNet(made.command("net"));
  made
    .command("fit")
    .description("what doesn't fit")
    .argument("<program>", "a program")
    .option("--target <target>", "a target")
    .option("--json", "as JSON");
  made.command("completion").argument("<shell>", "a shell");
  return made;
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "p4loom-completion-"));
  for (const shell of ["bash", "zsh", "fish"] as const) {
    writeFileSync(join(folder, shell), completionScript(shell, completableCommands(program())));
  }
  writeFileSync(join(folder, "tofu.p4"), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a line in a shell in a folder with the three scripts and `tofu.p4`. */
function run(argv: readonly string[]): string[] {
  const { stdout, stderr } = spawnSync(argv[0]!, argv.slice(1), { cwd: folder, encoding: "utf8" });
  return [...stdout.split("\n"), ...stderr.split("\n")].filter((line) => line !== "").sort();
}

/** What a shell offers for the last word. */
const OFFERS: Readonly<Record<string, (words: readonly string[]) => string[]>> = {
  bash: (words) => {
    const line = words.map((word) => `'${word}'`).join(" ");
    const ask = `. ./bash; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _p4loom; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run(["bash", "--norc", "-c", ask]);
  },
  zsh: (words) => {
    // The completion system runs at a prompt only: these replace its functions.
    const stubs = [
      "compdef() { :; }",
      'compadd() { shift; for word in "$@"; do [[ $word == $LAST* ]] && print -r -- $word; done }',
      "files() { for file in *; do [[ $file == $LAST* ]] && print -r -- $file; done; return 0 }; _files() { files }",
    ];
    const line = words.map((word) => `'${word}'`).join(" ");
    const ask = `${stubs.join("\n")}\n. ./zsh; words=(${line}); CURRENT=${words.length}; LAST=$words[-1]; _p4loom`;
    return run(["zsh", "-f", "-c", ask]);
  },
  fish: (words) => {
    const line = words.join(" ");
    return run([
      "fish",
      "--no-config",
      "-c",
      `source fish; complete -C '${line}' | string replace -r '\\t.*' ''`,
    ]);
  },
};

for (const [shell, offers] of Object.entries(OFFERS)) {
  const isMissing = spawnSync(shell, ["--version"]).error !== undefined;
  describe.skipIf(isMissing)(`completion in ${shell}${isMissing ? " (not installed)" : ""}`, () => {
    it.each([
      ["commands", ["p4loom", "ne"], ["net"]],
      ["engines", ["p4loom", "run", "--engine", ""], ["bmv2", "sim", "switch"]],
      [
        "targets and files",
        ["p4loom", "fit", "--target", "tof"],
        ["tofino", "tofino2", "tofino2h", "tofino2m", "tofu.p4"],
      ],
      [
        "files of an argument after an option with a value",
        ["p4loom", "run", "--seed", "7", "tof"],
        ["tofu.p4"],
      ],
      ["options", ["p4loom", "fit", "--js"], ["--json"]],
      ["shells", ["p4loom", "completion", ""], ["bash", "fish", "zsh"]],
    ])("offers %s", (_what, words, expected) => {
      expect(offers(words)).toEqual(expected);
    });
  });
}

describe("the help of every command", () => {
  it("has examples, whose options the command knows", () => {
    const help = spawnSync(process.execPath, [COMMAND, "--help"], { cwd: root, encoding: "utf8" }).stdout;
    const commands = [...help.slice(help.indexOf("Commands:")).matchAll(/^ {2}([a-z]+)/gm)]
      .map((match) => match[1]!)
      .filter((name) => name !== "help");
    expect([...commands].sort()).toEqual(Object.keys(EXAMPLES).sort());
    for (const command of commands) {
      const text = spawnSync(process.execPath, [COMMAND, command, "--help"], {
        cwd: root,
        encoding: "utf8",
      }).stdout;
      const [options = "", examples = ""] = text.split("\nExamples:\n");
      for (const [line] of EXAMPLES[command]!) {
        expect(examples).toContain(line);
        for (const [option] of line.replace(/'[^']*'/g, "").matchAll(/(?<= )--?[a-z][a-z0-9-]*/g))
          expect(options, `${line}: ${option}`).toMatch(new RegExp(`(^|[ ,])${option}([ ,<[]|$)`, "m"));
      }
    }
  });

  it("is named by the errors of that command", () => {
    const made = program();
    addExamples(made);
    let text = "";
    for (const command of [made, ...made.commands])
      command.exitOverride().configureOutput({ writeErr: (piece) => void (text += piece) });
    expect(() => made.parse(["fit", "--traget", "x"], { from: "user" })).toThrow();
    expect(text).toContain("unknown option '--traget'\n(Did you mean --target?)");
    expect(text).toContain("(p4loom fit --help lists its options, with examples)");
  });
});
