/** A real clock that a test advances, and labs that use it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type LabAnswers,
  type LabEvent,
  type LabProject,
  type LabRequestInput,
  LabSession,
  type LabSessionOptions,
  type LabTimers,
  labRequestSchema,
} from "../../../src/course/lab/index.js";

export class Wall implements LabTimers {
  #now = 1000;
  #due: { at: number; fn: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  later(milliseconds: number, fn: () => void): () => void {
    const timer = { at: this.#now + milliseconds, fn };
    this.#due.push(timer);
    return () => {
      this.#due = this.#due.filter((one) => one !== timer);
    };
  }

  /** Advances the time and runs the due timers in order, with their promises after each. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = [...this.#due].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#due = this.#due.filter((one) => one !== next);
      this.#now = next.at;
      next.fn();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = end;
  }
}

export const ROOT = join(import.meta.dirname, "../../..");

/** The project of a folder of the repository. */
export function folderProject(folder: string): LabProject {
  const root = join(ROOT, folder);
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
  return { title: folder, files, open: { kind: "exercise" } };
}

export class TestLab {
  readonly events: LabEvent[] = [];

  private constructor(
    readonly session: LabSession,
    readonly wall: Wall,
  ) {
    session.subscribe((event) => this.events.push(event));
  }

  static async open(project: LabProject, options: Partial<LabSessionOptions> = {}): Promise<TestLab> {
    const wall = new Wall();
    return new TestLab(await LabSession.open(project, { timers: wall, seed: 1, ...options }), wall);
  }

  /** The value of a reply; a failed request throws an error with all its messages. */
  async ask<Request extends LabRequestInput>(request: Request): Promise<LabAnswers[Request["op"]]> {
    const reply = await this.reply(request);
    if (reply.ok) return reply.value as LabAnswers[Request["op"]];
    throw new Error(reply.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
  }

  reply(request: LabRequestInput) {
    return this.session.apply(labRequestSchema.parse(request));
  }

  of<Kind extends LabEvent["kind"]>(kind: Kind): Extract<LabEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<LabEvent, { kind: Kind }> => event.kind === kind);
  }

  run(speed = 1): Promise<LabAnswers["clock.set"]> {
    return this.ask({ op: "clock.set", running: true, speed });
  }
}
