import type { AllocationInput, PhvAllocation, PhvRule } from "./allocation.js";
export interface PhvViolation { readonly rule: PhvRule; readonly detail: string }
export function verifyPhv(_input: AllocationInput, _allocation: PhvAllocation): PhvViolation[] { return []; }
