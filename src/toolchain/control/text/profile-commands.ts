/**
 * `act_prof_*`, and the older forms `table_indirect_*`, which name the table. Handles count from 0 and P4Runtime's ids
 * from 1: handle n is id n + 1.
 */
import { fail } from "../../../base/index.js";
import type { ActionCall, ActionProfileGroup, ActionProfileMember, GroupMember } from "../../device/index.js";
import type { ProfileInfo } from "../../program/index.js";
import { CODES } from "../codes.js";
import { type Commands, MANY } from "../command.js";
import { type CheckedWords, type Command, type Context, profileActions, type Words } from "../context.js";
import { ofKind } from "../entities.js";
import { findNamed } from "../names.js";
import type { Word } from "../words.js";
import { actionText } from "./format.js";

async function membersOf(context: Context, { name }: ProfileInfo): Promise<ActionProfileMember[]> {
  const found = await context.device.read([{ kind: "member", profile: name }]);
  return ofKind(found, "member").sort((a, b) => a.memberId - b.memberId);
}

async function groupsOf(context: Context, { name }: ProfileInfo): Promise<ActionProfileGroup[]> {
  const found = await context.device.read([{ kind: "group", profile: name }]);
  return ofKind(found, "group").sort((a, b) => a.groupId - b.groupId);
}

/** The lowest free id, from 1. */
function freeId(taken: readonly number[]): number {
  const ids = new Set(taken);
  let id = 1;
  while (ids.has(id)) id++;
  return id;
}

function memberText({ memberId, action }: ActionProfileMember, profile: ProfileInfo): string {
  return `Dumping member ${memberId - 1}\n${actionText(action, profileActions(profile))}`;
}

function groupText({ groupId, members }: ActionProfileGroup): string {
  const handles = members.map(({ memberId, weight }) =>
    weight === 1 ? memberId - 1 : `${memberId - 1} x ${weight}`,
  );
  return `Dumping group ${groupId - 1}\nMembers: [${handles.join(", ")}]`;
}

/** All members and groups. */
export async function printProfile(context: Context, profile: ProfileInfo): Promise<void> {
  context.print("==========\nMEMBERS");
  for (const member of await membersOf(context, profile))
    context.print(`**********\n${memberText(member, profile)}`);
  if (!profile.message.withSelector) return;
  context.print("==========\nGROUPS");
  for (const group of await groupsOf(context, profile)) context.print(`**********\n${groupText(group)}`);
}

function readCall(context: Context, profile: ProfileInfo, name: Word, words: readonly Word[]): ActionCall {
  const info = findNamed("action", profileActions(profile), name, `action profile ${profile.name}`);
  const [call, [extra]] = context.call(info, words, name);
  if (extra !== undefined) fail(CODES.form, extra.span, `too many parameters for action ${info.name}`);
  return call;
}

function needSelector(profile: ProfileInfo, word: Word): void {
  if (!profile.message.withSelector)
    fail(CODES.form, word.span, `action profile ${profile.name} has no selector, so no groups`);
}

async function findMember(context: Context, profile: ProfileInfo, word: Word): Promise<ActionProfileMember> {
  const memberId = context.integer("the member", word) + 1;
  const found = await context.device.read([{ kind: "member", profile: profile.name, memberId }]);
  const member = found.find(
    (one): one is ActionProfileMember => one.kind === "member" && one.memberId === memberId,
  );
  if (member === undefined)
    fail(CODES.missing, word.span, `action profile ${profile.name} has no member ${word.text}`);
  return member;
}

async function findGroup(context: Context, profile: ProfileInfo, word: Word): Promise<ActionProfileGroup> {
  const groupId = context.integer("the group", word) + 1;
  const found = await context.device.read([{ kind: "group", profile: profile.name, groupId }]);
  const group = found.find(
    (one): one is ActionProfileGroup => one.kind === "group" && one.groupId === groupId,
  );
  if (group === undefined)
    fail(CODES.missing, word.span, `action profile ${profile.name} has no group ${word.text}`);
  return group;
}

function changeGroup(
  change: (members: readonly GroupMember[], memberId: number, word: Word) => GroupMember[],
) {
  return async (context: Context, profile: ProfileInfo, words: Words<3>): Promise<void> => {
    needSelector(profile, words[0]);
    const memberId = context.integer("the member", words[1]) + 1;
    const group = await findGroup(context, profile, words[2]);
    const members = change(group.members, memberId, words[1]);
    await context.device.write([{ type: "modify", entity: { ...group, members } }]);
  };
}

const addMember = changeGroup((members, memberId, word) => {
  if (members.some((member) => member.memberId === memberId))
    fail(CODES.refused, word.span, `member ${word.text} is in the group already`);
  return [...members, { memberId, weight: 1 }];
});

const removeMember = changeGroup((members, memberId, word) => {
  const rest = members.filter((member) => member.memberId !== memberId);
  if (rest.length === members.length) fail(CODES.missing, word.span, `the group has no member ${word.text}`);
  return rest;
});

/** A command on an action profile, which is the first argument. */
interface ProfileCommandOf<Least extends 1 | 2 | 3> {
  readonly name: string;
  /** Its older name, with the table in place of the profile. */
  readonly older: string;
  /** The arguments after the profile. */
  readonly form: string;
  readonly summary: string;
  readonly least: Least;
  readonly most: number;
  run(context: Context, profile: ProfileInfo, words: Words<Least>): Promise<void>;
}

type ProfileCommand = ProfileCommandOf<1> | ProfileCommandOf<2> | ProfileCommandOf<3>;

const COMMANDS: readonly ProfileCommand[] = [
  {
    name: "act_prof_create_member",
    older: "table_indirect_create_member",
    form: " <action:profile> <parameters:action>",
    summary: "make a member",
    least: 2,
    most: MANY,
    async run(context, profile, words) {
      const action = readCall(context, profile, words[1], words.slice(2));
      const memberId = freeId((await membersOf(context, profile)).map((member) => member.memberId));
      await context.device.write([
        { type: "insert", entity: { kind: "member", profile: profile.name, memberId, action } },
      ]);
      context.print(`Member has been created with handle ${memberId - 1}`);
    },
  },
  {
    name: "act_prof_modify_member",
    older: "table_indirect_modify_member",
    form: " <action:profile> <member> <parameters:action>",
    summary: "give a member another action",
    least: 3,
    most: MANY,
    async run(context, profile, words) {
      const values = words.slice(words[3]?.text === "=>" ? 4 : 3);
      const action = readCall(context, profile, words[1], values);
      const memberId = context.integer("the member", words[2]) + 1;
      await context.device.write([
        { type: "modify", entity: { kind: "member", profile: profile.name, memberId, action } },
      ]);
    },
  },
  {
    name: "act_prof_delete_member",
    older: "table_indirect_delete_member",
    form: " <member>",
    summary: "delete a member that nothing uses",
    least: 2,
    most: 2,
    async run(context, profile, words) {
      await context.device.write([{ type: "delete", entity: await findMember(context, profile, words[1]) }]);
    },
  },
  {
    name: "act_prof_create_group",
    older: "table_indirect_create_group",
    form: "",
    summary: "make an empty group",
    least: 1,
    most: 1,
    async run(context, profile, words) {
      needSelector(profile, words[0]);
      const groupId = freeId((await groupsOf(context, profile)).map((group) => group.groupId));
      await context.device.write([
        {
          type: "insert",
          entity: { kind: "group", profile: profile.name, groupId, members: [], maxSize: 0 },
        },
      ]);
      context.print(`Group has been created with handle ${groupId - 1}`);
    },
  },
  {
    name: "act_prof_delete_group",
    older: "table_indirect_delete_group",
    form: " <group>",
    summary: "delete a group that nothing uses",
    least: 2,
    most: 2,
    async run(context, profile, words) {
      needSelector(profile, words[0]);
      const groupId = context.integer("the group", words[1]) + 1;
      await context.device.write([
        {
          type: "delete",
          entity: { kind: "group", profile: profile.name, groupId, members: [], maxSize: 0 },
        },
      ]);
    },
  },
  {
    name: "act_prof_add_member_to_group",
    older: "table_indirect_add_member_to_group",
    form: " <member> <group>",
    summary: "put a member into a group",
    least: 3,
    most: 3,
    run: addMember,
  },
  {
    name: "act_prof_remove_member_from_group",
    older: "table_indirect_remove_member_from_group",
    form: " <member> <group>",
    summary: "take a member out of a group",
    least: 3,
    most: 3,
    run: removeMember,
  },
  {
    name: "act_prof_dump_member",
    older: "table_dump_member",
    form: " <member>",
    summary: "show a member",
    least: 2,
    most: 2,
    async run(context, profile, words) {
      context.print(memberText(await findMember(context, profile, words[1]), profile));
    },
  },
  {
    name: "act_prof_dump_group",
    older: "table_dump_group",
    form: " <group>",
    summary: "show a group",
    least: 2,
    most: 2,
    async run(context, profile, words) {
      needSelector(profile, words[0]);
      context.print(groupText(await findGroup(context, profile, words[1])));
    },
  },
];

function byTable(context: Context, word: Word): ProfileInfo {
  const table = context.table(word);
  if (table.profile === undefined)
    fail(CODES.form, word.span, `table ${table.name} has no action profile: it is no indirect table`);
  return table.profile;
}

function both(command: ProfileCommand): [string, Command][] {
  const { name, older, form, summary } = command;
  return [
    [name, onProfile(command, `${name} <profile>${form}`, summary, (context, word) => context.profile(word))],
    [
      older,
      onProfile(
        command,
        `${older} <table>${form.replace(":profile", ":table")}`,
        `${summary}, by table`,
        byTable,
      ),
    ],
  ];
}

function onProfile(
  { least, most, run }: ProfileCommand,
  usage: string,
  summary: string,
  find: (context: Context, word: Word) => ProfileInfo,
): Command {
  return {
    usage,
    summary,
    least,
    most,
    run: (context: Context, words: CheckedWords) => run(context, find(context, words[0]), words),
  } as Command;
}

export const profileCommands: Commands = {
  ...Object.fromEntries(COMMANDS.flatMap(both)),
  act_prof_dump: {
    usage: "act_prof_dump <profile>",
    summary: "show all members and groups",
    least: 1,
    most: 1,
    run: (context, words) => printProfile(context, context.profile(words[0])),
  },
};
