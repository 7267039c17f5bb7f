/** `mc_*` and `mirroring_*`: multicast nodes and groups, clone sessions. */
import { defined, fail } from "../../../base/index.js";
import type { CloneSessionEntry } from "../../device/index.js";
import { CODES } from "../codes.js";
import { type Commands, MANY } from "../command.js";
import type { Context } from "../context.js";
import type { ReplicationNodes } from "../replication-nodes.js";
import type { Word } from "../words.js";

const MAX_PORT = 511;
const MAX_GROUP = 0xffff;
const MAX_MIRROR = 32767;

function readPorts(context: Context, words: readonly Word[]): number[] {
  const bar = words.find(({ text }) => text === "|");
  if (bar !== undefined)
    fail(CODES.unable, bar.span, "P4Runtime has no link aggregation groups in multicast nodes");
  const ports = words.map((word) => context.integer("a port", word, MAX_PORT));
  ports.forEach((port, i) => {
    if (ports.indexOf(port) !== i) fail(CODES.value, defined(words[i]).span, `port ${port} is given twice`);
  });
  return ports;
}

/** Ports as the bits of a string, port 0 last: how simple_switch_CLI prints them. */
function portMap(ports: readonly number[]): string {
  return Array.from({ length: Math.max(-1, ...ports) + 1 }, (_, i) => (ports.includes(i) ? 1 : 0))
    .reverse()
    .join("");
}

function findGroup(context: Context, nodes: ReplicationNodes, word: Word): number {
  const id = context.integer("the multicast group", word, MAX_GROUP);
  if (!nodes.groups.has(id)) fail(CODES.missing, word.span, `there is no multicast group ${id}`);
  return id;
}

function findNode(context: Context, nodes: ReplicationNodes, word: Word): number {
  const handle = context.integer("the node", word);
  if (nodes.node(handle) === undefined)
    fail(CODES.missing, word.span, `there is no multicast node ${handle}`);
  return handle;
}

/** A command that works on nodes. */
function onNodes<W extends readonly Word[]>(
  run: (context: Context, nodes: ReplicationNodes, words: W) => Promise<void> | void,
): (context: Context, words: W) => Promise<void> {
  return async (context, words) => run(context, await context.state.nodes(), words);
}

function readMirror(context: Context, word: Word): number {
  return context.integer("the mirror", word, MAX_MIRROR);
}

async function findMirror(context: Context, nodes: ReplicationNodes, word: Word): Promise<CloneSessionEntry> {
  const id = readMirror(context, word);
  const found = await nodes.mirror(id);
  if (found === undefined) fail(CODES.missing, word.span, `there is no mirror ${id}`);
  return found;
}

/** As Python prints simple_switch's record; copies that P4Runtime wrote are shown instead of a port or group. */
function mirrorText({ replicas, packetLengthBytes }: CloneSessionEntry, group: number | undefined): string {
  const single = replicas.length === 1 && defined(replicas[0]).instance === 0 && group === undefined;
  const limit = packetLengthBytes === 0 ? "" : `, packet_length_bytes=${packetLengthBytes}`;
  if (single) return `MirroringSessionConfig(port=${defined(replicas[0]).port}, mgid=None${limit})`;
  if (group !== undefined) return `MirroringSessionConfig(port=None, mgid=${group}${limit})`;
  const copies = replicas.map(({ port, instance }) => `${port}/${instance}`);
  return `MirroringSessionConfig(port=None, mgid=None, replicas=[${copies.join(", ")}]${limit})`;
}

export const replicationCommands: Commands = {
  mc_mgrp_create: {
    usage: "mc_mgrp_create <multicast group>",
    summary: "make an empty multicast group",
    least: 1,
    most: 1,
    run: onNodes(async (context, nodes, [word]) => {
      const id = context.integer("the multicast group", word, MAX_GROUP, 1);
      context.print(`Creating multicast group ${id}`);
      await nodes.createGroup(id);
    }),
  },
  mc_mgrp_destroy: {
    usage: "mc_mgrp_destroy <multicast group>",
    summary: "delete a multicast group",
    least: 1,
    most: 1,
    run: onNodes(async (context, nodes, [word]) => {
      const id = findGroup(context, nodes, word);
      context.print(`Destroying multicast group ${id}`);
      await nodes.destroyGroup(id);
    }),
  },
  mc_node_create: {
    usage: "mc_node_create <rid> <ports>",
    summary: "make a node: a replication id and ports",
    least: 1,
    most: MANY,
    run: onNodes((context, nodes, words) => {
      const rid = context.integer("the rid", words[0], MAX_GROUP);
      const ports = readPorts(context, words.slice(1));
      context.print(`Creating node with rid ${rid} , port map ${portMap(ports)} and lag map `);
      context.print(`node was created with handle ${nodes.createNode(rid, ports)}`);
    }),
  },
  mc_node_update: {
    usage: "mc_node_update <node> <ports>",
    summary: "give a node other ports",
    least: 1,
    most: MANY,
    run: onNodes(async (context, nodes, words) => {
      const handle = findNode(context, nodes, words[0]);
      const ports = readPorts(context, words.slice(1));
      context.print(`Updating node ${handle} with port map ${portMap(ports)} and lag map `);
      await nodes.updateNode(handle, ports);
    }),
  },
  mc_node_destroy: {
    usage: "mc_node_destroy <node>",
    summary: "delete a node",
    least: 1,
    most: 1,
    run: onNodes(async (context, nodes, [word]) => {
      const handle = findNode(context, nodes, word);
      context.print(`Destroying node ${handle}`);
      await nodes.destroyNode(handle);
    }),
  },
  mc_node_associate: {
    usage: "mc_node_associate <multicast group> <node>",
    summary: "put a node into a multicast group",
    least: 2,
    most: 2,
    run: onNodes(async (context, nodes, words) => {
      const handle = findNode(context, nodes, words[1]);
      if (defined(nodes.node(handle)).group !== undefined)
        fail(CODES.refused, words[1].span, `node ${handle} is in a multicast group already`);
      const group = findGroup(context, nodes, words[0]);
      context.print(`Associating node ${handle} to multicast group ${group}`);
      await nodes.associate(group, handle);
    }),
  },
  mc_node_dissociate: {
    usage: "mc_node_dissociate <multicast group> <node>",
    summary: "take a node out of a multicast group",
    least: 2,
    most: 2,
    run: onNodes(async (context, nodes, words) => {
      const group = findGroup(context, nodes, words[0]);
      const handle = findNode(context, nodes, words[1]);
      if (defined(nodes.node(handle)).group !== group)
        fail(CODES.refused, words[1].span, `node ${handle} is not in multicast group ${group}`);
      context.print(`Dissociating node ${handle} from multicast group ${group}`);
      await nodes.dissociate(group, handle);
    }),
  },
  mc_dump: {
    usage: "mc_dump",
    summary: "show multicast groups and their nodes",
    least: 0,
    most: 0,
    run: onNodes((context, nodes) => {
      context.print("==========\nMC ENTRIES");
      for (const [id, handles] of [...nodes.groups].sort(([a], [b]) => a - b)) {
        context.print(`**********\nmgrp(${id})`);
        for (const handle of handles) {
          const { rid, ports } = defined(nodes.node(handle));
          context.print(`  -> (L1h=${handle}, rid=${rid}) -> (ports=[${ports.join(", ")}], lags=[])`);
        }
      }
      context.print("==========\nLAGS\n==========");
    }),
  },
  mirroring_add: {
    usage: "mirroring_add <mirror> <port>",
    summary: "let clones of a session leave by a port",
    least: 2,
    most: 2,
    run: onNodes(async (context, nodes, words) => {
      const port = context.integer("the port", words[1], MAX_PORT);
      await nodes.setMirror(readMirror(context, words[0]), { port });
    }),
  },
  mirroring_add_mc: {
    usage: "mirroring_add_mc <mirror> <multicast group>",
    summary: "let clones of a session go to a multicast group",
    least: 2,
    most: 2,
    run: onNodes(async (context, nodes, words) => {
      const group = context.integer("the multicast group", words[1], MAX_GROUP);
      await nodes.setMirror(readMirror(context, words[0]), { group });
    }),
  },
  mirroring_delete: {
    usage: "mirroring_delete <mirror>",
    summary: "delete a clone session",
    least: 1,
    most: 1,
    run: onNodes(async (context, nodes, [word]) => {
      await nodes.deleteMirror((await findMirror(context, nodes, word)).sessionId);
    }),
  },
  mirroring_get: {
    usage: "mirroring_get <mirror>",
    summary: "show a clone session",
    least: 1,
    most: 1,
    run: onNodes(async (context, nodes, [word]) => {
      const found = await findMirror(context, nodes, word);
      context.print(mirrorText(found, nodes.mirrorGroup(found.sessionId)));
    }),
  },
};
