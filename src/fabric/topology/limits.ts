/** Limits of the address plan and of 9-bit port numbers. */
import { fail, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";

/** v1model ports have 9 bits, and 511 is the drop port. */
export const MAX_PORT = 510;
export const MAX_PODS = 256;
export const MAX_RACKS_PER_POD = 256;
export const MAX_HOSTS_PER_RACK = 254;
/** Maximum number of switches of a network without pods, in which each is a rack. */
export const MAX_SWITCHES = MAX_PODS * MAX_RACKS_PER_POD;

/** Fails with P42101 where a count is below 1. */
export function positive(value: number, key: string, locate: Locate): void {
  if (value < 1) fail(CODES.countTooSmall, locate([key]), `${key} is ${value}`, "at least 1 is needed");
}

/** Fails with P42103. `what`: in the plural. */
export function tooMany(count: number, what: string, room: number, key: string, locate: Locate): never {
  return fail(
    CODES.addressesExceeded,
    locate([key]),
    `${count} ${what}: the address plan has room for ${room}`,
  );
}

/** Fails with P42103 for more hosts at a switch than it has addresses. */
export function checkHosts(hosts: number, key: string, locate: Locate): void {
  positive(hosts, key, locate);
  if (hosts <= MAX_HOSTS_PER_RACK) return;
  fail(
    CODES.addressesExceeded,
    locate([key]),
    `${hosts} hosts in a rack: the address plan has room for ${MAX_HOSTS_PER_RACK}`,
  );
}

/** Fails with P42104 for a switch with more ports than v1model can number. */
export function checkPorts(role: string, ports: number, key: string, locate: Locate): void {
  if (ports <= MAX_PORT) return;
  fail(
    CODES.tooManyPorts,
    locate([key]),
    `a ${role} would need ${ports} ports`,
    `a v1model switch has ports 1 to ${MAX_PORT}: a port number has 9 bits and 511 means drop`,
  );
}
