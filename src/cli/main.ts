#!/usr/bin/env node
import { Argument, Command, CommanderError, Option } from "commander";
import { type CoverageArguments, defineCoverage } from "./coverage/coverage-options.js";
import { defineEqual, type EqualArguments } from "./equal/equal-options.js";
import { addExamples } from "./examples.js";
import { defineExplain, type ExplainArguments } from "./explain/explain-options.js";
import type { FiguresArguments } from "./figures.js";
import type { FitCommandOptions } from "./fit.js";
import { defineFmt, type FmtArguments } from "./fmt/fmt-options.js";
import { defineGrade, type GradeArguments } from "./grade/grade-options.js";
import { defineGraph, type GraphArguments } from "./graph/graph-options.js";
import { defineHash, type HashArguments, type HashSubject } from "./hash/hash-options.js";
import { defineLab, type LabArguments } from "./lab/lab-options.js";
import { defineLsp, type LspArguments } from "./lsp/lsp-options.js";
import { defineMachineCommands } from "./machine-commands.js";
import { defineNet, type NetArguments } from "./net/net-options.js";
import type { NewArguments } from "./new/new.js";
/**
 * The command line: parses arguments, calls a room, prints. Each command's module is loaded only when it is called,
 * so that `p4loom compile` does not pay for gRPC or plotting.
 */
import type { CheckOptions, CompileOptions, GenerateOptions } from "./options.js";
import { conclude, EXIT, withUsageCode } from "./outcome.js";
import type { RerunArguments } from "./rerun.js";
import { defineRun, type RunArguments } from "./run/run-options.js";
import { defineShell, type ShellArguments } from "./shell/shell-options.js";
import type { StfCommandOptions } from "./stf.js";
import { defineSwitch, repeatable, type SwitchArguments, switchArgv } from "./switch/switch-options.js";
import { defineTestgen, type TestgenArguments } from "./testgen/testgen-options.js";
import { defineTrace, type TraceArguments } from "./trace/trace-options.js";
import { version } from "./version.js";

function addPreprocessorOptions(command: Command): Command {
  return command
    .addOption(repeatable("-I <dir>", "search DIR for included files"))
    .addOption(repeatable("-D <macro[=value]>", "define a macro"))
    .addOption(repeatable("-U <macro>", "undefine a macro"))
    .option("--json-diagnostics", "print diagnostics as one JSON object a line");
}

/** Options of p4c that decide what is reported, and those that have one value here. */
function addP4cOptions(command: Command): Command {
  return command
    .option("--arch <name>", "v1model, tna or t2na (default: as the program includes)")
    .option("--strict", "refuse what p4c refuses today and compilers for Tofino took before")
    .option("--Wdisable [codes]", "hide warnings and notes: all, or those of the codes, comma-separated")
    .option("--Werror [codes]", "make warnings errors: all, or those of the codes")
    .option("--maxErrorCount <n>", "maximum number of listed errors", "100")
    .addOption(new Option("--p4v <version>", "language").choices(["16", "p4-16"]).hideHelp())
    .addOption(new Option("--std <version>", "language").choices(["p4-16"]).hideHelp())
    .addOption(new Option("--target <name>", "target").choices(["bmv2"]).hideHelp());
}

const program = new Command("p4loom")
  .description("P4-16 workbench: generate, compile, run and compare v1model switch programs")
  .version(version)
  .showHelpAfterError("(p4loom --help lists the commands)")
  .configureOutput({ outputError: (text, write) => write(withUsageCode(text)) })
  .exitOverride();

defineRun(program.command("run")).action(async (file: string, options: RunArguments) => {
  await conclude(async () => (await import("./run-experiment.js")).run(file, options));
});

program
  .command("rerun")
  .description("repeat the run of a folder of results, and say whether the same bytes come out")
  .argument("<folder>", "folder that `p4loom run` has written")
  .option("--workers <n>", "processes that run the jobs of a sweep")
  .option("--json", "print one JSON document")
  .action(async (folder: string, options: RerunArguments) => {
    await conclude(async () => (await import("./rerun.js")).rerunFolder(folder, options));
  });

program
  .command("figures")
  .description("figures of a folder of results: list them, or make them for a paper")
  .argument("<results>", "folder that `p4loom run` has written, or its results.json")
  .option("--paper", "write SVG, PDF, pgfplots with its values, a LaTeX table, and CSV in long form")
  .option("--style <file>", "style file (YAML): width of a column, font, colours")
  .option("-o, --out <dir>", "folder for the figures", "paper")
  .option("--json", "print one JSON document")
  .action(async (results: string, options: FiguresArguments) => {
    await conclude(async () => (await import("./figures.js")).figures(results, options));
  });

program
  .command("generate")
  .description("render a scheme's P4 programs, or report the cost of its tables")
  .argument("<scheme>", "name of a scheme; a wrong name lists all schemes")
  .addOption(repeatable("--set <name=value>", "set a parameter of the scheme", "as the scheme says"))
  .option("-o, --out <dir>", "write the programs to DIR instead of stdout")
  .option("--topology <file>", "topology file (YAML), or a name that the scheme's report knows")
  .option("--report", "print the cost of the scheme's tables; --KEY [VALUE] sets an option of the report")
  .option("--route <nodes>", "print the selector of a route: a host, switches on the path, a host (A,B,C)")
  .option("--json", "print the report, or the route, as JSON")
  .allowUnknownOption()
  .allowExcessArguments()
  .action(async (scheme: string, options: GenerateOptions, command: Command) => {
    const further = command.args.slice(1);
    await conclude(async () => (await import("./generate.js")).generate(scheme, options, further));
  });

addP4cOptions(
  addPreprocessorOptions(
    program
      .command("compile")
      .description("compile a P4-16 program: v1model to BMv2 JSON and P4Info, tna to P4Info and bf-rt.json")
      .argument("<program>", "P4-16 source")
      .option("-o <file>", "BMv2 JSON (default: in the program's folder, with the suffix .json)")
      .option("--p4runtime-files <files>", "P4Info files, comma-separated; the suffix names the format")
      .option("--p4runtime-entries-files <files>", "the program's own entries as WriteRequests, likewise")
      .option("--bfrt <file>", "bf-rt.json, the schema of BF Runtime (programs for tna and t2na)")
      .option("-E", "preprocess only, to stdout")
      .option("--pp <file>", "write the parsed program")
      .option("--dump <dir>", "write the program after each pass to DIR"),
  ),
).action(async (file: string, options: CompileOptions) => {
  await conclude(
    async () => (await import("./compile.js")).compileFile(file, options),
    options.jsonDiagnostics,
  );
});

addP4cOptions(
  addPreprocessorOptions(
    program
      .command("check")
      .description("report the errors and warnings of a P4-16 program; write nothing")
      .argument("<program>", "P4-16 source"),
  ),
).action(async (file: string, options: CheckOptions) => {
  await conclude(
    async () => (await import("./compile.js")).checkFile(file, options),
    options.jsonDiagnostics,
  );
});

defineExplain(program.command("explain")).action(async (codes: string[], args: ExplainArguments) => {
  await conclude(async () => (await import("./explain/explain.js")).explain(codes, args));
});

defineGraph(program.command("graph")).action(async (file: string, args: GraphArguments) => {
  await conclude(async () => (await import("./graph/graph.js")).graph(file, args), args.jsonDiagnostics);
});

defineFmt(program.command("fmt")).action(async (files: string[], options: FmtArguments) => {
  await conclude(async () => (await import("./fmt/fmt.js")).fmt(files, options));
});

defineLsp(program.command("lsp")).action(async (options: LspArguments) => {
  await conclude(async () => (await import("./lsp/lsp.js")).lsp(options));
});

addPreprocessorOptions(
  program
    .command("stf")
    .description("run an STF packet test on a program in the embedded switch")
    .argument("<program>", "P4-16 source or BMv2 JSON")
    .argument("<test>", "STF file")
    .option("--p4info <file>", "P4Info of a BMv2 JSON")
    .option("--seed <n>", "seed of the random extern")
    .option("--trace <file>", "write the trace of every packet, one JSON document a line; `-`: to stdout")
    .option("--json", "print the result as JSON"),
).action(async (file: string, test: string, options: StfCommandOptions) => {
  await conclude(async () => (await import("./stf.js")).stf(file, test, options), options.jsonDiagnostics);
});

defineEqual(program.command("equal")).action(async (first: string, second: string, args: EqualArguments) => {
  await conclude(
    async () => (await import("./equal/equal.js")).equal(first, second, args),
    args.jsonDiagnostics,
  );
});

defineTestgen(program.command("testgen")).action(async (file: string, args: TestgenArguments) => {
  await conclude(
    async () => (await import("./testgen/testgen.js")).testgen(file, args),
    args.jsonDiagnostics,
  );
});

defineCoverage(program.command("coverage")).action(
  async (file: string, packets: string[], args: CoverageArguments) => {
    await conclude(
      async () => (await import("./coverage/coverage.js")).coverage(file, packets, args),
      args.jsonDiagnostics,
    );
  },
);

addPreprocessorOptions(
  program
    .command("fit")
    .description("check whether a program fits an RMT or Tofino pipeline, and in how many stages")
    .argument("<program>", "P4-16 source or BMv2 JSON")
    .option("--target <target>", "rmt, tofino, tofino2, tofino2m, tofino2h, or a target file", "tofino")
    .option("--p4info <file>", "P4Info of a BMv2 JSON")
    .option("--json", "print the report as JSON")
    .option("--html <file>", "write the report as a page")
    .option("--sarif <file>", "write the findings as SARIF")
    .option("--explain", "name the binding constraint, and changes with the stages that each saves")
    .option("--exact [seconds]", "search for the minimum number of stages, for at most this time")
    .option("--budget <limits>", "fail above these limits, for example stages=10,sram=40%")
    .option("--diff <program>", "compare with an older program, or with a git revision of this one")
    .option("--compare-logs <folder>", "compare with what the Tofino compiler's logs say")
    .option("--growth", "show how large each table can still grow")
    .option("--pipe <name>", "the pipe of a TNA program with several")
    .option("--advise <file>", "write the program with changes that make it fit, - for standard output")
    .option("--shrink", "with --advise: tables may get fewer entries")
    .option("--sweep <table.size=from..to>", "show the number of stages for sizes of a table"),
).action(async (file: string, options: FitCommandOptions) => {
  await conclude(async () => (await import("./fit.js")).fit(file, options), options.jsonDiagnostics);
});

defineHash(program.command("hash")).action(
  async (subject: HashSubject, functions: string[], args: HashArguments) => {
    await conclude(async () => (await import("./hash/hash.js")).hash(subject, functions, args));
  },
);

defineTrace(program.command("trace")).action(async (file: string, args: TraceArguments) => {
  await conclude(async () => (await import("./trace.js")).trace(file, args));
});

defineSwitch(program.command("switch")).action(
  async (_first: string | undefined, args: SwitchArguments, command: Command) => {
    await conclude(async () => (await import("./switch.js")).switchProgram(command.args, args));
    process.exit();
  },
);

defineShell(program.command("shell")).action(async (address: string, args: ShellArguments) => {
  await conclude(async () => (await import("./shell.js")).shell(address, args));
});

defineNet(program.command("net")).action(async (path: string, args: NetArguments) => {
  await conclude(async () => (await import("./net.js")).net(path, args));
});

defineLab(program.command("lab")).action(async (folders: string[], args: LabArguments) => {
  await conclude(async () => (await import("./lab.js")).lab(folders, args));
});

program
  .command("new")
  .description("write a folder with a first version of something of your own, which runs")
  .addArgument(
    new Argument(
      "<what>",
      "scheme: a scheme, an experiment, a test; experiment: an experiment, a test; exercise: text, starter, solution, tests, audit; course: what students get of exercises, with files that grade each push",
    ).choices(["scheme", "experiment", "exercise", "course"]),
  )
  .argument("<name>", "name of it, and of the folder")
  .argument("[exercises...]", "of a course: folders of exercises (default: p4loom's own course)")
  .option(
    "--kind <kind>",
    "of a scheme: host (default) or switch decides; of an experiment: failover (default) or load",
  )
  .option(
    "--for <platform>",
    "of a course: moodle writes a question of CodeRunner for each exercise, in place of the folders of students",
  )
  .action(async (what: string, name: string, exercises: string[], options: NewArguments) => {
    await conclude(async () => (await import("./new/new.js")).writeNew(what, name, exercises, options));
  });

defineGrade(program.command("grade")).action(async (folder: string, args: GradeArguments) => {
  await conclude(async () => (await import("./grade/grade.js")).grade(folder, args));
});

// The processes that `grade` starts for each submission. What they do comes by stdin: the tests of one submission, or its controller,
// which runs until stdin ends.
program.command("grader", { hidden: true }).action(async () => {
  await conclude(async () => {
    await (await import("../course/submissions/index.js")).serveJob();
    return EXIT.success;
  });
});
// The process of a student in a room (`lab --room`); its messages come by the channel to its server.
program.command("seat", { hidden: true }).action(async () => {
  await conclude(async () => {
    await (await import("../course/lab-server/index.js")).serveSeat();
    return EXIT.success;
  });
});
program.command("controller", { hidden: true }).action(async () => {
  await conclude(async () => {
    await (await import("../course/submissions/index.js")).serveController();
    return EXIT.success;
  });
});

defineMachineCommands(program);

program
  .command("completion")
  .description("print a script that completes this command line in a shell")
  .argument("<shell>", "bash, zsh or fish")
  .action(async (shell: string) => {
    await conclude(async () => (await import("./completion.js")).completion(shell, program));
  });

program
  .command("man")
  .description("print the manual page, as troff source")
  .action(async () => {
    await conclude(async () => {
      process.stdout.write((await import("./man/page.js")).manualPage(program));
      return EXIT.success;
    });
  });

addExamples(program);

// A reader that closes the pipe early (`p4loom ... | head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(EXIT.success);
});
// Without a listener it would be an uncaught error, whose message would be written to the same closed pipe.
process.stderr.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

async function main(): Promise<void> {
  try {
    let argv: string[] = [];
    await conclude(async () => {
      argv = switchArgv(process.argv);
      return EXIT.success;
    });
    if (process.exitCode === EXIT.success) await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.success : EXIT.wrongUsage;
  }
}

/** Settles when the command has ended. The bundle is a script, which cannot wait at its top level. */
export const finished: Promise<void> = main();
