/**
 * The result of a pure function whose input may be invalid: the value, or the fault. A fault is a message for the
 * caller; the route chooses the status.
 */
export type Outcome<Value, Fault> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: Fault }

/** A success. */
export function accept<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value }
}

/** A failure. */
export function refuse<Fault>(fault: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault }
}
