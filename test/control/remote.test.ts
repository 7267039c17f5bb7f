/** Statements over P4Runtime: values that the switch knows by name, settings that have no entity, other refusals. */
import { expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../src/base/index.js";
import { Interpreter } from "../../src/control/index.js";
import { startClient, startServer } from "../p4runtime/helpers.js";
import { namesProgram } from "../p4runtime/names-program.js";
import { startUnconfigured } from "../switch/golden.js";
import { p4infoOf } from "./start.js";

async function remote(name: string) {
  const { device } = startUnconfigured(name, p4infoOf(name));
  const server = await startServer(device, {});
  const client = await startClient(server.address);
  const interpreter = new Interpreter(client);
  const say = async (text: string) => {
    const diagnostics = new Diagnostics();
    const lines: string[] = [];
    await interpreter.run(new SourceFile("shell", text), diagnostics, { print: (line) => lines.push(line) });
    return { lines, messages: diagnostics.list.map(formatDiagnostic) };
  };
  return { device, client, say };
}

it("names stand for values of translated types, on the wire and in the answers", async () => {
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
