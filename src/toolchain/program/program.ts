/** A compiled program: what a compiler hands to a switch, a control plane and the fit checker. */
import type { Bmv2Program } from "./bmv2.js";
import type { P4Info } from "./p4info/message.js";

export interface Program {
  readonly bmv2: Bmv2Program;
  readonly p4info: P4Info;
}
