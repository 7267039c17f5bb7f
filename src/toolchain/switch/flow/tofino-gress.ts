/** Places of a gress' intrinsic metadata in the PHV of a packet. */
import type { bmv2 } from "../../program/index.js";
import type { RegisterArray } from "../tables/resources.js";

/** Where fields are in the PHV, and whether the program changes them. */
interface Fields {
  readonly place: (field: bmv2.FieldRef) => number;
  readonly isChanged: (field: bmv2.FieldRef) => boolean;
}

/** Places of intrinsic metadata in the PHV; -1 for a field that the program does not name. */
class Gress {
  readonly skips: boolean;
  readonly seesErrors: boolean;
  readonly #fields: Readonly<Record<string, bmv2.FieldRef>>;

  constructor(
    /** Position among the stages. */
    readonly number: number,
    info: bmv2.GressInfo,
    readonly places: Fields,
  ) {
    this.skips = info.skipsIntrinsic;
    this.seesErrors = info.seesErrors;
    this.#fields = info.fields;
  }

  at(name: string): number {
    const field = this.#fields[name];
    return field === undefined ? -1 : this.places.place(field);
  }

  /** The place of a field by which the program asks for something; -1 also where the program never changes the field. */
  asked(name: string): number {
    const field = this.#fields[name];
    return field !== undefined && this.places.isChanged(field) ? this.places.place(field) : -1;
  }
}

/** The metadata of ports that a parser unpacks, as bytes in front of a packet. */
export class PortMetadata {
  readonly #front = new Uint8Array(24);
  readonly #bytes: number;

  constructor(readonly register: RegisterArray) {
    this.#bytes = Math.min(24, Math.ceil(register.width / 8));
  }

  /** The bytes of a port, good until the next call. */
  of(port: number): Uint8Array {
    const front = this.#front;
    let rest = this.register.get(port) << BigInt(8 * this.#bytes - this.register.width);
    for (let i = this.#bytes - 1; i >= 0; i--, rest >>= 8n) front[i] = Number(rest & 0xffn);
    return front;
  }
}

export class Ingress extends Gress {
  /** By parser; undefined: none of them unpacks metadata of ports. */
  portMetadata: readonly (PortMetadata | undefined)[] | undefined;

  readonly port = this.at("tm.ucast_egress_port");
  readonly groupA = this.asked("tm.mcast_grp_a");
  readonly groupB = this.asked("tm.mcast_grp_b");
  readonly level1 = this.asked("tm.level1_exclusion_id");
  readonly level2 = this.asked("tm.level2_exclusion_id");
  readonly rid = this.asked("tm.rid");
  readonly bypass = this.asked("tm.bypass_egress");
  readonly copyToCpu = this.asked("tm.copy_to_cpu");
  /** A packet may go to more than one port. */
  readonly copies = this.groupA >= 0 || this.groupB >= 0 || this.copyToCpu >= 0;
  readonly queue = this.asked("tm.qid");
  readonly serviceClass = this.asked("tm.ingress_cos");
  readonly drop = this.asked("deparser.drop_ctl");
  readonly error = this.at("parser.parser_err");
  readonly time = this.at("parser.global_tstamp");
}

export class Egress extends Gress {
  readonly drop = this.asked("deparser.drop_ctl");
  readonly error = this.at("parser.parser_err");
  readonly time = this.at("parser.global_tstamp");
}

/** The value of a field; 0 where it has no place (-1). */
export function read(phv: Int32Array, at: number): number {
  return at < 0 ? 0 : phv[at]!;
}
