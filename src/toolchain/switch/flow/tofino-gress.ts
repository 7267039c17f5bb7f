/** Places of a gress' intrinsic metadata in the PHV of a packet. */
import type { bmv2 } from "../../program/index.js";
import type { RegisterArray } from "../tables/resources.js";

/** Places of intrinsic metadata in the PHV; -1 for what the program does not name. */
class Gress {
  readonly skips: boolean;
  readonly seesErrors: boolean;
  readonly #fields: Readonly<Record<string, bmv2.FieldRef>>;

  constructor(
    /** Position among the stages. */
    readonly number: number,
    info: bmv2.GressInfo,
    readonly place: (field: bmv2.FieldRef) => number,
  ) {
    this.skips = info.skipsIntrinsic;
    this.seesErrors = info.seesErrors;
    this.#fields = info.fields;
  }

  at(name: string): number {
    const field = this.#fields[name];
    return field === undefined ? -1 : this.place(field);
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
  readonly groupA = this.at("tm.mcast_grp_a");
  readonly groupB = this.at("tm.mcast_grp_b");
  readonly level1 = this.at("tm.level1_exclusion_id");
  readonly level2 = this.at("tm.level2_exclusion_id");
  readonly rid = this.at("tm.rid");
  readonly bypass = this.at("tm.bypass_egress");
  readonly copyToCpu = this.at("tm.copy_to_cpu");
  readonly queue = this.at("tm.qid");
  readonly serviceClass = this.at("tm.ingress_cos");
  readonly drop = this.at("deparser.drop_ctl");
  readonly error = this.at("parser.parser_err");
  readonly time = this.at("parser.global_tstamp");
}

export class Egress extends Gress {
  readonly drop = this.at("deparser.drop_ctl");
  readonly error = this.at("parser.parser_err");
  readonly time = this.at("parser.global_tstamp");
}

/** A field of the program; 0 where the program does not name it. */
export function read(phv: Int32Array, at: number): number {
  return at < 0 ? 0 : phv[at]!;
}
