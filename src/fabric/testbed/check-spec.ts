/** Refuses impossible labs before anything is created. */
import { Diagnostics } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { LabSpec } from "./lab-spec.js";

/** IFNAMSIZ of Linux is 16 with the closing zero. */
const MAX_INTERFACE_NAME = 15;
/** v1model ports have 9 bits, and 511 is the drop port. */
const MAX_PORT = 510;
const NODE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
const INTERFACE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** @throws DiagnosticError (P43101) with all errors of the spec */
export function checkSpec(spec: LabSpec): void {
  const diagnostics = new Diagnostics();
  const wrong = (message: string, ...notes: string[]): void =>
    diagnostics.error(CODES.contradiction, undefined, `lab ${spec.name}: ${message}`, ...notes);
  /** Node -> its interfaces, each with the number of links that end there. */
  const nodes = new Map<string, Map<string, number>>();
  const addNode = (name: string): Map<string, number> => {
    if (!NODE_NAME.test(name)) {
      wrong(`"${name}" is no name for a node`, "letters, digits, `_`, `.` and `-`, at most 100 of them");
    }
    if (nodes.has(name)) wrong(`two nodes are called "${name}"`);
    const interfaces = new Map<string, number>();
    nodes.set(name, interfaces);
    return interfaces;
  };
  const checkInterface = (node: string, name: string): void => {
    if (name.length > MAX_INTERFACE_NAME || !INTERFACE_NAME.test(name)) {
      wrong(`"${name}" of ${node} is no name for an interface`, `at most ${MAX_INTERFACE_NAME} characters`);
    }
  };
  for (const { name, interfaces } of spec.hosts) {
    const own = addNode(name);
    for (const { name: label } of interfaces) {
      checkInterface(name, label);
      if (label === "lo" || own.has(label)) wrong(`host ${name} has two interfaces called "${label}"`);
      own.set(label, 0);
    }
  }
  const owners = new Map<string, string>();
  const devices = new Map<bigint, string>();
  for (const { name, deviceId, ports, cpuPort } of spec.switches) {
    const own = addNode(name);
    const other = devices.get(deviceId);
    if (other !== undefined) wrong(`switches ${other} and ${name} both have device id ${deviceId}`);
    devices.set(deviceId, name);
    const numbers = new Set<number>();
    for (const { number, interface: label } of ports) {
      checkInterface(name, label);
      if (!Number.isInteger(number) || number < 0 || number > MAX_PORT) {
        wrong(`switch ${name} has a port ${number}`, `ports are 0 to ${MAX_PORT}`);
      }
      if (number === cpuPort) wrong(`port ${number} of switch ${name} is its CPU port too`);
      if (numbers.has(number)) wrong(`switch ${name} has two ports ${number}`);
      numbers.add(number);
      const owner = owners.get(label) ?? (label === "lo" ? "the namespace" : undefined);
      if (owner !== undefined) wrong(`${owner} and switch ${name} both have an interface "${label}"`);
      owners.set(label, `switch ${name}`);
      own.set(label, 0);
    }
  }
  for (const { a, b } of spec.links) {
    for (const { node, interface: label } of [a, b]) {
      const interfaces = nodes.get(node);
      const count = interfaces?.get(label);
      if (count === undefined) wrong(`a link ends at "${label}" of "${node}", which is not there`);
      else interfaces!.set(label, count + 1);
    }
  }
  for (const [node, interfaces] of nodes) {
    for (const [label, count] of interfaces) {
      if (count !== 1)
        wrong(`${count === 0 ? "no link ends" : `${count} links end`} at "${label}" of ${node}`);
    }
  }
  diagnostics.throwIfErrors();
}
