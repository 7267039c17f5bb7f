/**
 * The switches of a lab with their programs and entries, for any engine: starts them from the files, changes them when a file
 * changes, and reports each error at its place.
 */
import { type Diagnostic, Diagnostics, fail } from "../../base/index.js";
import type { Device } from "../../toolchain/device/index.js";
import { CODES } from "./codes.js";
import { diagnosticViews } from "./diagnostics.js";
import type { ProjectFiles } from "./files.js";
import { ProgramBook } from "./program-book.js";
import type { LabPlan } from "./project.js";
import type { LabDiagnostic, LabEvent, SwapView } from "./protocol.js";
import type { LabScheme } from "./scheme.js";
import { swapProgram } from "./state/swap.js";
import { SwitchControl, type SwitchControlOptions } from "./switch-control.js";

interface SwitchBoardOptions {
  readonly plan: LabPlan;
  readonly files: ProjectFiles;
  readonly later: SwitchControlOptions["later"];
  /** The device of each switch of the plan. */
  device(name: string): Device;
  /** Whether the switch can be written to now. */
  isUp(name: string): boolean;
  /** The settings of a switch before its entries are written, and its packet generators afterwards. */
  readonly scheme?: Pick<LabScheme, "configure" | "complete"> | undefined;
  send(event: LabEvent): void;
}

export class SwitchBoard {
  readonly programs: ProgramBook;
  readonly controls = new Map<string, SwitchControl>();
  /** The present errors and warnings of programs and entries. */
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

  /** Fails with P46002 if there is no such switch. */
  control(name: string): SwitchControl {
    const names = [...this.controls.keys()].join(", ");
    return (
      this.controls.get(name) ??
      fail(CODES.noNode, undefined, `there is no switch ${name}`, `there are: ${names}`)
    );
  }

  /** Starts all switches with their programs and entries. */
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

  /** Loads the last version without errors into all switches that run the program. `found` gets errors of entries that remain. */
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
        // entries of its files that the former version could not take
        if (lacked) await control.writePlanned(this.#options.files, found);
        return swap;
      });
      swaps.push(swapped);
    }
    return swaps;
  }

  /** Applies a changed file: loads its programs into their switches, or writes its entries again. */
  async use(path: string): Promise<{ swaps: SwapView[]; diagnostics: LabDiagnostic[] }> {
    const { plan, send, isUp } = this.#options;
    const swaps: SwapView[] = [];
    const found = new Diagnostics();
    for (const user of this.programs.usersOf(path)) {
      const compiled = this.programs.compile(user);
      for (const diagnostic of this.programs.diagnosticsOf(user).list) found.add(diagnostic);
      const ownSwaps = compiled === undefined ? [] : await this.#swap(user, found);
      swaps.push(...ownSwaps);
      send({ kind: "program", program: this.programs.view(user), swaps: ownSwaps });
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
