/**
 * Which controllers may write (P4Runtime spec 5). Per role the live controller with the highest election id ever seen is
 * primary; all others are backups. This file does not use gRPC: a controller is an object that can be sent
 * arbitration updates and whose stream can be ended.
 */
import { create } from "@bufbuild/protobuf";
import { DeviceError, type StatusCode } from "../../device/index.js";
import { electionIdMessage, electionIdOf } from "../election.js";
import { StatusSchema } from "../generated/google/rpc/status_pb.js";
import {
  type MasterArbitrationUpdate,
  MasterArbitrationUpdateSchema,
  type Role as RoleMessage,
  RoleSchema,
} from "../generated/p4/v1/p4runtime_pb.js";
import { codeNumber } from "../status.js";
import { RoleConfig } from "./role-config.js";

export interface Controller {
  arbitrate(update: MasterArbitrationUpdate): void;
  end(code: StatusCode, message: string): void;
}

/** One live controller of a role. */
interface Member {
  readonly controller: Controller;
  readonly role: Role;
  /** As the controller sent it: the default role may be unset or empty. */
  readonly roleMessage: RoleMessage | undefined;
  /** Unset: never primary. */
  electionId: bigint | undefined;
  /** What the role may do while this controller is its primary; undefined: everything. */
  config: RoleConfig | undefined;
}

interface Role {
  readonly name: string;
  readonly members: Set<Member>;
  /** Highest election id that a primary ever had. */
  highest: bigint | undefined;
  primary: Member | undefined;
  /** The next primary: it waits until the writes of the former primary have ended. */
  candidate: Member | undefined;
  /** As the last primary set it. */
  config: RoleConfig | undefined;
  /** Number of the primary's writes in progress, and the tasks that wait for their end. */
  writes: number;
  afterWrites: (() => void)[];
}

/** The number of roles is bounded, because roles and their highest election ids are never forgotten. */
const MAX_ROLES = 1024;
const MAX_ROLE_NAME = 1024;

function roleNameOf(message: MasterArbitrationUpdate): string {
  return roleName(message.role?.name ?? "", message.role?.id ?? 0n);
}

/** Roles were numbers before P4Runtime 1.4; such a number gets a name of its own. */
export function roleName(name: string, id: bigint): string {
  return name !== "" || id === 0n ? name : `#${id}`;
}

export class Arbitration {
  readonly #roles = new Map<string, Role>();
  readonly #members = new Map<Controller, Member>();

  constructor(
    private readonly deviceId: bigint,
    /** Maximum number of live controllers of one role. */
    private readonly maxControllers: number,
  ) {
    this.#role("");
  }

  #role(name: string): Role {
    let role = this.#roles.get(name);
    if (role === undefined) {
      role = {
        name,
        members: new Set(),
        highest: undefined,
        primary: undefined,
        candidate: undefined,
        config: undefined,
        writes: 0,
        afterWrites: [],
      };
      this.#roles.set(name, role);
    }
    return role;
  }

  knowsRole(name: string): boolean {
    return this.#roles.has(name);
  }

  /** Handles an arbitration update of a controller; a refused one ends its stream (5.3). */
  update(controller: Controller, message: MasterArbitrationUpdate): void {
    let config: RoleConfig | undefined;
    try {
      config = this.#check(controller, message);
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      this.remove(controller);
      controller.end(error.code, error.message);
      return;
    }
    const electionId = electionIdOf(message.electionId);
    let member = this.#members.get(controller);
    if (member === undefined) {
      const role = this.#role(roleNameOf(message));
      member = { controller, role, roleMessage: message.role, electionId, config };
      role.members.add(member);
      this.#members.set(controller, member);
    }
    member.electionId = electionId;
    member.config = config;
    this.#elect(member);
  }

  /** The configuration of the role, if the update has one. Throws a DeviceError when the update is refused. */
  #check(controller: Controller, message: MasterArbitrationUpdate): RoleConfig | undefined {
    const refuse = (code: StatusCode, why: string): never => {
      throw new DeviceError(code, why);
    };
    const known = this.#members.get(controller);
    const name = roleNameOf(message);
    if (message.deviceId !== this.deviceId) {
      if (known !== undefined) refuse("FAILED_PRECONDITION", "the device id of a stream cannot change");
      refuse("NOT_FOUND", `device ${message.deviceId} is not here, but device ${this.deviceId}`);
    }
    if (known !== undefined && known.role.name !== name) {
      refuse("FAILED_PRECONDITION", "the role of a stream cannot change");
    }
    const config = this.#configIn(message, name);
    if (name.length > MAX_ROLE_NAME) {
      refuse("INVALID_ARGUMENT", `the name of the role is longer than ${MAX_ROLE_NAME} characters`);
    }
    if (!this.#roles.has(name) && this.#roles.size >= MAX_ROLES) {
      refuse("RESOURCE_EXHAUSTED", `there are ${MAX_ROLES} roles already, the maximum`);
    }
    const others = [...(this.#roles.get(name)?.members ?? [])].filter((member) => member !== known);
    const electionId = electionIdOf(message.electionId);
    if (electionId !== undefined && others.some((member) => member.electionId === electionId)) {
      refuse("INVALID_ARGUMENT", `election id ${electionId} is used by another live controller`);
    }
    if (known === undefined && others.length >= this.maxControllers) {
      refuse("RESOURCE_EXHAUSTED", `there are ${others.length} controllers already, the maximum`);
    }
    return config;
  }

  /** The configuration of the role in an update, checked against those of the other roles that have controllers. */
  #configIn(message: MasterArbitrationUpdate, name: string): RoleConfig | undefined {
    const packed = message.role?.config;
    if (packed === undefined) return undefined;
    const config = new RoleConfig(packed);
    if (name === "") throw new DeviceError("INVALID_ARGUMENT", "the default role takes no configuration");
    for (const other of this.#roles.values()) {
      if (other.name === name || other.members.size === 0 || other.config === undefined) continue;
      const id = config.conflict(other.config);
      if (id !== undefined) {
        const why = `P4 id ${id} is exclusive to one role and named by another: "${name}" and "${other.name}"`;
        throw new DeviceError("INVALID_ARGUMENT", `the role configuration: ${why}`);
      }
    }
    return config;
  }

  #elect(member: Member): void {
    const { role, electionId } = member;
    if (electionId === undefined || (role.highest !== undefined && electionId < role.highest)) {
      const wasPrimary = role.primary === member || role.candidate === member;
      if (wasPrimary) this.#depose(role);
      else this.#notify(member);
      return;
    }
    role.primary = undefined;
    role.candidate = member;
    role.highest = electionId;
    role.config = member.config;
    for (const each of role.members) if (each !== member) this.#notify(each);
    this.#whenIdle(role, () => {
      if (role.candidate !== member) return;
      role.candidate = undefined;
      role.primary = member;
      this.#notify(member);
    });
  }

  #whenIdle(role: Role, then: () => void): void {
    if (role.writes === 0) then();
    else role.afterWrites.push(then);
  }

  /** The stream of a controller has ended. */
  remove(controller: Controller): void {
    const member = this.#members.get(controller);
    if (member === undefined) return;
    this.#members.delete(controller);
    const { role } = member;
    role.members.delete(member);
    if (role.primary === member || role.candidate === member) this.#depose(role);
  }

  /** Leaves a role without primary until a controller claims it. */
  #depose(role: Role): void {
    role.primary = undefined;
    role.candidate = undefined;
    for (const member of role.members) this.#notify(member);
  }

  /** Whether the controller is the primary of its role: only then may it send packets (16.1). */
  isPrimary(controller: Controller): boolean {
    const member = this.#members.get(controller);
    return member !== undefined && member.role.primary === member;
  }

  /** The primaries of all roles, which receive the events of the device, with the configurations of their roles. */
  primaries(): { controller: Controller; config: RoleConfig | undefined }[] {
    return [...this.#roles.values()].flatMap(({ primary, config }) =>
      primary === undefined ? [] : [{ controller: primary.controller, config }],
    );
  }

  /** What a role may do; undefined: everything. */
  configOf(roleNamed: string): RoleConfig | undefined {
    return this.#roles.get(roleNamed)?.config;
  }

  /** Starts a write if the election id is that of the role's primary; the answer ends it. */
  beginWrite(roleNamed: string, electionId: bigint | undefined): (() => void) | undefined {
    const role = this.#roles.get(roleNamed);
    if (role?.primary === undefined || electionId === undefined || role.primary.electionId !== electionId) {
      return undefined;
    }
    role.writes++;
    return () => {
      if (--role.writes > 0) return;
      for (const then of role.afterWrites.splice(0)) then();
    };
  }

  /** Who is primary of a role, in words. */
  describe(roleNamed: string): string {
    const role = this.#roles.get(roleNamed);
    const primary = role?.primary ?? role?.candidate;
    return primary === undefined
      ? "there is no primary"
      : `the primary has election id ${primary.electionId}`;
  }

  #notify(member: Member): void {
    const { role } = member;
    const update = create(MasterArbitrationUpdateSchema, { deviceId: this.deviceId });
    if (member.roleMessage !== undefined) {
      update.role = create(RoleSchema, { id: member.roleMessage.id, name: member.roleMessage.name });
    }
    if (role.highest !== undefined) update.electionId = electionIdMessage(role.highest);
    const [code, text]: [StatusCode, string] =
      role.primary === member
        ? ["OK", "you are primary"]
        : role.primary !== undefined || role.candidate !== undefined
          ? ["ALREADY_EXISTS", "you are backup"]
          : ["NOT_FOUND", "you are backup, and there is no primary"];
    update.status = create(StatusSchema, { code: codeNumber(code), message: text });
    member.controller.arbitrate(update);
  }
}
