/** The lab as a page uses it, the same for every engine. */
import { describeIssues } from "../../toolchain/documents/index.js";
import { CODES } from "./codes.js";
import { type LabEvent, type LabMessage, type LabReply, type LabRequest, labCallSchema } from "./protocol.js";

export interface LabService {
  /** Resolves to a reply also for errors of users; it rejects only for internal errors. */
  apply(request: LabRequest): Promise<LabReply>;
  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: LabEvent) => void): () => void;
  close(): Promise<void>;
}

/**
 * Checks the message of a page and answers it. The reply to a request that ends with an internal error says so; the
 * lab continues.
 */
export async function answerCall(service: LabService, data: unknown): Promise<LabMessage> {
  const parsed = labCallSchema.safeParse(data);
  if (parsed.success) {
    const { id, request } = parsed.data;
    try {
      return { id, reply: await service.apply(request) };
    } catch (error) {
      const message = `internal error: ${error instanceof Error ? error.message : String(error)}`;
      return {
        id,
        reply: { ok: false, diagnostics: [{ severity: "error", code: CODES.internal, message, notes: [] }] },
      };
    }
  }
  const given = typeof data === "object" && data !== null ? (data as { id?: unknown }).id : undefined;
  const id = typeof given === "number" && Number.isInteger(given) && given >= 0 ? given : 0;
  const diagnostics = describeIssues(parsed.error.issues, labCallSchema, data).map(
    ({ code, message, notes }) => ({
      severity: "error" as const,
      code,
      message,
      notes: notes.map((text) => ({ message: text })),
    }),
  );
  return { id, reply: { ok: false, diagnostics } };
}
