/**
 * What the generated programs do, in a page of TypeScript that knows nothing of P4: it reads the control plane's
 * updates and forwards by them. Tests use it to run whole experiments without a compiler, and as a second
 * opinion on what the compiled programs do.
 */

import { fromBytes, toBytes } from "../../../src/base/index.js";
import { addWords, finishChecksum, Segment, selectorOf } from "../../../src/base/packets/index.js";
import type { EcmpProgram } from "../../../src/fabric/schemes/ecmp/plan.js";
import type { FabricPlan } from "../../../src/fabric/schemes/index.js";
import type { PecmpProgram } from "../../../src/fabric/schemes/pecmp/program.js";
import type { Channel, Node } from "../../../src/fabric/sim/packet/index.js";
import type { ActionCall, Match, Update } from "../../../src/toolchain/device/index.js";
import type { ProgramPlan } from "../../../src/toolchain/generate/index.js";

interface Route {
  address: bigint;
  shift: bigint;
  action: ActionCall;
}

const short = (name: string) => name.replace("FabricIngress.", "");

export class ModelSwitch implements Node {
  readonly #outputs: Channel[] = [];
  readonly #segment = new Segment();
  readonly #members = new Map<number, ActionCall>();
  readonly #groups = new Map<number, number[]>();
  readonly #cells = new Map<string, number>();
  readonly #rows = new Map<string, number>();
  readonly #routes: Record<4 | 6, Route[]> = { 4: [], 6: [] };
  readonly #seeds = new Map<string, number>();
  /** How often each output port was used. */
  readonly used = new Map<number, number>();

  constructor(
    readonly name: string,
    readonly plan: FabricPlan,
    readonly program: ProgramPlan,
    updates: readonly Update[],
  ) {
    for (const { entity } of updates) {
      if (entity.kind === "member") this.#members.set(entity.memberId, entity.action);
      else if (entity.kind === "group")
        this.#groups.set(
          entity.groupId,
          entity.members.map((member) => member.memberId).sort((a, b) => a - b),
        );
      else if (entity.kind === "tableEntry") this.#entry(short(entity.table), entity.match, entity.action!);
    }
    for (const routes of Object.values(this.#routes)) routes.sort((a, b) => Number(a.shift - b.shift));
  }

  #entry(table: string, match: readonly Match[], action: NonNullable<unknown>): void {
    const values = match.map((one) => (one as { value: bigint }).value);
    const does = action as { kind: string; groupId?: number } & ActionCall;
    if (table === "hash_seed")
      for (const [direction, seed] of Object.entries(does.params)) this.#seeds.set(direction, Number(seed));
    else if (table === "row_of_selector") this.#rows.set(values.join(), Number(does.params["row"]));
    else if (/_(matrix|groups)$/.test(table)) this.#cells.set(values.join(), does.groupId!);
    else {
      const version = table === "ipv4_routes" ? 4 : 6;
      const width = version === 4 ? 32 : 128;
      const [lpm] = match as readonly Extract<Match, { kind: "lpm" }>[];
      this.#routes[version].push({
        address: lpm?.value ?? 0n,
        shift: BigInt(width - (lpm?.prefixLength ?? 0)),
        action: does,
      });
    }
  }

  attach(port: number, output: Channel): void {
    this.#outputs[port] = output;
  }

  receive(_port: number, frame: Uint8Array): void {
    const segment = this.#segment;
    if (!segment.read(frame)) return;
    const { ipVersion, dstAt, srcAt, addressLength } = segment;
    const destination = fromBytes(frame.subarray(dstAt, dstAt + addressLength));
    const route = this.#routes[ipVersion].find(
      ({ address, shift }) => address >> shift === destination >> shift,
    );
    if (route === undefined) return;
    const hop = this.#resolve(route.action, frame.subarray(srcAt, dstAt + addressLength));
    if (hop === undefined) return;
    const port = Number(hop.params["port"]);
    this.used.set(port, (this.used.get(port) ?? 0) + 1);
    const out = frame.slice();
    out.copyWithin(6, 0, 6);
    out.set(toBytes(hop.params["mac"]!, 6), 0);
    if (ipVersion === 4) {
      out[srcAt - 4]!--;
      out.fill(0, srcAt - 2, srcAt);
      const sum = finishChecksum(addWords(out, srcAt - 12, dstAt + 4, 0));
      out[srcAt - 2] = sum >> 8;
      out[srcAt - 1] = sum & 255;
    } else out[srcAt - 1]!--;
    this.#outputs[port]!.send(out);
  }

  #resolve(action: ActionCall, addresses: Uint8Array): ActionCall | undefined {
    const name = short(action.action);
    if (name === "to_port") return action;
    const selector = selectorOf(this.plan.field, this.#segment.headers);
    let group: number | undefined;
    let hashed = 0;
    const direction = name === "to_uplinks" ? "up" : "down";
    if ("next_hops" in action.params) {
      group = this.#cells.get(String(action.params["next_hops"]));
      if (
        this.program.template === "ecmp/switch" &&
        (this.program.values as EcmpProgram).hashedField !== undefined
      )
        hashed = selector + 1;
    } else {
      const values = this.program.values as PecmpProgram;
      const { slice } = values[direction]!;
      let value = Math.floor(selector / 2 ** slice.low) % 2 ** slice.width;
      if (slice.version !== undefined && Math.floor(selector / 2 ** slice.version) % 2 === 1)
        value += 1 << 15;
      const row = this.#rows.get(`${action.params["rows"]},${value}`) ?? 0;
      group = this.#cells.get(`${action.params["matrix"]},${row}`);
    }
    const members = group === undefined ? undefined : this.#groups.get(group);
    if (members === undefined) return undefined;
    const { srcPort, dstPort } = this.#segment;
    let hash = 2166136261 ^ this.#seeds.get(direction)!;
    const mix = (value: number) => {
      hash = Math.imul(hash ^ value, 16777619);
      hash ^= hash >>> 15;
    };
    // Up and down have different functions.
    mix(direction === "up" ? 0 : 1);
    for (const byte of addresses) mix(byte);
    for (const value of [srcPort, dstPort, hashed]) mix(value);
    hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
    hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
    hash ^= hash >>> 16;
    return this.#members.get(members[(hash >>> 0) % members.length]!);
  }
}
