/**
 * The result of a function that can fail in a way that its caller handles: the value, or the fault. Each function
 * chooses the kind of fault: a sentence, a `GitFault`. The handler of the request chooses the status.
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
