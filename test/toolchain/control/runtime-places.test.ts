/** `sN-runtime.json`: each wrong value is reported at its own place in the file, and values at their bounds are taken. */
import { expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { readRuntimeFile } from "../../../src/toolchain/control/index.js";
import type { Update } from "../../../src/toolchain/device/index.js";
import { P4InfoIndex } from "../../../src/toolchain/program/index.js";
import { p4infoOf } from "./start.js";

const index = new P4InfoIndex(p4infoOf("l3"));

function read(text: string) {
  const diagnostics = new Diagnostics();
  const updates =
    readRuntimeFile(new SourceFile("r.json", text), diagnostics)?.updates(index, diagnostics) ?? [];
  return { updates, found: diagnostics.list };
}

it.each<[string, string]>([
  [
    '{"table_entries":[{"table":"routes4","match":{"dts":1},"action_name":"route","action_params":{"next_hop":1}}]}',
    'P43212 "dts": table TheIngress.routes4 has no match field `dts`; did you mean `dst`?',
  ],
  [
    '{"table_entries":[{"table":"routes4","match":{"dst":["10.0.0.0",8],"hdr.ipv4.dst":1},"action_name":"route","action_params":{"next_hop":1}}]}',
    "P43211 1: match field hdr.ipv4.dst is given twice",
  ],
  [
    '{"table_entries":[{"table":"routes4","match":{"dst":[300,33]},"action_name":"route","action_params":{"next_hop":1}}]}',
    "P43213 [300,33]: the prefix length of match field hdr.ipv4.dst is `33`; it must be 0 to 32",
  ],
  [
    '{"table_entries":[{"table":"routes4","match":{"dst":["10.0.0.0","x"]},"action_name":"route","action_params":{"next_hop":1}}]}',
    'P43213 ["10.0.0.0","x"]: the prefix length of match field hdr.ipv4.dst is `x`; it must be 0 to 32',
  ],
  [
    '{"table_entries":[{"table":"routes4","match":{"dst":[]},"action_name":"route","action_params":{"next_hop":1}}]}',
    "P43211 []: `table_entries.0.match.dst` is []; it should be [value, length]: match field hdr.ipv4.dst is lpm",
  ],
  [
    '{"table_entries":[{"table":"routes4","match":5,"action_name":"route","action_params":{"next_hop":1}}]}',
    "P43211 5: `table_entries.0.match` is 5; it should be an object",
  ],
  [
    '{"table_entries":[{"table":"routes4","match":[1],"action_name":"route","action_params":{"next_hop":1}}]}',
    "P43211 [1]: `table_entries.0.match` is [1]; it should be an object",
  ],
  [
    '{"table_entries":[{"table":"routes4","match":{"dst":["10.0.0.0",8]},"action_name":"route","action_params":[1]}]}',
    "P43211 [1]: `table_entries.0.action_params` is [1]; it should be an object",
  ],
  [
    '{"table_entries":[{"table":"routes4","match":{"dst":["10.0.0.0",8]},"action_name":"route","action_params":null}]}',
    "P43211 null: action TheIngress.route lacks its parameter next_hop",
  ],
  [
    '{"table_entries":[{"table":"routes4","action_name":"route","match":{"dst":["10.0.0.0",8]}}]}',
    'P43211 {"table":"routes4","action_name":"route","match":{"dst":["10.0.0.0",8]}}: action TheIngress.route lacks its parameter next_hop',
  ],
  [
    '{"table_entries":[{"table":"routes4","match":{"dst":["10.0.0.0",8]},"action_name":"route","action_params":{"next_hop":1.5}}]}',
    'P43213 1.5: parameter next_hop: "1.5" is no value; give an integer, a MAC address or an IP address',
  ],
  [
    '{"table_entries":[{"table":"routes4","match":{"dst":["10.0.0.0",8]},"action_name":"route","action_params":{"next_hop":true}}]}',
    'P43213 true: parameter next_hop: "true" is no value; give an integer, a MAC address or an IP address',
  ],
  [
    '{"table_entries":[{"table":"routes4","match":{"dst":["10.0.0.0",8]},"action_name":3,"action_params":{"next_hop":1}}]}',
    "P43211 3: `table_entries.0.action_name` is 3; it should be a string",
  ],
  [
    '{"table_entries":[{"table":3,"match":{"dst":["10.0.0.0",8]},"action_name":"route","action_params":{"next_hop":1}}]}',
    "P43211 3: `table_entries.0.table` is 3; it should be a string",
  ],
  [
    '{"table_entries":[{"table":"next_hops","action_name":"drop","action_params":{"reason":1}}]}',
    'P43211 {"table":"next_hops","action_name":"drop","action_params":{"reason":1}}: the match lacks meta.next_hop: an exact field cannot be left out',
  ],
  [
    '{"table_entries":[{"table":"next_hops","match":null,"action_name":"drop","action_params":{"reason":1}}]}',
    'P43211 {"table":"next_hops","match":null,"action_name":"drop","action_params":{"reason":1}}: the match lacks meta.next_hop: an exact field cannot be left out',
  ],
  [
    '{"table_entries":[{"table":"next_hops","match":{},"action_name":"drop","action_params":{"reason":1}}]}',
    "P43211 {}: the match lacks meta.next_hop: an exact field cannot be left out",
  ],
  [
    '{"table_entries":[{"table":"next_hops","match":{"next_hop":"*"},"action_name":"drop","action_params":{"reason":1}}]}',
    'P43213 "*": match field meta.next_hop is exact: it needs a value',
  ],
  [
    '{"table_entries":[{"table":"acl","match":{"ports.dst":[9,1]},"priority":1,"action_name":"deny"}]}',
    "P43213 [9,1]: the low bound of match field hdr.ports.dst is above the high bound: 9->1",
  ],
  [
    '{"table_entries":[{"table":"acl","match":{"src":[1,2,3]},"priority":1,"action_name":"deny"}]}',
    "P43211 [1,2,3]: `table_entries.0.match.src` is [1,2,3]; it should be [value, mask]: match field hdr.ipv4.src is ternary",
  ],
  [
    '{"table_entries":[{"table":"acl","match":{"protocol":[1,2]},"priority":1,"action_name":"deny"}]}',
    "P43211 [1,2]: `table_entries.0.match.protocol` is [1,2]; it should be a value: match field meta.protocol is optional",
  ],
  [
    '{"table_entries":[{"table":"acl","match":{},"priority":2147483648,"action_name":"deny"}]}',
    "P43211 2147483648: `table_entries.0.priority` is 2147483648; it should be a whole number from 0 to 2147483647",
  ],
  [
    '{"table_entries":[{"table":"acl","match":{},"priority":"x","action_name":"deny"}]}',
    'P43211 "x": `table_entries.0.priority` is "x"; it should be a whole number from 0 to 2147483647',
  ],
  [
    '{"table_entries":[{"table":"acl","match":{},"priority":1.5,"action_name":"deny"}]}',
    "P43211 1.5: `table_entries.0.priority` is 1.5; it should be a whole number from 0 to 2147483647",
  ],
  ['{"table_entries":5}', "P43211 5: `table_entries` is 5; it should be a list"],
  ['{"table_entries":[5]}', "P43211 5: `table_entries.0` is 5; it should be an object"],
  ['{"table_entries":{}}', "P43211 {}: `table_entries` is {}; it should be a list"],
  [
    '{"multicast_group_entries":[{"multicast_group_id":0,"replicas":[]}]}',
    "P43211 0: `multicast_group_entries.0.multicast_group_id` is 0; it should be a whole number from 1 to 65535",
  ],
  [
    '{"multicast_group_entries":[{"multicast_group_id":65536,"replicas":[]}]}',
    "P43211 65536: `multicast_group_entries.0.multicast_group_id` is 65536; it should be a whole number from 1 to 65535",
  ],
  [
    '{"multicast_group_entries":[{"replicas":[]}]}',
    'P43211 {"replicas":[]}: `multicast_group_entries.0.multicast_group_id` is missing; it should be a whole number from 1 to 65535',
  ],
  [
    '{"multicast_group_entries":[{"multicast_group_id":1,"replicas":[{"egress_port":512}]}]}',
    "P43211 512: `multicast_group_entries.0.replicas.0.egress_port` is 512; it should be a whole number from 0 to 511",
  ],
  [
    '{"multicast_group_entries":[{"multicast_group_id":1,"replicas":[{"egress_port":-1}]}]}',
    "P43211 -1: `multicast_group_entries.0.replicas.0.egress_port` is -1; it should be a whole number from 0 to 511",
  ],
  [
    '{"multicast_group_entries":[{"multicast_group_id":1,"replicas":[{"instance":1}]}]}',
    'P43211 {"instance":1}: `multicast_group_entries.0.replicas.0.egress_port` is missing; it should be a whole number from 0 to 511',
  ],
  [
    '{"multicast_group_entries":[{"multicast_group_id":1,"replicas":[{"egress_port":1,"instance":65536}]}]}',
    "P43211 65536: `multicast_group_entries.0.replicas.0.instance` is 65536; it should be a whole number from 0 to 65535",
  ],
  [
    '{"multicast_group_entries":[{"multicast_group_id":1,"replicas":[7]}]}',
    "P43211 7: `multicast_group_entries.0.replicas.0` is 7; it should be an object",
  ],
  [
    '{"clone_session_entries":[{"clone_session_id":32768}]}',
    "P43211 32768: `clone_session_entries.0.clone_session_id` is 32768; it should be a whole number from 1 to 32767",
  ],
  [
    '{"clone_session_entries":[{"replicas":[]}]}',
    'P43211 {"replicas":[]}: `clone_session_entries.0.clone_session_id` is missing; it should be a whole number from 1 to 32767',
  ],
  [
    '{"clone_session_entries":[{"clone_session_id":1,"class_of_service":2,"packet_length_bytes":65536}]}',
    "P43211 65536: `clone_session_entries.0.packet_length_bytes` is 65536; it should be a whole number from 0 to 65535",
  ],
  ['{"target":5}', "P43211 5: `target` is 5; it should be a string"],
  ['{"p4info":5}', "P43211 5: `p4info` is 5; it should be a string"],
  ['{"bmv2_json":[]}', "P43211 []: `bmv2_json` is []; it should be a string"],
])("%s: %s", (text, expected) => {
  const { updates, found } = read(text);
  const shown = found.map(
    ({ code, span, message }) => `${code} ${text.slice(span!.start, span!.end)}: ${message}`,
  );
  expect({ shown, updates }).toEqual({ shown: [expected], updates: [] });
});

it.each<[string, Update[]]>([
  [
    '{"table_entries":[{"table":"routes4","match":{"dst":["10.0.0.0",8]},"action_name":"route","action_params":{"next_hop":-1}}]}',
    [
      {
        type: "insert",
        entity: {
          kind: "tableEntry",
          table: "TheIngress.routes4",
          match: [{ kind: "lpm", field: "hdr.ipv4.dst", value: 167772160n, prefixLength: 8 }],
          priority: 0,
          action: { kind: "action", action: "TheIngress.route", params: { next_hop: 65535n } },
        },
      },
    ],
  ],
  [
    '{"table_entries":[{"table":"next_hops","match":{"next_hop":[1]},"action_name":"drop","action_params":{"reason":1}}]}',
    [
      {
        type: "insert",
        entity: {
          kind: "tableEntry",
          table: "TheIngress.next_hops",
          match: [{ kind: "exact", field: "meta.next_hop", value: 1n }],
          priority: 0,
          action: { kind: "action", action: "TheIngress.drop", params: { reason: 1n } },
        },
      },
    ],
  ],
  [
    '{"table_entries":[{"table":"acl","match":{"ports.dst":[1,9],"src":["10.1.2.3","255.255.0.0"],"protocol":6},"priority":1,"action_name":"deny"}]}',
    [
      {
        type: "insert",
        entity: {
          kind: "tableEntry",
          table: "TheIngress.acl",
          match: [
            { kind: "ternary", field: "hdr.ipv4.src", value: 167837696n, mask: 4294901760n },
            { kind: "optional", field: "meta.protocol", value: 6n },
            { kind: "range", field: "hdr.ports.dst", low: 1n, high: 9n },
          ],
          priority: 1,
          action: { kind: "action", action: "TheIngress.deny", params: {} },
        },
      },
    ],
  ],
  [
    '{"table_entries":[{"table":"acl","match":{"src":"10.1.2.0/24"},"priority":"2","action_name":"deny"}]}',
    [
      {
        type: "insert",
        entity: {
          kind: "tableEntry",
          table: "TheIngress.acl",
          match: [{ kind: "ternary", field: "hdr.ipv4.src", value: 167838208n, mask: 4294967040n }],
          priority: 2,
          action: { kind: "action", action: "TheIngress.deny", params: {} },
        },
      },
    ],
  ],
  ['{"table_entries":null}', []],
  [
    '{"multicast_group_entries":[{"multicast_group_id":"3","replicas":[{"egress_port":"2","instance":"1"},{"egress_port":511}]}]}',
    [
      {
        type: "insert",
        entity: {
          kind: "multicastGroup",
          groupId: 3,
          replicas: [
            { port: 2, instance: 1 },
            { port: 511, instance: 0 },
          ],
        },
      },
    ],
  ],
  [
    '{"multicast_group_entries":[{"multicast_group_id":1}]}',
    [{ type: "insert", entity: { kind: "multicastGroup", groupId: 1, replicas: [] } }],
  ],
  [
    '{"clone_session_entries":[{"clone_session_id":32767,"replicas":[{"egress_port":1}],"packet_length_bytes":"99"}]}',
    [
      {
        type: "insert",
        entity: {
          kind: "cloneSession",
          sessionId: 32767,
          replicas: [{ port: 1, instance: 0 }],
          classOfService: 0,
          packetLengthBytes: 99,
        },
      },
    ],
  ],
])("%s is written", (text, expected) => {
  expect(read(text)).toEqual({ updates: expected, found: [] });
});

it("a value of many lines is reported by its first one", () => {
  const text = JSON.stringify({ table_entries: [{ table: "next_hops", action_name: "drop" }] }, null, 2);
  const [first] = read(text).found;
  expect(text.slice(first!.span!.start, first!.span!.end)).toBe("{");
});
