/** Messages between the nodes and the switch of P4DB (DataManagementLab/p4db): Ethernet type 0x1000, two bytes of padding, type, sender, number. */
import { at, ETHERNET_BYTES, ethernet, type Field, join, pack } from "./frames.js";

const ETHERTYPE = 0x1000;
export const TYPE = {
  getRequest: 0x01000000,
  getResponse: 0x02000000,
  putRequest: 0x03000000,
  putResponse: 0x04000000,
  transaction: 0x05000000,
} as const;

/** Where the fields of a message stand in a frame. */
const AT = {
  type: ETHERNET_BYTES + 2,
  sender: ETHERNET_BYTES + 6,
  number: ETHERNET_BYTES + 10,
} as const;
const BODY_AT = ETHERNET_BYTES + 18;

/** Of node 0; the others follow. */
const FIRST_MAC = 0x020000000100;

export function macOf(node: number): number {
  return FIRST_MAC + node;
}

function nodeOf(mac: number): number {
  return mac - FIRST_MAC;
}

export interface Message {
  readonly to: number;
  readonly from: number;
  readonly type: number;
  /** Of the node that asked first. */
  readonly sender: number;
  readonly number: number;
  readonly body: Uint8Array;
}

export function write({ to, from, type, sender, number, body }: Message): Uint8Array {
  const fields: Field[] = [
    [0, 16],
    [type, 32],
    [sender, 32],
    [number, 64],
  ];
  return join(ethernet(macOf(to), macOf(from), ETHERTYPE), pack(...fields), body);
}

export function read(frame: Uint8Array): Message {
  return {
    to: nodeOf(at(frame, 0, 6)),
    from: nodeOf(at(frame, 6, 6)),
    type: at(frame, AT.type, 4),
    sender: at(frame, AT.sender, 4),
    number: at(frame, AT.number + 2, 6),
    body: frame.slice(BODY_AT),
  };
}
