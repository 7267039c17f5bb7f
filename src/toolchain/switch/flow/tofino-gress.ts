/** Places of a gress' intrinsic metadata in the PHV of a packet. */
import type { bmv2 } from "../../program/index.js";

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

export class Ingress extends Gress {
  readonly port = this.at("tm.ucast_egress_port");
  readonly groupA = this.at("tm.mcast_grp_a");
  readonly groupB = this.at("tm.mcast_grp_b");
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
