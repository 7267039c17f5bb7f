/** Statements over P4Runtime: values that the switch knows by name, settings that have no entity, other refusals. */
import { expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { Interpreter } from "../../../src/toolchain/control/index.js";
import { DeviceError, type PortAttachment, type PortControl } from "../../../src/toolchain/device/index.js";
import type { SwitchOptions } from "../../../src/toolchain/switch/index.js";
import { startClient, startServer } from "../p4runtime/helpers.js";
import { namesProgram } from "../p4runtime/names-program.js";
import { startUnconfigured } from "../switch/golden.js";
import { p4infoOf } from "./start.js";

async function remote(name: string, options: Partial<SwitchOptions> = {}) {
  const { device } = startUnconfigured(name, p4infoOf(name), options);
  const server = await startServer(device, {});
  const client = await startClient(server.address);
  const files: Record<string, string> = {};
  const interpreter = new Interpreter(client, {
    writeFile: (path, text) => {
      files[path] = text;
    },
    readFile: (path) => new SourceFile(path, files[path]!),
  });
  const say = async (text: string) => {
    const diagnostics = new Diagnostics();
    const lines: string[] = [];
    await interpreter.run(new SourceFile("shell", text), diagnostics, { print: (line) => lines.push(line) });
    return { lines, messages: diagnostics.list.map(formatDiagnostic) };
  };
  return { device, client, files, say };
}

it("names represent values of translated types, on the wire and in the answers", async () => {
  const { client, say } = await remote("l3");
  await client.load(namesProgram());
  const table = await say("table route");
  expect(table.lines).toContain("  key      vrf: exact string");
  const action = /action +(\S+)\(/.exec(table.lines.find((line) => /\(port: string/.test(line))!)![1]!;
  const text = `insert I.route vrf=blue dst=02:00:00:00:00:07 => ${action} port=1`;
  expect((await say(text)).messages).toEqual([]);
  expect((await say("dump route")).lines[0]).toBe(text);
  expect((await say("table_dump route")).lines).toContain("TABLE ENTRIES");
});

it("commands of simple_switch_CLI work over the wire as in the switch", async () => {
  const { device, say } = await remote("cpu");
  const { lines, messages } = await say(
    [
      "act_prof_create_group spread",
      "act_prof_create_member spread use 6",
      "act_prof_add_member_to_group spread 0 0",
      "table_indirect_add_with_group paths 8 => 0",
      "act_prof_create_member spread drop",
      "act_prof_delete_member spread 1",
      "mirroring_get 5",
      "mirroring_add 5 3",
      "mirroring_get 5",
      "set_queue_depth 20 3",
    ].join("\n"),
  );
  expect(messages).toHaveLength(1);
  expect(messages[0]).toContain("error[P43205]: there is no mirror 5");
  expect(lines).toContain("Group has been created with handle 0");
  expect(lines.at(-1)).toBe("MirroringSessionConfig(port=3, mgid=None)");
  expect(device.query([{ kind: "group" }])).toMatchObject([{ groupId: 1, members: [{ memberId: 1 }] }]);
});

it("a program that is loaded by another is seen", async () => {
  const { client, say } = await remote("l3");
  await say("table_add routes4 route 10.0.0.0/8 => 1");
  await client.load({ bmv2: startUnconfigured("cpu").device.program!.bmv2, p4info: p4infoOf("cpu") });
  expect((await say("table_num_entries paths")).lines).toEqual(["0"]);
  expect((await say("reset_state\ninfo")).lines[1]).toBe("program  cpu.p4");
});

/** Port 7 is there from the start. */
function shelf(): PortControl {
  const held = new Map<number, PortAttachment>([[7, { kind: "files", name: "run/p7" }]]);
  return {
    add: async (port, attachment) => {
      if (attachment.name === "nowhere0") throw new DeviceError("NOT_FOUND", "no interface nowhere0");
      held.set(port, attachment);
    },
    remove: async (port) => {
      if (!held.delete(port)) throw new DeviceError("NOT_FOUND", `there is no port ${port}`);
    },
    list: async () =>
      [...held].map(([port, attachment]) => ({
        ...{ port, attachment, up: port !== 2, received: 10, sent: 20, receiveDrops: 0, sendDrops: port },
      })),
  };
}

it("ports are added, listed and removed", async () => {
  const { say } = await remote("l3", { ports: shelf() });
  const added = await say(
    [
      "add_port 1 veth1",
      "add_port 2 eth0 netns=h2",
      "port_add veth3 3",
      "remove_port 7",
      "add_port 0x1ff files=a/b",
    ].join("\n"),
  );
  expect(added).toEqual({ lines: [], messages: [] });
  // The form is that of simple_switch_CLI.
  expect((await say("port_remove 3\nshow_ports")).lines).toEqual([
    "  port #       iface name       status  extra info",
    "==================================================",
    "    1            veth1            UP    received=10; sent=20; send_drops=1",
    "    2             eth0           DOWN   netns=h2; received=10; sent=20; send_drops=2",
    "   511            a/b             UP    pcap files; received=10; sent=20; send_drops=511",
  ]);
});

it.each([
  ["add_port 512 veth1", /P43204\]: the port is `512`; give a number from 0 to 511/],
  ["add_port one veth1", /P43204\]: the port/],
  ["add_port 1", /P43202\]: wrong number of words; usage: add_port <port> <interface> \[netns=NAMESPACE\]/],
  ["add_port 1 nowhere0", /P43206\]: the switch refuses: no interface nowhere0 \(NOT_FOUND\)/],
  ["add_port 1 file=x", /P43202\]: `file=x`: give the name of an interface, or files=NAME/],
  ["add_port 1 files=x netns=y", /P43202\]: files have no network namespace/],
  ["add_port 1 veth1 net=y", /P43202\]: `net=y`: after the interface only netns=NAMESPACE can be given/],
  ["add_port 1 veth1 netns=", /P43202\]: `netns=`/],
  ["remove_port 3", /P43206\]: the switch refuses: there is no port 3/],
  ["port_add veth1 1 capture.pcap", /P43207\]: `port_add`: the switch captures the ports/],
])("%s is refused", async (statement, message) => {
  const { say } = await remote("l3", { ports: shelf() });
  const { lines, messages } = await say(statement);
  expect(lines).toEqual([]);
  expect(messages).toHaveLength(1);
  expect(messages[0]).toMatch(message);
  expect((await say("show_ports")).lines).toHaveLength(3);
});

it("a state is saved to a file, reset, and restored from it", async () => {
  const { device, files, say } = await remote("l3");
  const before = (await say("insert routes4 10.0.0.0/8 => route 7\nsave_state s1.state\nsave")).lines;
  expect(before[0]).toBe("# 1 updates are in s1.state");
  expect(files["s1.state"]!.split("\n")[0]).toBe('{"p4loomState":1,"program":"l3.p4"}');
  const text = "reset_state\ninsert routes4 11.0.0.0/8 => route 8\nrestore_state s1.state\nsave";
  expect(await say(text)).toEqual({ lines: before.slice(1), messages: [] });
  // Handles of simple_switch_CLI are those of the restored entries.
  expect((await say("table_dump_entry routes4 0")).lines).toContain(
    "* hdr.ipv4.dst        : LPM       0a000000/8",
  );
  files["wrong"] = "insert routes4 12.0.0.0/8 => route 9";
  expect((await say("restore_state wrong")).messages[0]).toMatch(
    /P43206\]: the switch refuses: line 1 of the state: /,
  );
  expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }])).toHaveLength(1);
});

it("a switch without p4loom.v1.Settings does not offer ports and states, and the message says so", async () => {
  const { device } = startUnconfigured("l3", p4infoOf("l3"));
  // As of BMv2: P4Runtime only.
  const interpreter = new Interpreter(device, {
    writeFile: () => {},
    readFile: (path) => new SourceFile(path, "{}"),
  });
  for (const statement of [
    "show_ports",
    "add_port 1 veth0",
    "remove_port 1",
    "port_add veth0 1",
    "port_remove 1",
  ]) {
    const diagnostics = new Diagnostics();
    await interpreter.run(new SourceFile("shell", statement), diagnostics, { print: () => {} });
    expect(diagnostics.list.map(({ code, message }) => `${code} ${message}`)).toEqual([
      `P43207 \`${statement.split(" ")[0]}\`: this switch does not add, remove or list ports over P4Runtime`,
    ]);
  }
  for (const statement of ["save_state a", "restore_state a"]) {
    const diagnostics = new Diagnostics();
    await interpreter.run(new SourceFile("shell", statement), diagnostics, { print: () => {} });
    expect(diagnostics.list.map(({ code, message }) => `${code} ${message}`)).toEqual([
      `P43207 \`${statement.split(" ")[0]}\`: this switch does not give its state as a document`,
    ]);
  }
});
