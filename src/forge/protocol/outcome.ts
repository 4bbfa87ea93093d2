/**
 * What a pure function answers when its input may be wrong: the value, or the fault as a value.
 * Faults carry the caller's sentence; the route chooses the status.
 */
export type Outcome<Value, Fault> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: Fault }

/** The good answer. */
export function accept<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value }
}

/** The refusal. */
export function refuse<Fault>(fault: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault }
}
