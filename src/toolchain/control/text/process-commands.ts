/** Commands about the switch as a process: its ports, and a reset of its state. */
import { fail } from "../../../base/index.js";
import type { PortDescription } from "../../device/index.js";
import { CODES } from "../codes.js";
import type { Commands } from "../command.js";
import { portControl, readPort } from "../shell/process-statements.js";

function portText({ port, attachment, up, ...counts }: PortDescription): string {
  const extra = [
    ...(attachment.kind === "files" ? ["pcap files"] : []),
    ...(attachment.kind === "interface" && attachment.namespace !== undefined
      ? [`netns=${attachment.namespace}`]
      : []),
    `received=${counts.received}`,
    `sent=${counts.sent}`,
    ...(counts.receiveDrops === 0 ? [] : [`receive_drops=${counts.receiveDrops}`]),
    ...(counts.sendDrops === 0 ? [] : [`send_drops=${counts.sendDrops}`]),
  ];
  return columns([String(port), attachment.name, up ? "UP" : "DOWN"], extra.join("; "));
}

/** A line as simple_switch_CLI prints it: three columns with their text in the middle. */
function columns([port, name, status]: readonly [string, string, string], extra: string): string {
  return middle(port, 10) + middle(name, 20) + middle(status, 10) + extra;
}

function middle(text: string, width: number): string {
  const left = Math.floor(Math.max(width - text.length, 0) / 2);
  return (" ".repeat(left) + text).padEnd(width);
}

function portData({ port, attachment, up, ...counts }: PortDescription): object {
  const { kind, name } = attachment;
  const where =
    kind === "interface" && attachment.namespace !== undefined ? { netns: attachment.namespace } : {};
  const { received, sent, receiveDrops, sendDrops } = counts;
  return {
    port,
    [kind]: name,
    ...where,
    up,
    received,
    sent,
    receive_drops: receiveDrops,
    send_drops: sendDrops,
  };
}

export const processCommands: Commands = {
  show_ports: {
    usage: "show_ports",
    summary: "list the ports with their interfaces, links and counters",
    least: 0,
    most: 0,
    bare: true,
    async run(context, _words, name) {
      const ports = await portControl(context, name).list();
      context.print(columns(["port #", "iface name", "status"], "extra info"));
      context.print("=".repeat(50));
      for (const port of ports) {
        context.print(portText(port));
        context.data(portData(port));
      }
    },
  },
  port_add: {
    usage: "port_add <interface> <port> [pcap file]",
    summary: "join a port to a network interface",
    least: 2,
    most: 3,
    bare: true,
    async run(context, [attached, port, file], name) {
      if (file !== undefined)
        fail(
          CODES.unable,
          file.span,
          "`port_add`: the switch captures the ports that it was started to capture",
        );
      const number = readPort(context, port);
      await portControl(context, name).add(number, { kind: "interface", name: attached.text });
    },
  },
  port_remove: {
    usage: "port_remove <port>",
    summary: "close the interface of a port",
    least: 1,
    most: 1,
    bare: true,
    run: (context, [port], name) => portControl(context, name).remove(readPort(context, port)),
  },
  reset_state: {
    usage: "reset_state",
    summary: "go back to the state that the program has after loading",
    least: 0,
    most: 0,
    reloads: true,
    async run({ device }, _words, name) {
      if (device.state !== undefined) {
        await device.state.reset();
        return;
      }
      const { program } = device;
      if (program === undefined)
        fail(CODES.unable, name.span, "`reset_state`: the switch does not report its BMv2 program");
      await device.load(program);
    },
  },
};
