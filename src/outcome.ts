/**
 * The result of a function that can fail in a way that its caller handles: the value, or the fault. The kind of fault is
 * the function's own: a sentence, a `GitFault`. Whoever answers a request chooses the status.
 */
export type Outcome<Value, Fault> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: Fault }

export const done = <Value>(value: Value): { readonly ok: true; readonly value: Value } => ({
  ok: true,
  value,
})

export const failed = <Fault>(fault: Fault): { readonly ok: false; readonly fault: Fault } => ({
  ok: false,
  fault,
})
