/**
 * Who may write (P4Runtime spec 5). Per role the live controller with the highest election id ever seen is
 * primary; all others are backups. Knows nothing of gRPC: a controller is something that can be sent
 * arbitration updates and whose stream can be ended.
 */
import { create } from "@bufbuild/protobuf";
import type { StatusCode } from "../../program/index.js";
import { electionIdMessage, electionIdOf } from "../election.js";
import { StatusSchema } from "../generated/google/rpc/status_pb.js";
import {
  type MasterArbitrationUpdate,
  MasterArbitrationUpdateSchema,
  type Role as RoleMessage,
  RoleSchema,
} from "../generated/p4/v1/p4runtime_pb.js";
import { codeNumber } from "../status.js";

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
}

interface Role {
  readonly name: string;
  readonly members: Set<Member>;
  /** Highest election id that a primary ever had. */
  highest: bigint | undefined;
  primary: Member | undefined;
  /** Becomes primary once the writes of the one before are done. */
  candidate: Member | undefined;
  /** Writes of the primary that are under way, and what waits for their end. */
  writes: number;
  afterWrites: (() => void)[];
}

/** Roles are remembered for good, with their highest election ids: so their number is bounded. */
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
    /** Most live controllers of one role. */
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
    const refusal = this.#refusal(controller, message);
    if (refusal !== undefined) {
      this.remove(controller);
      controller.end(...refusal);
      return;
    }
    const electionId = electionIdOf(message.electionId);
    let member = this.#members.get(controller);
    if (member === undefined) {
      const role = this.#role(roleNameOf(message));
      member = { controller, role, roleMessage: message.role, electionId };
      role.members.add(member);
      this.#members.set(controller, member);
    }
    member.electionId = electionId;
    this.#elect(member);
  }

  #refusal(controller: Controller, message: MasterArbitrationUpdate): [StatusCode, string] | undefined {
    const known = this.#members.get(controller);
    const name = roleNameOf(message);
    if (message.deviceId !== this.deviceId) {
      return known === undefined
        ? ["NOT_FOUND", `device ${message.deviceId} is not here, but device ${this.deviceId}`]
        : ["FAILED_PRECONDITION", "the device id of a stream cannot change"];
    }
    if (known !== undefined && known.role.name !== name) {
      return ["FAILED_PRECONDITION", "the role of a stream cannot change"];
    }
    if (message.role?.config !== undefined) {
      const { typeUrl } = message.role.config;
      return [
        "INVALID_ARGUMENT",
        `the role configuration ${typeUrl || "without a type"} is not supported: every role has full access, leave it out`,
      ];
    }
    if (name.length > MAX_ROLE_NAME) {
      return ["INVALID_ARGUMENT", `the name of the role is longer than ${MAX_ROLE_NAME} characters`];
    }
    if (!this.#roles.has(name) && this.#roles.size >= MAX_ROLES) {
      return ["RESOURCE_EXHAUSTED", `there are ${MAX_ROLES} roles already, the most that are kept`];
    }
    const others = [...(this.#roles.get(name)?.members ?? [])].filter((member) => member !== known);
    const electionId = electionIdOf(message.electionId);
    if (electionId !== undefined && others.some((member) => member.electionId === electionId)) {
      return ["INVALID_ARGUMENT", `election id ${electionId} is used by another live controller`];
    }
    if (known === undefined && others.length >= this.maxControllers) {
      return ["RESOURCE_EXHAUSTED", `there are ${others.length} controllers already, the most allowed`];
    }
    return undefined;
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

  /** A controller's stream is gone. */
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

  /** The primaries of all roles, which are told what the device says. */
  primaries(): Controller[] {
    return [...this.#roles.values()].flatMap((role) => role.primary?.controller ?? []);
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
