/** Statements about the switch as a process: its ports, and its state as one document. */
import { fail } from "../../../base/index.js";
import type { PortAttachment, PortControl, StateControl } from "../../device/index.js";
import { CODES } from "../codes.js";
import type { Commands } from "../command.js";
import type { Context } from "../context.js";
import type { Word } from "../words.js";
import { assignment } from "./parts.js";

/** Ports of v1model have 9 bits. */
const MAX_PORT = 511;

export function portControl(context: Context, name: Word): PortControl {
  const { ports } = context.device;
  if (ports === undefined)
    fail(
      CODES.unable,
      name.span,
      `\`${name.text}\`: this switch does not add, remove or list ports over P4Runtime`,
      "p4loom's switch does; simple_switch does over Thrift, with simple_switch_CLI",
    );
  return ports;
}

function stateControl(context: Context, name: Word): StateControl {
  const { state } = context.device;
  if (state === undefined)
    fail(
      CODES.unable,
      name.span,
      `\`${name.text}\`: this switch does not give its state as a document`,
      "p4loom's switch does; of any switch `save FILE` writes the state as statements, and `source FILE` runs them",
    );
  return state;
}

export function readPort(context: Context, word: Word): number {
  return context.integer("the port", word, MAX_PORT);
}

/** `INTERFACE`, `INTERFACE netns=NAMESPACE` or `files=NAME`. */
function readAttachment([first, second]: readonly Word[]): PortAttachment {
  const pair = assignment(first!);
  if (pair !== undefined) {
    if (pair.name.text !== "files")
      fail(CODES.form, pair.name.span, `\`${first!.text}\`: give the name of an interface, or files=NAME`);
    if (second !== undefined) fail(CODES.form, second.span, "files have no network namespace");
    return { kind: "files", name: pair.value.text };
  }
  if (second === undefined) return { kind: "interface", name: first!.text };
  const namespace = assignment(second);
  if (namespace?.name.text !== "netns" || namespace.value.text === "")
    fail(
      CODES.form,
      second.span,
      `\`${second.text}\`: after the interface only netns=NAMESPACE can be given`,
    );
  return { kind: "interface", name: first!.text, namespace: namespace.value.text };
}

export const processStatements: Commands = {
  add_port: {
    usage: "add_port <port> <interface> [netns=NAMESPACE]\nadd_port <port> files=NAME",
    summary:
      "join a port to a network interface of the switch's machine, or to NAME_in.pcap and NAME_out.pcap",
    least: 2,
    most: 3,
    bare: true,
    async run(context, [port, ...words], name) {
      const number = readPort(context, port);
      await portControl(context, name).add(number, readAttachment(words));
    },
  },
  remove_port: {
    usage: "remove_port <port>",
    summary: "close the interface or the files of a port",
    least: 1,
    most: 1,
    bare: true,
    run: (context, [port], name) => portControl(context, name).remove(readPort(context, port)),
  },
  save_state: {
    usage: "save_state <file>",
    summary: "write the whole state of the switch to a file, for restore_state",
    least: 1,
    most: 1,
    async run(context, [word], name) {
      const write = context.surroundings.writeFile;
      if (write === undefined) fail(CODES.unable, name.span, "`save_state`: no files can be written here");
      const document = new TextDecoder().decode(await stateControl(context, name).save());
      write(word.text, document);
      context.print(`# ${document.split("\n").length - 2} updates are in ${word.text}`);
    },
  },
  restore_state: {
    usage: "restore_state <file>",
    summary: "replace the whole state of the switch by that of a file of save_state",
    least: 1,
    most: 1,
    reloads: true,
    async run(context, [word], name) {
      const read = context.surroundings.readFile;
      if (read === undefined) fail(CODES.unable, name.span, "`restore_state`: no files can be read here");
      const state = stateControl(context, name);
      await state.restore(new TextEncoder().encode(read(word.text, word.span).text));
    },
  },
};
