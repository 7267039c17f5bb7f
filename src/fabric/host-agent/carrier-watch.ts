/** Reports when a NIC of this host loses its carrier or gets it back, from the output of `ip monitor link` (rtnetlink). */
import { type ChildProcess, spawn } from "node:child_process";

/** `3: eth0@if4: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 ...`, optionally after a word such as `Deleted`. */
const LINE = /^(?:\[LINK\]\s*)?\d+: ([^:@\s]+)(?:@[^:\s]+)?: <([^>]*)>/;

/** The NIC that a line is about, and whether it has a carrier; undefined for other lines. */
export function carrierOf(line: string): { readonly name: string; readonly up: boolean } | undefined {
  const found = LINE.exec(line);
  return found === null ? undefined : { name: found[1]!, up: found[2]!.split(",").includes("LOWER_UP") };
}

export class CarrierWatch {
  readonly #process: ChildProcess;
  readonly #up: boolean[];
  #rest = "";

  /** @param names of the NICs, whose carriers are assumed to be up; `changed` is called with the number of a NIC */
  constructor(
    readonly names: readonly string[],
    readonly changed: (nic: number, up: boolean) => void,
  ) {
    this.#up = names.map(() => true);
    this.#process = spawn("ip", ["-o", "monitor", "link"], { stdio: ["ignore", "pipe", "ignore"] });
    this.#process.on("error", () => {});
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => this.#take(text));
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) {
      const state = carrierOf(line);
      const nic = state === undefined ? -1 : this.names.indexOf(state.name);
      if (state === undefined || nic < 0 || this.#up[nic] === state.up) continue;
      this.#up[nic] = state.up;
      this.changed(nic, state.up);
    }
  }

  close(): void {
    this.#process.kill();
  }
}
