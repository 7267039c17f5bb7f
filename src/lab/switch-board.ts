/**
 * The switches of a lab with their programs and entries, for any engine: started from the files, changed when a file
 * changes, with what was wrong told at its place.
 */
import { type Diagnostic, Diagnostics, fail } from "../base/index.js";
import type { Device } from "../device/index.js";
import { CODES } from "./codes.js";
import { diagnosticViews } from "./diagnostics.js";
import type { ProjectFiles } from "./files.js";
import { ProgramBook } from "./program-book.js";
import type { LabPlan } from "./project.js";
import type { LabDiagnostic, LabEvent, SwapView } from "./protocol.js";
import type { LabScheme } from "./scheme.js";
import { swapProgram } from "./state/swap.js";
import { SwitchControl, type SwitchControlOptions } from "./switch-control.js";

export interface SwitchBoardOptions {
  readonly plan: LabPlan;
  readonly files: ProjectFiles;
  readonly later: SwitchControlOptions["later"];
  /** The device of each switch of the plan. */
  device(name: string): Device;
  /** Whether the switch can be written to now. */
  isUp(name: string): boolean;
  /** What a switch is told after its program was loaded and before its entries are written, and what when it has them. */
  readonly scheme?: Pick<LabScheme, "configure" | "complete"> | undefined;
  send(event: LabEvent): void;
}

export class SwitchBoard {
  readonly programs: ProgramBook;
  readonly controls = new Map<string, SwitchControl>();
  /** What is wrong with programs and entries at the moment. */
  problems: LabDiagnostic[] = [];
  readonly #options: SwitchBoardOptions;

  constructor(options: SwitchBoardOptions) {
    const { plan, files, later } = options;
    this.#options = options;
    this.programs = new ProgramBook(plan, files);
    for (const planned of plan.switches)
      this.controls.set(
        planned.name,
        new SwitchControl({ planned, device: options.device(planned.name), later }),
      );
  }

  /** Fails with P46002 where there is no such switch. */
  control(name: string): SwitchControl {
    const names = [...this.controls.keys()].join(", ");
    return (
      this.controls.get(name) ??
      fail(CODES.noNode, undefined, `there is no switch ${name}`, `there are: ${names}`)
    );
  }

  /** Every switch as the files say. */
  async bootAll(): Promise<void> {
    const found = new Diagnostics();
    for (const name of this.controls.keys()) await this.boot(name, found);
    this.#note(found.list);
  }

  /** Loads the program of a switch, and writes the entries of its files. */
  async boot(name: string, found: Diagnostics): Promise<void> {
    const control = this.control(name);
    const program = this.programs.programOf(control.planned.program);
    if (program === undefined) return;
    await control.exclusively(async () => {
      await control.device.load(program);
      await this.#options.scheme?.configure(name, control.device);
      await control.writePlanned(this.#options.files, found);
      await this.#options.scheme?.complete(name, control.device);
    });
  }

  /** Swaps the last version without errors in wherever the program runs. `found`: what is wrong with entries of files still. */
  async #swap(path: string, found: Diagnostics): Promise<SwapView[]> {
    const program = this.programs.programOf(path);
    const swaps: SwapView[] = [];
    if (program === undefined) return swaps;
    for (const name of this.programs.switchesOf(path)) {
      if (!this.#options.isUp(name)) continue;
      const control = this.control(name);
      const swapped = await control.exclusively(async () => {
        const lacked = control.device.program === undefined || control.lacksPlanned;
        const swap = await swapProgram(control.device, program);
        control.forgetUndo();
        await this.#options.scheme?.configure(name, control.device);
        await this.#options.scheme?.complete(name, control.device);
        // entries of its files for which the former version had no place
        if (lacked) await control.writePlanned(this.#options.files, found);
        return swap;
      });
      swaps.push(swapped);
    }
    return swaps;
  }

  /** Lets a changed file take effect: its programs are swapped in, its entries written anew. */
  async use(path: string): Promise<{ swaps: SwapView[]; diagnostics: LabDiagnostic[] }> {
    const { plan, send, isUp } = this.#options;
    const swaps: SwapView[] = [];
    const found = new Diagnostics();
    for (const user of this.programs.usersOf(path)) {
      const compiled = this.programs.compile(user);
      for (const diagnostic of this.programs.diagnosticsOf(user).list) found.add(diagnostic);
      const mine = compiled === undefined ? [] : await this.#swap(user, found);
      swaps.push(...mine);
      send({ kind: "program", program: this.programs.view(user), swaps: mine });
    }
    for (const { name, runtime, commands } of plan.switches)
      if ((runtime === path || commands === path) && isUp(name)) await this.boot(name, found);
    if (/(^|\/)(topology\.json|Makefile)$/.test(path))
      send({ kind: "notice", severity: "info", text: `${path} has changed: restart the network to use it` });
    this.#note(found.list);
    return { swaps, diagnostics: diagnosticViews(found.list) };
  }

  #note(list: readonly Diagnostic[]): void {
    const own = new Set(this.programs.diagnostics);
    this.problems = [...diagnosticViews([...own]), ...diagnosticViews(list.filter((one) => !own.has(one)))];
  }
}
