/**
 * The path of a packet through the Portable NIC Architecture: main parser, pre control, main control, main deparser; then it is dropped, sent,
 * or takes the same path once more. `docs/portable.md` has the rules.
 */
import { type bmv2, EXTERN_STATE, MIRROR_SLOTS, NIC } from "../../program/index.js";
import { bigOf } from "../codegen/action.js";
import type { FieldSlot } from "../codegen/layout.js";
import { NO_LIMIT } from "../state/packet-state.js";
import type { AddedEntry, ForwarderParts } from "./forwarder.js";
import type { PacketCopy } from "./packet-copy.js";
import { Portable } from "./portable.js";
import type { Workspaces } from "./workspace.js";

/** `PNA_Direction_t`. */
const NET_TO_HOST = 0;
const HOST_TO_NET = 1;

/** `PassNumber_t` has three bits. */
const MAX_PASS = 7;

export class Pna extends Portable {
  readonly #at: Places;

  constructor(parts: ForwarderParts, workspaces: Workspaces) {
    super(parts, workspaces);
    this.#at = placesOf(parts.specialised);
  }

  protected enter(port: number, frame: Uint8Array, ownsFrame: boolean): void {
    this.#pass(port, frame, ownsFrame, 0);
  }

  protected reenter({ port, frame, ownsFrame, phv }: PacketCopy): void {
    this.#pass(port, frame, ownsFrame, phv[0]!);
  }

  #pass(port: number, frame: Uint8Array, ownsFrame: boolean, pass: number): void {
    const { state, code } = this;
    const { main, inputs, outputs } = this.#at;
    state.phv = state.main;
    const { phv } = state;
    code.clear(phv);
    this.begin(frame, ownsFrame);
    const direction = port === this.cpuPort ? HOST_TO_NET : NET_TO_HOST;
    for (const input of inputs) {
      phv[input.direction] = direction;
      phv[input.pass] = pass & MAX_PASS;
      phv[input.loopedBack] = pass > 0 ? 1 : 0;
      phv[input.recirculated] = pass > 0 ? 1 : 0;
      phv[input.port] = this.named(port);
    }
    if (main.time >= 0) this.putTime(main.time);
    const last = code.stages.length - 1;
    const error = code.stages[0]!.parsers[0]!(state);
    for (const input of inputs) phv[input.error] = error;
    for (const stage of code.stages) {
      stage.control(state);
      if (this.aborted()) return;
    }
    for (const { table, restarts, sets, profile, entry } of this.#at.timers)
      if ((phv[restarts]! | phv[sets]!) !== 0)
        this.restartTimer(table, phv[entry]!, phv[sets] === 0 ? undefined : phv[profile]!);
    for (const site of this.#at.sites) if (phv[site.flag] !== 0) this.addEntry(addedBy(site, phv));
    const asked = (at: number): boolean => at >= 0 && phv[at] !== 0;
    const stage = code.stages[last]!;
    const leaves =
      asked(outputs.sends) || asked(outputs.again) || outputs.mirrors.some(({ asks }) => asked(asks));
    // A deparser may still ask for another pass.
    if (leaves || outputs.again >= 0) stage.prepare(state, phv);
    this.sendDigest();
    const again = asked(outputs.again);
    if (!leaves && !again) {
      this.drop("ingress");
      return;
    }
    const sessions = outputs.mirrors.flatMap(({ asks, session }) => (asked(asks) ? [phv[session]!] : []));
    const made = stage.emit(state, NO_LIMIT);
    for (const session of sessions) this.clone("egress_clone", made, session);
    if (again) this.#again(port, made, pass + 1);
    else if (asked(outputs.sends))
      this.send(this.portOf(phv[outputs.port]! >>> 0), made, phv[main.serviceClass]!);
    else this.drop("ingress");
  }

  #again(port: number, frame: Uint8Array, pass: number): void {
    const copy = this.copyOf(frame, false);
    copy.phv[0] = pass;
    copy.port = port;
    copy.node = this.tracer?.fork("recirculate");
    this.tracer?.forked("recirculate");
    this.goAgain(copy);
  }

  protected passOn(_port: number, frame: Uint8Array): Uint8Array {
    this.tracer?.leaves(frame);
    return frame;
  }

  /** A packet that waited leaves as it is. */
  protected leave({ port, frame }: PacketCopy): Uint8Array {
    return this.passOn(port, frame);
  }
}

// ---------------------------------------------------------------- places

/** First words of the metadata; -1 for what the program's form of the architecture does not have. */
interface Places {
  /** Of the parser, the pre control and the main control. */
  readonly inputs: readonly Readonly<
    Record<"direction" | "pass" | "loopedBack" | "recirculated" | "port" | "error", number>
  >[];
  readonly main: { readonly time: number; readonly serviceClass: number };
  readonly outputs: {
    readonly sends: number;
    readonly port: number;
    readonly again: number;
    readonly mirrors: readonly { readonly asks: number; readonly session: number }[];
  };
  /** Calls of `add_entry`. */
  readonly sites: readonly Site[];
  /** Of the tables whose entries expire. */
  readonly timers: readonly Timer[];
}

/** What a packet did to the time of the entry that it hit. */
interface Timer extends Readonly<Record<"restarts" | "sets" | "profile" | "entry", number>> {
  readonly table: string;
}

interface Site {
  readonly table: string;
  readonly action: string;
  /** Set where the packet made the call. */
  readonly flag: number;
  readonly profile: number;
  readonly key: readonly FieldSlot[];
  readonly values: readonly FieldSlot[];
}

/** The lists of fields that the compiler keeps for calls of `add_entry`: `add_entry TABLE ACTION`, of the flag, the profile, the key, the values. */
function sitesOf({ layout, program, tables }: ForwarderParts["specialised"]): Site[] {
  return program.field_lists.flatMap(({ name, elements }): Site[] => {
    const [, table = "", action = ""] = /^add_entry (\S+) (\S+)$/.exec(name) ?? [];
    const found = tables.find((one) => one.table.name === table);
    const slots = slotsOf(layout, elements);
    const [flag, profile, ...rest] = slots;
    if (found === undefined || profile === undefined || slots.length !== elements.length) return [];
    const keys = found.table.key.length;
    return [
      {
        table,
        action,
        flag: flag!.at,
        profile: profile.at,
        key: rest.slice(0, keys),
        values: rest.slice(keys),
      },
    ];
  });
}

/** The lists `expire TABLE`: two flags, the profile, the number of the entry. */
function timersOf({ layout, program }: ForwarderParts["specialised"]): Timer[] {
  return program.field_lists.flatMap(({ name, elements }): Timer[] => {
    const [, table] = /^expire (\S+)$/.exec(name) ?? [];
    if (table === undefined) return [];
    const [restarts, sets, profile, entry] = slotsOf(layout, elements).map(({ at }) => at);
    if (restarts === undefined || sets === undefined || profile === undefined || entry === undefined)
      return [];
    return [{ table, restarts, sets, profile, entry }];
  });
}

function slotsOf(
  layout: ForwarderParts["specialised"]["layout"],
  elements: readonly bmv2.Value[],
): FieldSlot[] {
  return elements.flatMap((one) =>
    one.type === "field" ? (layout.field(one.value[0], one.value[1]) ?? []) : [],
  );
}

function addedBy({ table, action, profile, key, values }: Site, phv: Int32Array): AddedEntry {
  const read = ({ at, words }: FieldSlot): bigint =>
    BigInt.asUintN(32 * words, bigOf([...phv.subarray(at, at + words)], false));
  return { table, action, key: key.map(read), values: values.map(read), profile: phv[profile]! };
}

function placesOf(specialised: ForwarderParts["specialised"]): Places {
  const { layout } = specialised;
  const at = (header: string, name: string): number => layout.field(header, name)?.at ?? -1;
  const nic = (name: keyof typeof NIC, slot = ""): number => at(EXTERN_STATE, `${NIC[name][0]}${slot}`);
  return {
    sites: sitesOf(specialised),
    timers: timersOf(specialised),
    inputs: ["pna_main_parser_input_metadata", "pna_pre_input_metadata", "pna_main_input_metadata"].map(
      (header) => ({
        direction: at(header, "direction"),
        pass: at(header, "pass"),
        loopedBack: at(header, "loopedback"),
        recirculated: at(header, "recirculated"),
        port: at(header, "input_port"),
        error: at(header, "parser_error"),
      }),
    ),
    main: {
      time: at("pna_main_input_metadata", "timestamp"),
      serviceClass: at("pna_main_output_metadata", "class_of_service"),
    },
    outputs: {
      sends: nic("sends"),
      port: nic("port"),
      again: nic("again"),
      mirrors: Array.from({ length: MIRROR_SLOTS }, (_, slot) => ({
        asks: nic("mirrors", String(slot)),
        session: nic("session", String(slot)),
      })),
    },
  };
}
