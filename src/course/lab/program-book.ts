/** The programs of a lab: which switches run each one, whether it compiles, and which programs a change of a file affects. */
import { Diagnostics } from "../../base/index.js";
import type { Program } from "../../toolchain/program/index.js";
import type { ProjectFiles } from "./files.js";
import { compileFrom, headersOf } from "./programs.js";
import type { LabPlan } from "./project.js";
import type { ProgramView } from "./protocol.js";

interface Entry {
  readonly path: string;
  readonly p4info: string | undefined;
  readonly switches: string[];
  /** The last version without errors. */
  program: Program | undefined;
  current: boolean;
  sources: ReadonlySet<string>;
  diagnostics: Diagnostics;
}

export class ProgramBook {
  readonly #entries = new Map<string, Entry>();

  constructor(
    plan: LabPlan,
    readonly files: ProjectFiles,
  ) {
    for (const { name, program: path, p4info } of plan.switches) {
      if (path === undefined) continue;
      const known = this.#entries.get(path);
      if (known !== undefined) {
        known.switches.push(name);
        continue;
      }
      const diagnostics = new Diagnostics();
      const entry: Entry = {
        path,
        p4info,
        switches: [name],
        program: undefined,
        current: false,
        sources: new Set([path]),
        diagnostics,
      };
      this.#entries.set(path, entry);
      this.compile(path);
    }
  }

  /** Compiles the present text of the files; undefined after errors. */
  compile(path: string): Program | undefined {
    const entry = this.#entries.get(path)!;
    entry.diagnostics = new Diagnostics();
    const result = compileFrom(this.files, path, entry.diagnostics, new Map(), entry.p4info);
    entry.current = result !== undefined;
    if (result === undefined) return undefined;
    entry.program = result.program;
    entry.sources = result.sources;
    return result.program;
  }

  /** The diagnostics of all programs that contain a file, if the file had this text. */
  check(path: string, text: string): Diagnostics {
    const found = new Diagnostics();
    const users = this.usersOf(path);
    const paths = users.length > 0 || !path.endsWith(".p4") ? users : [path];
    for (const user of paths)
      compileFrom(this.files, user, found, new Map([[path, text]]), this.#entries.get(user)?.p4info);
    return found;
  }

  /** Programs of which the file is a part. */
  usersOf(path: string): string[] {
    return [...this.#entries.values()]
      .filter(({ sources, p4info }) => sources.has(path) || p4info === path)
      .map((entry) => entry.path);
  }

  programOf(path: string | undefined): Program | undefined {
    return path === undefined ? undefined : this.#entries.get(path)?.program;
  }

  switchesOf(path: string): readonly string[] {
    return this.#entries.get(path)?.switches ?? [];
  }

  diagnosticsOf(path: string): Diagnostics {
    return this.#entries.get(path)?.diagnostics ?? new Diagnostics();
  }

  view(path: string): ProgramView {
    const { switches, current, program } = this.#entries.get(path)!;
    return { path, switches, current, headers: program === undefined ? [] : headersOf(program) };
  }

  get views(): ProgramView[] {
    return [...this.#entries.keys()].map((path) => this.view(path));
  }

  get diagnostics(): Diagnostics["list"] {
    return [...this.#entries.values()].flatMap(({ diagnostics }) => diagnostics.list);
  }
}
